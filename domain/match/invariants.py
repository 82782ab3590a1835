"""What can never be wrong with a state, whatever was played: each check states a rule in words."""

from domain.match.state import RUNNING, MatchState


def problems(state: MatchState) -> list[str]:
    """Everything wrong with a state that has been started; empty if nothing is."""
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
        # No stack, deck or city has less than none of a card.
        if min([*counts, state.supply[card], state.decks[card]]) < 0:
            found.append(f"fewer than no {id}")
        # A city holds one of each tower card at most.
        if rules.unique[card] and max(counts) > 1:
            found.append(f"two {id} in one city")
        # The beginners' rule.
        if rules.max_copies and card < rules.establishments and max(counts) > rules.max_copies:
            found.append(f"more {id} in one city than the option allows")
    # The landmarks of a city are counted rightly.
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
        # A row shows its number of kinds while its deck lasts.
        if state.status == RUNNING and kinds < row.kinds and any([state.decks[card] for card in cards]):
            found.append(f"row {row.name} shows {kinds} kinds")
    return found


def card_totals(state: MatchState) -> dict[str, int]:
    """How many copies of each card are on the table, wherever they lie; the same throughout a match."""
    rules = state.rules
    return {
        id: state.supply[card] + state.decks[card] + sum([city[card] for city in state.cities])
        for card, id in enumerate(rules.ids)
        if rules.row_of[card] >= 0
    }
