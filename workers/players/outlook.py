"""What a seat can expect of everybody's turns, on a table and on the same table with other cards.

A turn is valued with the landmarks in force: two dice where they pay more, a second throw where the first is
poorer than the average, an extra turn after a double. Amounts are coins of the seat's own purse.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from domain.decide.effects import WHEN_BUILT
from domain.rules import Rules
from domain.state import MatchState, in_force
from workers.players.forecast import ONE_DIE, TWO_DICE, Forecast, Values

Throws = tuple[tuple[Values, float], ...]

THROWS: Final[dict[int, Throws]] = {1: ONE_DIE, 2: TWO_DICE}

DOUBLES: Final = 6
"""The first throws of `TWO_DICE`."""

LEAST_INCOME: Final = 0.1
"""So that it can be divided by."""

Touched = tuple[frozenset[int], ...]
"""By roller: the totals on which some change may count."""

Gains = list[int]
"""By throw: what it brings the roller."""


class Outlook:
    """Incomes on one table, and by how much one card more or less would change them."""

    def __init__(self, view: MatchState, seat: int) -> None:
        self._view = view
        self._rules = view.rules
        self._seat = seat
        self._forecast = Forecast(view)
        self._rollers = [other for other, gone in enumerate(view.resigned) if not gone]
        self._gains: dict[int, dict[int, Gains]] = {}
        self._dice: dict[int, int] = {}
        self._throws: dict[int, Throws] = {}
        self._risks: list[tuple[int, Values, float]] | None = None
        """Who throws, the dice and how likely they are, wherever the seat has to pay anybody."""
        self._kept: dict[int, float] = {}
        self.turn: dict[int, float] = {}
        """By seat: what its own turn is worth to it."""
        for roller in self._rollers:
            self._look_at(roller)
        self.own_income = self.income(seat)

    def _look_at(self, roller: int) -> None:
        # Two dice are looked at even where they may not be thrown, to see what they would bring.
        choices = (1, 2) if self._may_throw_two(roller) or roller == self._seat else (1,)
        gains = {dice: self._all_gains(roller, THROWS[dice]) for dice in choices}
        self._gains[roller] = gains
        self._dice[roller], self.turn[roller] = self._best_turn(roller, gains)
        self._throws[roller] = THROWS[self._dice[roller]]

    def _all_gains(self, roller: int, throws: Throws) -> Gains:
        gain = self._forecast.gain
        return [gain(roller, roller, values) for values, _ in throws]

    def _may_throw_two(self, roller: int) -> bool:
        return self._rules.two_dice < 0 or in_force(self._forecast.table, roller, self._rules.two_dice)

    def _best_turn(self, roller: int, gains: Mapping[int, Gains]) -> tuple[int, float]:
        """How many dice to throw, and what the turn is worth then."""
        one = self.worth(roller, 1, gains[1])
        if not self._may_throw_two(roller):
            return 1, one
        two = self.worth(roller, 2, gains[2])
        return (2, two) if two > one else (1, one)

    def worth(self, roller: int, dice: int, gains: Gains) -> float:
        """What a throw of as many dice is worth, with a second throw and an extra turn where there is one."""
        values = self.values(roller, dice, gains)
        mean = _mean(values, THROWS[dice])
        if not self._power(roller, self._rules.reroll):
            return mean
        return _mean([value if value > mean else mean for value in values], THROWS[dice])

    def values(self, roller: int, dice: int, gains: Gains) -> Sequence[float]:
        """What each throw is worth, with the extra turn after a double."""
        if dice == 1 or not self._power(roller, extra_turn(self._rules)):
            return gains
        more = _mean(gains, TWO_DICE)
        return [gain + more for gain in gains[:DOUBLES]] + gains[DOUBLES:]

    def best_dice(self) -> int:
        """How many dice are worth more to the seat; one of equals."""
        return self._dice[self._seat]

    def is_below_average(self, thrown: Values) -> bool:
        """Whether the seat's next throw is likely to be worth more than this one."""
        seat, dice = self._seat, len(thrown)
        gains = self._gains[seat][dice]
        values = self.values(seat, dice, gains)
        place = place_of(thrown)
        return values[place] < _mean(values, THROWS[dice])

    def gains_by_adding(self, thrown: Values) -> bool:
        """Whether the Harbor's 2 make a better throw of it."""
        seat, payments = self._seat, self._forecast.payments
        more = self._rules.firings[self._rules.add_two].amount
        return payments(seat, thrown, more)[seat] > payments(seat, thrown)[seat]

    def idle_income(self) -> int:
        """What the bank pays the seat for building nothing."""
        airport = self._rules.income_on_pass
        if self._view.phase == "setup" or not self._power(self._seat, airport):
            return 0
        return self._rules.firings[airport].amount

    def needed(self, card: int) -> tuple[int, ...]:
        """The landmarks that the seat lacks and without which the card pays nothing in its own turns."""
        rules = self._rules
        found = {rules.firings[card].needs, rules.two_dice if min(rules.cards[card].activation) > 6 else -1}
        return tuple(
            [
                landmark
                for landmark in sorted(found)
                if landmark >= 0 and not self._power(self._seat, landmark)
            ]
        )

    def _power(self, seat: int, landmark: int) -> bool:
        return landmark >= 0 and in_force(self._forecast.table, seat, landmark)

    def income(self, seat: int) -> float:
        """What the seat gains while everybody in play takes one turn; never quite nothing."""
        found = self.turn[seat]
        for roller in self._rollers:
            if roller != seat:
                gain = self._forecast.gain
                throws = self._throws[roller]
                found += sum([chance * gain(seat, roller, values) for values, chance in throws])
        return max(LEAST_INCOME, found)

    def change(self, cards: Mapping[int, int]) -> float:
        """By how much the seat's income in a round rises if its city has so many copies of cards more."""
        forecast, seat = self._forecast, self._seat
        touched = forecast.touched(seat, cards)
        old = self._old_payments(touched)
        with forecast.changed(seat, cards):
            gains = self._gains[seat]
            if touched[seat]:
                gains = {dice: self._new_gains(gains[dice], THROWS[dice], touched[seat]) for dice in gains}
            found = self._best_turn(seat, gains)[1] - self.turn[seat]
            for roller, values, chance, before in old:
                found += chance * (forecast.gain(seat, roller, values) - before)
        return found

    def _old_payments(self, touched: Touched) -> list[tuple[int, Values, float, int]]:
        """Throws of others that may pay anything else, and what the seat gains of them so far."""
        seat, gain = self._seat, self._forecast.gain
        found = []
        for roller in self._rollers:
            if roller != seat and touched[roller]:
                more, totals = self._may_add(roller), touched[roller]
                for values, chance in self._throws[roller]:
                    if sum(values) in totals or sum(values) + more in totals:
                        found.append((roller, values, chance, gain(seat, roller, values)))
        return found

    def _new_gains(self, known: Gains, throws: Throws, touched: frozenset[int]) -> Gains:
        seat, gain = self._seat, self._forecast.gain
        more = self._may_add(seat)
        return [
            gain(seat, seat, values) if sum(values) in touched or sum(values) + more in touched else old
            for old, (values, _) in zip(known, throws, strict=True)
        ]

    def keeps(self, coins: int) -> float:
        """What the throws at which the seat has to pay bring a purse of so many coins in the coming round."""
        if self._risks is None:
            self._risks = [
                (roller, values, chance)
                for roller in self._rollers
                for values, chance in self._throws[roller]
                if self._forecast.pays(self._seat, roller, values)
            ]
        found = self._kept.get(coins)
        if found is None:
            found = self._kept[coins] = self._forecast.left(self._seat, coins, self._risks)
        return found

    def at_once(self, card: int, price: int) -> float:
        """What a landmark brings the seat when it is built, and once only."""
        act = WHEN_BUILT.get(self._rules.firings[card].kind)
        if act is None:
            return 0.0
        if self._rules.firings[card].kind == "extra_turn":
            return self.turn[self._seat]
        return self._forecast.acted(self._seat, act, card, price)

    def _may_add(self, roller: int) -> int:
        """How much the roller may add to a high total, so that the total it would reach counts too."""
        adder = self._rules.add_two
        return self._rules.firings[adder].amount if self._power(roller, adder) else 0


def place_of(thrown: Values) -> int:
    """The place among the throws of as many dice of the one that is the same to the rules."""
    if len(thrown) == 1 or thrown[0] == thrown[1]:
        return thrown[0] - 1
    return DOUBLES + sum(thrown) - 3


def _mean(values: Sequence[float], throws: Throws) -> float:
    return sum([value * chance for value, (_, chance) in zip(values, throws, strict=True)])


def extra_turn(rules: Rules) -> int:
    """The landmark that grants an extra turn after a double, or -1."""
    for landmark in range(rules.establishments, rules.size):
        if rules.firings[landmark].kind == "extra_turn_on_double":
            return landmark
    return -1
