"""The context of a job of a ladder: stores, the queue's Redis, limits, and changes to record."""

from collections.abc import Callable, Sequence

import redis
from msgspec import Struct

from domain.ladder import decide
from domain.ladder.config import LadderConfig
from domain.ladder.events import Event, MatchResult
from domain.ladder.state import Block, LadderState, fold
from events import Matches
from events.ladders.ladders import Ladder, Ladders
from events.store.keys import now_ms
from workers.ladders.luck import ValueFunction
from workers.turns.decisions import nobody_waits

Change = Callable[[LadderState], list[Event]]
"""A decision on a ladder: from its current state to events; none if nothing is to be done any more."""


def together(changes: Sequence[Change]) -> Change:
    """One change that makes all of these in order, each on the state after those before it."""

    def change(state: LadderState) -> list[Event]:
        moving = state.copy()
        found: list[Event] = []
        for one in changes:
            events = one(moving)
            fold(moving, events)
            found += events
        return found

    return change


def finished(block: Block, results: Sequence[MatchResult]) -> Change:
    """The change that records the results of a block's attempt."""
    return lambda state: decide.finish_block(state, block.number, block.attempt, results)


def voided(block: Block, reason: str, detail: str, matches: Sequence[str]) -> Change:
    """The change that voids a block's attempt."""
    return lambda state: decide.void_block(state, block.number, block.attempt, reason, detail, matches)


def stopped(round: int, reason: str) -> Change:
    """The change that stops a round."""
    return lambda state: decide.stop_round(state, round, reason)


class RoundLimits(Struct, frozen=True):
    """Limits of one job of a ladder, and intervals of tasks that jobs share; in seconds."""

    seconds: float = 1.0
    """No further block begins after that."""
    overtime_s: float = 0.5
    """Additional time for the current block; no further decision begins after that."""
    decisions: int = 100_000
    """Most decisions of one match."""
    chunk_s: float = 0.25
    """The interval at which results are stored, between two blocks."""
    bots_s: float = 1.0
    """The interval at which blocks with remote bots are advanced, over all jobs."""
    silence_s: float = 30.0
    """The interval of the search for bots that no longer answer."""
    live_s: float = 2.0
    """The interval at which a season's live tables are updated while a round is played."""
    table_s: float = 30.0
    """The interval of computing the official table during a round; it takes at most a tenth of the time."""
    fits_s: float = 4.0
    """The longest time that a job computes a table, unless reading its results took over a quarter of it."""
    probes_s: float = 600.0
    """The interval at which suspended bots are probed while a round is played."""


class Context(Struct, frozen=True):
    """The stores and the queue, for one process."""

    matches: Matches
    ladders: Ladders
    events: redis.Redis
    queue: redis.Redis
    values: Callable[[str], ValueFunction | None] = lambda ruleset: None
    """By ruleset: the value function that measures luck in wins; None if there is none."""
    limits: RoundLimits = RoundLimits()
    people_wait: Callable[[], bool] = nobody_waits
    """Whether turns of people's matches wait: then a job of a ladder ends early."""
    clock: Callable[[], int] = now_ms
    """The time in ms since 1970."""

    def value_function(self, config: LadderConfig) -> ValueFunction | None:
        """What measures luck in wins; None if the season does not want it, or there is none for its rules."""
        return self.values(config.ruleset) if config.luck == "wins" else None

    def record(self, ladder: Ladder, changes: Sequence[Change]) -> Ladder:
        """Append the events of all changes as one entry; the ladder afterwards.

        Raises:
            StoreUnavailable, StaleVersion, StreamCorrupt.
        """
        if not changes:
            return ladder
        return self.ladders.execute(ladder.id, together(changes), "service").ladder
