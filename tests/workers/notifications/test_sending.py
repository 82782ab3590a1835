"""Requests to webhooks: to addresses that were checked, in limited time, without redirects."""

import contextlib
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from runtime.webhook_targets import TargetRules
from tests.receiver import LOCAL, Receiver, receiving
from workers.notifications.sending import Sender, SendLimits

PUBLIC_ONLY = TargetRules()
BRIEF = SendLimits(whole_s=0.3, connect_s=0.3)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as found:
        yield found


@contextlib.contextmanager
def answering(serve: Callable[[socket.socket], None]) -> Iterator[int]:
    """A server that does that with its first connection; its port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def accept() -> None:
            with contextlib.suppress(OSError):
                connection, _ = listener.accept()
                with connection, contextlib.suppress(OSError):
                    serve(connection)

        thread = threading.Thread(target=accept)
        thread.start()
        yield listener.getsockname()[1]
        with contextlib.suppress(OSError):
            socket.create_connection(listener.getsockname()[:2], 1).close()
        thread.join()


def test_a_message_arrives_whole(receiver: Receiver) -> None:
    attempt = Sender(LOCAL).post(f"{receiver.url}?key=1", {"webhook-id": "ntf_1"}, b'{"a":1}')
    assert (attempt.status, attempt.error, attempt.has_succeeded) == (200, "", True)
    (one,) = receiver.received
    assert (one.path, one.body, one.headers["webhook-id"]) == ("/hook?key=1", b'{"a":1}', "ntf_1")
    assert one.headers["host"] == f"127.0.0.1:{receiver.port}"
    assert one.headers["content-type"] == "application/json"


def test_an_address_behind_a_name_must_be_public(receiver: Receiver) -> None:
    for address in ("127.0.0.1", "10.0.0.1", "::1", "::ffff:169.254.169.254"):
        sender = Sender(PUBLIC_ONLY, resolve=lambda host, port, one=address: [one])  # type: ignore[misc]
        assert sender.post(f"https://bot.example:{receiver.port}/", {}, b"{}").error == "address_refused"
    assert not receiver.received


def test_one_private_address_among_public_ones_is_enough_to_refuse(receiver: Receiver) -> None:
    sender = Sender(PUBLIC_ONLY, resolve=lambda host, port: ["8.8.8.8", "127.0.0.1"])
    assert sender.post(f"https://bot.example:{receiver.port}/", {}, b"{}").error == "address_refused"


def test_a_name_that_changes_its_address_is_looked_up_once(receiver: Receiver) -> None:
    """DNS rebinding: the address that was checked is the one that is connected to."""
    answers = iter([["127.0.0.1"], ["192.168.0.1"]])
    asked: list[str] = []

    def resolve(host: str, port: int) -> list[str]:
        asked.append(host)
        return next(answers)

    sender = Sender(LOCAL, resolve=resolve)
    url = f"http://rebinding.example:{receiver.port}/hook"
    assert sender.post(url, {}, b"{}").status == 200
    assert asked == ["rebinding.example"]
    assert receiver.received[0].headers["host"] == f"rebinding.example:{receiver.port}"
    assert sender.post(url, {}, b"{}").error == "address_refused"
    assert len(receiver.received) == 1


def test_a_url_that_is_no_longer_allowed_is_refused(receiver: Receiver) -> None:
    assert Sender(PUBLIC_ONLY).post(receiver.url, {}, b"{}").error == "address_refused"


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_redirects_are_not_followed(receiver: Receiver, status: int) -> None:
    receiver.statuses = [status]
    attempt = Sender(LOCAL).post(receiver.url, {}, b"{}")
    assert (attempt.status, attempt.has_succeeded) == (status, False)
    assert [one.path for one in receiver.received] == ["/hook"]


def test_a_server_that_does_not_answer_is_left_in_time(receiver: Receiver) -> None:
    receiver.hold = threading.Event()
    assert Sender(LOCAL, BRIEF).post(receiver.url, {}, b"{}").error == "timeout"


def test_a_server_that_answers_byte_by_byte_gains_no_time() -> None:
    stop = threading.Event()

    def drip(connection: socket.socket) -> None:
        while not stop.wait(0.05):
            connection.sendall(b"H")

    with answering(drip) as port:
        attempt = Sender(LOCAL, BRIEF).post(f"http://127.0.0.1:{port}/", {}, b"{}")
        stop.set()
    assert attempt.error == "timeout"
    assert attempt.took_ms < 5000


def test_an_endless_response_is_not_read() -> None:
    def pour(connection: socket.socket) -> None:
        connection.recv(4096)
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            connection.sendall(b"x" * 65_536)

    with answering(pour) as port:
        assert Sender(LOCAL).post(f"http://127.0.0.1:{port}/", {}, b"{}").status == 200


def test_what_is_not_http_is_malformed() -> None:
    with answering(lambda connection: connection.sendall(b"SSH-2.0-x\r\n\r\n")) as port:
        attempt = Sender(LOCAL).post(f"http://127.0.0.1:{port}/", {}, b"{}")
    assert attempt.error in ("malformed_response", "unreachable")


def test_a_port_where_nobody_listens_is_unreachable(receiver: Receiver) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert Sender(LOCAL).post(f"http://127.0.0.1:{port}/", {}, b"{}").error == "unreachable"


def test_a_name_without_an_address_is_unresolved() -> None:
    def resolve(host: str, port: int) -> list[str]:
        raise socket.gaierror("no such host")

    assert Sender(LOCAL, resolve=resolve).post("http://bot.example/", {}, b"{}").error == "unresolved"


def test_a_resolver_that_hangs_is_left_in_time() -> None:
    hold = threading.Event()

    def resolve(host: str, port: int) -> list[str]:
        hold.wait(30)
        return ["127.0.0.1"]

    assert Sender(LOCAL, BRIEF, resolve).post("http://bot.example/", {}, b"{}").error == "timeout"
    hold.set()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for bot.example with its key, signed by itself."""
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    words = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    words += ["-keyout", str(path), "-out", f"{path}.crt", "-days", "2", "-subj", "/CN=bot.example"]
    words += ["-addext", "subjectAltName=DNS:bot.example"]
    subprocess.run(words, check=True, capture_output=True)
    path.write_text(path.read_text() + Path(f"{path}.crt").read_text())
    return path


def secured(certificate: Path) -> Callable[[socket.socket], None]:
    def serve(connection: socket.socket) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        with context.wrap_socket(connection, server_side=True) as secure:
            secure.recv(4096)
            secure.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")

    return serve


def test_tls_is_verified_against_the_name_and_not_the_address(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", f"{certificate}.crt")
    sender = Sender(LOCAL, SendLimits(), lambda host, port: ["127.0.0.1"])
    with answering(secured(certificate)) as port:
        assert sender.post(f"https://bot.example:{port}/", {}, b"{}").status == 204
    with answering(secured(certificate)) as port:
        assert sender.post(f"https://other.example:{port}/", {}, b"{}").error == "tls"


def test_a_certificate_that_nobody_vouches_for_is_refused(certificate: Path) -> None:
    sender = Sender(LOCAL, SendLimits(), lambda host, port: ["127.0.0.1"])
    with answering(secured(certificate)) as port:
        assert sender.post(f"https://bot.example:{port}/", {}, b"{}").error == "tls"
