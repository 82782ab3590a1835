"""From decisions on a match to the append that records them, indexes and next step included."""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import Struct

from domain.match.evolve import fold
from domain.match.state import MatchState
from events.matches.listing import IndexChange, index_change
from events.matches.sealing import Batch, sealed
from events.matches.waiting import Next, next_step
from events.store import keys
from events.store.loading import Loaded, rules_version_of
from events.store.outbox import pointer_to
from events.store.records import Append, Write


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
    change = index_change(match_id, before.folded, after, created_at_ms)
    append = Append(
        match_id,
        before.version,
        before.head_hash,
        entries,
        writes_beside(match_id, after.version, time_ms, step, change),
    )
    return append, Loaded(match_id, after, entries[-1].hash, created_at_ms, time_ms)


def writes_beside(
    match_id: str, version: int, time_ms: int, step: Next, change: IndexChange
) -> tuple[Write, ...]:
    """What is written beside the stream of a match that has come to a version: the pointer on the log, the
    due set, the turns of accounts, the summary and the indexes.
    """
    pointer = pointer_to(
        match_id, version, step.kind, change.turn_begins, step.precedence, ",".join(change.invites)
    )
    found = [pointer, _due(match_id, step.due_ms)]
    if change.turn_begins:
        found.append(Write("ZADD", keys.turns(change.turn_begins), (time_ms, match_id)))
    if change.turn_ends:
        found.append(Write("ZREM", keys.turns(change.turn_ends), (match_id,)))
    if change.summary is not None:
        found.append(Write("SET", keys.summary(match_id), (change.summary,)))
    found += [Write("ZADD", keys.index(name), (0, match_id)) for name in change.joins]
    found += [Write("ZREM", keys.index(name), (match_id,)) for name in change.leaves]
    return tuple(found)


def _due(match_id: str, due_ms: int | None) -> Write:
    if due_ms is None:
        return Write("ZREM", keys.DUE, (match_id,))
    return Write("ZADD", keys.DUE, (due_ms, match_id))
