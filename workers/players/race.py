"""How far every seat is from winning: what it still has to pay, and in how many rounds somebody can."""

from typing import Final

from domain.state import MatchState
from workers.players.outlook import Outlook

SHARE = 0.6
FEWEST = 1.0
MOST = 15.0


def still_to_pay(view: MatchState, seat: int, built: int = -1) -> int:
    """What the landmarks cost that the seat still needs to win."""
    rules = view.rules
    have = view.landmarks[seat] + (built >= 0)
    city = view.cities[seat]
    left = [card for card in range(rules.establishments, rules.size) if not city[card]]
    if rules.own_landmarks:
        return sum(sorted([rules.prices[card][0] for card in left if card != built])[: rules.goal - have])
    offered = [card for card in left if view.supply[card] > 0 or card == built] or left
    usual = [card for card in offered if rules.firings[card].kind != "win" and card != rules.loan_office]
    return sum([min([rules.prices[card][step] for card in usual or left]) for step in range(have, rules.goal)])


def rounds_left(view: MatchState, outlook: Outlook) -> float:
    found = MOST / SHARE
    for seat, gone in enumerate(view.resigned):
        if not gone:
            income = max(outlook.income(seat), 0.1)
            found = min(found, (still_to_pay(view, seat) - view.coins[seat]) / income)
    return max(FEWEST, min(MOST, SHARE * found))
