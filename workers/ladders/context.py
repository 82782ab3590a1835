"""What a job of a ladder works with: the stores, the queue's Redis, how long it may take, what it records."""

from collections.abc import Callable, Sequence

import redis
from msgspec import Struct

from domain.ladder import decide
from domain.ladder.events import Event, MatchResult
from domain.ladder.state import Block, LadderState, fold
from events import Matches
from events.ladders.entries import Ladder
from events.ladders.ladders import Ladders
from events.store.streams import now_ms
from workers.luck import ValueFunction
from workers.playing import nobody_waits

Change = Callable[[LadderState], list[Event]]
"""The events that follow on the state at hand; none if there is nothing to do (any more)."""


def together(changes: Sequence[Change]) -> Change:
    """One after the other, each on the state that those before lead to."""

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
    """All matches of that attempt are over."""
    return lambda state: decide.finish_block(state, block.number, block.attempt, results)


def voided(block: Block, reason: str, detail: str, matches: Sequence[str]) -> Change:
    """That attempt does not count."""
    return lambda state: decide.void_block(state, block.number, block.attempt, reason, detail, matches)


def stopped(round: int, reason: str) -> Change:
    """The round cannot go on."""
    return lambda state: decide.stop_round(state, round, reason)


class Limits(Struct, frozen=True):
    """How much one job does, in seconds."""

    seconds: float = 1.0
    """No further block is begun after that."""
    overtime_s: float = 0.5
    """For the block under way; after that no further decision is begun."""
    decisions: int = 100_000
    """Of one match."""
    chunk_s: float = 0.25
    """What was played is recorded as often, between two blocks."""
    bots_s: float = 1.0
    """The tables of remote bots are looked after as often, by all jobs together."""
    silence_s: float = 30.0
    """Bots that no longer answer are looked for as often."""
    live_s: float = 2.0
    """The tables of a season are brought up to date as often while a round is played."""
    table_s: float = 30.0
    """The official table is computed as often while a round is played, and never for more than a tenth of the
    time."""
    fits_s: float = 4.0
    """A job computes no longer on an official table, or four times as long as it took to read the results."""
    probes_s: float = 600.0
    """Suspended bots are probed as often while a round is played."""


class Context(Struct, frozen=True):
    """The stores and the queue, for one process."""

    matches: Matches
    ladders: Ladders
    events: redis.Redis
    queue: redis.Redis
    values: Callable[[str], ValueFunction | None] = lambda ruleset: None
    """By ruleset: what the chances to win for the luck of a match come from; None where there is none."""
    limits: Limits = Limits()
    people_wait: Callable[[], bool] = nobody_waits
    """Whether a worker is wanted for people's matches: then a job of a ladder ends early."""
    clock: Callable[[], int] = now_ms
    """The time in ms since 1970."""

    def record(self, ladder: Ladder, changes: Sequence[Change]) -> Ladder:
        """Record all of that at once; the ladder afterwards, or as of now if nothing followed.

        Raises:
            StoreUnavailable, StaleVersion, StreamCorrupt.
        """
        if not changes:
            return ladder
        return self.ladders.execute(ladder.id, together(changes), "service").ladder
