"""The chance of a command as one outcome after the other, each with its probability.

`decide` asks for dice and cards while it works. Here the answers come from a list. Where that ends, `Open`
has the possible answers to the next question, and the command is decided again with one of them added.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from typing import Final

from domain.match.rules import Rules
from domain.match.state import MatchState

Outcomes = list[tuple[int, float]]

_ONE_DIE: Final = [(value,) for value in range(1, 7)]
_TWO_DICE: Final = list(product(range(1, 7), repeat=2))
_THROWS: Final = (*_ONE_DIE, *_TWO_DICE)
"""Every throw, by the number of its outcome."""
_CARDS: Final = len(_THROWS)
"""The outcome of drawing the first card of the catalogue; those of the others follow."""


class Open(Exception):
    """The next outcome is open; `outcomes` are the possible ones in ascending order, with probabilities."""

    def __init__(self, outcomes: Outcomes) -> None:
        super().__init__(f"one of {len(outcomes)} outcomes")
        self.outcomes = outcomes


class ListedChance:
    """A source of chance that gives the listed outcomes in order and raises `Open` after the last."""

    def __init__(self, outcomes: Sequence[int]) -> None:
        self._left = list(reversed(outcomes))

    def throw(self, state: MatchState, purpose: str, dice: int) -> tuple[int, ...]:
        first, count = (0, 6) if dice == 1 else (len(_ONE_DIE), 36)
        return _THROWS[self._next([(first + i, 1 / count) for i in range(count)])]

    def draw(self, state: MatchState, row: int, number: int, weights: Sequence[int]) -> int:
        cards, total = state.rules.row_cards[row], sum(weights)
        listed = [(_CARDS + cards[i], weight / total) for i, weight in enumerate(weights) if weight]
        return cards.index(self._next(sorted(listed)) - _CARDS)

    def first_seat(self, state: MatchState) -> int:
        seats = state.rules.seats
        first = _first_seats(state.rules)
        return self._next([(first + seat, 1 / seats) for seat in range(seats)]) - first

    def reveal(self) -> tuple[str, str]:
        """There is no seed."""
        return "", ""

    def _next(self, outcomes: Outcomes) -> int:
        if not self._left:
            raise Open(outcomes)
        return self._left.pop()


def _first_seats(rules: Rules) -> int:
    return _CARDS + rules.size


@lru_cache(maxsize=64)
def outcome_names(rules: Rules) -> tuple[str, ...]:
    """The names of all outcomes by number."""
    throws = [f"throw {' + '.join(map(str, values))}" for values in _THROWS]
    return (
        *throws,
        *[f"draw {id}" for id in rules.ids],
        *[f"seat {seat} begins" for seat in range(rules.seats)],
    )
