"""The luck of a match as a ladder's results tell it, in whole numbers that sum to zero over the seats.

Luck in wins is told by a value function: the network of the player `learned`.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from domain.luck import UNIT, Luck
from domain.match.commands import RerollDice, RollDice
from domain.match.events import DiceRolled, Event
from domain.match.evolve import begin, fold
from domain.match.rules import Rules
from domain.match.state import MatchState
from workers.players.lookahead import THROWS, Lookahead, best_builds, kind
from workers.players.tables import Tables, in_play
from workers.players.value_function import chances_of, digest

THOUSANDTHS: Final = 1_000
MILLIONTHS: Final = 1_000_000
AT_A_TIME: Final = 8
"""Throws that are judged together: more would need more memory and be hardly faster."""

Floats = NDArray[np.float64]


class ValueFunction(Protocol):
    """Chances to win that are fixed for a season."""

    digest: str
    """What the season's configuration names it by."""

    def chances(self, rules: Rules, tables: Tables) -> NDArray[np.floating]:
        """By row and seat in play: the chance to win as a turn begins; every row sums to 1. A new array."""


class Network:
    """The shipped weights of one ruleset; see `ValueFunction`."""

    def __init__(self, ruleset: str) -> None:
        self.digest = digest(ruleset)

    def chances(self, rules: Rules, tables: Tables) -> NDArray[np.floating]:
        return chances_of(rules, tables)


def value_function(ruleset: str) -> Network:
    """The value function of a ruleset."""
    return Network(ruleset)


def coin_luck(luck: Luck) -> tuple[int, ...]:
    """By seat: what the dice brought beyond what they were worth before they fell, against the mean of the
    others, in thousandths of a coin."""
    return _even([(2 * THOUSANDTHS * units + UNIT) // (2 * UNIT) for units in luck.totals.luck])


def win_luck(events: Iterable[Event], seats: int, values: ValueFunction) -> tuple[int, ...]:
    """By seat: what its chances to win gained by the throws of the match, in millionths of a win.

    Of each throw, what the seat's chance is after it less the mean of what it could have been, by the value
    function, if whoever plays the turn goes on as is best for it by that function. The mean is over the very
    throws that could fall, so the sum is nothing on average whatever the function and the players are.
    Throws for the boats and cards that are turned over are left out.
    """
    found = np.zeros(seats)
    for throws in _groups(events):
        found[[*throws[0].playing]] += _gained(throws, values)
    return _even([round(float(wins) * MILLIONTHS) for wins in found])


def _groups(events: Iterable[Event]) -> Iterator[list["_Throw"]]:
    """The throws that are judged together: a few, with the same seats in play."""
    rest = iter(events)
    state = begin(next(rest))
    throws: list[_Throw] = []
    for event in rest:
        if isinstance(event, DiceRolled) and event.purpose != "boats":
            throw = _Throw(state.copy(), event)
            if len(throws) == AT_A_TIME or (throws and throws[0].playing != throw.playing):
                yield throws
                throws = []
            throws.append(throw)
        fold(state, (event,))
    if throws:
        yield throws


class _Throw:
    """The tree of what can follow a throw, from the table before it."""

    def __init__(self, table: MatchState, event: DiceRolled) -> None:
        self.table = table
        self.playing = tuple(in_play(table))
        dice = len(event.values)
        is_again = event.purpose == "reroll"
        self.tree = Lookahead(table)
        self._mean = self.tree.follow(RerollDice(table.active) if is_again else RollDice(table.active, dice))
        self._fell = self._mean.parts[[kind(values) for values, _ in THROWS[dice]].index(kind(event.values))]

    def gained(self, leaves: Floats) -> Floats:
        """By seat in play: its chance with what fell less the mean, given the chances of the leaves."""
        seat = self.playing.index(self.table.active)
        return self._fell.chances(leaves, seat) - self._mean.chances(leaves, seat)


def _gained(throws: Sequence[_Throw], values: ValueFunction) -> Floats:
    """By seat in play: what these throws brought."""
    leaves = best_builds([throw.tree for throw in throws], values.chances)
    gained = [throw.gained(own) for throw, own in zip(throws, leaves, strict=True)]
    return np.asarray(np.sum(gained, axis=0))


def _even(parts: list[int]) -> tuple[int, ...]:
    """The parts so that they sum to zero, as they did before each was rounded: off by half of one at most."""
    place = max(range(len(parts)), key=lambda seat: abs(parts[seat]))
    parts[place] -= sum(parts)
    return tuple(parts)
