"""The time of commands without followers, and with 300 followers of idle or of the same matches."""

import http.client
import multiprocessing
import selectors
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median, quantiles
from typing import Any, Final

from bench.figures import Figure
from bench.over_http import REAL, Send, commands, request, serving
from bench.processes import servers

FOLLOWERS: Final = 300
CONNECTIONS: Final = 4
PAUSE_S: Final = 0.02
"""The pause between commands of a connection, like that of thinking players, so that no queue builds up."""
COMMANDS: Final = 250
"""Commands of each connection in each round."""
ROUNDS: Final = 3


def measure() -> Iterator[Figure]:
    """The 50th and 99th percentiles in ms; the three situations alternate."""
    with servers() as where:
        environment = {"ACCOUNT_STREAMS": "10000"}
        with serving(where, REAL, environment) as (port, _):
            paths: list[str] = []
            players = [commands(port, number, paths) for number in range(CONNECTIONS)]
            _times_ms(port, players, 0)  # the first command creates the match
            resting = [_resting_match(port) for _ in range(10)]
            rounds = [_round(port, players, resting, paths) for _ in range(ROUNDS)]
    alone, idle, busy = zip(*rounds, strict=True)
    yield from _figures("following matches that rest", idle, alone)
    yield from _figures("following the matches played", busy, alone)


def _round(
    port: int, players: list[Send], resting: list[str], paths: list[str]
) -> tuple[list[float], list[float], list[float]]:
    alone = _times_ms(port, players)
    with _following(port, resting):
        idle = _times_ms(port, players)
    with _following(port, [path.rpartition("/")[0] for path in paths]):
        busy = _times_ms(port, players)
    return alone, idle, busy


def _figures(what: str, rounds: tuple[list[float], ...], alone: tuple[list[float], ...]) -> Iterator[Figure]:
    for percent in (50, 99):
        with_them, without = (
            median([quantiles(times, n=100)[percent - 1] for times in one]) for one in (rounds, alone)
        )
        name = f"p{percent} of commands, {FOLLOWERS} {what}"
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
def _following(port: int, matches: list[str]) -> Iterator[None]:
    """Run the body while another process reads `FOLLOWERS` event streams."""
    fork = multiprocessing.get_context("fork")
    is_open, may_end = fork.Event(), fork.Event()
    process = fork.Process(target=_follow, args=(port, matches, is_open, may_end))
    process.start()
    try:
        assert is_open.wait(60), "the streams did not open"
        yield
    finally:
        may_end.set()
        process.join(30)
        assert process.exitcode == 0, "a stream was cut"


def _follow(port: int, matches: list[str], is_open: Any, may_end: Any) -> None:
    with selectors.DefaultSelector() as selector:
        # Each begins at the head of its match: catching up on thousands of events is another load.
        heads = [(match, request(port, "GET", match, None)[1]["version"]) for match in matches]
        for i in range(FOLLOWERS):
            connection = socket.create_connection(("127.0.0.1", port), timeout=30)
            match, version = heads[i % len(heads)]
            path = f"{match}/events?after={version}"
            head = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n"
            connection.sendall(head.encode())
            assert connection.recv(65536).startswith(b"HTTP/1.1 200"), "a stream was refused"
            selector.register(connection, selectors.EVENT_READ, connection)
        is_open.set()
        while not may_end.is_set():
            for key, _ in selector.select(0.2):
                assert key.data.recv(65536), "a stream was cut"
