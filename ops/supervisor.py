"""Keeps all processes of a run alive until a signal arrives or one of them rejects its settings.

`ops.child` decides when a process is started again. One thread supervises. Beside it, each Redis server of
the run has a thread that probes it, because servers send no heartbeats.

SIGUSR2 replaces the processes one by one, but for the Redis servers: each new process starts beside the old
one, which is stopped once the new one works.
"""

import os
import selectors
import signal
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from ops.child import Child, send_beat
from ops.console import Console
from ops.servers import Probe

LONGEST_LOOK_S: Final = 1.0
GAP_S: Final = 5.0
"""If two rounds of the supervisor are further apart, it was stopped or the machine slept: no process is to
blame.
"""
PROBE_PAUSE_S: Final = 2.0
SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)
RELOAD: Final = signal.SIGUSR2


class Supervisor:
    """Runs the children; those named in `stores` are stopped last."""

    def __init__(
        self,
        children: Sequence[Child],
        stores: Mapping[str, str],
        console: Console,
        on_start: Callable[[], None] = lambda: None,
        on_reload: Callable[[], object] = lambda: None,
        on_end: Callable[[], None] = lambda: None,
        notify_socket: str = "",
    ) -> None:
        """`stores` maps the names of Redis processes to their URLs.

        `on_start` is called whenever a process was started, `on_reload` before processes are replaced, and
        `on_end` before they are stopped for good. `notify_socket` is where the supervisor of this process
        listens, if there is one.
        """
        self._children = list(children)
        self._stores = stores
        self._console = console
        self._on_start = on_start
        self._on_reload = on_reload
        self._on_end = on_end
        self._notify_socket = notify_socket
        self._is_reload_asked = False
        self._to_replace: list[Child] = []
        self._successor: Child | None = None
        """The process that is to take over from the first of those to replace."""
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
            self._hear(child)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(RELOAD, self._note_reload)
        for signal_number in SIGNALS:
            signal.signal(signal_number, self._note_signal)

    def _hear(self, child: Child) -> None:
        self._selector.register(child.output, selectors.EVENT_READ, child.read_output)
        self._selector.register(child.notes, selectors.EVENT_READ, lambda: _read_notes(child))

    def _note_signal(self, signal_number: int, _frame: object) -> None:
        self._stop_signal = self._stop_signal or signal_number

    def _note_reload(self, _signal_number: int, _frame: object) -> None:
        self._is_reload_asked = True

    def _probe(self) -> None:
        for child in self._children:
            if child.name in self._stores:
                probe = Probe(self._stores[child.name])
                threading.Thread(target=_ask, args=(child, probe), daemon=True, name=child.name).start()

    def _look(self, now: float) -> None:
        """Do what is due now for each child."""
        if self._notify_socket:
            send_beat(self._notify_socket)
        was_away = now - self._looked_at > GAP_S
        self._looked_at = now
        for child in self._children:
            code = child.ended(now)
            if code == os.EX_CONFIG and child is not self._successor and not self._is_ending():
                # It has named the invalid setting: a restart would not help.
                self._refusal = os.EX_CONFIG
            if was_away:
                child.forgive(now)
            child.kill_if_silent(now)
        if self._is_ending():
            self._stop(now)
            return
        self._replace(now)
        for child in self._children:
            if not child.is_up and now >= child.starts_at:
                child.start(now)
                self._on_start()

    def _replace(self, now: float) -> None:
        """Take the next step of replacing processes."""
        if self._is_reload_asked and not self._to_replace:
            self._is_reload_asked = False
            self._on_reload()
            self._to_replace = [child for child in self._children if child.name not in self._stores]
        if not self._to_replace:
            return
        old, new = self._to_replace[0], self._successor
        if new is None:
            self._successor = new = old.successor()
            self._children.append(new)
            self._hear(new)
            new.start(now)
        elif not new.is_up:
            self._remove(new)
            self._successor, self._to_replace = None, []
            text = f"the new {new.name} exited before it worked; the processes not yet replaced go on"
            self._console.say(text, "error")
        elif new.is_working and old.is_up:
            old.stop(now)
        elif new.is_working:
            self._remove(old)
            self._successor, self._to_replace = None, self._to_replace[1:]
            if not self._to_replace:
                self._console.say("all processes but the Redis servers were replaced")

    def _remove(self, child: Child) -> None:
        """Forget a process that has ended."""
        self._children.remove(child)
        for file in (child.output, child.notes):
            self._selector.unregister(file)
        child.close()

    def _stop(self, now: float) -> None:
        self._on_end()
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
