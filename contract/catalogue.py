"""Rulesets, cards, built-in players, and the health of the service."""

from typing import Annotated

from msgspec import UNSET, UnsetType

from contract.names import (
    CardColour,
    CardCounts,
    CardKind,
    HealthStatus,
    Language,
    Level,
    NameSource,
    RulesetId,
)
from contract.values import Answer, CardId, Count, Hash, SeatCount, integer


class PlayerRange(Answer, frozen=True):
    """The smallest and the largest number of players."""

    min: SeatCount
    max: SeatCount


class Goal(Answer, frozen=True):
    """The goal of the game."""

    landmarks: Annotated[int, integer(1, 20)]
    """The number of built landmarks that wins."""
    instant: CardId | None
    """A landmark that wins by itself; null if there is none."""


class Start(Answer, frozen=True):
    """The coins and cards that each player starts with."""

    coins: Count
    establishments: CardCounts
    building_rounds: Count


class RulesetOption(Answer, frozen=True):
    """The values of an option, and its default."""

    values: tuple[object, ...]
    default: object | None


class Ruleset(Answer, frozen=True):
    """A game that can be played."""

    id: RulesetId
    name: str
    rules_version: str
    digest: Hash
    """The digest of the rule tables of this version."""
    players: PlayerRange
    goal: Goal
    start: Start
    options: dict[str, RulesetOption]
    has_reviews: bool
    """Whether the service computes reviews and chances of winning of its matches."""


class RulesetPage(Answer, frozen=True):
    """All rulesets."""

    items: tuple[Ruleset, ...]
    next: str | None


class Effect(Answer, frozen=True):
    """The effect of a card, as data."""

    kind: CardId
    amount: Count | UnsetType = UNSET
    symbols: tuple[str, ...] | UnsetType = UNSET
    cards: tuple[CardId, ...] | UnsetType = UNSET
    threshold: Count | UnsetType = UNSET
    requires: CardId | UnsetType = UNSET
    below_landmarks: Count | UnsetType = UNSET
    """The card fires only while its owner has built fewer landmarks."""
    roller_landmarks: Count | UnsetType = UNSET
    """The card fires only if the active player has built at least as many landmarks."""
    bonus: Count | UnsetType = UNSET
    """The coins that the bank pays for building the card."""
    closes: bool | UnsetType = UNSET
    """Whether a copy closes for renovation after it has fired."""


class Card(Answer, frozen=True, kw_only=True):
    """An establishment or a landmark."""

    id: CardId
    kind: CardKind
    activation: tuple[Annotated[int, integer(1, 14)], ...]
    """The dice totals that activate the card."""
    colour: CardColour | None
    symbol: str | None
    cost: Count | UnsetType = UNSET
    """The price in coins, if there is only one."""
    costs: tuple[Count, ...] | UnsetType = UNSET
    """The prices in coins for a builder with no, one, and two or more landmarks."""
    copies: Count
    """The number of copies in the reserve of the largest box."""
    effect: Effect
    language: Language
    """The language of `name` and `text`."""
    name: str
    name_source: NameSource
    text: str
    """The effect of the card, in the service's own words."""


class CardPage(Answer, frozen=True):
    """All cards of a ruleset, in catalogue order."""

    items: tuple[Card, ...]
    next: str | None


class StrategyRating(Answer, frozen=True):
    """The rating of a built-in player in one ruleset with one number of seats.

    It comes from a ladder of the built-in players; `expected_value` has 1500 in each.
    """

    ruleset: RulesetId
    seats: SeatCount
    rating: float
    rating_interval: tuple[float, float]
    """The bounds of the 95 % interval."""
    matches: Count
    """The number of rated matches of the player."""


class Strategy(Answer, frozen=True):
    """A built-in player."""

    name: CardId
    version: str
    description: str
    level: Level | None
    """Null if this version has no ratings."""
    ratings: tuple[StrategyRating, ...]
    """By ruleset and number of seats; empty if this version has not been rated."""


class StrategyPage(Answer, frozen=True):
    """All built-in players, roughly from weakest to strongest; `ratings` tells how strong each is."""

    items: tuple[Strategy, ...]
    next: str | None


class Health(Answer, frozen=True):
    """The health of the service."""

    status: HealthStatus
