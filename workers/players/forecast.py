"""What a throw would bring, worked out by the domain's own stages on a table that nobody plays on."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Final

from domain.decide import advance
from domain.decide.clocks import default_command
from domain.decide.dice import may_roll_two
from domain.decide.draft import Draft
from domain.decide.effects import pay_out
from domain.rules import HIGHEST_TOTAL, Firing, Rules
from domain.state import MatchState, in_force

Values = tuple[int, ...]

ONE_DIE: Final[tuple[tuple[Values, float], ...]] = tuple(((value,), 1 / 6) for value in range(1, 7))
"""Every throw of one die and how likely it is."""


def _two_dice() -> tuple[tuple[Values, float], ...]:
    doubles = [((value, value), 1 / 36) for value in range(1, 7)]
    others = []
    for total in range(3, 12):
        ways = [(low, total - low) for low in range(1, 7) if low < total - low <= 6]
        others.append((ways[0], len(ways) / 18))
    return (*doubles, *others)


TWO_DICE: Final = _two_dice()
"""Throws of two dice that differ for the rules: six doubles and nine other totals, and how likely each is."""


class TypicalBoats:
    """Chance for a table that nobody plays on: the throw for the boats is the average of two dice."""

    def throw(self, state: MatchState, purpose: str, dice: int) -> tuple[int, ...]:
        assert purpose == "boats", "nothing else is thrown while a throw is paid out"
        return (3, 4)

    def draw(self, state: MatchState, row: int, number: int, weights: Sequence[int]) -> int:
        raise AssertionError("nothing is drawn while a throw is paid out")

    def first_seat(self, state: MatchState) -> int:
        raise AssertionError("the match has begun")

    def reveal(self) -> tuple[str, str]:
        return "", ""

    def secret(self, label: str) -> bytes:
        raise AssertionError("a forecast knows no secret")


class Forecast:
    """A scratch copy of a table on which throws can be paid out again and again.

    Every throw meets the purses as they are now. Where a stage asks for a choice, the answer is the plain
    one: the richest opponent pays, nothing is traded or given away.
    """

    def __init__(self, view: MatchState) -> None:
        self.table = view.copy()
        self._coins = view.coins
        self._draft = Draft(self.table, TypicalBoats())
        self._known: dict[tuple[int, Values, int], list[int]] = {}
        self.touched: frozenset[int] = frozenset()

    def payments(self, roller: int, values: Values, added: int = 0) -> list[int]:
        """What every seat's purse gains, below 0 for a loss, when the seat has thrown these dice."""
        if sum(values) + added in self.touched:
            return self._pay_out(roller, values, added)
        key = (roller, values, added)
        gains = self._known.get(key)
        if gains is None:
            gains = self._known[key] = self._pay_out(roller, values, added)
        return gains

    def gain(self, seat: int, roller: int, values: Values) -> int:
        """What the seat's purse gains; a roller who may add to the total does what is best for itself."""
        gains = self.payments(roller, values)
        more = self._may_add(roller, sum(values))
        if more:
            raised = self.payments(roller, values, more)
            if raised[roller] > gains[roller]:
                gains = raised
        return gains[seat]

    def acted(self, seat: int, act: Callable[[Draft, Firing, int], None], landmark: int, price: int) -> int:
        """What the seat's purse gains by what a landmark does when it is built, the price not counted."""
        table = self.table
        table.active = seat
        table.coins[seat] -= price
        act(self._draft, table.rules.firings[landmark], 1)
        gained = table.coins[seat] + price - self._coins[seat]
        table.coins[:] = self._coins
        self._draft.events.clear()
        return gained

    def expected_gain(self, seat: int, roller: int, dice: int) -> float:
        """What the seat gains on average when the roller throws that many dice."""
        throws = ONE_DIE if dice == 1 else TWO_DICE
        return sum([chance * self.gain(seat, roller, values) for values, chance in throws])

    def best_dice(self, roller: int) -> int:
        """How many dice bring the roller more on average; one where it is the same."""
        self.table.active = roller
        if not may_roll_two(self.table, self.table.rules):
            return 1
        return 1 + (self.expected_gain(roller, roller, 2) > self.expected_gain(roller, roller, 1))

    def round_income(self, seat: int) -> float:
        """What the seat gains on average while everybody throws once, with as many dice as pay best."""
        rollers = [roller for roller, gone in enumerate(self.table.resigned) if not gone]
        return sum([self.expected_gain(seat, roller, self.best_dice(roller)) for roller in rollers])

    @contextmanager
    def changed(self, seat: int, cards: Mapping[int, int]) -> Iterator[None]:
        """While it lasts, the seat's city has so many copies more, or fewer, of some establishments."""
        self._put(seat, cards, 1)
        self.touched = frozenset().union(*[totals_touched(self.table.rules, card) for card in cards])
        try:
            yield
        finally:
            self.touched = frozenset()
            self._put(seat, cards, -1)

    def _put(self, seat: int, cards: Mapping[int, int], sign: int) -> None:
        for card, count in cards.items():
            self.table.cities[seat][card] += sign * count

    def _pay_out(self, roller: int, values: Values, added: int) -> list[int]:
        table = self.table
        table.active = roller
        table.dice = values
        table.total = sum(values) + added
        table.phase = "build"
        table.received = 0
        table.extra_turn_due = False
        pay_out(self._draft)
        while table.phase in ("take_coins", "swap"):
            advance(table, default_command(table), self._draft.chance)
        gains = [after - before for after, before in zip(table.coins, self._coins, strict=True)]
        table.coins[:] = self._coins
        self._draft.events.clear()
        return gains

    def _may_add(self, roller: int, total: int) -> int:
        """How much the roller may add to that total; 0 for nothing."""
        rules = self.table.rules
        adder = rules.add_two
        if adder < 0 or total < rules.firings[adder].threshold or not in_force(self.table, roller, adder):
            return 0
        return rules.firings[adder].amount


@lru_cache(maxsize=256)
def totals_touched(rules: Rules, card: int) -> frozenset[int]:
    """The totals on which one copy more or less of an establishment can change what anybody is paid."""
    return frozenset(
        total
        for total in range(HIGHEST_TOTAL + 1)
        for step in rules.plans[total]
        for firing in step.firings
        if card in (firing.card, firing.needs) or card in firing.counted or card in firing.boosts
    )
