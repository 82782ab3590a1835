"""Waking whoever waits for a match to go on: one thread and one connection per process, however many wait."""

import os
import threading
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Sequence
from typing import Final

import redis
import structlog

from events.outbox import log_end, read_pointers
from events.records import Pointer

_BLOCK_MS: Final = 2000
_PAGE: Final = 1000
_FIRST_PAUSE_S: Final = 0.05
_LONGEST_PAUSE_S: Final = 1.0
_LOOK_BACK_MS: Final = 60_000
"""The log is followed from a little before its end: a match may be loaded before the first wait for it."""
_REMEMBERED: Final = 20_000
"""As many matches' versions are remembered, for readers that begin to wait just after an append."""

_logger: Final = structlog.get_logger(__name__)


class LogWatcher:
    """Follows the log from the first wait in a process; after a fork the child starts anew."""

    def __init__(self, connect: Callable[[], redis.Redis]) -> None:
        """`connect` makes a client for one blocking reader, as `events.connection.connect_blocking` does."""
        self._connect = connect
        self._reset()
        os.register_at_fork(after_in_child=self._reset)

    def _reset(self) -> None:
        self._lock = threading.Lock()
        self._waiters: dict[str, dict[threading.Event, int]] = defaultdict(dict)
        self._versions: OrderedDict[str, int] = OrderedDict()
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def wait(self, match_id: str, beyond_version: int, timeout_s: float) -> bool:
        """Wait until the match passes a version. True: it may have, so load it. False: the time is over."""
        woken = threading.Event()
        with self._lock:
            if self._versions.get(match_id, 0) > beyond_version or self._stopped.is_set():
                return True
            self._waiters[match_id][woken] = beyond_version
            self._start()
        try:
            return woken.wait(timeout_s)
        finally:
            with self._lock:
                self._dismiss(match_id, woken)

    def stop(self) -> None:
        """Wake everybody and end the thread, within a few seconds; for good."""
        self._stopped.set()
        self._wake_all()

    def _start(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._follow, name="log-watcher", daemon=True)
            self._thread.start()

    def _dismiss(self, match_id: str, woken: threading.Event) -> None:
        self._waiters[match_id].pop(woken, None)
        if not self._waiters[match_id]:
            del self._waiters[match_id]

    def _follow(self) -> None:
        position = ""
        pause_s = _FIRST_PAUSE_S
        while not self._stopped.is_set():
            client = self._connect()
            try:
                position = position or _before_end(client)
                self._wake_all()  # somebody may have missed something while there was no connection
                while not self._stopped.is_set():
                    pointers = read_pointers(client, position, _PAGE, _BLOCK_MS)
                    pause_s = _FIRST_PAUSE_S
                    if pointers:
                        position = pointers[-1].id
                        self._note(pointers)
            except redis.RedisError as error:
                _logger.warning("log_watcher_disconnected", error=str(error), retry_in_s=pause_s)
                self._stopped.wait(pause_s)
                pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
            finally:
                client.close()

    def _note(self, pointers: Sequence[Pointer]) -> None:
        with self._lock:
            for pointer in pointers:
                self._versions[pointer.match_id] = pointer.version
                self._versions.move_to_end(pointer.match_id)
                for woken, beyond_version in self._waiters.get(pointer.match_id, {}).items():
                    if pointer.version > beyond_version:
                        woken.set()
            while len(self._versions) > _REMEMBERED:
                self._versions.popitem(last=False)

    def _wake_all(self) -> None:
        with self._lock:
            for waiters in self._waiters.values():
                for woken in waiters:
                    woken.set()


def _before_end(client: redis.Redis) -> str:
    """A log id a minute before the last one."""
    end_ms = int(log_end(client).partition("-")[0])
    return f"{max(0, end_ms - _LOOK_BACK_MS)}-0"
