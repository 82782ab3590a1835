"""What a seat's own turn is worth to it, in coins of its purse.

A turn is valued with the landmarks in force: two dice where they pay more, a second throw where the first is
poorer than the average, an extra turn after a double.
"""

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from operator import mul
from typing import Final

from domain.match.rules import Rules
from domain.match.state import in_force
from workers.players.forecast import ONE_DIE, TWO_DICE, Forecast, Gains, Values
from workers.players.touched import Totals

VALUES: Final[dict[int, tuple[Values, ...]]] = {
    dice: tuple([values for values, _ in throws]) for dice, throws in ((1, ONE_DIE), (2, TWO_DICE))
}
"""By number of dice: every throw that differs for the rules."""

TOTALS: Final = {dice: tuple([sum(shown) for shown in throws]) for dice, throws in VALUES.items()}

CHANCES: Final[dict[int, tuple[float, ...]]] = {
    dice: tuple([chance for _, chance in throws]) for dice, throws in ((1, ONE_DIE), (2, TWO_DICE))
}
"""By number of dice: how likely each of those throws is."""

DOUBLES: Final = 6
"""The first throws of two dice."""

ByThrow = Sequence[int]
"""What each throw brings the roller."""


class Turn:
    """One seat's turn on the table of a forecast, looked at as far as it is asked about.

    What the table brings is kept from then on; powers are looked up anew, so that a landmark more counts.
    """

    def __init__(self, forecast: Forecast, seat: int) -> None:
        self._forecast = forecast
        self._rules = forecast.table.rules
        self._seat = seat
        self._outcomes: dict[int, list[Gains]] = {}
        self._gains: dict[int, ByThrow] = {}

    def outcomes(self, dice: int) -> list[Gains]:
        """What each throw of as many dice brings everybody."""
        found = self._outcomes.get(dice)
        if found is None:
            outcome, seat = self._forecast.outcome, self._seat
            found = self._outcomes[dice] = [outcome(seat, values) for values in VALUES[dice]]
        return found

    def gains(self, dice: int) -> ByThrow:
        """What each throw of as many dice brings the seat itself."""
        found = self._gains.get(dice)
        if found is None:
            found = self._gains[dice] = [gains[self._seat] for gains in self.outcomes(dice)]
        return found

    @cached_property
    def best(self) -> tuple[int, float]:
        """How many dice to throw, one of equals, and what the turn is worth then."""
        return self.best_of(self.gains)

    @cached_property
    def by_seat(self) -> list[ByThrow]:
        """By seat: what each throw of the best number of dice brings it."""
        return list(zip(*self.outcomes(self.best[0]), strict=True))

    def best_of(self, gains: Callable[[int], ByThrow]) -> tuple[int, float]:
        """As `best`, if the throws brought so much."""
        one = self._worth(1, gains(1))
        if not self.may_throw_two():
            return 1, one
        two = self._worth(2, gains(2))
        return (2, two) if two > one else (1, one)

    def may_throw_two(self) -> bool:
        """Whether the seat may throw two dice."""
        return self._rules.two_dice < 0 or self._power(self._rules.two_dice)

    def _worth(self, dice: int, gains: ByThrow) -> float:
        """What a throw of as many dice is worth, with a second throw and an extra turn where there is one."""
        values = self.values(dice, gains)
        mean = average(values, dice)
        if not self._power(self._rules.reroll):
            return mean
        return average([value if value > mean else mean for value in values], dice)

    def values(self, dice: int, gains: ByThrow) -> Sequence[float]:
        """What each throw is worth, with the extra turn after a double."""
        if dice == 1 or not self._power(extra_turn(self._rules)):
            return gains
        more = average(gains, 2)
        return [gain + more for gain in gains[:DOUBLES]] + list(gains[DOUBLES:])

    def is_below_average(self, thrown: Values) -> bool:
        """Whether the seat's next throw is likely to be worth more than this one."""
        dice = len(thrown)
        values = self.values(dice, self.gains(dice))
        return values[place_of(thrown)] < average(values, dice)

    def _power(self, landmark: int) -> bool:
        return landmark >= 0 and in_force(self._forecast.table, self._seat, landmark)


def average(values: Sequence[float], dice: int) -> float:
    """The mean over all throws of as many dice."""
    found: float = sum(map(mul, values, CHANCES[dice]))
    return found


def place_of(thrown: Values) -> int:
    """The place among the throws of as many dice of the one that is the same to the rules."""
    if len(thrown) == 1 or thrown[0] == thrown[1]:
        return thrown[0] - 1
    return DOUBLES + sum(thrown) - 3


@lru_cache(maxsize=4096)
def places_of(dice: int, totals: Totals, more: int) -> tuple[int, ...]:
    """The places of the throws that show one of the totals, or would with so much more."""
    shown = enumerate(TOTALS[dice])
    return tuple([place for place, total in shown if total in totals or total + more in totals])


@lru_cache(maxsize=256)
def extra_turn(rules: Rules) -> int:
    """The landmark that grants an extra turn after a double, or -1."""
    for landmark in range(rules.establishments, rules.size):
        if rules.firings[landmark].kind == "extra_turn_on_double":
            return landmark
    return -1
