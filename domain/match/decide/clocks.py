"""Expired clocks, and changes of a seat's player."""

from collections.abc import Callable
from typing import Any, Final

from domain.errors import RuleViolation
from domain.match import commands as cmd
from domain.match import events as ev
from domain.match.chance import Throws
from domain.match.decide.building import pass_turn
from domain.match.decide.draft import Draft, DraftWith, require_not_over, require_turn
from domain.match.decide.turns import (
    decline_investment,
    decline_swap,
    default_command,
    demolish,
    give_establishment,
    keep_dice,
    keep_total,
    leave,
    move_establishment,
    renovate,
    roll_dice,
    take_coins,
)
from domain.match.events import MOST_BANKED_MS
from domain.match.seat_seeds import seats_due
from domain.match.state import MatchState

_BY_TYPE: Final[dict[type, Callable[[DraftWith[Throws], Any], None]]] = {
    cmd.RollDice: roll_dice,
    cmd.KeepDice: keep_dice,
    cmd.KeepTotal: keep_total,
    cmd.TakeCoins: take_coins,
    cmd.DeclineSwap: decline_swap,
    cmd.GiveEstablishment: give_establishment,
    cmd.Demolish: demolish,
    cmd.MoveEstablishment: move_establishment,
    cmd.Renovate: renovate,
    cmd.DeclineInvestment: decline_investment,
    cmd.Pass: pass_turn,
}


def expire_clock(draft: DraftWith[Throws], command: cmd.ExpireClock) -> None:
    """Apply the clock's policy to the seat to act.

    Raises:
        RuleViolation: the match has no clock, or another seat is to act.
    """
    state = draft.state
    require_turn(state, command.seat, (state.phase,))
    clock = state.created.clock
    if clock is None:
        raise RuleViolation("wrong_phase", "the match has no clock")
    draft.emit(ev.ClockExpired(command.seat, clock.on_timeout))
    if clock.on_timeout == "forfeit":
        leave(draft, command.seat, "clock")
    elif clock.on_timeout == "default_command":
        answer = default_command(state)
        _BY_TYPE[type(answer)](draft, answer)
    else:
        name, version = command.strategy, command.strategy_version
        draft.emit(ev.ControllerChanged(command.seat, "strategy", name, name, version))


def timed_seat(state: MatchState) -> int | None:
    """The seat whose clock runs: that of the person to act; None if nobody's does."""
    controller = state.controllers[state.active] if state.active >= 0 else None
    return state.active if controller is not None and controller.kind == "account" else None


def change_bank(draft: Draft, seat: int, taken_ms: int, is_expired: bool, turn: int) -> None:
    """Record what a command has done to the bank of the seat whose clock ran until then.

    The seat has taken `taken_ms` since the last event; an expired clock has used up the bank. `turn` is the
    turn in which the command came. A seat that is out has no use for its bank.
    """
    state, clock = draft.state, draft.state.created.clock
    if clock is None or state.resigned[seat]:
        return
    left_ms = state.banks[seat]
    spent_ms = left_ms if is_expired else min(max(taken_ms - clock.decision_ms, 0), left_ms)
    left_ms -= spent_ms
    has_ended = state.turn > turn
    added_ms = min(clock.increment_ms, max(MOST_BANKED_MS - left_ms, 0)) if has_ended else 0
    if spent_ms or added_ms:
        draft.emit(ev.BankChanged(seat, spent_ms, added_ms, left_ms + added_ms))


def change_controller(draft: Draft, command: cmd.ChangeController) -> None:
    """Replace the player of a seat."""
    state = draft.state
    if not 0 <= command.seat < len(state.controllers) or state.controllers[command.seat] is None:
        raise RuleViolation("validation_failed", f"seat {command.seat} has no player", "/seat")
    require_not_over(state)
    if seats_due(state):
        raise RuleViolation("wrong_phase", "the match is waiting for the seeds of its seats")
    draft.emit(ev.ControllerChanged(command.seat, command.kind, command.id, command.name, command.version))
