"""Readers that wait for a match are woken by what anybody appends."""

import os
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from events import LogWatcher, RedisStore, Wake
from events.store import keys, watch
from events.store.outbox import hand_back
from events.store.records import NO_PRECEDENCE
from ops.servers import Server, running_server
from runtime.connection import connect, connect_blocking
from tests.events.example_matches import append

LONG_S = 60.0


@pytest.fixture
def watcher(redis_store: RedisStore, events_server: Server) -> Iterator[LogWatcher]:
    watcher = LogWatcher(lambda: connect_blocking(events_server.url))
    yield watcher
    watcher.stop()


def watching_threads() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name == "log-watcher"}


def settle(watcher: LogWatcher) -> None:
    """Get over the first wake-up of everybody, when the watcher has connected."""
    watcher.wait("mat_settle", 0, LONG_S)


def test_a_reader_is_woken_when_its_match_passes_the_version(
    redis_store: RedisStore, watcher: LogWatcher
) -> None:
    settle(watcher)
    waiting = threading.Event()
    woken: list[Wake] = []

    def read() -> None:
        waiting.set()
        woken.append(watcher.wait("mat_1", 1, LONG_S))

    reader = threading.Thread(target=read)
    reader.start()
    waiting.wait()
    redis_store.append(append(0))
    redis_store.append(append(1))
    reader.join(LONG_S)
    assert woken == [Wake.NEWS]


def test_an_append_between_loading_and_waiting_is_not_missed(
    redis_store: RedisStore, watcher: LogWatcher
) -> None:
    redis_store.append(append(0))
    settle(watcher)
    redis_store.append(append(1))
    assert watcher.wait("mat_1", 1, LONG_S) is Wake.NEWS
    assert watcher.wait("mat_1", 0, LONG_S) is Wake.NEWS


def test_an_append_before_the_first_wait_is_not_missed(redis_store: RedisStore, watcher: LogWatcher) -> None:
    redis_store.append(append(0))
    settle(watcher)
    assert watcher.wait("mat_1", 0, LONG_S)


def test_a_pointer_to_an_earlier_version_hides_no_news(
    redis_store: RedisStore, watcher: LogWatcher, admin: redis.Redis
) -> None:
    """A worker that hands a turn back may not know that somebody has acted since it loaded the match."""
    redis_store.append(append(0))
    settle(watcher)
    redis_store.append(append(1))
    hand_back(admin, [("mat_1", 1, NO_PRECEDENCE)])
    redis_store.append(append(0, match_id="mat_2"))
    assert watcher.wait("mat_2", 0, LONG_S)  # so both pointers were read
    assert watcher.wait("mat_1", 1, 0) is Wake.NEWS


def test_news_at_the_very_end_of_a_wait_ends_the_next_one(
    redis_store: RedisStore, events_server: Server
) -> None:
    class LateNews(LogWatcher):
        def wait_for(self, woken: threading.Event, timeout_s: float) -> Wake:
            wake = super().wait_for(woken, timeout_s)
            woken.set()
            return wake

    watcher = LateNews(lambda: connect_blocking(events_server.url))
    settle(watcher)
    with watcher.turns_of("acc_1") as subscription:
        assert subscription.wait(0) is Wake.TIMEOUT
        assert subscription.wait(LONG_S) is Wake.NEWS
    watcher.stop()


def test_a_reader_of_a_quiet_match_waits_out_its_time(redis_store: RedisStore, watcher: LogWatcher) -> None:
    settle(watcher)
    redis_store.append(append(0))
    redis_store.append(append(0, match_id="mat_2"))
    assert watcher.wait("mat_1", 0, LONG_S)
    assert watcher.wait("mat_1", 1, 0.05) is Wake.TIMEOUT
    assert watcher.wait("mat_3", 0, 0.05) is Wake.TIMEOUT


def test_many_readers_share_one_thread(redis_store: RedisStore, watcher: LogWatcher) -> None:
    before = watching_threads()
    settle(watcher)
    woken: list[Wake] = []
    readers = [
        threading.Thread(target=lambda: woken.append(watcher.wait("mat_1", 0, LONG_S))) for _ in range(20)
    ]
    for reader in readers:
        reader.start()
    assert len(watching_threads() - before) == 1
    redis_store.append(append(0))
    for reader in readers:
        reader.join(LONG_S)
    assert woken == [Wake.NEWS] * 20


def test_a_reader_waits_through_a_restart_of_the_server(tmp_path: Path) -> None:
    with running_server("events", tmp_path) as server, connect(server.url) as client:
        store = RedisStore(client)
        store.append(append(0))
        watcher = LogWatcher(lambda: connect_blocking(server.url))
        settle(watcher)
        with watcher.news_of("mat_9") as subscription:
            server.kill()
            server.start()
            assert subscription.wait(LONG_S)  # all are woken, for somebody may have missed something
        store.append(append(1))
        assert watcher.wait("mat_1", 1, LONG_S)
        watcher.stop()


