"""The course of a turn: the roll, the choices that effects request, and its end; also the end of a match."""

from typing import Final

from domain.errors import RuleViolation
from domain.match import commands as cmd
from domain.match import events as ev
from domain.match.chance import Reveal, Throws
from domain.match.decide.draft import Draft, DraftWith, card_index, opponents, require_running, require_turn
from domain.match.decide.effects import (
    pay,
    pay_out,
    receive,
    request_demolition,
    request_move,
    request_swap,
    resume,
)
from domain.match.decide.exchanges import (
    demolitions,
    gift_refusal,
    gifts,
    hand_over,
    renovations,
    swap_refusal,
)
from domain.match.rules import Rules
from domain.match.state import MatchState, in_force, open_copies

TURN_LIMIT: Final = 2000
"""A match without a winner after this turn is aborted. Players who try to win need about a tenth of it;
without a limit, two players who only pass could fill the store."""


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
    """Request the decision to add 2 if the seat may, else pay out (docs/rules.md, section 3, 1)."""
    state = draft.state
    adder = draft.rules.add_two
    may_add = adder >= 0 and in_force(state, state.active, adder)
    if may_add and state.total >= draft.rules.firings[adder].threshold:
        draft.emit(ev.ChoiceRequested(state.active, "add_two", draft.rules.ids[adder]))
        return
    pay_out(draft)


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
    swapped = ev.EstablishmentsSwapped(command.seat, command.give, command.with_seat, command.take)
    hand_over(
        draft, swapped, [(give, command.seat, command.with_seat), (take, command.with_seat, command.seat)]
    )
    _next_swap(draft, card, copies)


def decline_swap(draft: DraftWith[Throws], command: cmd.DeclineSwap) -> None:
    require_turn(draft.state, command.seat, ("swap",))
    card, copies = draft.state.pending_card, draft.state.pending_copies
    draft.emit(ev.SwapDeclined(command.seat))
    _next_swap(draft, card, copies)


def give_establishment(draft: DraftWith[Throws], command: cmd.GiveEstablishment) -> None:
    """Hand one establishment to the previous seat in play (docs/rules.md, section 5, 4)."""
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


def demolish(draft: DraftWith[Throws], command: cmd.Demolish) -> None:
    """Turn back a landmark of the seat; the bank pays for it."""
    state = draft.state
    require_turn(state, command.seat, ("demolish",))
    landmark = card_index(state, command.card, "/card")
    if landmark < draft.rules.establishments or state.cities[command.seat][landmark] == 0:
        raise RuleViolation("card_not_owned", f"the city has no landmark {command.card}", "/card")
    card, copies = state.pending_card, state.pending_copies
    draft.emit(ev.LandmarkDemolished(command.seat, card, command.card))
    receive(draft, command.seat, card, 1, draft.rules.firings[draft.rules.index[card]].amount)
    if not request_demolition(draft, card, copies - 1):
        resume(draft, card)


def move_establishment(draft: DraftWith[Throws], command: cmd.MoveEstablishment) -> None:
    """Give an establishment to an opponent; the bank pays for it."""
    state = draft.state
    require_turn(state, command.seat, ("move",))
    given = card_index(state, command.card, "/card")
    _require_opponent(draft, command.to_seat, "/to_seat")
    refusal, pointer = gift_refusal(state, given, command.to_seat)
    if refusal:
        detail = f"{command.card} cannot be given to seat {command.to_seat}"
        raise RuleViolation(refusal, detail, pointer)
    card, copies = state.pending_card, state.pending_copies
    moved = ev.EstablishmentGiven(command.seat, command.card, command.to_seat)
    hand_over(draft, moved, [(given, command.seat, command.to_seat)])
    receive(draft, command.seat, card, 1, draft.rules.firings[draft.rules.index[card]].amount)
    if not request_move(draft, card, copies - 1):
        resume(draft, card)


def renovate(draft: DraftWith[Throws], command: cmd.Renovate) -> None:
    """Close an establishment in all cities; opponents pay for each copy that they had open."""
    state = draft.state
    require_turn(state, command.seat, ("renovate",))
    kind = card_index(state, command.card, "/card")
    if not draft.rules.tradable[kind]:
        raise RuleViolation("card_not_tradable", f"{command.card} cannot be closed", "/card")
    if kind not in renovations(state):
        raise RuleViolation("card_not_owned", f"no city has an open {command.card}", "/card")
    card = state.pending_card
    amount = draft.rules.firings[draft.rules.index[card]].amount
    others = opponents(state)
    copies = [0] * len(state.coins)
    for seat in (command.seat, *others):
        copies[seat] = open_copies(state, seat, kind)
    draft.emit(ev.EstablishmentsClosed(command.seat, card, command.card, tuple(copies)))
    for seat in others:
        pay(draft, seat, command.seat, card, 1, copies[seat] * amount)
    resume(draft, card)


def invest_coin(draft: Draft, command: cmd.InvestCoin) -> None:
    """Put a coin on the card that asks for it, and end the turn."""
    state = draft.state
    require_turn(state, command.seat, ("invest",))
    amount = draft.rules.firings[draft.rules.invests].amount
    draft.emit(ev.CoinInvested(command.seat, state.pending_card, amount))
    end_turn(draft)


