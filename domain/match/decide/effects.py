"""The effects of cards when a roll is paid out, and of landmarks when they are built.

`pay_out` runs the stages of the plan for the total. A stage that needs an answer requests a choice and stops;
the answer resumes after that stage.
"""

from collections.abc import Callable
from typing import Final

from domain.match import events as ev
from domain.match.chance import Throws
from domain.match.decide.draft import Draft, DraftWith, opponents
from domain.match.decide.exchanges import gifts, renovations, trades
from domain.match.rules import Firing, PayoutStage
from domain.match.state import MatchState, in_force, is_double, open_copies


def pay_out(draft: DraftWith[Throws], start: int = 0) -> None:
    """Run the stages from `start` on, until one requests a choice or all are done."""
    plan = draft.rules.plans[draft.state.total]
    for i in range(start, len(plan)):
        if STAGES[plan[i].kind](draft, plan[i]):
            return


def resume(draft: DraftWith[Throws], card: str) -> None:
    """Continue after the stage of the card whose choice was answered."""
    plan = draft.rules.plans[draft.state.total]
    for i, step in enumerate(plan):
        if step.firings[0].id == card:
            pay_out(draft, i + 1)
            return
    raise AssertionError(f"no stage of {card!r} in the plan")


def _fires(state: MatchState, firing: Firing, seat: int) -> int:
    """The number of copies that fire for the seat."""
    if firing.needs >= 0 and state.cities[seat][firing.needs] == 0:
        return 0
    if firing.below_landmarks and state.landmarks[seat] >= firing.below_landmarks:
        return 0
    if state.landmarks[state.active] < firing.roller_landmarks:
        return 0
    return open_copies(state, seat, firing.card)


def activate(draft: Draft, firing: Firing, seat: int) -> int:
    """Open the seat's closed copies again; returns the number of copies that fire, which were open before.

    A roll that a card waits for opens it even if it would not have paid (docs/rules.md, section 4, 2).
    """
    state = draft.state
    copies = _fires(state, firing, seat)
    if state.closed and state.closed[seat][firing.card]:
        draft.emit(ev.EstablishmentsReopened(seat, firing.id, state.closed[seat][firing.card]))
    return copies


def _counted(city: list[int], firing: Firing) -> int:
    return sum([city[card] for card in firing.counted])


def _boost(state: MatchState, firing: Firing, seat: int) -> int:
    """The additional coins per firing copy."""
    more = 0
    for landmark in firing.boosts:
        if in_force(state, seat, landmark):
            more += 1
    return more


def coins_per_copy(state: MatchState, firing: Firing, seat: int) -> int:
    """The coins per firing copy for the seat."""
    more = _boost(state, firing, seat) if firing.boosts else 0
    if firing.kind == "per_counted_of_all":
        return firing.amount * sum(
            [_counted(state.cities[other], firing) for other in (state.active, *opponents(state))]
        )
    if firing.kind != "per_counted":
        return firing.amount + more
    counted = _counted(state.cities[seat], firing)
    if firing.boost_per_counted:
        return (firing.amount + more) * counted
    return firing.amount * counted + more


def pay(draft: Draft, payer: int, payee: int, card: str, copies: int, owed: int) -> None:
    """One seat pays another what it owes, up to what it has; the rest lapses."""
    if owed > 0:
        paid = min(owed, draft.state.coins[payer])
        draft.emit(ev.PaymentMade(payer, payee, card, copies, owed, paid))


def receive(draft: Draft, seat: int, card: str, copies: int, coins: int) -> None:
    """The bank pays a seat."""
    if coins > 0:
        draft.emit(ev.IncomeReceived(seat, card, copies, coins))


def _red(draft: Draft, step: PayoutStage) -> bool:
    """The active player pays anticlockwise, each owner in full before the next (docs/rules.md, section 2)."""
    state = draft.state
    active = state.active
    for seat in reversed(opponents(state)):
        for firing in step.firings:
            copies = activate(draft, firing, seat)
            if copies:
                takes_all = firing.kind == "all_from_roller"
                owed = state.coins[active] if takes_all else copies * coins_per_copy(state, firing, seat)
                pay(draft, active, seat, firing.id, copies, owed)
    return False


def _income(draft: Draft, step: PayoutStage) -> bool:
    """Blue for every owner, green for the active player alone; clockwise from the active seat."""
    state = draft.state
    active = state.active
    seats = len(state.coins)
    for i in range(seats):
        seat = (active + i) % seats
        if state.resigned[seat]:
            continue
        for firing in step.firings:
            if firing.own_turn_only and seat != active:
                continue
            copies = activate(draft, firing, seat)
            if copies:
                _settle(draft, firing, seat, copies)
    return False


