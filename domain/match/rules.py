"""A ruleset with options and a number of seats, compiled for play: cards by index, effects by total."""

from functools import lru_cache
from typing import Final

import msgspec
from msgspec import UNSET

from domain.match.cards import Card
from domain.match.events import Options
from domain.match.rulesets import VERSIONS, MarketRow, Ruleset, digest

HIGHEST_TOTAL: Final = 14
"""Two sixes and the 2 of the Harbor."""

APART: Final = ("boats", "demolish", "move")
"""The kinds of blue and green cards that act after all others, in this order, each kind as a stage."""


class Firing:
    """A card's effect with indices instead of names."""

    def __init__(
        self,
        card: int,
        id: str,
        kind: str,
        amount: int,
        counted: tuple[int, ...],
        needs: int,
        boosts: tuple[int, ...],
        boost_per_counted: bool,
        threshold: int,
        own_turn_only: bool,
        below_landmarks: int = 0,
        roller_landmarks: int = 0,
        closes: bool = False,
    ) -> None:
        self.card = card
        self.id = id
        self.kind = kind
        self.amount = amount
        self.counted = counted
        """Indices of the cards that the effect counts."""
        self.needs = needs
        """Index of the landmark that the owner needs, or -1."""
        self.boosts = boosts
        """Indices of the landmarks that increase what a firing copy pays."""
        self.boost_per_counted = boost_per_counted
        self.threshold = threshold
        self.own_turn_only = own_turn_only
        self.below_landmarks = below_landmarks
        """The card fires only while its owner has fewer landmarks than this; 0 if that does not matter."""
        self.roller_landmarks = roller_landmarks
        """The card fires only if the active player has at least as many landmarks."""
        self.closes = closes
        """Whether a copy closes for renovation after it has fired."""


class PayoutStage:
    """A stage of paying out a roll: the kind of a function in `decide.effects`, and its cards."""

    def __init__(self, kind: str, firings: tuple[Firing, ...]) -> None:
        self.kind = kind
        self.firings = firings


class Discount:
    """A landmark that reduces the prices of other landmarks."""

    def __init__(self, landmark: int, targets: tuple[int, ...], amount: int) -> None:
        self.landmark = landmark
        self.targets = targets
        self.amount = amount


