"""Estimates of the chances of winning after one command."""

from collections.abc import Sequence
from math import fsum
from typing import Final, NamedTuple

from domain.match.commands import Build, PlayCommand, SwapEstablishments
from domain.match.rules import Rules
from domain.match.state import MatchState
from kernel.engine import Engine
from players.distance import still_to_pay
from players.exact_race.cities import RaceRefused
from players.exact_race.deciding import RaceDecisions
from players.exact_race.races import Races
from players.exact_race.solver import MOST_ROOM
from players.exact_race.sweeps import Chances
from players.lookahead import RollKind, roll_kind
from players.rollouts.simulation import dice_of, roll_of
from players.tables import in_play

ByKind = dict[RollKind, tuple[float, tuple[float, ...]]]

LARGEST_RACE: Final = 60_000
"""The largest `_size` of a race that is solved: two seats lack one landmark each, or one of them lacks
two."""
_NO_LIMIT: Final = 10**9
_EXACT_TO: Final = 6
"""Decimals of exact chances, on which the compiled and the plain solver agree."""


class Estimate(NamedTuple):
    """The chances of winning after one command."""

    chances: tuple[float, ...]
    """By seat of the match; they sum to 1."""
    by_throw: ByKind
    """If the command rolls dice, by kind of roll: its probability, and the chances after it. Else empty."""
    rollouts: int
    """How many rollouts gave this; 0 if it is exact."""
    is_exact: bool


def estimate_of(state: MatchState, command: PlayCommand, values: Sequence[tuple[float, ...]]) -> Estimate:
    """The estimate from the values of complete batches of rollouts."""
    dice = dice_of(state, command)
    by_kind: dict[RollKind, list[tuple[float, ...]]] = {}
    for place, value in enumerate(values if dice else ()):
        by_kind.setdefault(roll_kind(roll_of(place, dice)), []).append(value)
    by_throw = {one: (len(found) / len(values), _mean(found)) for one, found in sorted(by_kind.items())}
    return Estimate(_mean(values), by_throw, len(values), False)


def _mean(values: Sequence[tuple[float, ...]]) -> tuple[float, ...]:
    return tuple([fsum(of_seat) / len(values) for of_seat in zip(*values, strict=True)])


class ExactEstimates:
    """Estimates in matches of some rules that are small races."""

    def __init__(self, kernel: Engine, rules: Rules) -> None:
        self._races = Races(kernel, rules, most=_NO_LIMIT)

    def estimates(self, state: MatchState, commands: Sequence[PlayCommand]) -> list[Estimate] | None:
        """The exact estimates after all commands; None unless all of them can be solved."""
        if _size(state) > LARGEST_RACE or any([_leaves_race(state, command) for command in commands]):
            return None
        try:
            race = RaceDecisions(self._races, state)
            chances = race.chances(commands)
            found = []
            for command, after in zip(commands, chances, strict=True):
                if after is None:
                    return None
                rolls = race.by_roll(command) if dice_of(state, command) else ()
                by_throw = {roll_kind(dice): (share, _exact(state, one)) for dice, share, one in rolls}
                found.append(Estimate(_exact(state, after), by_throw, 0, True))
        except RaceRefused:
            return None
        return found


def _size(state: MatchState) -> int:
    """An upper bound of the number of chances in the race, from the prices and numbers of missing landmarks.

    It depends on the position alone, while the work to solve a race also depends on which races are cached.
    """
    playing = in_play(state)
    found = len(playing) ** 2
    for seat in playing:
        missing = state.rules.goal - state.landmarks[seat]
        found *= 2**missing * (still_to_pay(state, seat) // 2 + MOST_ROOM)
    return found


def _leaves_race(state: MatchState, command: PlayCommand) -> bool:
    """Whether the command builds an establishment or trades."""
    if isinstance(command, Build):
        return state.rules.index[command.card] < state.rules.establishments
    return isinstance(command, SwapEstablishments)


def _exact(state: MatchState, chances: Chances) -> tuple[float, ...]:
    """By seat of the match: the chances of the seats in play."""
    found = [0.0] * state.rules.seats
    for seat, chance in zip(in_play(state), chances.tolist(), strict=True):
        found[seat] = round(chance, _EXACT_TO)
    return tuple(found)
