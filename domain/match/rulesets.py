"""Rulesets as data: cards, landmarks, markets and a few named policies.

The tables of a released version never change; a change is a new version beside the old one.
"""

from collections.abc import Iterable
from typing import Final

from msgspec import UNSET, Struct
from msgspec.structs import replace

from domain.canonical import canonical, sha256
from domain.errors import RuleViolation, pointer_to
from domain.match.cards import Card
from domain.match.catalogue import base, harbor, machi_koro_2, millionaires_row
from domain.match.events import Options


class MarketRow(Struct, frozen=True):
    """A row of a market."""

    name: str
    cards: tuple[str, ...]
    kinds: int
    """The number of different cards face up while the deck lasts; 0 if all cards are face up."""


class Box(Struct, frozen=True):
    """A printed edition: its number of players, and the copies of purple cards."""

    id: str
    seats: int
    purple_copies: int


class Ruleset(Struct, frozen=True):
    """A game as printed, before options."""

    id: str
    version: str
    name: str
    establishments: tuple[Card, ...]
    landmarks: tuple[Card, ...]
    own_landmarks: bool
    """Whether every player has a set of landmarks; otherwise one of each is in the market."""
    start_coins: int
    starters: tuple[str, ...]
    """Establishments that every player starts with, in addition to the supply."""
    building_rounds: int
    goal: int
    """The number of landmarks that wins."""
    boxes: tuple[Box, ...]
    markets: dict[str, tuple[MarketRow, ...]]
    two_dice: str
    """The landmark that allows two dice; empty if they are always allowed."""
    help_needs: str | None
    """The card that gives its owner 1 coin if the purse is empty before building; empty: all; None:
    nobody."""
    orange_order: tuple[str, ...]
    """Landmarks that act after all establishments, in order."""
    options: tuple[str, ...]
    """Additional options of the ruleset: `max_copies`."""
    seats: tuple[int, int] = (2, 5)


def _ids(cards: tuple[Card, ...]) -> tuple[str, ...]:
    return tuple(card.id for card in cards)


def _markets(establishments: tuple[Card, ...]) -> dict[str, tuple[MarketRow, ...]]:
    ids = tuple(card.id for card in establishments if card.copies)
    return {"open": (MarketRow("supply", ids, 0),), "limited": (MarketRow("market", ids, 10),)}


_BASE_CARDS: Final = base.REGULAR + base.PURPLE
_HARBOR_CARDS: Final = (*base.REGULAR, *harbor.REGULAR, *base.PURPLE, *harbor.PURPLE, harbor.TOWN_HALL)
_ROW_CARDS: Final = (
    *base.REGULAR,
    *millionaires_row.REGULAR,
    *base.PURPLE,
    *millionaires_row.PURPLE,
)
_HARBOR_ROW_CARDS: Final = (
    *base.REGULAR,
    *harbor.REGULAR,
    *millionaires_row.REGULAR,
    *base.PURPLE,
    *harbor.PURPLE,
    *millionaires_row.PURPLE,
    harbor.TOWN_HALL,
)

BASE: Final = Ruleset(
    id="base",
    version="base@1",
    name="Machi Koro",
    establishments=_BASE_CARDS,
    landmarks=base.LANDMARKS,
    own_landmarks=True,
    start_coins=3,
    starters=("wheat_field", "bakery"),
    building_rounds=0,
    goal=4,
    boxes=tuple(
        Box(name, seats, base.PURPLE_COPIES[name]) for name, seats in (("four_player", 4), ("five_player", 5))
    ),
    markets=_markets(_BASE_CARDS),
    two_dice="train_station",
    help_needs=None,
    orange_order=("amusement_park",),
    options=("max_copies",),
)

HARBOR: Final = Ruleset(
    id="harbor",
    version="harbor@1",
    name="Machi Koro with Harbor",
    establishments=_HARBOR_CARDS,
    landmarks=base.LANDMARKS + harbor.LANDMARKS,
    own_landmarks=True,
    start_coins=3,
    starters=("wheat_field", "bakery", "town_hall"),
    building_rounds=0,
    goal=6,
    boxes=(Box("five_player", 5, 5),),
    markets=_markets(_HARBOR_CARDS),
    two_dice="train_station",
    help_needs="town_hall",
    orange_order=("amusement_park",),
    options=("max_copies",),
)

MILLIONAIRES_ROW: Final = replace(
    BASE,
    id="millionaires_row",
    version="millionaires_row@1",
    name="Machi Koro with Millionaire's Row",
    establishments=_ROW_CARDS,
    boxes=(Box("five_player", 5, 5),),
    markets=_markets(_ROW_CARDS),
)

HARBOR_MILLIONAIRES_ROW: Final = replace(
    HARBOR,
    id="harbor_millionaires_row",
    version="harbor_millionaires_row@1",
    name="Machi Koro with Harbor and Millionaire's Row",
    establishments=_HARBOR_ROW_CARDS,
    markets=_markets(_HARBOR_ROW_CARDS),
)

