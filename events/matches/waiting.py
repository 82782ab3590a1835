"""Who a match waits for, and until when."""

from msgspec import Struct

from domain.match.seat_seeds import due_step, seat_seeds_of
from domain.match.state import RUNNING, MatchState
from events.store.records import NO_PRECEDENCE, NextKind, Precedence


class Next(Struct, frozen=True):
    """What the store is told about a match's next step."""

    kind: NextKind
    due_ms: int | None
    """When somebody has to look after the match; None for never."""
    precedence: Precedence = NO_PRECEDENCE
    """Of a turn that is to be handed out."""


def next_step(state: MatchState, at_ms: int, ai_grace_ms: int, is_held: bool = False) -> Next:
    """Who is to act after an append at `at_ms`.

    `is_held` says that whoever appends goes on with the match itself, as long as built-in players are to act.
    """
    if state.status in ("finished", "aborted"):
        return Next("over", None)
    if state.status == RUNNING and controller_kind(state) == "strategy":
        due_ms = at_ms + ai_grace_ms
        return Next("held", due_ms) if is_held else Next("ai", due_ms, precedence(state))
    return Next("human", deadline_ms(state, at_ms))


def precedence(state: MatchState) -> Precedence:
    """When the turn of a built-in player comes."""
    return Precedence(state.created.creator, has_people(state))


def has_people(state: MatchState) -> bool:
    """Whether an account plays in the match that has not resigned."""
    return any(
        taken is not None and taken.kind == "account" and not has_resigned
        for taken, has_resigned in zip(state.controllers, state.resigned, strict=True)
    )


def deadline_ms(state: MatchState, at_ms: int) -> int | None:
    """When the clock of the person to act runs out, or the time for seats to give their seeds.

    The last event was at `at_ms`. None where nothing runs out.
    """
    seeds = seat_seeds_of(state)
    if seeds is not None and due_step(state) is not None:
        return at_ms + seeds.within_ms
    if state.status != RUNNING or controller_kind(state) == "strategy":
        return None
    clock = state.created.clock
    return at_ms + clock.decision_ms if clock else None


def account_to_act(state: MatchState) -> str:
    """The account that a running match waits for; empty if it waits for none."""
    if state.status != RUNNING:
        return ""
    controller = state.controllers[state.active]
    return controller.id if controller and controller.kind == "account" else ""


def controller_kind(state: MatchState) -> str:
    """`account` or `strategy`: who plays the seat to act of a running match."""
    controller = state.controllers[state.active]
    return controller.kind if controller else ""
