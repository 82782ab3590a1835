"""Building a card or passing, which ends a turn, and the refill of market rows."""

from domain.errors import RuleViolation
from domain.match import commands as cmd
from domain.match import events as ev
from domain.match.chance import Draws
from domain.match.decide.draft import Draft, DraftWith, card_index, opponents, require_turn
from domain.match.decide.effects import WHEN_BUILT, receive
from domain.match.decide.turns import finish, finish_turn
from domain.match.rules import Rules
from domain.match.state import MatchState, in_force, wins

REFUSALS = {
    "card_not_available": "{card} is not for sale",
    "landmark_already_built": "{card} is already built",
    "major_already_owned": "a city can have only one {card}",
    "copy_limit_reached": "the city has as many {card} as max_copies allows",
    "loan_office_condition": "only the sole player without a landmark can build {card}",
    "insufficient_coins": "{card} costs {price}, but the seat has {coins}",
}
"""By code: why a card cannot be built."""


def price(state: MatchState, seat: int, card: int) -> int:
    """The current price of the card for the seat, in coins, at least 0."""
    rules = state.rules
    prices = rules.prices[card]
    if len(prices) == 1:
        return prices[0]
    cost = prices[min(state.landmarks[seat], len(prices) - 1)]
    for discount in rules.discounts:
        if card in discount.targets and in_force(state, seat, discount.landmark):
            cost -= discount.amount
    return max(cost, 0)


def refusal(state: MatchState, seat: int, card: int) -> str:
    """The code of the first reason why the seat cannot build the card now; empty if it can."""
    rules = state.rules
    city = state.cities[seat]
    if card >= rules.establishments:
        reason = _landmark_refusal(state, rules, seat, card)
        if reason:
            return reason
    elif state.supply[card] <= 0:
        return "card_not_available"
    elif rules.unique[card] and city[card] > 0:
        return "major_already_owned"
    elif rules.max_copies and city[card] >= rules.max_copies:
        return "copy_limit_reached"
    coins = state.coins[seat]
    if rules.highest_prices[card] <= coins or price(state, seat, card) <= coins:
        return ""
    return "insufficient_coins"


def _landmark_refusal(state: MatchState, rules: Rules, seat: int, card: int) -> str:
    if state.cities[seat][card] > 0:
        return "landmark_already_built"
    if state.phase == "setup" or (not rules.own_landmarks and state.supply[card] <= 0):
        return "card_not_available"
    if card == rules.loan_office and not _is_only_one_without_landmark(state, seat):
        return "loan_office_condition"
    return ""


def _is_only_one_without_landmark(state: MatchState, seat: int) -> bool:
    return state.landmarks[seat] == 0 and all([state.landmarks[other] > 0 for other in opponents(state)])


def build(draft: DraftWith[Draws], command: cmd.Build) -> None:
    state = draft.state
    require_turn(state, command.seat, ("build", "setup"))
    card = card_index(state, command.card, "/card")
    cost = price(state, command.seat, card)
    reason = refusal(state, command.seat, card)
    if reason:
        detail = REFUSALS[reason].format(card=command.card, price=cost, coins=state.coins[command.seat])
        raise RuleViolation(reason, detail, "/card")
    if card < draft.rules.establishments:
        draft.emit(ev.EstablishmentBuilt(command.seat, command.card, cost))
        receive(draft, command.seat, command.card, 1, draft.rules.bonuses[card])
    else:
        draft.emit(ev.LandmarkBuilt(command.seat, command.card, cost))
        if wins(draft.rules, state.landmarks[command.seat], card):
            finish(draft, command.seat, "landmarks")
            return
        _act_when_built(draft, card)
    refill(draft, draft.rules.row_of[card])
    finish_turn(draft)


def _act_when_built(draft: Draft, card: int) -> None:
    firing = draft.rules.firings[card]
    act = WHEN_BUILT.get(firing.kind)
    if act is not None:
        act(draft, firing, 1)


def pass_turn(draft: Draft, command: cmd.Pass) -> None:
    """Build nothing; the Airport pays for that, except in building rounds."""
    state = draft.state
    require_turn(state, command.seat, ("build", "setup"))
    in_setup = state.phase == "setup"
    draft.emit(ev.BuildPassed(command.seat))
    airport = draft.rules.income_on_pass
    if airport >= 0 and not in_setup and in_force(state, command.seat, airport):
        firing = draft.rules.firings[airport]
        receive(draft, command.seat, firing.id, 1, firing.amount)
    finish_turn(draft)


def refill(draft: DraftWith[Draws], row: int) -> None:
    """Draw until the row shows its number of kinds or its deck is empty.

    A deck has no stored order unless one was given: drawing uniformly from the remaining cards is equivalent
    to turning over a shuffled deck.
    """
    wanted = draft.rules.rows[row].kinds if row >= 0 else 0
    if not wanted:
        return
    state = draft.state
    cards = draft.rules.row_cards[row]
    kinds = sum([1 for card in cards if state.supply[card] > 0])
    if kinds >= wanted:
        return
    name = draft.rules.rows[row].name
    shown = [state.supply[card] for card in cards]
    left = [state.decks[card] for card in cards]
    drawn: list[str] = []
    while kinds < wanted and any(left):
        place = _next(draft, row, len(drawn), cards, left)
        left[place] -= 1
        kinds += shown[place] == 0
        shown[place] += 1
        drawn.append(draft.rules.ids[cards[place]])
    if drawn:
        draft.emit(ev.MarketRefilled(name, tuple(drawn)))


def _next(draft: DraftWith[Draws], row: int, drawn: int, cards: list[int], left: list[int]) -> int:
    """The position of the next card in the row's list: from the top of a given deck, else by chance."""
    state = draft.state
    order = state.deck_orders.get(draft.rules.rows[row].name)
    if order is not None:
        return cards.index(draft.rules.index[order[drawn]])
    return draft.chance.draw(state, row, state.draws[row] + drawn + 1, left)
