"""Wakes requests that wait for a match or a turn: one thread and connection per process follow the logs."""

import os
import threading
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from enum import Enum
from typing import Final

import redis
import structlog
from cachetools import LRUCache

from events.store import keys
from events.store.keys import partitions_of
from events.store.outbox import DAMAGED, log_end, read_pointers
from events.store.records import Pointer

_BLOCK_MS: Final = 2000
_PAGE: Final = 1000
_GATHER_S: Final = 0.05
"""While nobody waits, the log is read this often at most: a read costs as much as fifty pointers, and there
is a pointer for each command to any match."""
_FIRST_PAUSE_S: Final = 0.05
_LONGEST_PAUSE_S: Final = 0.5
_LOOK_BACK_MS: Final = 60_000
"""How far before its end the log is first followed: a match may be loaded before the first wait for it."""
_REMEMBERED: Final = 20_000
"""The number of matches whose last versions are kept, for readers that begin to wait just after an append."""

_logger: Final = structlog.get_logger(__name__)


class Wake(Enum):
    """Why a wait ended; true if there may be something new."""

    NEWS = "news"
    """There may be something new."""
    TIMEOUT = "timeout"
    STOPPED = "stopped"
    """The watcher was stopped: no wait blocks any more, and the caller should finish."""

    def __bool__(self) -> bool:
        return self is Wake.NEWS


class Subscription:
    """Notifies one reader of news about some topics; created and closed by its `LogWatcher`.

    Subscribe first, then look for news, then wait: whatever happens in between ends the wait.
    """

    def __init__(self, watcher: "LogWatcher", topics: Collection[str]) -> None:
        self._watcher = watcher
        self._topics = topics
        self._notified = threading.Event()

    def __enter__(self) -> "Subscription":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def notify(self) -> None:
        """End the current wait, or the next one."""
        self._notified.set()

    def wait(self, timeout_s: float) -> Wake:
        """Wait for a notification; return at once if one has come since the last wait."""
        wake = self._watcher.wait_for(self._notified, timeout_s)
        if wake:  # what has come since the time ran out belongs to the next wait
            self._notified.clear()
        return wake

    def close(self) -> None:
        """End the subscription."""
        self._watcher.forget(self, self._topics)


