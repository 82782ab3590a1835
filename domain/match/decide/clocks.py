"""Expired clocks, and changes of a seat's player."""

from collections.abc import Callable
from typing import Any, Final

from domain.errors import RuleViolation
from domain.match import commands as cmd
from domain.match import events as ev
from domain.match.chance import Throws
from domain.match.decide.building import pass_turn
from domain.match.decide.choices import decline_swap, give_establishment, take_coins
from domain.match.decide.dice import keep_dice, keep_total, roll_dice
from domain.match.decide.draft import Draft, DraftWith, opponents, require_not_over, require_turn
from domain.match.decide.turns import leave
from domain.match.seat_seeds import seats_due
from domain.match.state import MatchState

_BY_TYPE: Final[dict[type, Callable[[DraftWith[Throws], Any], None]]] = {
    cmd.RollDice: roll_dice,
    cmd.KeepDice: keep_dice,
    cmd.KeepTotal: keep_total,
    cmd.TakeCoins: take_coins,
    cmd.DeclineSwap: decline_swap,
    cmd.GiveEstablishment: give_establishment,
    cmd.Pass: pass_turn,
}


def default_command(state: MatchState) -> cmd.NonBuildCommand:
    """The default answer to the open decision.

    It rolls one die, keeps roll and total, declines swaps and builds nothing. It takes coins from the
    richest opponent, the next in turn if several are, and gives away the cheapest establishment.
    """
    seat = state.active
    if state.phase == "roll":
        return cmd.RollDice(seat, 1)
    if state.phase == "reroll":
        return cmd.KeepDice(seat)
    if state.phase == "add_two":
        return cmd.KeepTotal(seat)
    if state.phase == "take_coins":
        return cmd.TakeCoins(seat, max(opponents(state), key=lambda other: state.coins[other]))
    if state.phase == "swap":
        return cmd.DeclineSwap(seat)
    if state.phase == "give":
        return cmd.GiveEstablishment(seat, _cheapest(state))
    return cmd.Pass(seat)


def _cheapest(state: MatchState) -> str:
    rules = state.rules
    owned = [card for card in range(rules.establishments) if state.cities[state.active][card]]
    return rules.ids[min(owned, key=lambda card: rules.prices[card][0])]


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


def change_controller(draft: Draft, command: cmd.ChangeController) -> None:
    """Replace the player of a seat."""
    state = draft.state
    if not 0 <= command.seat < len(state.controllers) or state.controllers[command.seat] is None:
        raise RuleViolation("validation_failed", f"seat {command.seat} has no player", "/seat")
    require_not_over(state)
    if seats_due(state):
        raise RuleViolation("wrong_phase", "the match is waiting for the seeds of its seats")
    draft.emit(ev.ControllerChanged(command.seat, command.kind, command.id, command.name, command.version))
