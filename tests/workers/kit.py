"""What the tests of the workers share: a place to play, processes that can be killed, waiting in time."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

import redis
from msgspec.structs import replace
from rq import Queue
from rq.timeouts import JobTimeoutException

from bench.matches import new_match
from domain.match.commands import CreateMatch, SeatPlan
from domain.match.events import Clock, Dice
from domain.match.rulesets import CURRENT, resolve_options
from events import (
    CommandResult,
    Loaded,
    Matches,
    Notary,
    Outbox,
    RedisStore,
    Seeds,
    Settings,
    SigningKeys,
)
from events.store import keys
from events.store.records import Store
from ops.servers import ROOT, Server
from players import PLAYERS
from runtime.connection import connect
from runtime.queue import PEOPLE
from workers.queue.client import open_queue
from workers.relay import Relay
from workers.turns.dispatch import Dispatch
from workers.turns.partition import RelayIntervals
from workers.turns.sweep import Sweep

MASTER_KEYS = "test:" + "5e" * 32
SIGNING_KEYS = "test:" + "51" * 32
COMMITTED = Dice("committed")
DEADLINE_S = 180
QUICK_PLAYERS = [name for name in PLAYERS if not name.startswith(("uct", "strong"))]
"""Those that can play whole matches in a test; `uct` and `strong` have tests of their own."""


def hang(*_: object) -> NoReturn:
    """Take longer than any job may: the alarm of its time limit raises this in the middle of it."""
    raise JobTimeoutException("Task exceeded maximum timeout value (60 seconds)")


class Place:
    """Both Redis servers and what the workers need to use them."""

    def __init__(self, events: Server, queue: Server) -> None:
        self.settings = Settings(events.url, queue.url, MASTER_KEYS, SIGNING_KEYS, ai_grace_s=1)
        self.client = connect(events.url)
        self.queue_client = redis.Redis.from_url(queue.url)
        self.queue: Queue = open_queue(self.queue_client)
        self.people: Queue = open_queue(self.queue_client, PEOPLE)
        self.dispatch = Dispatch(self.queue_client)
        self.notary = Notary(RedisStore(self.client), SigningKeys(SIGNING_KEYS))
        self.matches = self.new_matches()
        self.outbox = Outbox(self.client)

    def new_matches(
        self, ai_grace_ms: int = 1000, master_keys: str = MASTER_KEYS, store: Store | None = None
    ) -> Matches:
        """The store as another process would see it: with an empty cache."""
        return Matches(
            store or RedisStore(self.client), Seeds(master_keys), ai_grace_ms=ai_grace_ms, notary=self.notary
        )

    def sweep(
        self,
        back_off_ms: int = 1,
        matches: Matches | None = None,
        outbox: Outbox | None = None,
        **clocks: Any,
    ) -> Sweep:
        return Sweep(
            matches or self.matches, outbox or self.outbox, self.dispatch, self.client, back_off_ms, **clocks
        )

    def bots(
        self, *strategies: str, ruleset: str = "base", dice: Dice = COMMITTED, visibility: str = "public"
    ) -> CommandResult:
        """A new match of built-in players."""
        creation = new_match(ruleset, strategies or ("random",) * 4, dice)
        return self.matches.create(replace(creation, visibility=visibility))

    def patient_bots(self) -> CommandResult:
        """A new match that is not overdue for an hour: nothing but the log leads to its first turn."""
        return self.new_matches(ai_grace_ms=3_600_000).create(new_match("base", ("random",) * 2, COMMITTED))

    def seats(self, *names: str, clock: Clock | None = None, matches: Matches | None = None) -> CommandResult:
        """A new match that seat 0 begins; `ada` is an account, everybody else a built-in player."""
        plans = tuple(
            SeatPlan("account", "acc_ada", name) if name == "ada" else SeatPlan("strategy", name, name, "1")
            for name in names
        )
        options = resolve_options(CURRENT["base"], len(names))
        create = CreateMatch("base@1", options, plans, COMMITTED, "acc_ada", 0, clock)
        return (matches or self.matches).create(create)

    def latest(self, match_id: str) -> Loaded:
        """The match as of now, folded from its first event on."""
        return self.new_matches().load(match_id)

    def waiting(self) -> int:
        """How many matches wait for somebody with a deadline."""
        return int(self.client.zcard(keys.DUE))

    def close(self) -> None:
        self.client.close()
        self.queue_client.close()

    def assert_over(self, match_ids: Sequence[str]) -> None:
        """Every match was played to its end, and its events are the ones that were written."""
        for match_id in match_ids:
            loaded = self.latest(match_id)
            assert loaded.state.status == "finished"
            assert self.all_events(match_id)[-1].type == "dice_revealed"

    def all_events(self, match_id: str) -> list[Any]:
        """All events of the match, hashes checked, without a gap."""
        found: list[Any] = []
        while page := self.matches.history.events(match_id, len(found), 500):
            found += page
        assert [event.sequence for event in found] == list(range(1, len(found) + 1))
        return found


def wait_until(is_so: Callable[[], object], deadline_s: float = DEADLINE_S) -> None:
    """Return as soon as it is so; fail after the deadline."""
    deadline = time.monotonic() + deadline_s
    while not is_so():
        assert time.monotonic() < deadline, "it did not come about in time"
        time.sleep(0.01)


def environment(place: Place) -> dict[str, str]:
    """That of this process, with the settings of a place."""
    settings = place.settings
    return {
        **os.environ,
        "EVENTS_REDIS_URL": settings.events_redis_url,
        "QUEUE_REDIS_URL": settings.queue_redis_url,
        "MASTER_KEYS": settings.master_keys,
        "SIGNING_KEYS": settings.signing_keys,
        "AI_GRACE_S": str(settings.ai_grace_s),
        "PARTITIONS": str(settings.partitions),
    }


class Process:
    """`python -m PROGRAM` with the settings of a place."""

    def __init__(self, program: str, place: Place, log: Path | None = None) -> None:
        """`program` is a module and its arguments. `log` takes its standard error."""
        command = [sys.executable, "-m", *program.split()]
        with log.open("wb") if log else contextlib.nullcontext() as output:
            self._process = subprocess.Popen(command, cwd=ROOT, env=environment(place), stderr=output)

    def kill(self) -> None:
        """SIGKILL the process and the processes it has forked."""
        pids = [self._process.pid, *_children(self._process.pid)]
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait()

    def stop(self) -> int:
        """SIGTERM; the exit code."""
        self._process.terminate()
        return self._process.wait(DEADLINE_S)

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def count_threads(self) -> int:
        """How many threads the process has, its first one counted."""
        return len(list(Path(f"/proc/{self._process.pid}/task").iterdir()))


def _children(pid: int) -> list[int]:
    path = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in path.read_text().split()] if path.exists() else []


@contextlib.contextmanager
def running(program: str, place: Place, log: Path | None = None) -> Iterator[Process]:
    """The process; stopped at the end if it still runs."""
    process = Process(program, place, log)
    try:
        yield process
    finally:
        if process.is_running:
            process.stop()


@contextlib.contextmanager
def relaying(place: Place, intervals: RelayIntervals) -> Iterator[Relay]:
    """A relay in a thread of this process."""
    relay = Relay(place.settings, intervals)
    thread = threading.Thread(target=relay.run)
    thread.start()
    try:
        yield relay
    finally:
        relay.stop()
        thread.join()
