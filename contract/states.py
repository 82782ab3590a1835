"""The state of a match, and the legal commands."""

from typing import Annotated

from msgspec import UNSET, UnsetType

from contract.matches import MatchResult, ResolvedOptions
from contract.names import BuildRefusal, CardCounts, MatchStatus, Phase, RulesetId, StackCounts
from contract.values import (
    Answer,
    CardId,
    Count,
    Deadline,
    Die,
    Positive,
    SeatNumber,
    TurnNumber,
    Winner,
    choice,
    component,
    integer,
    length,
)
from domain.match.commands import PlayCommand

Command = Annotated[PlayCommand, component("Command")]


class Dice(Answer, frozen=True):
    """The current roll."""

    values: Annotated[tuple[Die, ...], length(1, 2)]
    total: Annotated[int, integer(1, 14)]
    """The total, including `added`."""
    added: Annotated[int, integer(0, 2)]
    """The amount that `add_two` has added: 0 or 2."""
    rerolled: bool


class Player(Answer, frozen=True):
    """The coins and the city of a seat."""

    seat: SeatNumber
    name: str | None
    coins: Count
    establishments: CardCounts
    landmarks: tuple[CardId, ...]
    closed: CardCounts | UnsetType = UNSET
    """The copies among `establishments` that are closed for renovation; only present in rulesets with cards
    that close."""
    invested: Count | UnsetType = UNSET
    """The coins on the seat's Tech Startup; only present in rulesets where coins can be invested."""
    bank_ms: Count | UnsetType = UNSET
    """The milliseconds that were left in the seat's bank of time after the last event; only present if the
    clock of the match has a bank or an increment."""


class OpenMarket(Answer, frozen=True, tag_field="kind", tag="open"):
    """A market with all stacks face up."""

    supply: StackCounts
    """The size of each stack; an empty object before the match starts."""


class LimitedMarket(Answer, frozen=True, tag_field="kind", tag="limited"):
    """A market with ten kinds of cards face up and the rest in one deck. Both are empty before the match
    starts."""

    face_up: CardCounts
    deck_remaining: Count


class FaceUpRows(Answer, frozen=True):
    """The face-up cards of the three rows."""

    low: CardCounts
    high: CardCounts
    landmarks: CardCounts


class DecksRemaining(Answer, frozen=True):
    """The number of cards left in each deck."""

    low: Count
    high: Count
    landmarks: Count


class RowsMarket(Answer, frozen=True, tag_field="kind", tag="rows"):
    """The market of machi_koro_2: three rows with a deck each. All are empty before the match starts."""

    rows: FaceUpRows
    decks_remaining: DecksRemaining


Market = Annotated[
    OpenMarket | LimitedMarket | RowsMarket,
    choice("Market", "The cards that can be built, by kind of market."),
]


class PendingChoice(Answer, frozen=True):
    """An open choice, and the card that asks for it."""

    card: CardId
    copies: Positive
    """The copies that still ask for a choice, including this one."""


class State(Answer, frozen=True, kw_only=True):
    """The state of a match: everything on the table."""

    match_id: str
    version: Positive
    status: MatchStatus
    ruleset: RulesetId
    options: ResolvedOptions
    rules_version: str
    turn: TurnNumber
    active_seat: SeatNumber | None
    phase: Phase | None
    extra_turn: bool
    """Whether this turn is an extra turn, not whether one will follow."""
    dice: Dice | None
    """Null before the first roll of the turn."""
    pending: PendingChoice | UnsetType = UNSET
    """Present only while a choice is open."""
    players: tuple[Player, ...]
    market: Market
    winner: Winner
    result: MatchResult | None
    deadline: Deadline


class Unbuildable(Answer, frozen=True):
    """A card that the seat to act cannot build now."""

    card: CardId
    cost: Count
    code: BuildRefusal
    detail: str


class LegalCommands(Answer, frozen=True):
    """The legal commands of the seat to act, except `resign`, which any seat can send at any time."""

    version: Positive
    seat: SeatNumber | None
    phase: Phase | None
    commands: tuple[Command, ...]
    unbuildable: tuple[Unbuildable, ...] | UnsetType = UNSET
    """Present with `explain=true`."""
