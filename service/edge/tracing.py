"""Traces of requests, if traces are on."""

from typing import Final

from flask import Flask
from opentelemetry.instrumentation.flask import FlaskInstrumentor
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import Span

from events.store.tracing import trace_appends
from runtime import tracing

_UNTRACED: Final = "healthz,readyz,metrics"
_QUERIES: Final = {"http.target", "http.url"}
"""Attributes that may contain the code of an invitation."""
_PRIVATE: Final = {"url.query", "net.peer.ip", "client.address"}
"""Such a query alone, and the address of a client, which no log has either."""


def trace_requests(app: Flask) -> None:
    """Trace the requests of this process, and what they append."""
    tracing.start("machi-web")
    trace_appends()
    FlaskInstrumentor.instrument_app(  # type: ignore[no-untyped-call]  # it has no types
        app, response_hook=_redact, excluded_urls=_UNTRACED, enable_commenter=False
    )


def _redact(span: Span, *_: object) -> None:
    """Drop what nobody else may know; at the answer, since the instrumentation sets attributes until then."""
    attributes = span.attributes or {} if isinstance(span, ReadableSpan) else {}
    for name in _QUERIES & attributes.keys():
        span.set_attribute(name, str(attributes[name]).partition("?")[0])
    for name in _PRIVATE & attributes.keys():
        span.set_attribute(name, "")
