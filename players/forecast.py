"""Forecasts of rolls: the rules pay them out on a scratch copy of the table.

`affected_totals` tells which totals pay otherwise with an additional or missing copy of a card, so that only
those are paid out again.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from operator import sub
from typing import Final

from domain.match.decide import advance_turn
from domain.match.decide.draft import Draft, DraftWith
from domain.match.decide.effects import pay_out
from domain.match.decide.turns import default_command, may_roll_two
from domain.match.events import EstablishmentGiven, Event, FeePaid, LandmarkDemolished, PaymentMade
from domain.match.rules import HIGHEST_TOTAL, Firing, PayoutStage, Rules
from domain.match.state import MatchState, in_force

Values = tuple[int, ...]

Key = tuple[int, int, Values]
"""The roller, the total, and the dice if they matter."""

Gains = Sequence[int]
"""By seat: the gain in coins, negative for a loss."""

Totals = frozenset[int]

AffectedTotals = tuple[Totals, Totals]
"""Affected totals rolled by the card's owner, and by others."""

UNAFFECTED: Final[Totals] = frozenset()

BOATS_MEAN: Final = 7
"""The mean of the roll for the boats."""

ONE_DIE: Final[tuple[tuple[Values, float], ...]] = tuple(((value,), 1 / 6) for value in range(1, 7))
"""The rolls of one die with their probabilities."""


def _two_dice() -> tuple[tuple[Values, float], ...]:
    doubles = [((value, value), 1 / 36) for value in range(1, 7)]
    others = []
    for total in range(3, 12):
        ways = [(low, total - low) for low in range(1, 7) if low < total - low <= 6]
        others.append((ways[0], len(ways) / 18))
    return (*doubles, *others)


TWO_DICE_TOTALS: Final = tuple([(total, (6 - abs(total - 7)) / 36) for total in range(2, 13)])
"""The totals of two dice with their probabilities."""

TWO_DICE: Final = _two_dice()
"""The rolls of two dice that the rules distinguish, doubles first, with their probabilities."""


class TypicalBoats:
    """A source of rolls for scratch tables: the boats roll is the average of two dice."""

    def throw(self, state: MatchState, purpose: str, dice: int) -> tuple[int, ...]:
        assert purpose == "boats", "nothing else is rolled while a roll is paid out"
        return (3, 4)


_ANSWERED: Final = ("take_coins", "swap", "demolish", "move", "renovate")
"""The phases in which a payout goes on with the default answer."""


class _TableBackup:
    """A copy of the cards and tokens of a table, to restore them after a payout."""

    def __init__(self, table: MatchState) -> None:
        self._cities = [city.copy() for city in table.cities]
        self._closed = [city.copy() for city in table.closed]
        self._landmarks = table.landmarks.copy()

    def restore(self, table: MatchState) -> None:
        for seat, city in enumerate(self._cities):
            table.cities[seat][:] = city
            table.closed[seat][:] = self._closed[seat]
        table.landmarks[:] = self._landmarks


def _lost(rules: Rules, events: Iterable[Event]) -> int:
    """What the roller has lost besides coins, in coins: the prices of landmarks that it demolished and of
    cards that it gave away, and the part of its fees that it could not pay."""
    lost = 0
    for event in events:
        if isinstance(event, LandmarkDemolished):
            lost += rules.prices[rules.index[event.landmark]][0]
        elif isinstance(event, EstablishmentGiven):
            lost += rules.prices[rules.index[event.card]][0]
        elif isinstance(event, FeePaid):
            lost += event.owed - event.paid
    return lost


