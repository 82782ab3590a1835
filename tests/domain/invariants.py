"""Invariants of the state of a match; each check states a rule in words."""

from domain.match.state import RUNNING, MatchState


def problems(state: MatchState) -> list[str]:
    """All violated invariants, in words; empty if none is, or before the start."""
    if not state.coins:
        return []
    return [*_coin_problems(state), *_card_problems(state), *_turn_problems(state)]


def _coin_problems(state: MatchState) -> list[str]:
    """No purse is ever negative."""
    return [f"seat {seat} holds {coins} coins" for seat, coins in enumerate(state.coins) if coins < 0]


def _card_problems(state: MatchState) -> list[str]:
    rules = state.rules
    found = []
    for card, id in enumerate(rules.ids):
        counts = [city[card] for city in state.cities]
        # No count is negative.
        if min([*counts, state.supply[card], state.decks[card]]) < 0:
            found.append(f"fewer than no {id}")
        # A city holds at most one of each tower card.
        if rules.unique[card] and max(counts) > 1:
            found.append(f"two {id} in one city")
        # The option `max_copies`.
        if rules.max_copies and card < rules.establishments and max(counts) > rules.max_copies:
            found.append(f"more {id} in one city than the option allows")
    # Only copies that are there and can be traded are closed for renovation.
    for seat, closed in enumerate(state.closed):
        for card, copies in enumerate(closed):
            most = state.cities[seat][card] if rules.tradable[card] else 0
            if not 0 <= copies <= most:
                found.append(f"seat {seat} has {copies} closed {rules.ids[card]} of {most}")
    # Only a seat with the card has invested.
    for seat, coins in enumerate(state.invested):
        if coins < 0 or (coins and not state.cities[seat][rules.invests]):
            found.append(f"seat {seat} has invested {coins} coins")
    # `landmarks` has the number of built landmarks.
    for seat, city in enumerate(state.cities):
        if state.landmarks[seat] != sum(city[rules.establishments :]):
            found.append(f"seat {seat} has {state.landmarks[seat]} landmarks counted")
    return found


def _turn_problems(state: MatchState) -> list[str]:
    rules = state.rules
    found = []
    if state.status == RUNNING and state.resigned[state.active]:
        found.append("a seat that resigned is to act")
    for row, cards in zip(rules.rows, rules.row_cards, strict=True):
        kinds = sum([state.supply[card] > 0 for card in cards])
        # A row shows its number of kinds until its deck is empty.
        if state.status == RUNNING and kinds < row.kinds and any(state.decks[card] for card in cards):
            found.append(f"row {row.name} shows {kinds} kinds")
    return found


def card_totals(state: MatchState) -> dict[str, int]:
    """By card id: copies in the supply, decks and cities; constant throughout a match."""
    rules = state.rules
    return {
        id: state.supply[card] + state.decks[card] + sum([city[card] for city in state.cities])
        for card, id in enumerate(rules.ids)
        if rules.row_of[card] >= 0
    }