class Rules:
    """The rules of one ruleset with options and a number of seats; immutable."""

    def __init__(self, ruleset: Ruleset, options: Options, seats: int) -> None:
        self.ruleset = ruleset
        self.digest: str = digest(ruleset)
        self.options = options
        self.seats = seats
        self.cards: list[Card] = [*ruleset.establishments, *ruleset.landmarks]
        self.ids: list[str] = [card.id for card in self.cards]
        self.index: dict[str, int] = {card.id: i for i, card in enumerate(self.cards)}
        self.size: int = len(self.cards)
        self.establishments: int = len(ruleset.establishments)
        """The number of establishments; cards with indices from here on are landmarks."""
        self.copies: list[int] = [_copies(ruleset, options, card) for card in self.cards]
        self.prices: list[tuple[int, ...]] = [_prices(options, card) for card in self.cards]
        self.highest_prices: list[int] = [max(prices) for prices in self.prices]
        self.unique: list[bool] = [card.unique for card in self.cards]
        self.tradable: list[bool] = [card.tradable for card in self.cards]
        self.max_copies: int = options.max_copies or 0
        """0 means no limit."""
        self.own_landmarks: bool = ruleset.own_landmarks
        self.goal: int = ruleset.goal
        self.rows: tuple[MarketRow, ...] = ruleset.markets[options.market]
        self.row_cards: list[list[int]] = [[self.index[id] for id in row.cards] for row in self.rows]
        self.row_of: list[int] = [self._row_of(i) for i in range(self.size)]
        """By card: the row where it is sold, or -1."""
        self.offers: list[int] = [i for i in range(self.size) if self._offered(i)]
        """The cards that can ever be built, in catalogue order."""
        self.everybody: list[bool] = [card.colour == "orange" for card in self.cards]
        """By card: whether it is a landmark that works for every player once built."""
        self.two_dice: int = self.index[ruleset.two_dice] if ruleset.two_dice else -1
        self.reroll: int = self._power("reroll")
        self.add_two: int = self._power("add_two")
        self.income_on_pass: int = self._power("income_on_pass")
        self.loan_office: int = self._power("own_landmark_discount")
        self.invests: int = self._power("invest")
        """The establishment in which its owner may invest at the end of a turn, or -1."""
        self.renovates: bool = any(
            [card.effect.kind == "renovate" or card.effect.closes is True for card in self.cards]
        )
        """Whether establishments can close for renovation."""
        self.bonuses: list[int] = [
            0 if card.effect.bonus is UNSET else card.effect.bonus for card in self.cards
        ]
        """By card: the coins that the bank pays for building it."""
        self.discounts: list[Discount] = self._discounts()
        self.lowest_prices: list[int] = [self._lowest_price(i) for i in range(self.size)]
        """By card: the lowest possible price, with every discount."""
        self.firings: list[Firing] = [self._firing(card) for card in self.cards]
        self.plans: list[tuple[PayoutStage, ...]] = [self._plan(total) for total in range(HIGHEST_TOTAL + 1)]
        """By total: the stages of paying out, in the order of the rule book."""

    def _row_of(self, card: int) -> int:
        for row, cards in enumerate(self.row_cards):
            if card in cards:
                return row
        return -1

    def _offered(self, card: int) -> bool:
        return self.row_of[card] >= 0 or (self.own_landmarks and card >= self.establishments)

    def _power(self, kind: str) -> int:
        """The index of the card with that permanent power, or -1."""
        for i in range(self.size):
            if self.cards[i].effect.kind == kind:
                return i
        return -1

    def _discounts(self) -> list[Discount]:
        found: list[Discount] = []
        for i in range(self.size):
            effect = self.cards[i].effect
            if effect.kind == "discount":
                found.append(Discount(i, tuple(self.index[id] for id in effect.cards), effect.amount))
            elif effect.kind == "own_landmark_discount":
                others = [card for card in range(self.establishments, self.size) if card != i]
                found.append(Discount(i, tuple(others), effect.amount))
        return found

    def _lowest_price(self, card: int) -> int:
        off = sum([discount.amount for discount in self.discounts if card in discount.targets])
        return max(0, min(self.prices[card]) - off)

    def _firing(self, card: Card) -> Firing:
        effect = card.effect
        counted = tuple(
            i
            for i in range(self.establishments)
            if self.cards[i].symbol in effect.symbols or self.cards[i].id in effect.cards
        )
        boosts = tuple(
            i
            for i in range(self.size)
            if self.cards[i].effect.kind == "boost" and card.symbol in self.cards[i].effect.symbols
        )
        return Firing(
            self.index[card.id],
            card.id,
            effect.kind,
            effect.amount,
            counted,
            self.index[effect.requires] if effect.requires else -1,
            boosts,
            effect.boost_per_counted,
            effect.threshold,
            card.colour == "green",
            0 if effect.below_landmarks is UNSET else effect.below_landmarks,
            0 if effect.roller_landmarks is UNSET else effect.roller_landmarks,
            effect.closes is True,
        )

    def _plan(self, total: int) -> tuple[PayoutStage, ...]:
        """The stages for a total: red, blue and green, purple, orange, then the help for an empty purse."""
        firing = [f for f in self.firings if total in self.cards[f.card].activation]
        by_colour: dict[str, list[Firing]] = {"red": [], "blue": [], "green": [], "purple": []}
        for one in firing:
            by_colour[self.cards[one.card].colour].append(one)
        bank = by_colour["blue"] + by_colour["green"]
        income = tuple(f for f in bank if f.kind not in APART)
        steps = [PayoutStage("red", tuple(by_colour["red"])), PayoutStage("income", income)]
        steps += [PayoutStage(kind, tuple(f for f in bank if f.kind == kind)) for kind in APART]
        steps += [PayoutStage(f.kind, (f,)) for f in by_colour["purple"]]
        steps += [self._landmark_step(id) for id in self.ruleset.orange_order]
        steps = [step for step in steps if step.firings]
        return (*steps, *self._help())

    def _landmark_step(self, id: str) -> PayoutStage:
        firing = self.firings[self.index[id]]
        return PayoutStage(firing.kind, (firing,))

    def _help(self) -> tuple[PayoutStage, ...]:
        needs = self.ruleset.help_needs
        if needs is None:
            return ()
        card = self.index[needs] if needs else -1
        return (PayoutStage("help", (Firing(card, needs, "help", 1, (), card, (), False, 0, True),)),)


def _copies(ruleset: Ruleset, options: Options, card: Card) -> int:
    if card.colour == "purple":
        for box in ruleset.boxes:
            if box.id == options.box:
                return box.purple_copies
    return card.copies


def _prices(options: Options, card: Card) -> tuple[int, ...]:
    if card.id in options.card_costs:
        return (options.card_costs[card.id],) * len(card.cost)
    return card.cost


def rules_for(rules_version: str, options: Options, seats: int) -> Rules:
    """The rules of a match, cached by arguments.

    Raises:
        KeyError: no ruleset of that version was ever released.
    """
    return _rules(rules_version, msgspec.json.encode(options), seats)


@lru_cache(maxsize=256)
def _rules(rules_version: str, options: bytes, seats: int) -> Rules:
    return Rules(VERSIONS[rules_version], msgspec.json.decode(options, type=Options), seats)
