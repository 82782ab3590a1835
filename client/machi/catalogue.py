"""What can be played, and with whom: rulesets, their cards, and the built-in players."""

from typing import Any

from msgspec import Struct


class Players(Struct, frozen=True):
    """How many can play."""

    min: int
    max: int


class Goal(Struct, frozen=True):
    """What wins."""

    landmarks: int
    """As many built landmarks win."""
    instant: str | None = None
    """This landmark wins by itself."""


class Start(Struct, frozen=True):
    """What everybody starts with."""

    coins: int
    establishments: dict[str, int]
    building_rounds: int = 0


class Option(Struct, frozen=True):
    """An option and the values it can have."""

    values: tuple[Any, ...]
    default: Any = None


class Ruleset(Struct, frozen=True):
    """A game that can be played."""

    id: str
    name: str
    rules_version: str
    digest: str
    players: Players
    goal: Goal
    start: Start
    options: dict[str, Option]


class Effect(Struct, frozen=True):
    """What a card does, as data."""

    kind: str
    amount: int = 0
    symbols: tuple[str, ...] = ()
    cards: tuple[str, ...] = ()
    threshold: int = 0
    requires: str = ""


class Card(Struct, frozen=True):
    """An establishment or a landmark."""

    id: str
    kind: str
    """`establishment` or `landmark`."""
    name: str
    text: str
    effect: Effect
    activation: tuple[int, ...] = ()
    """The totals that fire it."""
    colour: str | None = None
    symbol: str | None = None
    cost: int | None = None
    """In coins, where there is one price."""
    costs: tuple[int, ...] = ()
    """By how many landmarks the builder has, where there is more than one price."""
    copies: int = 0
    language: str = "en"
    """Of `name` and `text`."""
    name_source: str = ""
    """`rulebook` where the game is printed with this name, else `service`."""


class EventType(Struct, frozen=True):
    """A type of events, and the JSON Schema that every event of it fits."""

    type: str
    schema: int
    description: str
    json_schema: dict[str, Any]


class Strategy(Struct, frozen=True):
    """A built-in player."""

    name: str
    version: str
    description: str
