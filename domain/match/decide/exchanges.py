"""What a seat may trade, give away or close: the answers to choices about establishments."""

from collections.abc import Iterator

from domain.match import events as ev
from domain.match.decide.draft import Draft, opponents
from domain.match.state import MatchState, open_copies


def trades(state: MatchState) -> Iterator[tuple[int, int, int]]:
    """All trades that the active player may make: own card, opponent's seat, opponent's card."""
    rules = state.rules
    own = [card for card, count in enumerate(state.cities[state.active]) if count and rules.tradable[card]]
    for seat in opponents(state):
        city = state.cities[seat]
        theirs = [card for card, count in enumerate(city) if count and rules.tradable[card]]
        for give in own:
            for take in theirs:
                if not rules.max_copies or swap_refusal(state, give, seat, take) == ("", ""):
                    yield give, seat, take


def swap_refusal(state: MatchState, give: int, seat: int, take: int) -> tuple[str, str]:
    """Why the active player may not trade these cards: a code and a pointer; both empty if it may."""
    rules = state.rules
    own = state.cities[state.active]
    other = state.cities[seat]
    for card, city, pointer in ((give, own, "/give"), (take, other, "/take")):
        if not rules.tradable[card]:
            return "card_not_tradable", pointer
        if city[card] == 0:
            return "card_not_owned", pointer
    limit = rules.max_copies
    if limit and give != take:
        if other[give] >= limit:
            return "copy_limit_reached", "/give"
        if own[take] >= limit:
            return "copy_limit_reached", "/take"
    return "", ""


def gifts(state: MatchState) -> Iterator[tuple[int, int]]:
    """All gifts that the active player may make: the card, and the opponent's seat."""
    for card in range(state.rules.establishments):
        for seat in opponents(state):
            if gift_refusal(state, card, seat) == ("", ""):
                yield card, seat


def gift_refusal(state: MatchState, card: int, seat: int) -> tuple[str, str]:
    """Why the active player may not give the card to that opponent: a code and a pointer; both empty if it
    may."""
    rules = state.rules
    if not rules.tradable[card]:
        return "card_not_tradable", "/card"
    if state.cities[state.active][card] == 0:
        return "card_not_owned", "/card"
    if rules.max_copies and state.cities[seat][card] >= rules.max_copies:
        return "copy_limit_reached", "/card"
    return "", ""


def hand_over(draft: Draft, event: ev.Event, moves: list[tuple[int, int, int]]) -> None:
    """Move establishments by the event: card, giver and taker of each.

    An open copy is moved before a closed one, which stays closed (docs/rules.md, section 4, 2).
    """
    state = draft.state
    closed = [move for move in moves if open_copies(state, move[1], move[0]) == 0]
    draft.emit(event)
    for card, giver, taker in closed:
        draft.emit(ev.RenovationMoved(giver, taker, draft.rules.ids[card]))


def demolitions(state: MatchState) -> list[int]:
    """The landmarks that the active player can turn back, in the order of the ruleset."""
    rules, city = state.rules, state.cities[state.active]
    return [card for card in range(rules.establishments, rules.size) if city[card]]


def renovations(state: MatchState) -> list[int]:
    """The establishments that can close: those without the tower symbol of which a city in play has an open
    copy."""
    playing = (state.active, *opponents(state))
    return [
        card
        for card in range(state.rules.establishments)
        if state.rules.tradable[card] and any([open_copies(state, seat, card) for seat in playing])
    ]