def test_pointers_gather_until_somebody_waits(
    redis_store: RedisStore, events_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "_GATHER_S", 2 * LONG_S)
    client = connect_blocking(events_server.url)
    reads: list[object] = []
    xread = client.xread
    monkeypatch.setattr(client, "xread", lambda *given: reads.append(found := xread(*given)) or found)
    watcher = LogWatcher(lambda: client)
    for version in range(20):
        redis_store.append(append(version))
        assert version or watcher.wait("mat_1", 0, LONG_S)
    assert watcher.wait("mat_1", 19, LONG_S) is Wake.NEWS
    watcher.stop()
    assert len([found for found in reads if found]) <= 3


def test_a_forked_process_watches_for_itself(redis_store: RedisStore, watcher: LogWatcher) -> None:
    settle(watcher)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # from Python 3.12 on, for there are threads
        child = os.fork()
    if child == 0:
        woken = False
        try:
            settle(watcher)
            redis_store.append(append(0))
            woken = bool(watcher.wait("mat_1", 0, LONG_S))
        finally:
            os._exit(0 if woken else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_a_stopped_watcher_lets_everybody_go_and_says_so(watcher: LogWatcher) -> None:
    settle(watcher)
    ends: list[Wake] = []
    with watcher.turns_of("acc_1") as subscription:
        waits = (lambda: watcher.wait("mat_1", 0, LONG_S), lambda: subscription.wait(LONG_S))
        readers = [threading.Thread(target=lambda wait=wait: ends.append(wait())) for wait in waits]
        for reader in readers:
            reader.start()
        watcher.stop()
        for reader in readers:
            reader.join(LONG_S)
        assert ends == [Wake.STOPPED] * 2
        assert subscription.wait(LONG_S) is watcher.wait("mat_1", 0, LONG_S) is Wake.STOPPED
    assert not Wake.STOPPED


def test_a_stopped_watcher_has_no_news_of_what_it_knew(redis_store: RedisStore, watcher: LogWatcher) -> None:
    """Or whoever follows a match would ask again and again, and never end."""
    settle(watcher)
    redis_store.append(append(0))
    assert watcher.wait("mat_1", 0, LONG_S) is Wake.NEWS
    watcher.stop()
    assert watcher.wait("mat_1", 0, LONG_S) is Wake.STOPPED


def test_a_fault_in_the_watcher_does_not_end_it(redis_store: RedisStore, events_server: Server) -> None:
    attempts = iter(range(100))
    failed = threading.Event()

    def connect_at_last() -> redis.Redis:
        if next(attempts) < 3:
            raise ValueError("no such server")
        failed.set()
        return connect_blocking(events_server.url)

    watcher = LogWatcher(connect_at_last)
    assert watcher.wait("mat_1", 0, LONG_S)  # by the fault: there may be news that it cannot see
    assert failed.wait(LONG_S)
    redis_store.append(append(0))
    redis_store.append(append(1))
    deadline = time.monotonic() + LONG_S
    while not watcher.wait("mat_1", 1, 0):
        assert time.monotonic() < deadline, "the log is not followed"
    watcher.stop()


def test_a_line_of_a_foreign_hand_holds_nobody_up(
    redis_store: RedisStore, watcher: LogWatcher, admin: redis.Redis
) -> None:
    settle(watcher)
    admin.xadd(keys.LOG, {"x": "y"})
    redis_store.append(append(0))
    assert watcher.wait("mat_1", 0, LONG_S)
    assert watcher.wait("mat_1", 1, 0.05) is Wake.TIMEOUT


def test_a_subscription_is_notified_when_a_turn_of_the_account_begins(
    redis_store: RedisStore, watcher: LogWatcher
) -> None:
    settle(watcher)
    with watcher.turns_of("acc_1") as subscription, watcher.turns_of("acc_2") as other:
        redis_store.append(append(0, turn_begins="acc_1"))
        assert subscription.wait(LONG_S) is Wake.NEWS
        assert subscription.wait(0.05) is Wake.TIMEOUT
        redis_store.append(append(1))
        redis_store.append(append(2, turn_begins="acc_2", turn_ends="acc_1"))
        assert other.wait(LONG_S) is Wake.NEWS
        assert subscription.wait(0) is Wake.TIMEOUT
        redis_store.append(append(0, match_id="mat_2", turn_begins="acc_1"))
        assert subscription.wait(LONG_S) is Wake.NEWS


def test_a_subscription_to_turns_is_notified_of_an_invitation_too(
    redis_store: RedisStore, watcher: LogWatcher
) -> None:
    settle(watcher)
    with watcher.turns_of("acc_1") as subscription, watcher.turns_of("acc_2") as other:
        redis_store.append(append(0, invites=("acc_0", "acc_1")))
        assert subscription.wait(LONG_S) is Wake.NEWS
        assert other.wait(0) is Wake.TIMEOUT


def test_a_turn_that_begins_before_the_wait_is_not_missed(
    redis_store: RedisStore, watcher: LogWatcher
) -> None:
    settle(watcher)
    with watcher.turns_of("acc_1") as subscription:
        redis_store.append(append(0, turn_begins="acc_1"))
        assert watcher.wait("mat_1", 0, LONG_S)  # the watcher has seen it
        assert subscription.wait(0) is Wake.NEWS


def test_a_subscription_that_was_there_before_the_watcher_misses_nothing(
    redis_store: RedisStore, watcher: LogWatcher
) -> None:
    with watcher.turns_of("acc_1") as subscription:
        redis_store.append(append(0, turn_begins="acc_1"))
        assert subscription.wait(LONG_S) is Wake.NEWS
