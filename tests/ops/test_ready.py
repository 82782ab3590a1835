from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from ops.ready import problem
from ops.redis_conf import free_port


class _Loading(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(503 if self.path == "/readyz" else 200)
        self.end_headers()
        self.wfile.write(b'{"detail": "no relay"}')

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture
def loading_service() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), _Loading) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_a_service_that_answers_503_is_not_ready_and_says_why(loading_service: str) -> None:
    assert problem(loading_service) == "status 503: no relay"


def test_a_service_that_does_not_listen_is_not_ready() -> None:
    assert "refused" in (problem(f"http://127.0.0.1:{free_port()}") or "")


def test_any_2xx_of_readyz_is_ready(loading_service: str) -> None:
    assert problem(f"{loading_service}/x") is None
