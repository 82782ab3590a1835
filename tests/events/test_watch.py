"""Readers that wait for a match are woken by what anybody appends."""

import os
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from events import LogWatcher, RedisStore
from events.connection import connect, connect_blocking
from ops.servers import Server, running_server
from tests.events.matches import append

LONG_S = 30.0


@pytest.fixture
def watcher(redis_store: RedisStore, events_server: Server) -> Iterator[LogWatcher]:
    watcher = LogWatcher(lambda: connect_blocking(events_server.url))
    yield watcher
    watcher.stop()


def settle(watcher: LogWatcher) -> None:
    """Get over the first wake-up of everybody, when the watcher has connected."""
    watcher.wait("mat_settle", 0, LONG_S)


def test_a_reader_is_woken_when_its_match_passes_the_version(
    redis_store: RedisStore, watcher: LogWatcher
) -> None:
    settle(watcher)
    waiting = threading.Event()
    woken: list[bool] = []

    def read() -> None:
        waiting.set()
        woken.append(watcher.wait("mat_1", 1, LONG_S))

    reader = threading.Thread(target=read)
    reader.start()
    waiting.wait()
    redis_store.append(append(0))
    redis_store.append(append(1))
    reader.join(LONG_S)
    assert woken == [True]


def test_an_append_between_loading_and_waiting_is_not_missed(
    redis_store: RedisStore, watcher: LogWatcher
) -> None:
    redis_store.append(append(0))
    settle(watcher)
    redis_store.append(append(1))
    started = time.monotonic()
    assert watcher.wait("mat_1", 1, LONG_S)
    assert watcher.wait("mat_1", 0, LONG_S)
    assert time.monotonic() - started < LONG_S / 2


def test_an_append_before_the_first_wait_is_not_missed(redis_store: RedisStore, watcher: LogWatcher) -> None:
    redis_store.append(append(0))
    settle(watcher)
    assert watcher.wait("mat_1", 0, LONG_S)


def test_a_reader_of_a_quiet_match_waits_out_its_time(redis_store: RedisStore, watcher: LogWatcher) -> None:
    settle(watcher)
    redis_store.append(append(0))
    redis_store.append(append(0, match_id="mat_2"))
    assert watcher.wait("mat_1", 0, LONG_S)
    assert not watcher.wait("mat_1", 1, 0.05)
    assert not watcher.wait("mat_3", 0, 0.05)


def test_many_readers_share_one_thread(redis_store: RedisStore, watcher: LogWatcher) -> None:
    settle(watcher)
    woken: list[bool] = []
    readers = [
        threading.Thread(target=lambda: woken.append(watcher.wait("mat_1", 0, LONG_S))) for _ in range(20)
    ]
    for reader in readers:
        reader.start()
    assert [thread.name for thread in threading.enumerate()].count("log-watcher") >= 1
    redis_store.append(append(0))
    for reader in readers:
        reader.join(LONG_S)
    assert woken == [True] * 20


def test_a_reader_waits_through_a_restart_of_the_server(tmp_path: Path) -> None:
    with running_server("events", tmp_path) as server, connect(server.url) as client:
        store = RedisStore(client)
        store.append(append(0))
        watcher = LogWatcher(lambda: connect_blocking(server.url))
        settle(watcher)
        server.kill()
        server.start()
        assert watcher.wait("mat_9", 0, LONG_S)  # all are woken, for somebody may have missed something
        store.append(append(1))
        while not watcher.wait("mat_1", 1, LONG_S):
            pass
        watcher.stop()


def test_a_forked_process_watches_for_itself(redis_store: RedisStore, watcher: LogWatcher) -> None:
    settle(watcher)
    redis_store.append(append(0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # from Python 3.12 on, for there are threads
        child = os.fork()
    if child == 0:
        woken = False
        try:
            woken = watcher.wait("mat_1", 0, LONG_S)
        finally:
            os._exit(0 if woken else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_a_stopped_watcher_lets_everybody_go(watcher: LogWatcher) -> None:
    settle(watcher)
    watcher.stop()
    assert watcher.wait("mat_1", 0, LONG_S)
