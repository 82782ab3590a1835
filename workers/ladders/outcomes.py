"""What became of the matches of a block."""

from collections import Counter
from collections.abc import Iterable, Sequence

from domain.ladder.config import LadderConfig
from domain.ladder.events import MatchResult
from domain.luck import luck_of
from domain.match.events import ClockExpired, Event
from events.matches.envelope import hash_text
from events.store.loading import Loaded
from workers.ladders.luck import ValueFunction, coin_luck, win_luck


def result_of(
    loaded: Loaded,
    events: Sequence[Event],
    config: LadderConfig,
    values: ValueFunction | None,
    errors: tuple[int, ...] | None = None,
) -> MatchResult:
    """The result of a match that was won.

    `values` is given where the luck is to be told in wins too; `errors` are refused commands by seat, None if
    nobody could err.
    """
    state = loaded.state
    luck = luck_of(events) if config.luck != "off" else None
    return MatchResult(
        loaded.match_id,
        state.winner,
        state.turn,
        loaded.version,
        hash_text(loaded.head_hash),
        timeouts(len(state.controllers), events),
        errors or (0,) * len(state.controllers),
        coin_luck(luck) if luck else None,
        win_luck(events, len(state.controllers), values) if luck and values is not None else None,
    )


def timeouts(seats: int, events: Iterable[Event]) -> tuple[int, ...]:
    """By seat: how often its clock ran out."""
    found = Counter([event.seat for event in events if isinstance(event, ClockExpired)])
    return tuple([found[seat] for seat in range(seats)])
