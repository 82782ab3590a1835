"""OpenTelemetry traces of a service, received by a collector of the test."""

import gzip
import http.server
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tests.e2e.stack import running, wait_until
from tests.storms.journal import Journal
from tests.storms.wire import Wire

Spans = dict[bytes, dict[str, Span]]
"""By trace, by the name of the service and of the span."""


@contextmanager
def collector(found: Spans) -> Iterator[str]:
    """The URL of a server that takes traces."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                named = {one.key: one.value.string_value for one in resource.resource.attributes}
                for span in [span for scope in resource.scope_spans for span in scope.spans]:
                    found[span.trace_id][f"{named['service.name']} {span.name}"] = span
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def text_of(found: Spans) -> str:
    return "\n".join(str(span) for spans in list(found.values()) for span in list(spans.values()))


@pytest.mark.long
def test_a_trace_leads_from_a_request_to_the_turn_that_it_caused_and_has_no_secrets(tmp_path: Path) -> None:
    found: Spans = defaultdict(dict)
    seats = [{"kind": "me"}, {"kind": "strategy", "strategy": "random"}]
    played = {"machi-web append", "machi-relay dispatch", "machi-worker play", "machi-worker EVALSHA"}
    command = "machi-web POST /v1/matches/<match_id>/commands"
    with collector(found) as url, running(tmp_path / "var", OTEL_EXPORTER_OTLP_ENDPOINT=url) as stack:
        wire = Wire(stack.ports, Journal(tmp_path), threading.Event())
        wire.sign_up("ada")
        stack.tokens.append(wire.token)
        match_id = wire.ask("POST", "/v1/matches", {"ruleset": "base", "seats": seats}, key="k" * 20).json[
            "match_id"
        ]
        path, turn = f"/v1/matches/{match_id}", 0

        def is_traced() -> bool:
            nonlocal turn
            legal = wire.ask("GET", f"{path}/legal-commands").json
            if legal["seat"] == 0:
                turn += 1
                wire.ask("POST", f"{path}/commands", legal["commands"][0], key=f"turn-number-{turn:010}")
            caused = [spans["machi-web append"] for spans in list(found.values()) if played <= spans.keys()]
            causes = {link.trace_id for span in caused for link in span.links}
            return any(command in found[trace_id] for trace_id in causes)

        wait_until(is_traced)
        wire.attempt("GET", "/v1/matches?invitation=a-secret-code")
        wire.attempt("GET", "/a-secret-path")
        for name in ("machi-web GET /v1/matches", "machi-web GET"):
            wait_until(lambda name=name: any(name in spans for spans in list(found.values())))
        wire.close()
        assert not [
            secret
            for secret in [*stack.secrets(), "a-secret-code", "a-secret-path"]
            if secret in text_of(found)
        ]
    turns = [spans for spans in found.values() if "machi-worker play" in spans]
    for spans in turns:
        begun = spans.get("machi-web append") or spans["machi-worker append"]
        assert spans["machi-worker play"].parent_span_id == begun.span_id
        assert not begun.parent_span_id
    assert not [spans for spans in found.values() if "machi-relay XREAD" in spans]
    names = {one.key for spans in found.values() for span in spans.values() for one in span.attributes}
    assert not {
        name
        for name in names
        if name.startswith(("http.target", "http.url", "url.", "net.peer.ip", "client."))
    }
