"""What a job needs to play a round: the stores, the queue's Redis, and how long it may take."""

from collections.abc import Callable, Sequence

import redis
from msgspec import Struct

from events import Matches
from events.ladders.entries import Ladder
from events.ladders.ladders import Ladders
from events.store.clock import now_ms
from workers.ladders.changes import Change, together
from workers.ladders.luck import ValueFunction
from workers.playing import nobody_waits


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
    """The live ratings are computed as often."""
    table_s: float = 30.0
    """The official table is computed as often while a round is played, and never for more than a tenth of the
    time."""
    slice_s: float = 4.0
    """A job computes no longer on an official table, or four times as long as it took to read the results."""
    probes_s: float = 600.0
    """Suspended bots are probed as often while a round is played."""


class Place(Struct, frozen=True):
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
