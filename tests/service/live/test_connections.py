"""How long a client may take, and whose connection gives way."""

import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import pytest

from service.edge.requests import RequestTimeout
from service.live.connections import Bounds, Connection, Connections, Timeouts, is_client_gone
from tests.service.served import wait_until

ENDLESS = Timeouts(3600, 3600, 3600)
BRIEF = Timeouts(0.05, 0.05, 0.05)


class Clients:
    """Ends of clients, and what becomes of the connections at the other ends."""

    def __init__(self, bounds: Bounds) -> None:
        self.connections = Connections(bounds)
        self.stack = ExitStack()
        self.ended: list[str] = []
        self.threads: list[threading.Thread] = []

    def open(self, address: str | None, timeouts: Timeouts = ENDLESS) -> tuple[socket.socket, Connection]:
        mine, theirs = socket.socketpair()
        self.stack.enter_context(mine)
        self.stack.enter_context(theirs)
        return mine, Connection(theirs, address, self.connections, timeouts)

    def await_more(self, connection: Connection, name: str) -> None:
        """Receive in a thread, and note the name when that is over."""
        is_waiting = threading.Event()

        def receive() -> None:
            is_waiting.set()
            with suppress(RequestTimeout):
                connection.recv(100)
            self.ended.append(name)

        self.threads.append(threading.Thread(target=receive))
        self.threads[-1].start()
        is_waiting.wait()

    def close(self) -> None:
        self.connections.dismiss()
        for thread in self.threads:
            thread.join()
        self.stack.close()


@pytest.fixture
def clients() -> Iterator[Clients]:
    clients = Clients(Bounds(total=5, unfinished=4, of_address=2))
    yield clients
    clients.close()


def waits(clients: Clients, connection: Connection) -> bool:
    return connection in clients.connections._unfinished or connection in clients.connections._idle


def hang(clients: Clients, address: str | None, name: str) -> Connection:
    """One that sent half a request, and waits."""
    mine, connection = clients.open(address)
    mine.sendall(b"GET /")
    assert connection.recv(100) == b"GET /"
    clients.await_more(connection, name)
    wait_until(lambda: waits(clients, connection) or name in clients.ended)
    return connection


def test_the_oldest_of_an_address_gives_way_and_others_stay(clients: Clients) -> None:
    for name in ("a1", "a2"):
        hang(clients, "a", name)
    hang(clients, "b", "b1")
    assert clients.ended == []
    hang(clients, "a", "a3")
    wait_until(lambda: clients.ended == ["a1"])


def test_where_all_are_too_many_the_oldest_gives_way(clients: Clients) -> None:
    for name in "abcd":
        hang(clients, name, name)
    hang(clients, "e", "e")
    wait_until(lambda: clients.ended == ["a"])


def test_a_drop_now_and_then_makes_a_request_no_younger(clients: Clients) -> None:
    mine, dripping = clients.open("a")
    mine.sendall(b"G")
    dripping.recv(100)
    hang(clients, "a", "a2")
    mine.sendall(b"E")
    dripping.recv(100)
    clients.await_more(dripping, "dripping")
    wait_until(lambda: waits(clients, dripping))
    hang(clients, "a", "a3")
    wait_until(lambda: clients.ended == ["dripping"])


def test_behind_a_proxy_no_address_is_counted(clients: Clients) -> None:
    for name in ("1", "2", "3", "4"):
        hang(clients, None, name)
    assert clients.ended == []


def test_who_is_idle_for_longest_gives_way_to_a_new_connection(clients: Clients) -> None:
    for name in "abcde":
        _, connection = clients.open(name)
        connection.rest()
        clients.await_more(connection, name)
        wait_until(lambda connection=connection: waits(clients, connection))  # type: ignore[misc]
    assert clients.ended == []
    clients.open("f")
    wait_until(lambda: clients.ended == ["a"])


def test_a_request_of_which_a_part_came_times_out_and_a_silent_connection_just_ends(clients: Clients) -> None:
    mine, connection = clients.open("a", BRIEF)
    mine.sendall(b"GET /")
    assert connection.recv(100) == b"GET /"
    with pytest.raises(RequestTimeout):
        connection.recv(100)
    assert clients.open("a", BRIEF)[1].recv(100) == b""


def test_the_time_of_a_request_begins_with_its_first_byte(clients: Clients) -> None:
    mine, connection = clients.open("a", Timeouts(request_s=0.05, idle_s=3600, answer_s=1))
    connection.rest()
    threading.Timer(0.2, mine.sendall, (b"GET",)).start()
    assert connection.recv(100) == b"GET"
    with pytest.raises(RequestTimeout):
        connection.recv(100)


def test_an_idle_connection_ends_in_time_and_without_a_word(clients: Clients) -> None:
    mine, connection = clients.open("a", BRIEF)
    mine.sendall(b"x")
    connection.recv(100)
    connection.rest()
    assert connection.recv(100) == b""


def test_a_client_that_takes_nothing_loses_its_connection(clients: Clients) -> None:
    _, connection = clients.open("a", BRIEF)
    with pytest.raises(ConnectionResetError):
        connection.sendall(bytes(10_000_000))


def test_it_shows_whether_the_client_is_gone(clients: Clients) -> None:
    mine, connection = clients.open("a")
    environ = {"gunicorn.socket": connection}
    assert not is_client_gone(environ)
    mine.sendall(b"more")
    assert not is_client_gone(environ)
    assert connection.recv(100) == b"more"
    mine.close()
    assert is_client_gone(environ)
    assert not is_client_gone({})
