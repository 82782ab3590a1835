"""Looking after overdue matches: a built-in player's turn that got lost, a person's clock that ran out, seeds
of seats that were not given in time.

Clocks are told by the wall clock, but nobody loses time by it: outages do not count, and where it was set
back a decision has run out when this process has watched it long enough.
"""

import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
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
from events.store.streams import now_ms
from runtime.strategies import STAND_IN, STRATEGIES
from workers import metrics
from workers.dispatch import Dispatch
from workers.queueing import TTL_S, Turn

PAGE: Final = 64
"""As many matches are looked after in one go."""
LONGEST_BACK_OFF_MS: Final = TTL_S * 1000
"""Between two times that a turn is handed out: no longer than a job lives, or none would be on the queue."""
PUT_ASIDE_MS: Final = 300_000
"""For a match that cannot be helped."""
TAKEN_BACK: Final = 10_000
"""As many turns are taken back at once where the queues were lost; others are found when they are late."""
ANY_VERSION: Final = 0
"""Of a turn that is taken back: whichever waits."""
WATCHED: Final = 1000
"""As many matches are watched while the wall clock is behind where it has been, the first due first."""
_FAR_AHEAD_MS: Final = 2**52
_TOLERATED_MS: Final = 1000
"""By which the wall clock may be corrected without anything being watched."""
_REMEMBERED_LIMIT: Final = 10_000

log = structlog.get_logger("workers.sweep")


class Overdue(Struct, frozen=True):
    """A match and when it was due."""

    loaded: Loaded
    due_ms: int


class Sweep:
    """Has lost turns handed out again, each time after a longer pause; carries out clocks that ran out."""

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
        """`client` is one of the event store; `back_off_ms` is the pause after the first time that a turn was
        handed out again. `clock` gives the time in ms since 1970, `steady_s` seconds that nobody sets."""
        self._client = client
        self._clock = clock
        self._watch = Watch(clock, steady_s)
        self._matches = matches
        self._outbox = outbox
        self._dispatch = dispatch
        self._back_off_ms = back_off_ms
        self._attempts: dict[Turn, int] = {}
        self._lost: deque[Turn] = deque()

    def take_back(self, turns: Iterable[Turn]) -> None:
        """Have turns handed out again that were lost with who had them, with the next runs."""
        self._lost.extend(turns)

    def take_back_all(self, ahead_ms: int) -> None:
        """The same for whatever is due within that time: where the queues were lost, nobody has any of it.

        Raises:
            StoreUnavailable.
        """
        due = self._outbox.due_before(self._clock() + ahead_ms, TAKEN_BACK)
        self._lost = deque((match_id, ANY_VERSION) for match_id, _ in due)

    def run(self) -> bool:
        """Look after one page of overdue matches; whether there may be more.

        Raises:
            StoreUnavailable: a part may have been done; what was not stays due.
        """
        due = self._outbox.due_before(self._clock(), PAGE)
        # Turns that only wait until a worker is free are not lost.
        late = [one for one in due if one[0] in self._dispatch]
        self._outbox.postpone_many(late, self._clock() + self._back_off_ms)
        others = [one for one in due if one[0] not in self._dispatch]
        found = self._matches.load_many([match_id for match_id, _ in others])
        overdue = []
        for (match_id, due_ms), loaded in zip(others, found, strict=True):
            if isinstance(loaded, Loaded):
                overdue.append(Overdue(loaded, due_ms))
            else:
                self._put_aside(match_id, due_ms, loaded)
        self._look_after_clocks([one for one in overdue if not _waits_for_a_strategy(one.loaded)])
        turns = [one for one in overdue if _waits_for_a_strategy(one.loaded)]
        metrics.LATE_TURNS.inc(len(turns))
        self._look_after_turns(turns)
        self._look_after_lost()
        if self._watch.is_set_back():
            self._look_ahead()
        return len(due) == PAGE or bool(self._lost)

    def _look_after_lost(self) -> None:
        """Have a page of lost turns handed out again, but for those that somebody has taken meanwhile."""
        lost = [self._lost.popleft() for _ in range(min(PAGE, len(self._lost)))]
        ids = [match_id for match_id, _ in lost if match_id not in self._dispatch]
        versions = dict(lost)
        waiting = [
            Overdue(loaded, due_ms)
            for loaded, due_ms in zip(self._matches.load_many(ids), self._outbox.due_ms(ids), strict=True)
            if isinstance(loaded, Loaded) and due_ms is not None and _waits_for_a_strategy(loaded)
        ]
        taken_back = [
            one for one in waiting if versions[one.loaded.match_id] in (ANY_VERSION, one.loaded.version)
        ]
        metrics.LOST_TURNS.inc(len(taken_back))
        self._look_after_turns(taken_back)

    def _look_after_clocks(self, overdue: Sequence[Overdue]) -> None:
        if not overdue:
            return
        now = self._clock()
        known = outages.since(self._client, now - outages.LONGEST_DECISION_MS, now)
        for one in overdue:
            allowed_ms = _allowed_ms(one)
            due_ms = outages.extended_ms(one.loaded.last_at_ms, allowed_ms, known) if allowed_ms else None
            if due_ms is None or due_ms > now:
                self._correct(one, due_ms)
            else:
                self._expire_clock(one)

    def _look_ahead(self) -> None:
        """Look after what is due later by the wall clock, and has been watched for its whole time."""
        due = self._outbox.due_before(_FAR_AHEAD_MS, WATCHED)
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
        turns = [one for one in over if _waits_for_a_strategy(one.loaded)]
        metrics.LATE_TURNS.inc(len(turns))
        self._look_after_turns(turns)

    def _look_after_turns(self, overdue: Sequence[Overdue]) -> None:
        """Have turns handed out again; for those that there is no room for, their time comes again."""
        for one in overdue:
            (match_id, version), attempt = _turn(one), self._next_attempt(one)
            if self._dispatch.put(match_id, version, precedence(one.loaded.state), attempt):
                log.info("turn_handed_out_again", match_id=match_id, version=version, attempt=attempt)
                self._note_attempt(one, attempt)
            else:
                self._postpone(one, self._back_off_ms)

    def _next_attempt(self, one: Overdue) -> int:
        """The log's reader made the first."""
        return self._attempts.get(_turn(one), 1) + 1

    def _note_attempt(self, one: Overdue, attempt: int) -> None:
        if len(self._attempts) >= _REMEMBERED_LIMIT:
            self._attempts.clear()
        self._attempts[_turn(one)] = attempt
        # Twice as long each time.
        self._postpone(one, min(self._back_off_ms << min(attempt - 2, 20), LONGEST_BACK_OFF_MS))

    def _expire_clock(self, one: Overdue) -> None:
        """Carry out what follows from the time that ran out; somebody else may be faster."""
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
                not_before_ms=one.loaded.last_at_ms + _allowed_ms(one),  # as auditors expect it
            )
            metrics.CLOCKS_EXPIRED.inc()
        except StaleVersion:
            return
        except StoreUnavailable:
            raise
        except Exception as error:
            self._put_aside(one.loaded.match_id, one.due_ms, error)

    def _correct(self, one: Overdue, runs_out_ms: int | None) -> None:
        """Nobody is late: somebody acted since the match was found due, or it should not have been found.

        In the first case the match has a new time, and keeps it.
        """
        metrics.NOT_LATE.inc()
        self._outbox.postpone(one.loaded.match_id, one.due_ms, runs_out_ms or self._clock() + PUT_ASIDE_MS)

    def _put_aside(self, match_id: str, due_ms: int, error: Exception) -> None:
        """One match that cannot be helped must not keep the others waiting."""
        metrics.PUT_ASIDE.inc()
        log.error("match_not_looked_after", match_id=match_id, error=str(error))
        self._outbox.postpone(match_id, due_ms, self._clock() + PUT_ASIDE_MS)

    def _postpone(self, one: Overdue, pause_ms: int) -> None:
        self._outbox.postpone(one.loaded.match_id, one.due_ms, self._clock() + pause_ms)