class Forecast:
    """A scratch copy of a table on which rolls can be paid out repeatedly.

    Every roll starts from the current coins and cards. Choices get the default answer: the richest opponent
    pays, and nothing is traded or given away, unless that is compulsory and pays; then the cost of what is
    lost is taken off the gain.
    """

    def __init__(self, view: MatchState) -> None:
        self.table = view.copy()
        self._coins = list(view.coins)
        self._nothing = [0] * len(view.coins)
        self._draft = DraftWith(self.table, TypicalBoats())
        self._events = self._draft.events
        self._paying: set[tuple[int, int, int]] = set()
        """Observed payments: payer, roller and total."""
        self._known: dict[Key, Gains] = {}
        self._changed: dict[Key, Gains] = {}
        """Known gains while cards are changed, for the affected totals."""
        self._dice_matter = _dice_matter(self.table)
        self._added = self._most_added()
        self._affected: tuple[Totals, ...] = (UNAFFECTED,) * len(view.coins)
        """By roller: the totals that the changed cards affect."""

    def payments(self, roller: int, values: Values, added: int = 0) -> Gains:
        """By seat: the gain when `roller` rolls these dice."""
        total = sum(values) + added
        known = self._changed if total in self._affected[roller] else self._known
        key = (roller, total, values if self._dice_matter else ())
        gains = known.get(key)
        if gains is None:
            gains = known[key] = self._pay_out(roller, values, total)
        return gains

    def outcome(self, roller: int, values: Values) -> Gains:
        """As `payments`; a roller who may add to the total chooses what is better for itself."""
        gains = self.payments(roller, values)
        if not self._added[roller]:
            return gains
        more = self.may_add(roller, sum(values))
        if not more:
            return gains
        raised = self.payments(roller, values, more)
        return raised if raised[roller] > gains[roller] else gains

    def gain(self, seat: int, roller: int, values: Values) -> int:
        """The seat's gain from a roll, in coins."""
        return self.outcome(roller, values)[seat]

    def gain_when_built(
        self, seat: int, act: Callable[[Draft, Firing, int], None], landmark: int, price: int
    ) -> int:
        """The seat's gain from the effect of building a landmark, without its price."""
        table = self.table
        table.active = seat
        table.coins[seat] -= price
        act(self._draft, table.rules.firings[landmark], 1)
        gained = table.coins[seat] + price - self._coins[seat]
        table.coins[:] = self._coins
        self._draft.events.clear()
        return gained

    def expected_gain(self, seat: int, roller: int, dice: int) -> float:
        """The seat's expected gain when the roller rolls that many dice."""
        throws = ONE_DIE if dice == 1 else TWO_DICE
        return sum([chance * self.gain(seat, roller, values) for values, chance in throws])

    def best_dice(self, roller: int) -> int:
        """The number of dice with the higher expected gain for the roller; one on a tie."""
        self.table.active = roller
        if not may_roll_two(self.table, self.table.rules):
            return 1
        return 1 + (self.expected_gain(roller, roller, 2) > self.expected_gain(roller, roller, 1))

    def round_income(self, seat: int) -> float:
        """The seat's expected gain while every seat rolls once, with its best number of dice."""
        rollers = [roller for roller, gone in enumerate(self.table.resigned) if not gone]
        return sum([self.expected_gain(seat, roller, self.best_dice(roller)) for roller in rollers])

    @contextmanager
    def changed(self, seat: int, cards: Mapping[int, int]) -> Iterator[tuple[Totals, ...]]:
        """Temporarily change the number of copies of some cards in the seat's city.

        Yields, by roller, the affected totals.
        """
        before = self._affected, self._dice_matter, self._added
        self._put(seat, cards, 1)
        closed = self._open_first(seat, cards)
        own, others = affected_totals(self.table, cards)
        self._affected = tuple([own if roller == seat else others for roller in range(len(self._coins))])
        self._changed = {}
        if not _plain_cards(self.table.rules).issuperset(cards):
            self._dice_matter = _dice_matter(self.table)
            self._added = self._most_added()
        try:
            yield self._affected
        finally:
            self._affected, self._dice_matter, self._added = before
            self._put(seat, cards, -1)
            if self.table.closed:
                self.table.closed[seat] = closed

    def gain_with_coins(self, seat: int, coins: int, throws: Iterable[tuple[int, Values, float]]) -> float:
        """The seat's expected gain from those rolls if it held that many coins."""
        now, known = self._coins[seat], self._known
        if coins != now:
            self._coins[seat] = self.table.coins[seat] = coins
            self._known = {}
        outcome = self.outcome
        found = sum([chance * outcome(roller, values)[seat] for roller, values, chance in throws])
        self._coins[seat] = self.table.coins[seat] = now
        self._known = known
        return found

    def paid_by(self, seat: int) -> set[tuple[int, int]]:
        """Rollers and totals for which the seat was observed to pay."""
        return {(roller, total) for payer, roller, total in self._paying if payer == seat}

    def _put(self, seat: int, cards: Mapping[int, int], sign: int) -> None:
        for card, count in cards.items():
            self.table.cities[seat][card] += sign * count
            if card >= self.table.rules.establishments:
                self.table.landmarks[seat] += sign * count

    def _open_first(self, seat: int, cards: Iterable[int]) -> list[int]:
        """Make sure that no more copies are closed than the seat has, since open copies leave a city first.
        Returns the closed copies of before, by card."""
        table = self.table
        if not table.closed:
            return []
        closed = table.closed[seat].copy()
        for card in cards:
            table.closed[seat][card] = min(closed[card], table.cities[seat][card])
        return closed

    def _pay_out(self, roller: int, values: Values, total: int) -> Gains:
        table = self.table
        table.active = roller
        table.dice = values
        table.total = total
        table.phase = "build"
        table.received = 0
        table.extra_turn_due = False
        backup = _TableBackup(table) if table.rules.renovates else None
        pay_out(self._draft)
        if not self._events:
            return self._nothing
        answered: list[Event] = []
        while table.phase in _ANSWERED:
            answered += advance_turn(table, default_command(table), self._draft.chance)
        coins = table.coins
        gains = list(map(sub, coins, self._coins))
        coins[:] = self._coins
        if backup is not None:
            gains[roller] -= _lost(table.rules, (*self._events, *answered))
            backup.restore(table)
        if total not in self._affected[roller]:
            for event in self._events:
                if isinstance(event, PaymentMade):
                    self._paying.add((event.from_seat, roller, total))
        self._events.clear()
        return gains

    def may_add(self, roller: int, total: int) -> int:
        """The amount that the roller may add to that total; 0 for none."""
        more = self._added[roller]
        return more if more and total >= self.table.rules.firings[self.table.rules.add_two].threshold else 0

    def most_added(self, roller: int) -> int:
        """The amount that the roller may add to a high total; 0 for none."""
        return self._added[roller]

    def _most_added(self) -> list[int]:
        """By seat: the amount that it may add to a high total."""
        table, adder = self.table, self.table.rules.add_two
        if adder < 0:
            return self._nothing
        amount = table.rules.firings[adder].amount
        return [amount if in_force(table, seat, adder) else 0 for seat in range(len(self._coins))]


