"""A simulated world: processes whose tasks take turns in simulated time, all from one seed.

The code of the service runs in it unchanged. A task is a greenlet, and gives the others a turn wherever it
waits or talks to a server. The clock stands still while a task runs, so that the same seed gives the same
history, whatever the machine.
"""

import contextlib
import heapq
import os
import random
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any, Final
from unittest.mock import patch

from greenlet import getcurrent, greenlet

BEGINNING_S: Final = 1_790_000_000.0
"""When each simulation begins, in seconds since 1970."""


class Killed(BaseException):
    """The process of this task was killed. No code of the service catches it."""


class Process:
    """What can be killed, paused, and has a wall clock of its own."""

    def __init__(self, world: "World", name: str, pid: int, skew_s: float = 0.0) -> None:
        """`skew_s` is how far its wall clock is ahead."""
        self.world: Final = world
        self.name: Final = name
        self.pid: Final = pid
        self.skew_s = skew_s
        self.is_dead = False
        self.paused_until_s = 0.0

    def kill(self) -> None:
        """End the process: none of its tasks does anything any more."""
        self.is_dead = True


class Task(greenlet):
    """One thread of a process."""

    process: Process
    turn = 0
    """Counts what the task was scheduled for: an earlier time is void once it was woken."""


class World:
    """The scheduler, the clock and the choices of one simulation."""

    def __init__(self, seed: int) -> None:
        self.rng: Final = random.Random(seed)
        self.now_s = 0.0
        """Simulated seconds since the beginning."""
        self.trace: Final[list[str]] = []
        self.is_calm = False
        """Whether nothing is lost, late or killed any more."""
        self._pending: list[tuple[float, int, int, Task]] = []
        self._numbers = count()
        self._pids = count(100)
        self._main = getcurrent()
        self._servers_turn = False
        self.outside: Final = Process(self, "outside", 1)
        """Clients, and whatever happens to the service."""
        self.processes: Final[dict[int, Process]] = {}

    def note(self, text: str) -> None:
        """Add a line to the trace."""
        self.trace.append(f"{self.now_s:9.4f} {text}")

    def new_process(self, name: str, skew_s: float = 0.0) -> Process:
        """A process that runs."""
        made = Process(self, name, next(self._pids), skew_s)
        self.processes[made.pid] = made
        return made

    def lives(self, pid: int) -> bool:
        """Whether the process runs."""
        return pid in self.processes and not self.processes[pid].is_dead

    @property
    def process(self) -> Process:
        """The process whose turn it is."""
        task = getcurrent()
        return task.process if isinstance(task, Task) else self.outside

    def spawn(self, process: Process, run: Callable[[], object], after_s: float = 0.0) -> None:
        """Begin a task of the process."""

        def guarded() -> None:
            with contextlib.suppress(Killed):
                if not process.is_dead:
                    run()

        task = Task(guarded, self._main)
        task.process = process
        self._schedule(task, after_s)

    def pause(self, seconds: float) -> None:
        """Let the others go on for that time.

        Raises:
            Killed: the process was killed meanwhile.
        """
        task = getcurrent()
        assert isinstance(task, Task), "only tasks wait"
        if task.process.is_dead:
            raise Killed
        self._schedule(task, seconds)
        self._main.switch()
        if task.process.is_dead:
            raise Killed

    def wake(self, task: Task) -> None:
        """Let a waiting task go on now."""
        self._schedule(task, 0.0)

    def run(self, until_s: float, is_done: Callable[[], bool] = lambda: False) -> None:
        """Let the tasks take turns up to that time, or until it is done."""
        while self._pending and self._pending[0][0] <= until_s and not is_done():
            at_s, _, turn, task = heapq.heappop(self._pending)
            if task.turn != turn or task.dead:
                continue
            paused_until_s = task.process.paused_until_s
            if paused_until_s > at_s and not task.process.is_dead:
                self._schedule(task, paused_until_s - self.now_s)
                continue
            self.now_s = max(self.now_s, at_s)
            task.switch()

    def end(self) -> None:
        """Kill everything, so that no task is left."""
        for process in (*self.processes.values(), self.outside):
            process.kill()
        self.run(float("inf"))

    def _schedule(self, task: Task, after_s: float) -> None:
        task.turn += 1
        heapq.heappush(self._pending, (self.now_s + after_s, next(self._numbers), task.turn, task))

    @contextlib.contextmanager
    def servers_turn(self) -> Iterator[None]:
        """What happens inside is done by a server, with the right time."""
        self._servers_turn = True
        try:
            yield
        finally:
            self._servers_turn = False

    def wall_s(self) -> float:
        """Seconds since 1970 by the clock of whose turn it is."""
        skew_s = 0.0 if self._servers_turn else self.process.skew_s
        return BEGINNING_S + self.now_s + skew_s

    @contextlib.contextmanager
    def entered(self) -> Iterator[None]:
        """All clocks, waits and random numbers of this Python process are those of the world."""

        def wall_ns() -> int:
            return round(self.wall_s() * 1_000_000) * 1000

        def steady_s() -> float:
            return self.now_s

        replaced: list[tuple[Any, str, Any]] = [
            (time, "time", self.wall_s),
            (time, "time_ns", wall_ns),
            (time, "monotonic", steady_s),
            (time, "perf_counter", steady_s),
            (time, "sleep", self.pause),
            (threading, "Event", lambda: Event(self)),
            (os, "urandom", self.rng.randbytes),
            (secrets, "token_bytes", self.rng.randbytes),
            (secrets, "token_hex", lambda size: self.rng.randbytes(size).hex()),
        ]
        with contextlib.ExitStack() as stack:
            for owner, name, value in replaced:
                stack.enter_context(patch.object(owner, name, value))
            yield


class Event:
    """A `threading.Event` in simulated time; a wait looks at it only once."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._is_set = False

    def set(self) -> None:
        self._is_set = True

    def is_set(self) -> bool:
        return self._is_set

    def wait(self, timeout: float | None = None) -> bool:
        if not self._is_set:
            self._world.pause(timeout or 0.0)
        return self._is_set


class Answer:
    """What a task waits for that another one gives."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._waiting: Task | None = None
        self.value: Any = None

    def give(self, value: Any) -> None:
        """Answer, unless that was done before."""
        if self.value is None:
            self.value = value
            if self._waiting is not None:
                self._world.wake(self._waiting)

    def wait(self, seconds: float) -> Any:
        """The answer; None if there is none by then."""
        if self.value is None:
            task = getcurrent()
            assert isinstance(task, Task), "only tasks wait"
            self._waiting = task
            self._world.pause(seconds)
            self._waiting = None
        return self.value
