"""The sweep of overdue matches: lost turns of built-in players, expired clocks and overdue seat seeds.

Deadlines are wall-clock times. Outages do not count against anybody. While the wall clock is behind an
earlier reading, the sweep measures decisions by the monotonic clock instead.
"""

import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

import redis
import structlog
from msgspec import Struct

from domain.match.commands import Command, ExpireClock, ExpireSeatSeeds
from domain.match.seat_seeds import due_step
from domain.match.state import RUNNING
from events import Loaded, Matches, Outbox, StaleVersion, StoreUnavailable
from events.matches.projections import controller_kind, deadline_ms, precedence
from events.store import outages
from events.store.keys import now_ms
from events.store.records import Precedence
from runtime.strategies import STAND_IN, STRATEGIES
from workers.operations import metrics
from workers.queue.client import TTL_S, DueTurn
from workers.turns.dispatch import Dispatch

LOOKED_AT: Final = 1000
"""The most overdue matches that a run reads."""
PAGE: Final = 4
"""Matches that a run loads while the relay follows no log; most turns are known by their pointers."""
UNSEEN_ATTEMPTS: Final = 3
"""How often a turn is dispatched without a look at its match, which may be damaged or gone."""
LONGEST_BACK_OFF_MS: Final = TTL_S * 1000
"""The longest back-off of a turn: no longer than a job waits, so that the queue is not empty meanwhile."""
PUT_ASIDE_MS: Final = 300_000
"""How long a match that cannot be processed is left alone."""
MOST_RETRIED: Final = 10_000
"""Most turns that are retried at once after the queues were lost; the others are found when overdue."""
WATCHED: Final = 1000
"""Most matches that are watched while the wall clock is behind, the earliest deadline first."""
_END_OF_TIME_MS: Final = 2**52
_TOLERATED_MS: Final = 1000
"""A correction of the wall clock by less has no effect."""
_REMEMBERED_LIMIT: Final = 10_000

log = structlog.get_logger(__name__)


class Overdue(Struct, frozen=True):
    """A match with its time in the due set."""

    loaded: Loaded
    due_ms: int


class OverdueTurn(Struct, frozen=True):
    """A turn of a built-in player with the match's time in the due set."""

    match_id: str
    version: int
    precedence: Precedence
    due_ms: int


