"""The table, and what the seat to act can do."""

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
    """The throw that counts."""

    values: Annotated[tuple[Die, ...], length(1, 2)]
    total: Annotated[int, integer(1, 14)]
    """What counts, `added` included."""
    added: Annotated[int, integer(0, 2)]
    """What `add_two` has added to the dice: 0 or 2."""
    rerolled: bool


class Player(Answer, frozen=True):
    """A seat's purse and city."""

    seat: SeatNumber
    name: str | None
    coins: Count
    establishments: CardCounts
    landmarks: tuple[CardId, ...]


class OpenMarket(Answer, frozen=True, tag_field="kind", tag="open"):
    """All stacks face up, empty ones as 0."""

    supply: StackCounts
    """An empty object before the match starts."""


class LimitedMarket(Answer, frozen=True, tag_field="kind", tag="limited"):
    """Ten kinds face up, the rest in one deck. Before the match starts both are empty."""

    face_up: CardCounts
    deck_remaining: Count


class FaceUpRows(Answer, frozen=True):
    """Three rows, face up."""

    low: CardCounts
    high: CardCounts
    landmarks: CardCounts


class DecksRemaining(Answer, frozen=True):
    """How many cards are left in each deck."""

    low: Count
    high: Count
    landmarks: Count


class RowsMarket(Answer, frozen=True, tag_field="kind", tag="rows"):
    """The three rows of machi_koro_2. Before the match starts they and their decks are empty."""

    rows: FaceUpRows
    decks_remaining: DecksRemaining


Market = Annotated[OpenMarket | LimitedMarket | RowsMarket, choice("Market", "What can be built.")]


class PendingChoice(Answer, frozen=True):
    """The card that an open choice is about."""

    card: CardId
    copies: Positive
    """Still to be answered for, this one counted."""


class State(Answer, frozen=True, kw_only=True):
    """Everything on the table."""

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
    """Whether this turn is an extra one, not whether one is to come."""
    dice: Dice | None
    """Null before the first throw of a turn."""
    pending: PendingChoice | UnsetType = UNSET
    """Only while a choice is open."""
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
    """What the seat to act can do; `resign`, which every seat always can, is not listed."""

    version: Positive
    seat: SeatNumber | None
    phase: Phase | None
    commands: tuple[Command, ...]
    unbuildable: tuple[Unbuildable, ...] | UnsetType = UNSET
    """With explain=true."""
