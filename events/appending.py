"""From decisions on a match to the append that records them, indexes and next step included."""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import Struct

from domain.evolve import fold
from domain.state import MatchState
from events.listing import index_change
from events.loading import Loaded, rules_version_of
from events.records import Append
from events.sealing import Batch, sealed
from events.waiting import next_step


class Move(Struct, frozen=True, eq=False):
    """Decisions on one match, to be appended together."""

    loaded: Loaded
    """The match that was decided on."""
    batches: Sequence[Batch]
    """One for each command, in order; at least one."""
    state: MatchState | None = None
    """The state afterwards, if the caller has it; it is given away with the move."""
    is_held: bool = False
    """The caller goes on with this match itself as long as built-in players are to act."""


class Ready(NamedTuple):
    """A move that only has to be stored."""

    before: Loaded
    append: Append
    after: Loaded
    """As it is once that is stored."""


def prepared(move: Move, time_ms: int, ai_grace_ms: int) -> tuple[Append, Loaded]:
    """The append that records a move, and the match after it.

    A clock that was set back, or runs behind that of another machine, gives the time of the last event again:
    within a match time never falls.
    """
    before = move.loaded
    time_ms = max(time_ms, before.last_at_ms)
    after = move.state
    if after is None:
        after = fold(before.state.copy(), (event for batch in move.batches for event in batch.events))
    match_id = before.match_id
    created_at_ms = before.created_at_ms if before.version else time_ms
    entries = sealed(
        match_id, rules_version_of(after), before.version, before.head_hash, move.batches, time_ms
    )
    step = next_step(after, time_ms, ai_grace_ms, move.is_held)
    change = index_change(match_id, before.state, after, created_at_ms)
    append = Append(
        match_id,
        before.version,
        before.head_hash,
        entries,
        step.kind,
        step.due_ms,
        change.summary,
        change.joins,
        change.leaves,
        change.turn_begins,
        change.turn_ends,
        step.precedence,
        change.invites,
    )
    return append, Loaded(match_id, after, entries[-1].hash, created_at_ms, time_ms)
