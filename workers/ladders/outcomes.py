"""What became of the matches of a block."""

from collections import Counter
from collections.abc import Iterable, Sequence

from domain.events import ClockExpired, Event
from domain.ladder.config import LadderConfig
from domain.ladder.events import MatchResult
from domain.state import MatchState
from events.envelope import hash_text
from events.loading import Loaded
from workers.ladders.luck import ValueFunction, coin_luck, win_luck


def result_of(
    loaded: Loaded,
    events: Sequence[Event],
    config: LadderConfig,
    values: ValueFunction | None,
    errors: tuple[int, ...] | None = None,
) -> MatchResult:
    """The result of a match that was won; `errors` are refused commands by seat, none if nobody could err."""
    state = loaded.state
    coins = coin_luck(events) if config.luck != "off" else None
    wins = win_luck(events, values) if config.luck == "wins" and values is not None else None
    return MatchResult(
        loaded.match_id,
        state.winner,
        state.turn,
        loaded.version,
        hash_text(loaded.head_hash),
        timeouts(state, events),
        errors or (0,) * len(state.controllers),
        coins,
        wins,
    )


def timeouts(state: MatchState, events: Iterable[Event]) -> tuple[int, ...]:
    """By seat: how often its clock ran out."""
    found = Counter([event.seat for event in events if isinstance(event, ClockExpired)])
    return tuple([found[seat] for seat in range(len(state.controllers))])