class Sweep:
    """Retries lost turns with an exponential back-off, and expires clocks."""

    def __init__(
        self,
        matches: Matches,
        outbox: Outbox,
        dispatch: Dispatch,
        client: redis.Redis,
        back_off_ms: int,
        clock: Callable[[], int] = now_ms,
        steady_s: Callable[[], float] = time.monotonic,
    ) -> None:
        """`client` is one of the event store; `back_off_ms` is the first back-off of a turn. `clock` returns
        the wall-clock time in ms since 1970, `steady_s` a monotonic time in seconds."""
        self._client = client
        self._clock = clock
        self._watch = ClockWatch(clock, steady_s)
        self._matches = matches
        self._outbox = outbox
        self._dispatch = dispatch
        self._back_off_ms = back_off_ms
        self._attempts: dict[DueTurn, int] = {}
        self._lost: deque[tuple[str, int | None]] = deque()
        """Match ids and versions of lost turns; None stands for whichever version is due."""

    def retry(self, turns: Iterable[DueTurn]) -> None:
        """Have the next runs dispatch these lost turns again."""
        self._lost.extend(turns)

    def retry_all(self, ahead_ms: int) -> None:
        """The same for all turns that are due within that time, after the queues were lost.

        Raises:
            StoreUnavailable.
        """
        due = self._outbox.due_before(self._clock() + ahead_ms, MOST_RETRIED)
        self._lost = deque((match_id, None) for match_id, _ in due)

    def run(self) -> bool:
        """Process some of the overdue matches; whether there may be more.

        Raises:
            StoreUnavailable: some may have been processed; the others are still due.
        """
        now = self._clock()
        due = self._outbox.due_before(now, LOOKED_AT)
        # Turns that wait in the relay for a worker are not lost.
        until_ms = now + self._back_off_ms
        self._outbox.postpone_many([(*one, until_ms) for one in due if one[0] in self._dispatch])
        others = {match_id: due_ms for match_id, due_ms in due if match_id not in self._dispatch}
        turns = self._known(others)
        unknown = [one for one in others.items() if one[0] not in turns]
        overdue = self._loaded(unknown[:PAGE])
        self._expire_clocks([one for one in overdue if not _waits_for_a_strategy(one.loaded)])
        late = [*turns.values(), *_turns(overdue)]
        metrics.LATE_TURNS.inc(len(late))
        self._redispatch(late)
        self._redispatch_lost()
        if self._watch.is_set_back():
            self._process_watched()
        return len(due) == LOOKED_AT or len(unknown) > PAGE or bool(self._lost)

    def _known(self, due: Mapping[str, int]) -> dict[str, OverdueTurn]:
        """Those of these matches, given with their due times, that wait for a built-in player.

        Their last pointers tell, and a worker skips what has moved on. After `UNSEEN_ATTEMPTS` a match has
        to be loaded.
        """
        found = {}
        for match_id, due_ms in due.items():
            last = self._dispatch.last_pointer(match_id)
            if last is None or last.next != "ai":
                continue
            if self._attempts.get((match_id, last.version), 1) < UNSEEN_ATTEMPTS:
                found[match_id] = OverdueTurn(match_id, last.version, last.precedence, due_ms)
        return found

    def _loaded(self, due: Sequence[tuple[str, int]]) -> list[Overdue]:
        """These matches, without those that cannot be loaded."""
        overdue = []
        found = self._matches.load_many([match_id for match_id, _ in due])
        for (match_id, due_ms), loaded in zip(due, found, strict=True):
            if isinstance(loaded, Loaded):
                overdue.append(Overdue(loaded, due_ms))
            else:
                self._put_aside(match_id, due_ms, loaded)
        return overdue

    def _redispatch_lost(self) -> None:
        """Dispatch some lost turns again, except those that somebody has played meanwhile."""
        lost = dict([self._lost.popleft() for _ in range(min(LOOKED_AT, len(self._lost)))])
        ids = [match_id for match_id in lost if match_id not in self._dispatch]
        times = zip(ids, self._outbox.due_ms(ids), strict=True)
        due = {match_id: due_ms for match_id, due_ms in times if due_ms is not None}
        known = self._known(due)
        unknown = [one for one in due.items() if one[0] not in known]
        self._lost.extend([(match_id, lost[match_id]) for match_id, _ in unknown[PAGE:]])
        waiting = [*known.values(), *_turns(self._loaded(unknown[:PAGE]))]
        turns = [one for one in waiting if lost[one.match_id] in (None, one.version)]
        metrics.LOST_TURNS.inc(len(turns))
        self._redispatch(turns)

    def _expire_clocks(self, overdue: Sequence[Overdue]) -> None:
        if not overdue:
            return
        now = self._clock()
        known = outages.since(self._client, now - outages.LONGEST_DECISION_MS, now)
        for one in overdue:
            allowed_ms = _allowed_ms(one)
            due_ms = outages.extended_ms(one.loaded.last_at_ms, allowed_ms, known) if allowed_ms else None
            if due_ms is None or due_ms > now:
                self._reschedule(one, due_ms)
            else:
                self._expire_clock(one)

    def _process_watched(self) -> None:
        """Process matches that are due later by the wall clock, but were watched for their whole time."""
        due = self._outbox.due_before(_END_OF_TIME_MS, WATCHED)
        found = self._matches.load_many([match_id for match_id, _ in due])
        waiting = [
            Overdue(loaded, due_ms)
            for (_, due_ms), loaded in zip(due, found, strict=True)
            if isinstance(loaded, Loaded)
        ]
        over = self._watch.over(waiting, self._back_off_ms)
        for one in over:
            if not _waits_for_a_strategy(one.loaded):
                self._expire_clock(one)
        turns = _turns(over)
        metrics.LATE_TURNS.inc(len(turns))
        self._redispatch(turns)

    def _redispatch(self, turns: Sequence[OverdueTurn]) -> None:
        """Dispatch turns again; postpone those for which the backlog has no room."""
        now = self._clock()
        self._outbox.postpone_many(
            [(one.match_id, one.due_ms, now + self._dispatch_again(one)) for one in turns]
        )

    def _dispatch_again(self, one: OverdueTurn) -> int:
        """Dispatch a turn again; the time until it is overdue once more, which doubles with each attempt."""
        turn = one.match_id, one.version
        attempt = self._attempts.get(turn, 1) + 1  # the first was made from the log
        if not self._dispatch.put(*turn, one.precedence, attempt):
            return self._back_off_ms
        log.info("turn_handed_out_again", match_id=one.match_id, version=one.version, attempt=attempt)
        if len(self._attempts) >= _REMEMBERED_LIMIT:
            self._attempts.clear()
        self._attempts[turn] = attempt
        return min(self._back_off_ms << min(attempt - 2, 20), LONGEST_BACK_OFF_MS)

    def _expire_clock(self, one: Overdue) -> None:
        """Append what the expired deadline leads to; nothing if somebody else was faster."""
        state = one.loaded.state
        metrics.RUN_OUT_CLOCKS.inc()
        command: Command = ExpireSeatSeeds()
        if due_step(state) is None:
            command = ExpireClock(state.active, STAND_IN, STRATEGIES[STAND_IN].version)
        try:
            self._matches.execute(
                one.loaded.match_id,
                command,
                "service",
                if_match=one.loaded.version,
                not_before_ms=one.loaded.last_at_ms + _allowed_ms(one),  # audits check this
            )
            metrics.CLOCKS_EXPIRED.inc()
        except StaleVersion:
            return
        except StoreUnavailable:
            raise
        except Exception as error:
            self._put_aside(one.loaded.match_id, one.due_ms, error)

    def _reschedule(self, one: Overdue, runs_out_ms: int | None) -> None:
        """Correct the due time of a match in which nobody is late.

        If somebody has acted since the match was found due, the match has a new due time and keeps it.
        """
        metrics.NOT_LATE.inc()
        self._outbox.postpone(one.loaded.match_id, one.due_ms, runs_out_ms or self._clock() + PUT_ASIDE_MS)

    def _put_aside(self, match_id: str, due_ms: int, error: Exception) -> None:
        """Postpone a match that cannot be processed, so that it does not block the others."""
        metrics.PUT_ASIDE.inc()
        log.error("match_put_aside", match_id=match_id, error=str(error))
        self._outbox.postpone(match_id, due_ms, self._clock() + PUT_ASIDE_MS)


