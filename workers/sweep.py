"""Looking after overdue matches: a built-in player's turn that got lost, a person's clock that ran out, seeds
of seats that were not given in time."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

import structlog
from msgspec import Struct
from rq import Queue

from domain.commands import Command, ExpireClock, ExpireSeatSeeds
from domain.seat_seeds import due_step
from domain.state import RUNNING
from events import Loaded, Matches, Outbox, StaleVersion, StoreUnavailable
from events.orders import now_ms
from events.strategies import STAND_IN, STRATEGIES
from events.waiting import controller_kind, deadline_ms
from workers import metrics
from workers.queueing import TTL_S, QueueUnavailable, Turn, count_waiting, hand_out

PAGE: Final = 64
"""As many matches are looked after in one go."""
BUSY_QUEUE: Final = 32
"""With so many jobs waiting, a turn is not lost but late: handing it out again would make it later."""
LONGEST_BACK_OFF_MS: Final = TTL_S * 1000
"""Between two times that a turn is handed out: no longer than a job lives, or none would be on the queue."""
PUT_ASIDE_MS: Final = 300_000
"""For a match that cannot be helped."""
_REMEMBERED_LIMIT: Final = 10_000

log = structlog.get_logger("workers.sweep")


class Overdue(Struct, frozen=True):
    """A match and when it was due."""

    loaded: Loaded
    due_ms: int


class Sweep:
    """Hands lost turns out again, each time after a longer pause, and carries out clocks that ran out."""

    def __init__(self, matches: Matches, outbox: Outbox, queue: Queue, back_off_ms: int) -> None:
        """`back_off_ms` is the pause after the first time that a turn was handed out again."""
        self._matches = matches
        self._outbox = outbox
        self._queue = queue
        self._back_off_ms = back_off_ms
        self._attempts: dict[Turn, int] = {}

    def run(self) -> bool:
        """Look after one page of overdue matches; whether there may be more.

        Raises:
            StoreUnavailable: a part may have been done; what was not stays due.
        """
        due = self._outbox.due_before(now_ms(), PAGE)
        found = self._matches.load_many([match_id for match_id, _ in due])
        overdue = []
        for (match_id, due_ms), loaded in zip(due, found, strict=True):
            if isinstance(loaded, Loaded):
                overdue.append(Overdue(loaded, due_ms))
            else:
                self._put_aside(match_id, due_ms, loaded)
        for one in overdue:
            if not _waits_for_a_strategy(one):
                self._expire_clock(one)
        self._look_after_turns([one for one in overdue if _waits_for_a_strategy(one)])
        return len(due) == PAGE

    def _look_after_turns(self, overdue: Sequence[Overdue]) -> None:
        """Hand turns out again, or put them off where that is no use: other matches are due behind them."""
        if not overdue:
            return
        metrics.LATE_TURNS.inc(len(overdue))
        try:
            if count_waiting(self._queue) < BUSY_QUEUE:
                self._hand_out_again(overdue)
                return
        except QueueUnavailable as error:
            log.warning("queue_unavailable", matches=len(overdue), error=str(error))
        for one in overdue:
            self._postpone(one, self._back_off_ms)

    def _hand_out_again(self, overdue: Sequence[Overdue]) -> None:
        by_attempt = defaultdict(list)
        for one in overdue:
            by_attempt[self._next_attempt(one)].append(one)
        for attempt, group in by_attempt.items():
            jobs = hand_out(self._queue, [_turn(one) for one in group], attempt)
            metrics.JOBS_FROM_SWEEP.inc(jobs)
            log.info("turns_handed_out_again", matches=len(group), attempt=attempt)
            for one in group:
                self._note_attempt(one, attempt)

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
        runs_out_ms = deadline_ms(state, one.loaded.last_at_ms)
        if runs_out_ms is None or runs_out_ms > now_ms():
            self._correct(one, runs_out_ms)
            return
        metrics.RUN_OUT_CLOCKS.inc()
        command: Command = ExpireSeatSeeds()
        if due_step(state) is None:
            command = ExpireClock(state.active, STAND_IN, STRATEGIES[STAND_IN].version)
        try:
            self._matches.execute(one.loaded.match_id, command, "service", if_match=one.loaded.version)
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
        self._outbox.postpone(one.loaded.match_id, one.due_ms, runs_out_ms or now_ms() + PUT_ASIDE_MS)

    def _put_aside(self, match_id: str, due_ms: int, error: Exception) -> None:
        """One match that cannot be helped must not keep the others waiting."""
        metrics.PUT_ASIDE.inc()
        log.error("match_not_looked_after", match_id=match_id, error=str(error))
        self._outbox.postpone(match_id, due_ms, now_ms() + PUT_ASIDE_MS)

    def _postpone(self, one: Overdue, pause_ms: int) -> None:
        self._outbox.postpone(one.loaded.match_id, one.due_ms, now_ms() + pause_ms)


def _turn(one: Overdue) -> Turn:
    return one.loaded.match_id, one.loaded.version


def _waits_for_a_strategy(one: Overdue) -> bool:
    state = one.loaded.state
    return state.status == RUNNING and controller_kind(state) == "strategy"
