"""How far every seat is from winning: what it still has to pay, and in how many rounds somebody can."""

from typing import Final

from domain.match.decide.building import price
from domain.match.state import MatchState
from workers.players.outlook import Outlook

SHARE: Final = 0.6
"""Incomes grow, so a match is over sooner than today's would make it."""

FEWEST_ROUNDS: Final = 1.0
MOST_ROUNDS: Final = 15.0


def still_to_pay(view: MatchState, seat: int, built: int = -1) -> int:
    """What the seat still needs to pay for to win, `built` taken as built already; in coins.

    Where landmarks lie in the market, the cheapest way over those on offer.
    """
    rules = view.rules
    left = [card for card in range(rules.establishments, rules.size) if not view.cities[seat][card]]
    if rules.own_landmarks:
        missing = rules.goal - view.landmarks[seat] - (built >= 0)
        return sum(sorted([rules.prices[card][0] for card in left if card != built])[:missing])
    table = view.copy()
    if built >= 0:
        table.cities[seat][built] = 1
        table.landmarks[seat] += 1
    return _cheapest_way(table, seat, left)


def _cheapest_way(table: MatchState, seat: int, left: list[int]) -> int:
    """Landmark by landmark, or by the one that wins at once; the purse of prices moves with their number."""
    rules = table.rules
    offered = [card for card in left if table.supply[card] > 0]
    usual = [card for card in offered if rules.firings[card].kind != "win" and card != rules.loan_office]
    spent, ways = 0, []
    for have in range(table.landmarks[seat], rules.goal):
        table.landmarks[seat] = have
        ways += [
            spent + price(table, seat, card)
            for card in offered
            if card not in usual and card != rules.loan_office
        ]
        spent += min([price(table, seat, card) for card in usual or left])
    return min([spent, *ways])


def rounds_left(view: MatchState, outlook: Outlook) -> float:
    """For how many rounds it is worth to look ahead: a part of what the fastest seat needs at its income."""
    seats = [seat for seat, gone in enumerate(view.resigned) if not gone]
    needs = [(still_to_pay(view, seat) - view.coins[seat]) / outlook.income(seat) for seat in seats]
    return max(FEWEST_ROUNDS, min(MOST_ROUNDS, SHARE * min(needs)))