def _allowed_ms(one: Overdue) -> int:
    """The time that the seat to act has, in ms; 0 without a clock, or if no seat is to act."""
    due_ms = deadline_ms(one.loaded.state, one.loaded.last_at_ms)
    return 0 if due_ms is None else due_ms - one.loaded.last_at_ms


class ClockWatch:
    """Detects that the wall clock was set back, and then measures decisions by the monotonic clock."""

    def __init__(self, clock: Callable[[], int], steady_s: Callable[[], float]) -> None:
        self._clock = clock
        self._steady_s = steady_s
        self._latest_ms = 0
        self._seen: dict[DueTurn, float] = {}
        """By turn: the monotonic time in seconds at which it was first seen."""

    def is_set_back(self) -> bool:
        """Whether the wall clock is behind an earlier reading, so that recorded times are in the future."""
        now = self._clock()
        self._latest_ms = max(self._latest_ms, now)
        is_behind = now < self._latest_ms - _TOLERATED_MS
        if not is_behind:
            self._seen.clear()
        return is_behind

    def over(self, waiting: Sequence[Overdue], back_off_ms: int) -> list[Overdue]:
        """The matches whose decisions were watched for their whole time; also begins to watch the others."""
        now_s = self._steady_s()
        self._seen = {_turn(one): self._seen.get(_turn(one), now_s) for one in waiting}
        return [one for one in waiting if self._is_over(one, now_s, back_off_ms)]

    def _is_over(self, one: Overdue, now_s: float, back_off_ms: int) -> bool:
        watched_ms = (now_s - self._seen[_turn(one)]) * 1000
        if _waits_for_a_strategy(one.loaded):
            return watched_ms >= back_off_ms
        allowed_ms = _allowed_ms(one)
        return bool(allowed_ms) and watched_ms >= allowed_ms + outages.GRACE_MS


def _turn(one: Overdue) -> DueTurn:
    return one.loaded.match_id, one.loaded.version


def _turns(overdue: Iterable[Overdue]) -> list[OverdueTurn]:
    """The turns of built-in players among these."""
    return [
        OverdueTurn(*_turn(one), precedence(one.loaded.state), one.due_ms)
        for one in overdue
        if _waits_for_a_strategy(one.loaded)
    ]


def _waits_for_a_strategy(loaded: Loaded) -> bool:
    state = loaded.state
    return state.status == RUNNING and controller_kind(state) == "strategy"
