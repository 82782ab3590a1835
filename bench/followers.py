"""The time of commands alone, beside 300 followers of idle or of busy matches, and beside 2,000 that wait."""

import http.client
import multiprocessing
import selectors
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median, quantiles
from typing import Any, Final

from bench.figures import Figure
from bench.over_http import REAL, Send, commands, request, serving
from bench.processes import servers

FOLLOWERS: Final = 300
WAITING: Final = 2000
"""Bots that wait for an event of a match that rests."""
WAIT_S: Final = 20
CONNECTIONS: Final = 4
PAUSE_S: Final = 0.02
"""The pause between commands of a connection, like that of thinking players, so that no queue builds up."""
COMMANDS: Final = 250
"""Commands of each connection in each round."""
ROUNDS: Final = 3


def measure() -> Iterator[Figure]:
    """The 50th and 99th percentiles in ms; the four situations alternate."""
    with servers() as where:
        environment = {"ACCOUNT_STREAMS": "10000", "RATE_ANONYMOUS": "1000000/minute"}
        with serving(where, REAL, environment) as (port, _):
            paths: list[str] = []
            players = [commands(port, number, paths) for number in range(CONNECTIONS)]
            _times_ms(port, players, 0)  # the first command creates the match
            resting = [_resting_match(port) for _ in range(10)]
            rounds = [_round(port, players, resting, paths) for _ in range(ROUNDS)]
    alone, idle, busy, waiting = zip(*rounds, strict=True)
    yield from _figures(f"{FOLLOWERS} following matches that rest", idle, alone)
    yield from _figures(f"{FOLLOWERS} following the matches played", busy, alone)
    yield from _figures(f"{WAITING} waiting", waiting, alone)


def _round(
    port: int, players: list[Send], resting: list[str], paths: list[str]
) -> tuple[list[float], list[float], list[float], list[float]]:
    alone = _times_ms(port, players)
    with _beside(_follow, port, resting):
        idle = _times_ms(port, players)
    with _beside(_follow, port, [path.rpartition("/")[0] for path in paths]):
        busy = _times_ms(port, players)
    with _beside(_wait, port, resting):
        waiting = _times_ms(port, players)
    return alone, idle, busy, waiting


def _figures(what: str, rounds: tuple[list[float], ...], alone: tuple[list[float], ...]) -> Iterator[Figure]:
    for percent in (50, 99):
        with_them, without = (
            median([quantiles(times, n=100)[percent - 1] for times in one]) for one in (rounds, alone)
        )
        name = f"p{percent} of commands, {what}"
        yield Figure(name, with_them, "ms", "", without, "ms with nobody")


def _times_ms(port: int, players: list[Send], first: int = 2) -> list[float]:
    found: list[list[float]] = [[] for _ in players]
    threads = [
        threading.Thread(target=_play, args=(port, first, *one)) for one in zip(players, found, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [one for times in found for one in times]


def _play(port: int, first: int, send: Send, times: list[float]) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    for i in range(first, first + COMMANDS):
        begun = time.perf_counter()
        send(connection, i)
        times.append((time.perf_counter() - begun) * 1000)
        time.sleep(PAUSE_S)
    connection.close()


def _resting_match(port: int) -> str:
    _, account = request(port, "POST", "/v1/accounts", {"handle": f"rest{time.time_ns() % 10**12}"})
    headers = {"Authorization": f"Bearer {account['token']}"}
    new = {"ruleset": "base", "seats": [{"kind": "me"}, {"kind": "me"}]}
    _, match = request(port, "POST", "/v1/matches", new, headers)
    return f"/v1/matches/{match['match_id']}"


@contextmanager
def _beside(others: Callable[..., None], port: int, matches: list[str]) -> Iterator[None]:
    """Run the body while another process runs `others`."""
    fork = multiprocessing.get_context("fork")
    are_there, may_end = fork.Event(), fork.Event()
    process = fork.Process(target=others, args=(port, matches, are_there, may_end))
    process.start()
    try:
        assert are_there.wait(60), "not all of them were there in time"
        yield
    finally:
        may_end.set()
        process.join(30)
        assert process.exitcode == 0, "one was cut off"


def _follow(port: int, matches: list[str], are_there: Any, may_end: Any) -> None:
    with selectors.DefaultSelector() as selector:
        for connection, path in _connected(port, matches, FOLLOWERS):
            connection.sendall(_request(path, "text/event-stream"))
            assert connection.recv(65536).startswith(b"HTTP/1.1 200"), "a stream was refused"
            selector.register(connection, selectors.EVENT_READ, connection)
        are_there.set()
        while not may_end.is_set():
            for key, _ in selector.select(0.2):
                assert key.data.recv(65536), "a stream was cut"


def _wait(port: int, matches: list[str], are_there: Any, may_end: Any) -> None:
    with selectors.DefaultSelector() as selector:
        for connection, path in _connected(port, matches, WAITING):
            head = _request(f"{path}&wait={WAIT_S}", "*/*")
            connection.sendall(head)
            selector.register(connection, selectors.EVENT_READ, (connection, head))
        are_there.set()
        while not may_end.is_set():
            for key, _ in selector.select(0.2):
                connection, head = key.data
                answer = connection.recv(65536)
                assert answer.startswith(b"HTTP/1.1 200"), f"a bot was refused: {answer[:400]!r}"
                connection.sendall(head)


def _connected(port: int, matches: list[str], count: int) -> Iterator[tuple[socket.socket, str]]:
    """Connections, and what each asks for: the events from now on, since catching up is another load."""
    heads = [(match, request(port, "GET", match, None)[1]["version"]) for match in matches]
    for i in range(count):
        match, version = heads[i % len(heads)]
        yield socket.create_connection(("127.0.0.1", port), timeout=30), f"{match}/events?after={version}"


def _request(path: str, accept: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept: {accept}\r\n\r\n".encode()
