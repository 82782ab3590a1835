"""How fast a round of a ladder goes on just now, from the times in the ladder's history."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from domain.ladder.events import BlockFinished
from domain.ladder.state import Round
from events.ladders.entries import Ladder, events_of

_LOOKED_AT: Final = 50
"""As many of the last entries of the history are looked at."""
_LEAST_MS: Final = 1000
"""A rate over a shorter time says nothing."""


def matches_per_second(ladder: Ladder, played: Round, now_ms: int) -> float | None:
    """The matches of its last finished blocks, by the time from the first of these until now; one decimal.

    None where too little is finished to tell.
    """
    found = [(at_ms, matches) for at_ms, matches in _finished(ladder, played) if matches]
    if len(found) < 2:
        return None
    within_ms = now_ms - found[0][0]
    # The first one only says when the time begins.
    matches = sum([matches for _, matches in found[1:]])
    return round(1000 * matches / within_ms, 1) or None if within_ms >= _LEAST_MS else None


def _finished(ladder: Ladder, played: Round) -> Iterator[tuple[int, int]]:
    """When each of the last entries was written, in ms since 1970, and its matches of the round."""
    mine = range(played.first_block, played.first_block + len(played.blocks))
    last = ladder.entries[-_LOOKED_AT - 1 :]
    for before, entry in pairwise(last):
        events = events_of(ladder.id, before.last, entry)
        finished = [one for one in events if isinstance(one, BlockFinished) and one.block in mine]
        yield entry.time_ms, sum([len(one.results) for one in finished])
