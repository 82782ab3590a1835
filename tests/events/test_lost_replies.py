"""A reply that is lost on the way: the client sends the command again, and it is carried out once."""

import contextlib
import socket
import threading
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from domain.commands import RollDice
from events import Matches, RedisStore, StaleVersion
from events.connection import connect
from ops.servers import Server
from tests.events.matches import SEEDS, append, creation, one_move


class Line:
    """A line to the server that can be told to carry a command there and lose the reply."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._server = (parts.hostname, parts.port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = url.replace(f":{parts.port}/", f":{self._listener.getsockname()[1]}/")
        self.replies_to_lose = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._carry, args=(client,), daemon=True).start()

    def _carry(self, client: socket.socket) -> None:
        """Commands are small and come one at a time: each arrives in one piece, as does its reply."""
        with client, socket.create_connection(self._server) as server:
            while command := client.recv(1 << 20):
                server.sendall(command)
                reply = server.recv(1 << 20)
                if b"EVALSHA" in command and self.replies_to_lose:
                    self.replies_to_lose -= 1
                    return
                client.sendall(reply)


@pytest.fixture
def line(events_server: Server, redis_store: RedisStore) -> Iterator[Line]:
    with contextlib.closing(Line(events_server.url)) as line:
        yield line


def test_a_command_whose_reply_is_lost_is_carried_out_once(line: Line, redis_store: RedisStore) -> None:
    with connect(line.url) as client:
        matches = Matches(RedisStore(client), SEEDS)
        match_id = matches.create(creation()).match_id
        line.replies_to_lose = 1
        outcome = matches.execute(match_id, RollDice(0, 1), "seat:0")
    assert line.replies_to_lose == 0
    assert not outcome.replayed
    assert [entry.last for entry in redis_store.read(match_id)] == [outcome.first - 1, outcome.last]


def test_a_creation_whose_reply_is_lost_makes_one_match(line: Line, redis_store: RedisStore) -> None:
    with connect(line.url) as client:
        RedisStore(client).append(append(0))  # the server knows the script from now on
        line.replies_to_lose = 1
        outcome = Matches(RedisStore(client), SEEDS).create(creation())
    assert line.replies_to_lose == 0
    assert not outcome.replayed
    assert len(redis_store.read(outcome.match_id)) == 1


def test_a_built_in_players_move_whose_reply_is_lost_is_stale_and_there_once(
    line: Line, redis_store: RedisStore
) -> None:
    with connect(line.url) as client:
        matches = Matches(RedisStore(client), SEEDS)
        match_id = matches.create(creation("ss")).match_id
        move = one_move(matches, matches.load(match_id))
        line.replies_to_lose = 1
        (result,) = matches.append_many([move])
        assert isinstance(result, StaleVersion)
        assert matches.load(match_id).version == result.current
    assert len(redis_store.read(match_id)) == 2