MACHI_KORO_2: Final = Ruleset(
    id="machi_koro_2",
    version="machi_koro_2@1",
    name="Machi Koro 2",
    establishments=machi_koro_2.LOW + machi_koro_2.HIGH,
    landmarks=machi_koro_2.LANDMARKS,
    own_landmarks=False,
    start_coins=5,
    starters=(),
    building_rounds=3,
    goal=3,
    boxes=(),
    markets={
        "rows": (
            MarketRow("low", _ids(machi_koro_2.LOW), 5),
            MarketRow("high", _ids(machi_koro_2.HIGH), 5),
            MarketRow("landmarks", _ids(machi_koro_2.LANDMARKS), 5),
        )
    },
    two_dice="",
    help_needs="",
    orange_order=("tech_startup", "temple", "charterhouse", "amusement_park", "moving_company"),
    options=(),
)

_RELEASED: Final = (BASE, HARBOR, MACHI_KORO_2, MILLIONAIRES_ROW, HARBOR_MILLIONAIRES_ROW)

VERSIONS: Final[dict[str, Ruleset]] = {ruleset.version: ruleset for ruleset in _RELEASED}
"""All released rulesets by version."""

CURRENT: Final[dict[str, Ruleset]] = {ruleset.id: ruleset for ruleset in _RELEASED}
"""The rulesets of new matches by id."""


def digest(ruleset: Ruleset) -> str:
    """`sha-256:` and the hex digest of the ruleset's canonical JSON."""
    return sha256(canonical(ruleset))


def resolve_options(
    ruleset: Ruleset,
    seats: int,
    box: str | None = None,
    market: str | None = None,
    max_copies: int | None = None,
    card_costs: dict[str, int] | None = None,
    commentary: bool = False,
    rated: bool = False,
) -> Options:
    """The options with their defaults.

    Raises:
        RuleViolation: `validation_failed` or `unknown_card`, with a pointer below `/options` or to `/seats`.
    """
    fewest, most = ruleset.seats
    if not fewest <= seats <= most:
        raise RuleViolation("validation_failed", f"must be {fewest} to {most} seats, not {seats}", "/seats")
    if max_copies is not None and ("max_copies" not in ruleset.options or max_copies != 2):
        raise RuleViolation(
            "validation_failed",
            f"this ruleset has no option max_copies {max_copies!r}",
            "/options/max_copies",
        )
    return Options(
        _box(ruleset, seats, box),
        _market(ruleset, market),
        max_copies,
        _costs(ruleset, card_costs or {}),
        commentary or UNSET,
        rated or UNSET,
    )


def never_sold(ruleset: Ruleset) -> frozenset[str]:
    """The starter cards that cannot be bought, such as the Town Hall: every city always holds one."""
    sold = {id for rows in ruleset.markets.values() for row in rows for id in row.cards}
    return frozenset(ruleset.starters) - sold


def require_sold(ruleset: Ruleset, card_costs: Iterable[str]) -> None:
    """Refuse a price for a card that is never sold. Only for new matches: older ones may have such a price.

    Raises:
        RuleViolation: `validation_failed`, with a pointer below `/options/card_costs`.
    """
    unsold = sorted(never_sold(ruleset) & {*card_costs})
    if unsold:
        detail = f"{unsold[0]} is never sold, so it has no price"
        raise RuleViolation("validation_failed", detail, pointer_to("options", "card_costs", unsold[0]))


def _box(ruleset: Ruleset, seats: int, box: str | None) -> str:
    fitting = [option.id for option in ruleset.boxes if seats <= option.seats]
    if box is None:
        return fitting[0] if fitting else ""
    if box not in [option.id for option in ruleset.boxes]:
        raise RuleViolation("validation_failed", f"this ruleset has no box {box!r}", "/options/box")
    if box not in fitting:
        raise RuleViolation(
            "validation_failed", f"box {box!r} is too small for {seats} players", "/options/box"
        )
    return box


def _market(ruleset: Ruleset, market: str | None) -> str:
    if market is None:
        return next(iter(ruleset.markets))
    if market not in ruleset.markets:
        raise RuleViolation("validation_failed", f"this ruleset has no market {market!r}", "/options/market")
    return market


def _costs(ruleset: Ruleset, card_costs: dict[str, int]) -> dict[str, int]:
    known = _ids(ruleset.establishments) + _ids(ruleset.landmarks)
    for card, cost in card_costs.items():
        pointer = pointer_to("options", "card_costs", card)
        if card not in known:
            raise RuleViolation("unknown_card", f"the ruleset {ruleset.id} has no card {card!r}", pointer)
        if not 0 <= cost <= 100:
            raise RuleViolation("validation_failed", f"the cost must be 0 to 100, not {cost}", pointer)
    return {card: card_costs[card] for card in sorted(card_costs)}