def decline_investment(draft: Draft, command: cmd.DeclineInvestment) -> None:
    require_turn(draft.state, command.seat, ("invest",))
    draft.emit(ev.InvestmentDeclined(command.seat))
    end_turn(draft)


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
    richest opponent, the next in turn if several are, and gives away the cheapest establishment. It
    demolishes the cheapest landmark, closes the card of which the opponents have the most open copies beyond
    those of the seat, and invests nothing.
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
    if state.phase == "demolish":
        return cmd.Demolish(seat, _cheapest_landmark(state))
    if state.phase == "move":
        card, to_seat = min(gifts(state), key=lambda gift: state.rules.prices[gift[0]][0])
        return cmd.MoveEstablishment(seat, state.rules.ids[card], to_seat)
    if state.phase == "renovate":
        return cmd.Renovate(seat, _most_of_others(state))
    if state.phase == "invest":
        return cmd.DeclineInvestment(seat)
    return cmd.Pass(seat)


def _cheapest(state: MatchState) -> str:
    rules = state.rules
    owned = [card for card in range(rules.establishments) if state.cities[state.active][card]]
    return rules.ids[min(owned, key=lambda card: rules.prices[card][0])]


def _cheapest_landmark(state: MatchState) -> str:
    rules = state.rules
    return rules.ids[min(demolitions(state), key=lambda card: rules.prices[card][0])]


def _most_of_others(state: MatchState) -> str:
    """The establishment of which the opponents have the most open copies, less those of the seat."""

    def lead(card: int) -> int:
        others = sum([open_copies(state, seat, card) for seat in opponents(state)])
        return others - open_copies(state, state.active, card)

    return state.rules.ids[max(renovations(state), key=lead)]


def finish_turn(draft: Draft) -> None:
    """After building or passing: request the decision to invest if the seat may, else end the turn."""
    state = draft.state
    card = draft.rules.invests
    has_card = card >= 0 and state.cities[state.active][card] > 0
    if has_card and state.coins[state.active] >= draft.rules.firings[card].amount:
        draft.emit(ev.ChoiceRequested(state.active, "invest", draft.rules.ids[card]))
    else:
        end_turn(draft)


def end_turn(draft: Draft) -> None:
    """End the active seat's turn and begin the next: an extra one, or that of the next seat in play."""
    state = draft.state
    draft.emit(ev.TurnEnded(state.turn, state.active))
    if state.turn >= TURN_LIMIT:
        call_off(draft, "turn_limit")
        return
    if state.extra_turn_due and not state.resigned[state.active]:
        draft.emit(ev.TurnStarted(state.turn + 1, state.active, "roll", True))
        return
    seat = _next_seat(draft)
    round = _next_round(draft, seat)
    phase = "setup" if round else "roll"
    draft.emit(ev.TurnStarted(state.turn + 1, seat, phase, False, round))


def _next_seat(draft: Draft) -> int:
    state = draft.state
    seats = len(state.coins)
    seat = (state.active + 1) % seats
    while state.resigned[seat]:
        seat = (seat + 1) % seats
    return seat


def _next_round(draft: Draft, seat: int) -> int:
    """The building round of the next turn; 0 after the last one."""
    state = draft.state
    if not state.round:
        return 0
    seats = len(state.coins)
    went_round = (seat - state.first_seat) % seats <= (state.active - state.first_seat) % seats
    round = state.round + went_round
    return round if round <= draft.rules.ruleset.building_rounds else 0


def finish(draft: Draft, winner: int, reason: str) -> None:
    """End the match."""
    draft.emit(ev.MatchFinished(winner, reason))


def call_off(draft: Draft, reason: str) -> None:
    """End the match without a winner."""
    draft.emit(ev.MatchAborted(reason))


def reveal_seed(draft: DraftWith[Reveal]) -> None:
    """Reveal the match seed, in the last event of the match."""
    key_id, seed = draft.chance.reveal()
    if seed:
        draft.emit(ev.DiceRevealed(key_id, seed))


def resign(draft: DraftWith[Throws], command: cmd.Resign) -> None:
    """Leave the match, at any time and on anybody's turn."""
    state = draft.state
    require_running(state)
    if not 0 <= command.seat < len(state.coins):
        raise RuleViolation("validation_failed", f"the match has no seat {command.seat}", "/seat")
    if state.resigned[command.seat]:
        raise RuleViolation("wrong_phase", f"seat {command.seat} has already resigned", "/seat")
    leave(draft, command.seat, "command")


def leave(draft: DraftWith[Throws], seat: int, reason: str) -> None:
    """Take a seat out of play: it has no turns, income or payments. The last seat in play wins.

    If it was the active seat, its turn ends at once. If its leaving takes the last answer away from a choice
    that must be made, the turn continues without that choice.
    """
    state = draft.state
    draft.emit(ev.SeatResigned(seat, reason))
    left = [other for other, gone in enumerate(state.resigned) if not gone]
    if len(left) == 1:
        finish(draft, left[0], "resignation")
    elif state.active == seat:
        end_turn(draft)
    elif _has_no_answer(state):
        card = state.pending_card
        draft.emit(ev.ChoiceLapsed(state.active, card))
        resume(draft, card)


def _has_no_answer(state: MatchState) -> bool:
    if state.phase == "move":
        return next(gifts(state), None) is None
    return state.phase == "renovate" and not renovations(state)
