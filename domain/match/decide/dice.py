"""Decisions about dice: number, reroll and adding 2 (docs/rules.md, section 3, 1)."""

from domain.errors import RuleViolation
from domain.match import commands as cmd
from domain.match import events as ev
from domain.match.chance import Throws
from domain.match.decide.draft import DraftWith, require_turn
from domain.match.decide.effects import pay_out
from domain.match.rules import Rules
from domain.match.state import MatchState, in_force


def may_roll_two(state: MatchState, rules: Rules) -> bool:
    """Whether the active player may roll two dice."""
    return rules.two_dice < 0 or in_force(state, state.active, rules.two_dice)


def roll_dice(draft: DraftWith[Throws], command: cmd.RollDice) -> None:
    require_turn(draft.state, command.seat, ("roll",))
    if command.dice not in (1, 2):
        raise RuleViolation("validation_failed", f"must be 1 or 2 dice, not {command.dice}", "/dice")
    if command.dice == 2 and not may_roll_two(draft.state, draft.rules):
        raise RuleViolation("two_dice_need_station", "rolling two dice requires the Train Station", "/dice")
    _throw(draft, "roll", command.dice)
    reroll = draft.rules.reroll
    if reroll >= 0 and in_force(draft.state, draft.state.active, reroll):
        draft.emit(ev.ChoiceRequested(draft.state.active, "reroll", draft.rules.ids[reroll]))
        return
    _settle(draft)


def reroll_dice(draft: DraftWith[Throws], command: cmd.RerollDice) -> None:
    """Replace the roll, with the same number of dice; the last roll counts."""
    require_turn(draft.state, command.seat, ("reroll",))
    _throw(draft, "reroll", len(draft.state.dice))
    _settle(draft)


def keep_dice(draft: DraftWith[Throws], command: cmd.KeepDice) -> None:
    require_turn(draft.state, command.seat, ("reroll",))
    draft.emit(ev.DiceKept(command.seat, "reroll", draft.state.total))
    _settle(draft)


def add_two(draft: DraftWith[Throws], command: cmd.AddTwo) -> None:
    require_turn(draft.state, command.seat, ("add_two",))
    more = draft.rules.firings[draft.rules.add_two].amount
    draft.emit(ev.TwoAdded(command.seat, draft.state.total + more))
    pay_out(draft)


def keep_total(draft: DraftWith[Throws], command: cmd.KeepTotal) -> None:
    require_turn(draft.state, command.seat, ("add_two",))
    draft.emit(ev.DiceKept(command.seat, "add_two", draft.state.total))
    pay_out(draft)


def _throw(draft: DraftWith[Throws], purpose: str, dice: int) -> None:
    values = draft.chance.throw(draft.state, purpose, dice)
    draft.emit(ev.DiceRolled(purpose, values, sum(values)))


def _settle(draft: DraftWith[Throws]) -> None:
    """Request the decision to add 2 if the seat may, else pay out."""
    state = draft.state
    adder = draft.rules.add_two
    may_add = adder >= 0 and in_force(state, state.active, adder)
    if may_add and state.total >= draft.rules.firings[adder].threshold:
        draft.emit(ev.ChoiceRequested(state.active, "add_two", draft.rules.ids[adder]))
        return
    pay_out(draft)
