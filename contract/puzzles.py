"""Puzzles: find the best command in a position of a finished match."""

from typing import Annotated

from msgspec import UNSET, UnsetType

from contract.matches import ResolvedOptions
from contract.names import Phase, RulesetId
from contract.reviews import Candidate
from contract.states import Command, Dice, Market, PendingChoice, Player
from contract.values import Answer, Count, Hash, Positive, SeatCount, SeatNumber, TurnNumber, text

PuzzleId = Annotated[str, text(r"pzl_[0-9a-f]{32}")]


class ListedPuzzle(Answer, frozen=True):
    """A puzzle as lists show it."""

    puzzle_id: PuzzleId
    ruleset: RulesetId
    seats: SeatCount
    turn: TurnNumber
    active_seat: SeatNumber
    """The seat whose best command is to be found."""
    phase: Phase


class PuzzlePage(Answer, frozen=True):
    """One page of puzzles, in an order without meaning."""

    items: tuple[ListedPuzzle, ...]
    next: str | None


class Puzzle(Answer, frozen=True, kw_only=True):
    """A position, and the commands to choose from. The members are those of a state."""

    puzzle_id: PuzzleId
    ruleset: RulesetId
    options: ResolvedOptions
    rules_version: str
    turn: TurnNumber
    active_seat: SeatNumber
    phase: Phase
    extra_turn: bool
    dice: Dice | None
    pending: PendingChoice | UnsetType = UNSET
    players: tuple[Player, ...]
    """By seat, without the names of those who played."""
    market: Market
    commands: tuple[Command, ...]
    """The legal commands, at least three."""


class Playouts(Answer, frozen=True):
    """The refutation of the obvious command: after it, the seat wins certainly fewer matches.

    `expected_value` played them to the end on all seats, with the same dice after both commands.
    """

    matches: Positive
    """The number of matches after each command."""
    best: Count
    """How many of them the seat won after the best command."""
    obvious: Count
    """How many of them the seat won after the obvious command."""


class PuzzleSolution(Answer, frozen=True):
    """The solution of a puzzle, as the review of its match found it."""

    puzzle_id: PuzzleId
    best: Command
    obvious: Command
    """The command that `expected_value` would choose, which costs at least five percentage points."""
    candidates: tuple[Candidate, ...]
    """The best by the network, those close to it, and the command of the match; the best first. All other
    commands are worse by the network."""
    judge_version: Positive
    value_function: Hash
    """The digest of the network."""
    match_id: str | None
    """The match of the position; null if this service does not have it."""
    version: Count
    """The last event before the decision; 0 without a match."""
    playouts: Playouts | None
    """Null if the best command wins the match at once, or if the puzzle was found before these were kept."""
