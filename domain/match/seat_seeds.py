"""Seat seeds: accounts add seeds to the dice in two steps, as all commit before any opens its seed.

The match waits for that after its last seat is taken and before it starts. See docs/fairness.md.
"""

from typing import Final, Literal, TypeAlias

from domain.errors import RuleViolation
from domain.match.commands import CreateMatch
from domain.match.events import SeatSeeds
from domain.match.state import OPEN, RUNNING, MatchState

SeedStep: TypeAlias = Literal["commit", "open"]

SHORTEST_MS: Final = 1_000
LONGEST_MS: Final = 86_400_000


def seat_seeds_of(state: MatchState) -> SeatSeeds | None:
    """The parameters of seat seeds; None if the seats of the match do not commit to seeds."""
    found = state.created.dice.seat_seeds
    return found if isinstance(found, SeatSeeds) else None


def due_step(state: MatchState) -> SeedStep | None:
    """The step that the match waits for; None if it does not wait for seat seeds."""
    if state.status != OPEN or seat_seeds_of(state) is None or None in state.controllers:
        return None
    if _uncommitted(state):
        return "commit"
    return "open" if _unopened(state) else None


def seats_due(state: MatchState) -> list[int]:
    """The seats whose commitment or seed the match waits for."""
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
    """Whether seats are to open their seeds, or have done so in a running match."""
    if seat_seeds_of(state) is None:
        return False
    return state.status == RUNNING or due_step(state) == "open"


def check_seat_seeds(command: CreateMatch) -> None:
    """Refuse seat seeds in a match that cannot have them, or with an invalid time limit.

    Raises:
        RuleViolation: `validation_failed`.
    """
    seat_seeds = command.dice.seat_seeds
    if not isinstance(seat_seeds, SeatSeeds):
        return
    pointer = "/dice/seat_seeds"
    if command.dice.mode != "committed" or command.origin is not None:
        raise RuleViolation(
            "validation_failed", "seat seeds require a new match with committed dice", pointer
        )
    if not SHORTEST_MS <= seat_seeds.within_ms <= LONGEST_MS:
        detail = f"must be {SHORTEST_MS} to {LONGEST_MS} ms, not {seat_seeds.within_ms}"
        raise RuleViolation("validation_failed", detail, f"{pointer}/within_ms")
    if all([plan.kind == "strategy" for plan in command.seats]):
        raise RuleViolation(
            "validation_failed", "seat seeds require a seat without a built-in player", pointer
        )
    for seat, plan in enumerate(command.seats):
        if plan.seed:
            _refuse_plain_seed(f"/seats/{seat}/seed")


def require_no_plain_seed(state: MatchState, seed: str) -> None:
    """Refuse an open seed for a seat in a match whose seats commit to seeds.

    Raises:
        RuleViolation: `validation_failed`.
    """
    if seed and seat_seeds_of(state) is not None:
        _refuse_plain_seed("/seed")


def _refuse_plain_seed(pointer: str) -> None:
    raise RuleViolation(
        "validation_failed", "the seats of this match must commit to their seeds first", pointer
    )
