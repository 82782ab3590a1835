"""The outlook of a seat: its expected income from all turns, and how other cards would change it.

Amounts are in coins. All values are computed lazily.
"""

from collections.abc import Mapping
from functools import cached_property
from operator import mul
from typing import Final

from domain.match.decide.effects import WHEN_BUILT
from domain.match.state import MatchState, in_force
from players.forecast import Forecast, Totals, Values
from players.turn import CHANCES, TOTALS, VALUES, ByThrow, TurnForecast, places_of

LEAST_INCOME: Final = 0.1
"""The least income, in coins, so that it can be a divisor."""

Risk = tuple[int, Values, float]
"""The roller, the dice and their probability."""


class Outlook:
    """Incomes on one table, and how additional cards change them."""

    def __init__(self, view: MatchState, seat: int) -> None:
        self._view = view
        self._rules = view.rules
        self._seat = seat
        self._forecast = Forecast(view)
        self._turns = {
            roller: TurnForecast(self._forecast, roller)
            for roller, gone in enumerate(view.resigned)
            if not gone
        }
        self._incomes: dict[int, float] = {}
        self._kept: dict[int, float] = {}
        self.own_turn = self._turns[seat]

    def gains_by_adding(self, thrown: Values) -> bool:
        """Whether adding 2 improves the roll for the seat."""
        seat, payments = self._seat, self._forecast.payments
        more = self._rules.firings[self._rules.add_two].amount
        return payments(seat, thrown, more)[seat] > payments(seat, thrown)[seat]

    def idle_income(self) -> int:
        """The seat's income for building nothing."""
        airport = self._rules.income_on_pass
        if self._view.phase == "setup" or not self._power(airport):
            return 0
        return self._rules.firings[airport].amount

    def needed(self, card: int) -> tuple[int, ...]:
        """The missing landmarks without which the card pays nothing on the seat's own turns."""
        rules = self._rules
        found = {rules.firings[card].needs, rules.two_dice if min(rules.cards[card].activation) > 6 else -1}
        return tuple([landmark for landmark in sorted(found) if landmark >= 0 and not self._power(landmark)])

    def _power(self, landmark: int) -> bool:
        return landmark >= 0 and in_force(self._view, self._seat, landmark)

    def income(self, seat: int) -> float:
        """A seat's expected gain while every seat in play has one turn; at least `LEAST_INCOME`."""
        found = self._incomes.get(seat)
        if found is None:
            found = self._turns[seat].best[1]
            for roller, turn in self._turns.items():
                if roller != seat:
                    found += sum(map(mul, turn.by_seat[seat], CHANCES[turn.best[0]]))
            found = self._incomes[seat] = max(LEAST_INCOME, found)
        return found

    def change(self, cards: Mapping[int, int]) -> float:
        """The change of the seat's income per round with these additional copies of cards."""
        forecast, seat = self._forecast, self._seat
        if self._rules.two_dice in cards:
            self.own_turn.gains(2)  # before the cards change
        before = self.own_turn.best[1]
        others = [
            (roller, turn.by_seat[seat], turn.best[0])
            for roller, turn in self._turns.items()
            if roller != seat
        ]
        with forecast.changed(seat, cards) as affected:
            found = self._own_turn(cards, affected[seat]) - before
            for roller, known, dice in others:
                values, chances = VALUES[dice], CHANCES[dice]
                for place in places_of(dice, affected[roller], forecast.most_added(roller)):
                    gain = forecast.outcome(roller, values[place])[seat]
                    found += chances[place] * (gain - known[place])
        return found

    def _own_turn(self, cards: Mapping[int, int], affected: Totals) -> float:
        """The value of the seat's own turn with changed cards."""
        turn = self.own_turn
        gains = {dice: self._gains(dice, affected) for dice in ((1, 2) if turn.may_throw_two() else (1,))}
        same = all([found == turn.gains(dice) for dice, found in gains.items()])
        if same and max(cards, default=0) < self._rules.establishments:
            return turn.best[1]
        return turn.best_of(gains.__getitem__)[1]

    def _gains(self, dice: int, affected: Totals) -> ByThrow:
        seat, outcome, values = self._seat, self._forecast.outcome, VALUES[dice]
        places = places_of(dice, affected, self._forecast.most_added(seat))
        if not places:
            return self.own_turn.gains(dice)
        found = list(self.own_turn.gains(dice))
        for place in places:
            found[place] = outcome(seat, values[place])[seat]
        return found

    def gain_at_risk(self, coins: int) -> float:
        """The expected gain in the next round, with that many coins, from rolls on which the seat pays."""
        found = self._kept.get(coins)
        if found is None:
            found = self._kept[coins] = self._forecast.gain_with_coins(self._seat, coins, self._risks)
        return found

    @cached_property
    def _risks(self) -> list[Risk]:
        """The rolls on which the seat pays anybody."""
        dice = {roller: turn.best[0] for roller, turn in self._turns.items()}
        paid, may_add = self._forecast.paid_by(self._seat), self._forecast.may_add
        rollers = {roller for roller, _ in paid}
        return [
            (roller, values, chance)
            for roller, number in dice.items()
            if roller in rollers
            for values, chance, total in zip(VALUES[number], CHANCES[number], TOTALS[number], strict=True)
            if (roller, total) in paid or (roller, total + may_add(roller, total)) in paid
        ]

    def at_once(self, card: int, price: int) -> float:
        """The seat's one-time gain when it builds a landmark."""
        act = WHEN_BUILT.get(self._rules.firings[card].kind)
        if act is None:
            return 0.0
        if self._rules.firings[card].kind == "extra_turn":
            return self.own_turn.best[1]
        return self._forecast.gain_when_built(self._seat, act, card, price)
