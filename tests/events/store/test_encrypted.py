"""The event store behind TLS: its certificate is checked, and everything works as without."""

import datetime
import ipaddress
import socket
import socketserver
import ssl
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest
import redis
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from events import Matches, RedisStore
from events.store.client import connect_store
from events.store.durability import Requirements, durability_problems
from ops.servers import Server
from tests.events.example_matches import SEEDS, finished_match


class Encrypted(NamedTuple):
    """A server that speaks TLS alone."""

    url: str
    authority: Path
    """The certificate by which its own is checked."""


def _key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def _certificate(
    name: str, key: ec.EllipticCurvePrivateKey, issuer: str, by: ec.EllipticCurvePrivateKey
) -> bytes:
    now = datetime.datetime.now(datetime.UTC)
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    made = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer)]))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([address]), critical=False)
        .add_extension(x509.BasicConstraints(ca=name == issuer, path_length=None), critical=True)
        .sign(by, hashes.SHA256())
    )
    return made.public_bytes(serialization.Encoding.PEM)


def _private(key: ec.EllipticCurvePrivateKey) -> bytes:
    plain = serialization.NoEncryption()
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)


class _Terminator(socketserver.ThreadingTCPServer):
    """Speaks TLS to clients and passes what they say on to a server, as a proxy of a managed Redis does."""

    daemon_threads = True

    def __init__(self, context: ssl.SSLContext, port: int) -> None:
        super().__init__(("127.0.0.1", 0), _Passing)
        self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
        self.port = port

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that does not trust the certificate leaves."""


class _Passing(socketserver.BaseRequestHandler):
    server: _Terminator

    def handle(self) -> None:
        self.request.do_handshake()
        with socket.create_connection(("127.0.0.1", self.server.port)) as other:
            threading.Thread(target=_pass, args=(other, self.request), daemon=True).start()
            _pass(self.request, other)


def _pass(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65_536):
            target.sendall(data)


@pytest.fixture
def server(events_redis: redis.Redis, events_server: Server, tmp_path: Path) -> Iterator[Encrypted]:
    authority, own = _key(), _key()
    (tmp_path / "ca.pem").write_bytes(_certificate("authority", authority, "authority", authority))
    (tmp_path / "own.pem").write_bytes(_certificate("server", own, "authority", authority))
    (tmp_path / "own.key").write_bytes(_private(own))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "own.pem", tmp_path / "own.key")
    address = events_server.address
    with _Terminator(context, address.port) as terminator:
        threading.Thread(target=terminator.serve_forever, daemon=True).start()
        url = f"rediss://app:{address.app_password}@127.0.0.1:{terminator.server_address[1]}/0"
        yield Encrypted(url, tmp_path / "ca.pem")
        terminator.shutdown()


def test_matches_are_played_on_an_encrypted_store(server: Encrypted) -> None:
    with connect_store(f"{server.url}?ssl_ca_certs={server.authority}", Requirements()) as client:
        assert durability_problems(client) == []
        matches = Matches(RedisStore(client), SEEDS)
        finished = finished_match(matches)
        assert Matches(RedisStore(client), SEEDS).load(finished.match_id).version == finished.version


@pytest.mark.parametrize("durability", [False, True])
def test_a_server_whose_certificate_nobody_vouches_for_gets_nothing(
    server: Encrypted, durability: bool
) -> None:
    with (
        connect_store(server.url, Requirements(is_replicated=durability)) as client,
        pytest.raises(redis.ConnectionError, match="CERTIFICATE_VERIFY_FAILED"),
    ):
        client.get("mk:{00}:canary")