def _settle(draft: Draft, firing: Firing, seat: int, copies: int) -> None:
    """What passes between the bank and an owner of blue or green cards."""
    state = draft.state
    if firing.kind == "to_bank":
        owed = copies * firing.amount
        draft.emit(ev.FeePaid(seat, firing.id, copies, owed, min(owed, state.coins[seat])))
        return
    receive(draft, seat, firing.id, copies, copies * coins_per_copy(state, firing, seat))
    if firing.closes:
        closed = [copies if other == seat else 0 for other in range(len(state.coins))]
        draft.emit(ev.EstablishmentsClosed(seat, firing.id, firing.id, tuple(closed)))


def _boats(draft: DraftWith[Throws], step: PayoutStage) -> bool:
    """One roll of two dice for the whole table, if any boat pays (docs/rules.md, section 3, 3)."""
    state = draft.state
    firing = step.firings[0]
    fleets = [(seat, activate(draft, firing, seat)) for seat in (state.active, *opponents(state))]
    owners = [(seat, copies) for seat, copies in fleets if copies]
    if owners:
        values = draft.chance.throw(state, "boats", 2)
        draft.emit(ev.DiceRolled("boats", values, sum(values)))
        for seat, copies in owners:
            receive(draft, seat, firing.id, copies, copies * sum(values))
    return False


def _from_each(draft: Draft, step: PayoutStage) -> bool:
    firing = step.firings[0]
    copies = draft.state.cities[draft.state.active][firing.card]
    if copies:
        take_from_each(draft, firing, copies)
    return False


def take_from_each(draft: Draft, firing: Firing, copies: int) -> None:
    """Every opponent pays the effect's fixed amount."""
    for seat in opponents(draft.state):
        pay(draft, seat, draft.state.active, firing.id, copies, copies * firing.amount)


def _from_each_per_symbol(draft: Draft, step: PayoutStage) -> bool:
    firing = step.firings[0]
    copies = draft.state.cities[draft.state.active][firing.card]
    if copies:
        take_per_symbol(draft, firing, copies)
    return False


def take_per_symbol(draft: Draft, firing: Firing, copies: int) -> None:
    """Every opponent pays for its own establishments that the effect counts."""
    for seat in opponents(draft.state):
        counted = _counted(draft.state.cities[seat], firing)
        pay(draft, seat, draft.state.active, firing.id, copies, copies * firing.amount * counted)


def _half_from_each(draft: Draft, step: PayoutStage) -> bool:
    firing = step.firings[0]
    for _ in range(draft.state.cities[draft.state.active][firing.card]):
        take_half(draft, firing, 1)
    return False