def _dice_matter(table: MatchState) -> bool:
    """Whether any card in play depends on the dice and not only on their total."""
    return any([city[landmark] for landmark in _of_dice(table.rules) for city in table.cities])


@lru_cache(maxsize=256)
def _of_dice(rules: Rules) -> tuple[int, ...]:
    kinds = ("from_each_on_double", "income_if_nothing_received")
    return tuple([card for card in range(rules.size) if rules.firings[card].kind in kinds])


@lru_cache(maxsize=256)
def _plain_cards(rules: Rules) -> frozenset[int]:
    """The cards that affect neither whether dice matter nor who may add to a total."""
    return frozenset(range(rules.size)) - {*_of_dice(rules), rules.add_two}


def affected_totals(table: MatchState, cards: Collection[int]) -> AffectedTotals:
    """The totals that any of the cards affects on a table that already includes the change.

    A card that only matters for another card affects nothing if nobody has that card and the landmark that it
    needs.
    """
    own = others = UNAFFECTED
    for card in cards:
        for firing, (by_owner, by_others) in _dependents(table.rules, card):
            if _may_pay(table, firing, firing.card in cards):
                own |= by_owner
                others |= by_others
    return own, others


def _may_pay(table: MatchState, firing: Firing, changes: bool) -> bool:
    """Whether anybody has the card, unless it changes itself, and the landmark that it needs."""
    needs = firing.needs
    able = table.cities if needs < 0 else [city for city in table.cities if city[needs]]
    return bool(able) if changes else any([city[firing.card] for city in able])


@lru_cache(maxsize=4096)
def _dependents(rules: Rules, card: int) -> tuple[tuple[Firing, AffectedTotals], ...]:
    """The cards whose payments depend on copies of the card, including itself, with the affected totals."""
    found: dict[tuple[int, int], tuple[Firing, set[int], set[int]]] = {}
    if card == rules.add_two:
        adder = rules.firings[card]
        raised = set(range(adder.threshold, HIGHEST_TOTAL + 1))
        found[card, adder.needs] = adder, raised, set()
    is_landmark = card >= rules.establishments
    for total, plan in enumerate(rules.plans):
        for step in plan:
            for firing in step.firings:
                of_owner, of_roller = firing.below_landmarks > 0, firing.roller_landmarks > 0
                if is_landmark and (of_owner or of_roller):
                    _, own, others = found.setdefault((firing.card, firing.needs), (firing, set(), set()))
                    own.add(total)
                    others.update([total] if of_owner else [])
                if _counts(firing, card) or _chooses_among(rules, firing, card):
                    _, own, others = found.setdefault((firing.card, firing.needs), (firing, set(), set()))
                    own.update([total] if _is_of_own_turn(rules, step, card) else [])
                    others.update([total] if _is_of_others_turn(rules, step, firing, card) else [])
    return tuple([(firing, (frozenset(own), frozenset(others))) for firing, own, others in found.values()])


def _counts(firing: Firing, card: int) -> bool:
    return card in (firing.card, firing.needs) or card in firing.counted or card in firing.boosts


def _chooses_among(rules: Rules, firing: Firing, card: int) -> bool:
    """Whether a copy can change what the default answer to a choice demolishes, gives away or closes."""
    if card >= rules.establishments:
        return firing.kind == "demolish"
    return firing.kind in ("move", "renovate") and rules.tradable[card]


def _is_of_own_turn(rules: Rules, step: PayoutStage, card: int) -> bool:
    return step.kind != "red" or rules.everybody[card]


def _is_of_others_turn(rules: Rules, step: PayoutStage, firing: Firing, card: int) -> bool:
    return (
        step.kind in ("red", "boats", "from_each_per_symbol", "move", "renovate")
        or (step.kind == "income" and firing.kind == "per_counted_of_all" and card in firing.counted)
        or rules.everybody[card]
        or (step.kind == "income" and not firing.own_turn_only)
    )
