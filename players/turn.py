"""The value of a seat's own turn, in coins.

It includes the landmarks in force: two dice if they are better, a reroll if the roll is below average, and
an extra turn after a double.
"""

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from operator import mul
from typing import Final

from domain.match.rules import Rules
from domain.match.state import in_force
from players.forecast import ONE_DIE, TWO_DICE, Forecast, Gains, Totals, Values

VALUES: Final[dict[int, tuple[Values, ...]]] = {
    dice: tuple([values for values, _ in throws]) for dice, throws in ((1, ONE_DIE), (2, TWO_DICE))
}
"""By number of dice: the rolls that the rules distinguish."""

TOTALS: Final = {dice: tuple([sum(shown) for shown in throws]) for dice, throws in VALUES.items()}

CHANCES: Final[dict[int, tuple[float, ...]]] = {
    dice: tuple([chance for _, chance in throws]) for dice, throws in ((1, ONE_DIE), (2, TWO_DICE))
}
"""By number of dice: the probabilities of those rolls."""

DOUBLES: Final = 6
"""The number of doubles, which are the first rolls of two dice."""

ByThrow = Sequence[int]
"""By roll: the roller's gain in coins."""


class TurnForecast:
    """One seat's turn on the table of a forecast, computed lazily.

    Gains are cached, but landmarks are looked up each time, so that an additional one counts.
    """

    def __init__(self, forecast: Forecast, seat: int) -> None:
        self._forecast = forecast
        self._rules = forecast.table.rules
        self._seat = seat
        self._outcomes: dict[int, list[Gains]] = {}
        self._gains: dict[int, ByThrow] = {}

    def outcomes(self, dice: int) -> list[Gains]:
        """By roll of that many dice: the gain of every seat."""
        found = self._outcomes.get(dice)
        if found is None:
            outcome, seat = self._forecast.outcome, self._seat
            found = self._outcomes[dice] = [outcome(seat, values) for values in VALUES[dice]]
        return found

    def gains(self, dice: int) -> ByThrow:
        """By roll of that many dice: the gain of the seat itself."""
        found = self._gains.get(dice)
        if found is None:
            found = self._gains[dice] = [gains[self._seat] for gains in self.outcomes(dice)]
        return found

    @cached_property
    def best(self) -> tuple[int, float]:
        """The better number of dice, one on a tie, and the value of the turn."""
        return self.best_of(self.gains)

    @cached_property
    def by_seat(self) -> list[ByThrow]:
        """By seat: its gain from each roll of the better number of dice."""
        return list(zip(*self.outcomes(self.best[0]), strict=True))

    def best_of(self, gains: Callable[[int], ByThrow]) -> tuple[int, float]:
        """As `best`, with the given gains."""
        one = self._worth(1, gains(1))
        if not self.may_throw_two():
            return 1, one
        two = self._worth(2, gains(2))
        return (2, two) if two > one else (1, one)

    def may_throw_two(self) -> bool:
        """Whether the seat may roll two dice."""
        return self._rules.two_dice < 0 or self._power(self._rules.two_dice)

    def _worth(self, dice: int, gains: ByThrow) -> float:
        """The value of rolling that many dice, with reroll and extra turn if the seat has them."""
        values = self.values(dice, gains)
        mean = average(values, dice)
        if not self._power(self._rules.reroll):
            return mean
        return average([value if value > mean else mean for value in values], dice)

    def values(self, dice: int, gains: ByThrow) -> Sequence[float]:
        """By roll: its value, with an extra turn after a double."""
        if dice == 1 or not self._power(extra_turn(self._rules)):
            return gains
        more = average(gains, 2)
        return [gain + more for gain in gains[:DOUBLES]] + list(gains[DOUBLES:])

    def is_below_average(self, thrown: Values) -> bool:
        """Whether the expected value of another roll is higher than that of this one."""
        dice = len(thrown)
        values = self.values(dice, self.gains(dice))
        return values[place_of(thrown)] < average(values, dice)

    def _power(self, landmark: int) -> bool:
        return landmark >= 0 and in_force(self._forecast.table, self._seat, landmark)


def average(values: Sequence[float], dice: int) -> float:
    """The mean over all rolls of that many dice."""
    found: float = sum(map(mul, values, CHANCES[dice]))
    return found


def place_of(thrown: Values) -> int:
    """The index in `VALUES` of the roll that the rules treat alike."""
    if len(thrown) == 1 or thrown[0] == thrown[1]:
        return thrown[0] - 1
    return DOUBLES + sum(thrown) - 3


@lru_cache(maxsize=4096)
def places_of(dice: int, totals: Totals, more: int) -> tuple[int, ...]:
    """The indices of rolls with one of the totals, or with one after adding `more`."""
    shown = enumerate(TOTALS[dice])
    return tuple([place for place, total in shown if total in totals or total + more in totals])


@lru_cache(maxsize=256)
def extra_turn(rules: Rules) -> int:
    """The landmark that grants an extra turn after a double, or -1."""
    for landmark in range(rules.establishments, rules.size):
        if rules.firings[landmark].kind == "extra_turn_on_double":
            return landmark
    return -1