def _allowed_ms(one: Overdue) -> int:
    """How long the person to act may think; 0 without a clock, and where it is nobody's turn."""
    due_ms = deadline_ms(one.loaded.state, one.loaded.last_at_ms)
    return 0 if due_ms is None else due_ms - one.loaded.last_at_ms


class Watch:
    """Notices that the wall clock was set back, and then measures decisions by a clock that nobody sets."""

    def __init__(self, clock: Callable[[], int], steady_s: Callable[[], float]) -> None:
        self._clock = clock
        self._steady_s = steady_s
        self._latest_ms = 0
        self._seen: dict[Turn, float] = {}
        """Since when each decision has been watched."""

    def is_set_back(self) -> bool:
        """Whether the wall clock is behind where it has been: what was recorded lies in times to come."""
        now = self._clock()
        self._latest_ms = max(self._latest_ms, now)
        is_behind = now < self._latest_ms - _TOLERATED_MS
        if not is_behind:
            self._seen.clear()
        return is_behind

    def over(self, waiting: Sequence[Overdue], back_off_ms: int) -> list[Overdue]:
        """Those that have been watched for as long as they may take; the others are watched from now on."""
        now_s = self._steady_s()
        self._seen = {_turn(one): self._seen.get(_turn(one), now_s) for one in waiting}
        return [one for one in waiting if self._is_over(one, now_s, back_off_ms)]

    def _is_over(self, one: Overdue, now_s: float, back_off_ms: int) -> bool:
        watched_ms = (now_s - self._seen[_turn(one)]) * 1000
        if _waits_for_a_strategy(one.loaded):
            return watched_ms >= back_off_ms
        allowed_ms = _allowed_ms(one)
        return bool(allowed_ms) and watched_ms >= allowed_ms + outages.GRACE_MS


def _turn(one: Overdue) -> Turn:
    return one.loaded.match_id, one.loaded.version


def _waits_for_a_strategy(loaded: Loaded) -> bool:
    state = loaded.state
    return state.status == RUNNING and controller_kind(state) == "strategy"
