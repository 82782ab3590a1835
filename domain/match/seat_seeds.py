"""Seeds that seats add to the dice in two steps: every account commits to one, then all open theirs.

A match waits for that between its last seat and its start. What the steps are worth: docs/fairness.md.
"""

from typing import Final, Literal, TypeAlias

from domain.errors import RuleViolation
from domain.match.commands import CreateMatch
from domain.match.events import SeatSeeds
from domain.match.state import OPEN, RUNNING, MatchState

Step: TypeAlias = Literal["commit", "open"]

SHORTEST_MS: Final = 1_000
LONGEST_MS: Final = 86_400_000


def seat_seeds_of(state: MatchState) -> SeatSeeds | None:
    """How the seats of the match add seeds; None where they do not commit to any."""
    found = state.created.dice.seat_seeds
    return found if isinstance(found, SeatSeeds) else None


def due_step(state: MatchState) -> Step | None:
    """What the match waits for from the seats that are due; None where it waits for no seed."""
    if state.status != OPEN or seat_seeds_of(state) is None or None in state.controllers:
        return None
    if _uncommitted(state):
        return "commit"
    return "open" if _unopened(state) else None


def seats_due(state: MatchState) -> list[int]:
    """The seats whose commitment, or then whose seed, the match waits for."""
    step = due_step(state)
    if step is None:
        return []
    return _uncommitted(state) if step == "commit" else _unopened(state)


def _uncommitted(state: MatchState) -> list[int]:
    taken = enumerate(state.controllers)
    return [
        seat for seat, held in taken if held and held.kind == "account" and seat not in state.seed_commitments
    ]


def _unopened(state: MatchState) -> list[int]:
    taken = enumerate(state.controllers)
    return [seat for seat, held in taken if held and not held.seed and state.seed_commitments.get(seat)]


def has_opening_begun(state: MatchState) -> bool:
    """Whether seats have been asked to open their seeds, or have done so and the match is on."""
    if seat_seeds_of(state) is None:
        return False
    return state.status == RUNNING or due_step(state) == "open"


def check_seat_seeds(command: CreateMatch) -> None:
    """Refuse a match whose seats are to commit to seeds where that has no sense.

    Raises:
        RuleViolation: `validation_failed`.
    """
    wish = command.dice.seat_seeds
    if not isinstance(wish, SeatSeeds):
        return
    pointer = "/dice/seat_seeds"
    if command.dice.mode != "committed" or command.origin is not None:
        raise RuleViolation(
            "validation_failed", "seat seeds require a new match with committed dice", pointer
        )
    if not SHORTEST_MS <= wish.within_ms <= LONGEST_MS:
        detail = f"must be {SHORTEST_MS} to {LONGEST_MS} ms, not {wish.within_ms}"
        raise RuleViolation("validation_failed", detail, f"{pointer}/within_ms")
    if all([plan.kind == "strategy" for plan in command.seats]):
        raise RuleViolation(
            "validation_failed", "seat seeds require a seat without a built-in player", pointer
        )
    for seat, plan in enumerate(command.seats):
        if plan.seed:
            _refuse_plain_seed(f"/seats/{seat}/seed")


def require_no_plain_seed(state: MatchState, seed: str) -> None:
    """Refuse a seed that is told when a seat is taken where seats commit to theirs.

    Raises:
        RuleViolation: `validation_failed`.
    """
    if seed and seat_seeds_of(state) is not None:
        _refuse_plain_seed("/seed")


def _refuse_plain_seed(pointer: str) -> None:
    raise RuleViolation(
        "validation_failed", "the seats of this match must commit to their seeds first", pointer
    )
