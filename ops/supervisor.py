"""Keeps all processes of a run alive until a signal arrives or one of them rejects its settings.

`ops.child` decides when a process is started again. One thread supervises. Beside it, each Redis server of
the run has a thread that probes it, because servers send no heartbeats.
"""

import os
import selectors
import signal
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from ops.child import Child
from ops.console import Console
from ops.servers import Probe

LONGEST_LOOK_S: Final = 1.0
GAP_S: Final = 5.0
"""If two rounds of the supervisor are further apart, it was stopped or the machine slept: no process is to
blame.
"""
PROBE_PAUSE_S: Final = 2.0
SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


class Supervisor:
    """Runs the children; those named in `stores` are stopped last."""

    def __init__(
        self,
        children: Sequence[Child],
        stores: Mapping[str, str],
        console: Console,
        on_start: Callable[[], None] = lambda: None,
    ) -> None:
        """`stores` maps the names of Redis processes to their URLs.

        `on_start` is called whenever a process was started.
        """
        self._children = children
        self._stores = stores
        self._console = console
        self._on_start = on_start
        self._stop_signal = 0
        self._refusal = 0
        self._looked_at = time.monotonic()
        self._selector = selectors.DefaultSelector()

    def run(self) -> int:
        """Run until the end; return 0 after SIGTERM or SIGINT, else the code of a process that rejected its
        settings.
        """
        self._listen()
        self._probe()
        while True:
            self._look(time.monotonic())
            if self._is_over():
                break
            for key, _ in self._selector.select(self._pause_s()):
                key.data()
        for child in self._children:
            child.close()
        self._selector.close()
        return self._refusal

    def _listen(self) -> None:
        wake, signalled = socket.socketpair()
        for end in (wake, signalled):
            end.setblocking(False)
        signal.set_wakeup_fd(signalled.fileno(), warn_on_full_buffer=False)
        self._ends = (wake, signalled)
        self._selector.register(wake, selectors.EVENT_READ, lambda: wake.recv(4096))
        for child in self._children:
            self._selector.register(child.output, selectors.EVENT_READ, child.read_output)
            self._selector.register(child.notes, selectors.EVENT_READ, lambda child=child: _read_notes(child))
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for signal_number in SIGNALS:
            signal.signal(signal_number, self._note_signal)

    def _note_signal(self, signal_number: int, _frame: object) -> None:
        self._stop_signal = self._stop_signal or signal_number

    def _probe(self) -> None:
        for child in self._children:
            if child.name in self._stores:
                probe = Probe(self._stores[child.name])
                threading.Thread(target=_ask, args=(child, probe), daemon=True, name=child.name).start()

    def _look(self, now: float) -> None:
        """Do what is due now for each child."""
        was_away = now - self._looked_at > GAP_S
        self._looked_at = now
        for child in self._children:
            if child.ended(now) == os.EX_CONFIG and not self._is_ending():
                # It has named the invalid setting: a restart would not help.
                self._refusal = os.EX_CONFIG
            if was_away:
                child.forgive(now)
            child.kill_if_silent(now)
        if self._is_ending():
            self._stop(now)
            return
        for child in self._children:
            if not child.is_up and now >= child.starts_at:
                child.start(now)
                self._on_start()

    def _stop(self, now: float) -> None:
        up = [child for child in self._children if child.is_up]
        for child in [child for child in up if child.name not in self._stores] or up:
            child.stop(now)

    def _is_ending(self) -> bool:
        return bool(self._stop_signal or self._refusal)

    def _is_over(self) -> bool:
        return self._is_ending() and not any(child.is_up for child in self._children)

    def _pause_s(self) -> float:
        now = time.monotonic()
        starts = [child.starts_at for child in self._children if not child.is_up]
        return max(0.0, min([LONGEST_LOOK_S, *[at - now for at in starts if not self._is_ending()]]))


def _read_notes(child: Child) -> None:
    child.read_notes(time.monotonic())


def _ask(child: Child, probe: Probe) -> None:
    """Probe a Redis server for ever, and record its answers as heartbeats."""
    while True:
        if probe.answers():
            child.hear(time.monotonic())
        time.sleep(PROBE_PAUSE_S)
