"""Answers to the choices that effects request, and the default answer to any open decision."""

from domain.errors import RuleViolation
from domain.match import commands as cmd
from domain.match import events as ev
from domain.match.chance import Throws
from domain.match.decide.draft import Draft, DraftWith, card_index, opponents, require_turn
from domain.match.decide.effects import pay, request_swap, resume, swap_refusal
from domain.match.state import MatchState


def take_coins(draft: DraftWith[Throws], command: cmd.TakeCoins) -> None:
    """Take the effect's amount from one opponent; an opponent without coins may be named too."""
    state = draft.state
    require_turn(state, command.seat, ("take_coins",))
    _require_opponent(draft, command.from_seat, "/from_seat")
    card, copies = state.pending_card, state.pending_copies
    amount = draft.rules.firings[draft.rules.index[card]].amount
    draft.emit(ev.TargetChosen(command.seat, card, command.from_seat))
    pay(draft, command.from_seat, command.seat, card, copies, copies * amount)
    resume(draft, card)


def swap_establishments(draft: DraftWith[Throws], command: cmd.SwapEstablishments) -> None:
    state = draft.state
    require_turn(state, command.seat, ("swap",))
    give = card_index(state, command.give, "/give")
    _require_opponent(draft, command.with_seat, "/with_seat")
    take = card_index(state, command.take, "/take")
    refusal, pointer = swap_refusal(state, give, command.with_seat, take)
    if refusal:
        raise RuleViolation(refusal, f"{command.give} cannot be traded for {command.take}", pointer)
    card, copies = state.pending_card, state.pending_copies
    draft.emit(ev.EstablishmentsSwapped(command.seat, command.give, command.with_seat, command.take))
    _next_swap(draft, card, copies)


def decline_swap(draft: DraftWith[Throws], command: cmd.DeclineSwap) -> None:
    require_turn(draft.state, command.seat, ("swap",))
    card, copies = draft.state.pending_card, draft.state.pending_copies
    draft.emit(ev.SwapDeclined(command.seat))
    _next_swap(draft, card, copies)


def give_establishment(draft: DraftWith[Throws], command: cmd.GiveEstablishment) -> None:
    """Hand one establishment to the previous seat in play (docs/rules.md, section 4, 4)."""
    state = draft.state
    require_turn(state, command.seat, ("give",))
    card = card_index(state, command.card, "/card")
    if card >= draft.rules.establishments:
        raise RuleViolation("card_not_tradable", f"{command.card} is a landmark", "/card")
    if state.cities[command.seat][card] == 0:
        raise RuleViolation("card_not_owned", f"the city has no {command.card}", "/card")
    pending = state.pending_card
    draft.emit(ev.EstablishmentGiven(command.seat, command.card, opponents(state)[-1]))
    resume(draft, pending)


def _next_swap(draft: DraftWith[Throws], card: str, copies: int) -> None:
    """Request the trade of the next copy, or resume: each copy trades separately."""
    if not request_swap(draft, card, copies - 1):
        resume(draft, card)


def _require_opponent(draft: Draft, seat: int, pointer: str) -> None:
    if seat not in opponents(draft.state):
        raise RuleViolation("invalid_target", f"seat {seat} is not an opponent in play", pointer)


def default_command(state: MatchState) -> cmd.NonBuildCommand:
    """The default answer to the open decision.

    It throws one die, keeps throw and total, declines swaps and builds nothing. It takes coins from the
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
