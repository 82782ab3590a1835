"""Rulesets, cards and built-in players; and whether the service is well."""

from typing import Annotated

from msgspec import UNSET, UnsetType

from contract.names import CardColour, CardCounts, CardKind, HealthStatus, Language, NameSource, RulesetId
from contract.values import Answer, CardId, Count, Hash, SeatCount, integer


class PlayerRange(Answer, frozen=True):
    """How many can play."""

    min: SeatCount
    max: SeatCount


class Goal(Answer, frozen=True):
    """What wins."""

    landmarks: Annotated[int, integer(1, 20)]
    """As many built landmarks win."""
    instant: CardId | None
    """This landmark wins by itself."""


class Start(Answer, frozen=True):
    """What everybody starts with."""

    coins: Count
    establishments: CardCounts
    building_rounds: Count


class RulesetOption(Answer, frozen=True):
    """An option and the values it can have."""

    values: tuple[object, ...]
    default: object | None


class Ruleset(Answer, frozen=True):
    """A game that can be played."""

    id: RulesetId
    name: str
    rules_version: str
    digest: Hash
    """Of the tables behind this version."""
    players: PlayerRange
    goal: Goal
    start: Start
    options: dict[str, RulesetOption]


class RulesetPage(Answer, frozen=True):
    """All rulesets."""

    items: tuple[Ruleset, ...]
    next: str | None


class Effect(Answer, frozen=True):
    """What a card does, as data."""

    kind: CardId
    amount: Count | UnsetType = UNSET
    symbols: tuple[str, ...] | UnsetType = UNSET
    cards: tuple[CardId, ...] | UnsetType = UNSET
    threshold: Count | UnsetType = UNSET
    requires: CardId | UnsetType = UNSET


class Card(Answer, frozen=True, kw_only=True):
    """An establishment or a landmark."""

    id: CardId
    kind: CardKind
    activation: tuple[Annotated[int, integer(1, 14)], ...]
    """The totals that fire it."""
    colour: CardColour | None
    symbol: str | None
    cost: Count | UnsetType = UNSET
    """In coins, where there is one price."""
    costs: tuple[Count, ...] | UnsetType = UNSET
    """By how many landmarks the builder has: none, one, two or more."""
    copies: Count
    """In the reserve of the largest box."""
    effect: Effect
    language: Language
    """Of `name` and `text`."""
    name: str
    name_source: NameSource
    text: str
    """What the card does, in the service's own words."""


class CardPage(Answer, frozen=True):
    """All cards of a ruleset, in catalogue order."""

    items: tuple[Card, ...]
    next: str | None


class Strategy(Answer, frozen=True):
    """A built-in player."""

    name: CardId
    version: str
    description: str


class StrategyPage(Answer, frozen=True):
    """All built-in players, the weakest first."""

    items: tuple[Strategy, ...]
    next: str | None


class Health(Answer, frozen=True):
    """All is well."""

    status: HealthStatus