class LogWatcher:
    """Follows the log from the first wait in a process; after a fork, the child starts its own thread."""

    def __init__(
        self, connect: Callable[[], redis.Redis], on_damage: Callable[[str], None] = lambda match_id: None
    ) -> None:
        """`connect` creates a client for one blocking reader, as `runtime.connection.connect_blocking` does.
        `on_damage` is called with the id of each match that is found damaged; it must be quick and not raise.
        """
        self._connect = connect
        self._on_damage = on_damage
        self._reset()
        os.register_at_fork(after_in_child=self._reset)

    def _reset(self) -> None:
        self._lock = threading.Lock()
        self._waiters: dict[str, dict[threading.Event, int]] = defaultdict(dict)
        self._subscriptions: dict[str, set[Subscription]] = defaultdict(set)
        self._versions: LRUCache[str, int] = LRUCache(_REMEMBERED)
        self._is_awaited = threading.Event()
        """Set while there is a waiter or a subscription."""
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None
        self._positions: dict[str, str] = {}
        """By partition: the last pointer that was read."""
        self._pause_s = _FIRST_PAUSE_S

    def wait(
        self, match_id: str, beyond_version: int, timeout_s: float, woken: threading.Event | None = None
    ) -> Wake:
        """Wait until the match is beyond a version. Others may set `woken` to end the wait."""
        woken = threading.Event() if woken is None else woken
        with self._lock:
            if self._versions.get(match_id, 0) > beyond_version:
                woken.set()
            self._waiters[match_id][woken] = beyond_version
            self._is_awaited.set()
        try:
            return self.wait_for(woken, timeout_s)
        finally:
            with self._lock:
                self._waiters[match_id].pop(woken)
                if not self._waiters[match_id]:
                    del self._waiters[match_id]
                self._rest_if_alone()

    def turns_of(self, account_id: str) -> Subscription:
        """A subscription to the account: turns that begin, new invitations, and deletions of its tokens."""
        return self._subscribe({account_id})

    def news_of(self, match_id: str, account_id: str = "") -> Subscription:
        """A subscription to the appends of a match; with an account, also to what `turns_of` covers."""
        return self._subscribe({match_id, account_id} - {""})

    def _subscribe(self, topics: Collection[str]) -> Subscription:
        subscription = Subscription(self, topics)
        with self._lock:
            for topic in topics:
                self._subscriptions[topic].add(subscription)
            self._is_awaited.set()
        self.start()
        return subscription

    def forget(self, subscription: Subscription, topics: Collection[str]) -> None:
        """Stop notifying the subscription; called by `Subscription.close`."""
        with self._lock:
            for topic in topics:
                self._subscriptions[topic].discard(subscription)
                if not self._subscriptions[topic]:
                    del self._subscriptions[topic]
            self._rest_if_alone()

    def _rest_if_alone(self) -> None:
        """Let pointers gather from now on if nobody waits any more."""
        if not self._waiters and not self._subscriptions:
            self._is_awaited.clear()

    def wait_for(self, woken: threading.Event, timeout_s: float) -> Wake:
        """Wait until `woken` is set."""
        self.start()
        is_woken = woken.wait(0 if self._stopped.is_set() else timeout_s)
        if self._stopped.is_set():
            return Wake.STOPPED
        return Wake.NEWS if is_woken else Wake.TIMEOUT

    def stop(self) -> None:
        """End all waits, and the thread within a few seconds; for good."""
        self._stopped.set()
        self._wake_all()

    def start(self) -> None:
        """Follow the log from now on, even if nothing waits yet."""
        if self._thread is not None:
            return
        with self._lock:
            if self._thread is None and not self._stopped.is_set():
                self._thread = threading.Thread(target=self._run, name="log-watcher", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        """Follow the log until stopped, whatever happens."""
        while not self._stopped.is_set():
            try:
                with self._connect() as client:
                    self._follow(client)
            except redis.RedisError as error:
                _logger.warning(
                    "log_watcher_disconnected", error=type(error).__name__, retry_in_s=self._pause_s
                )
            except Exception:
                _logger.exception("log_watcher_failed", retry_in_s=self._pause_s)
                self._wake_all()  # this thread may be unable to see what they wait for
            if self._stopped.wait(self._pause_s):
                return
            self._pause_s = min(2 * self._pause_s, _LONGEST_PAUSE_S)

    def _follow(self, client: redis.Redis) -> None:
        self._begin(client)
        self._wake_all()  # news may have been missed while there was no connection
        while not self._stopped.is_set():
            news = read_pointers(client, self._positions, _PAGE, _BLOCK_MS)
            self._pause_s = _FIRST_PAUSE_S
            for tag, pointers in news.items():
                self._note(pointers)
                self._positions[tag] = pointers[-1].id
            if news:
                self._is_awaited.wait(_GATHER_S)

    def _begin(self, client: redis.Redis) -> None:
        """Resume each log at the last position, unless an older log was restored."""
        for tag in partitions_of(client).tags:
            position = self._positions.get(tag, "")
            if position and not client.xrange(keys.at(keys.LOG, tag), position, position):
                with self._lock:
                    # They would end every wait at once until the match has reached that version again.
                    self._versions.clear()
                position = ""
            self._positions[tag] = position or _before_end(client, tag)

    def _note(self, pointers: Sequence[Pointer]) -> None:
        notified: set[Subscription] = set()
        with self._lock:
            for pointer in pointers:
                is_damaged = pointer.next == DAMAGED
                if is_damaged:
                    self._on_damage(pointer.match_id)
                    self._versions.pop(pointer.match_id, None)  # what is restored may be shorter
                else:
                    # Turns that are handed back, and inboxes that several relays fill, can be behind.
                    known = self._versions.get(pointer.match_id, 0)
                    self._versions[pointer.match_id] = max(known, pointer.version)
                for woken, beyond_version in self._waiters.get(pointer.match_id, {}).items():
                    if is_damaged or pointer.version > beyond_version:
                        woken.set()
                for topic in (pointer.match_id, pointer.account, *pointer.invited):
                    notified.update(self._subscriptions.get(topic, ()))
        for subscription in notified:
            subscription.notify()

    def _wake_all(self) -> None:
        with self._lock:
            for waiters in self._waiters.values():
                for woken in waiters:
                    woken.set()
            notified = {
                subscription
                for subscriptions in self._subscriptions.values()
                for subscription in subscriptions
            }
        for subscription in notified:
            subscription.notify()


def _before_end(client: redis.Redis, tag: str) -> str:
    """An id of the partition's log a minute before the last one."""
    end_ms = int(log_end(client, tag).partition("-")[0])
    return f"{max(0, end_ms - _LOOK_BACK_MS)}-0"