def take_half(draft: Draft, firing: Firing, copies: int) -> None:
    """Every opponent at or above the threshold pays half, rounded down."""
    state = draft.state
    for seat in opponents(state):
        if state.coins[seat] >= firing.threshold:
            pay(draft, seat, state.active, firing.id, copies, state.coins[seat] // 2)


def _take_per_landmark(draft: Draft, firing: Firing, copies: int) -> None:
    state = draft.state
    for seat in opponents(state):
        pay(draft, seat, state.active, firing.id, copies, copies * firing.amount * state.landmarks[seat])


def _level_coins(draft: Draft, firing: Firing, copies: int) -> None:
    """Pool the coins of all seats in play and divide them equally, rounded up with coins from the bank."""
    state = draft.state
    sharing = [state.active, *opponents(state)]
    pool = sum([state.coins[seat] for seat in sharing])
    share = -(-pool // len(sharing))
    coins = tuple(share if seat in sharing else state.coins[seat] for seat in range(len(state.coins)))
    draft.emit(ev.CoinsLevelled(state.active, firing.id, coins, share * len(sharing) - pool))


def _from_one(draft: Draft, step: PayoutStage) -> bool:
    """Request whom to take coins from, unless nobody has any."""
    state = draft.state
    firing = step.firings[0]
    copies = state.cities[state.active][firing.card]
    if not copies or not any([state.coins[seat] for seat in opponents(state)]):
        return False
    draft.emit(ev.ChoiceRequested(state.active, "take_coins", firing.id, copies))
    return True


def _swap(draft: Draft, step: PayoutStage) -> bool:
    state = draft.state
    firing = step.firings[0]
    return request_swap(draft, firing.id, state.cities[state.active][firing.card])


def request_swap(draft: Draft, card: str, copies: int) -> bool:
    """Request a trade for the next copy, unless no trade could change anything."""
    if copies and any(give != take for give, _, take in trades(draft.state)):
        draft.emit(ev.ChoiceRequested(draft.state.active, "swap", card, copies))
        return True
    return False


def _demolish(draft: Draft, step: PayoutStage) -> bool:
    firing = step.firings[0]
    return request_demolition(draft, firing.id, activate(draft, firing, draft.state.active))


def request_demolition(draft: Draft, card: str, copies: int) -> bool:
    """Request the landmark to turn back for the next copy, unless the seat has none."""
    state = draft.state
    if copies and state.landmarks[state.active]:
        draft.emit(ev.ChoiceRequested(state.active, "demolish", card, copies))
        return True
    return False


def _move(draft: Draft, step: PayoutStage) -> bool:
    firing = step.firings[0]
    return request_move(draft, firing.id, activate(draft, firing, draft.state.active))


def request_move(draft: Draft, card: str, copies: int) -> bool:
    """Request the gift for the next copy, unless nothing can be given."""
    if copies and next(gifts(draft.state), None) is not None:
        draft.emit(ev.ChoiceRequested(draft.state.active, "move", card, copies))
        return True
    return False


def _renovate(draft: Draft, step: PayoutStage) -> bool:
    """Request what closes for renovation, unless no establishment in play can close."""
    state = draft.state
    firing = step.firings[0]
    if not state.cities[state.active][firing.card] or not renovations(state):
        return False
    draft.emit(ev.ChoiceRequested(state.active, "renovate", firing.id))
    return True


def _invest(draft: Draft, step: PayoutStage) -> bool:
    """Every opponent pays as many coins as the seat has invested."""
    state = draft.state
    firing = step.firings[0]
    if state.cities[state.active][firing.card]:
        for seat in opponents(state):
            pay(draft, seat, state.active, firing.id, 1, firing.amount * state.invested[state.active])
    return False


def _level(draft: Draft, step: PayoutStage) -> bool:
    firing = step.firings[0]
    if draft.state.cities[draft.state.active][firing.card]:
        _level_coins(draft, firing, 1)
    return False


def _income_on_total(draft: Draft, step: PayoutStage) -> bool:
    state = draft.state
    firing = step.firings[0]
    if state.total == firing.threshold and in_force(state, state.active, firing.card):
        receive(draft, state.active, firing.id, 1, firing.amount)
    return False


def _from_each_on_double(draft: Draft, step: PayoutStage) -> bool:
    state = draft.state
    firing = step.firings[0]
    if is_double(state) and in_force(state, state.active, firing.card):
        take_from_each(draft, firing, 1)
    return False


def _income_if_nothing_received(draft: Draft, step: PayoutStage) -> bool:
    """Payments by the seat do not matter; an income of 0 is none (docs/rules.md, section 5, 4)."""
    state = draft.state
    firing = step.firings[0]
    if len(state.dice) == 2 and state.received == 0 and in_force(state, state.active, firing.card):
        receive(draft, state.active, firing.id, 1, firing.amount)
    return False


def _extra_turn_on_double(draft: Draft, step: PayoutStage) -> bool:
    """Granted while the roll is paid out, so a landmark built later in the turn has no effect."""
    state = draft.state
    firing = step.firings[0]
    if is_double(state) and in_force(state, state.active, firing.card):
        _grant_extra_turn(draft, firing, 1)
    return False


def _grant_extra_turn(draft: Draft, firing: Firing, copies: int) -> None:
    """A turn has at most one extra turn, however often it is granted."""
    if not draft.state.extra_turn_due:
        draft.emit(ev.ExtraTurnGranted(draft.state.active, firing.id))


def _give_on_double(draft: Draft, step: PayoutStage) -> bool:
    """Request what to give to the previous seat, unless the seat has no establishment."""
    state = draft.state
    firing = step.firings[0]
    if not is_double(state) or not in_force(state, state.active, firing.card):
        return False
    if not any(state.cities[state.active][: draft.rules.establishments]):
        return False
    draft.emit(ev.ChoiceRequested(state.active, "give", firing.id))
    return True


def _help(draft: Draft, step: PayoutStage) -> bool:
    """A coin for an empty purse, between income and building."""
    state = draft.state
    firing = step.firings[0]
    if state.coins[state.active] == 0 and (firing.needs < 0 or state.cities[state.active][firing.needs] > 0):
        draft.emit(ev.HelpReceived(state.active, firing.amount))
    return False


STAGES: Final[dict[str, Callable[[DraftWith[Throws], PayoutStage], bool]]] = {
    "red": _red,
    "income": _income,
    "boats": _boats,
    "from_each": _from_each,
    "from_one": _from_one,
    "swap": _swap,
    "from_each_per_symbol": _from_each_per_symbol,
    "half_from_each": _half_from_each,
    "income_on_total": _income_on_total,
    "from_each_on_double": _from_each_on_double,
    "income_if_nothing_received": _income_if_nothing_received,
    "extra_turn_on_double": _extra_turn_on_double,
    "give_on_double": _give_on_double,
    "demolish": _demolish,
    "move": _move,
    "renovate": _renovate,
    "invest": _invest,
    "level_coins": _level,
    "help": _help,
}
"""The stages of paying out a roll; each returns whether it requested a choice."""

WHEN_BUILT: Final[dict[str, Callable[[Draft, Firing, int], None]]] = {
    "from_each": take_from_each,
    "from_each_per_symbol": take_per_symbol,
    "half_from_each": take_half,
    "from_each_per_landmark": _take_per_landmark,
    "level_coins": _level_coins,
    "extra_turn": _grant_extra_turn,
}
"""The effects of landmarks that act once, when they are built."""
