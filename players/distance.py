"""The distance to winning: coins that a seat still has to pay, and rounds until somebody can."""

from typing import Final

from domain.match.decide.building import price
from domain.match.state import MatchState
from players.outlook import Outlook

SHARE: Final = 0.6
"""The factor on remaining rounds, because incomes grow until the end of the match."""

FEWEST_ROUNDS: Final = 1.0
MOST_ROUNDS: Final = 15.0


def still_to_pay(view: MatchState, seat: int, built: int = -1) -> int:
    """The coins that the seat must still pay to win, as if `built` was built already.

    If landmarks are in the market, this is the cheapest sequence of those for sale.
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
    return _cheapest_sequence(table, seat, left)


def _cheapest_sequence(table: MatchState, seat: int, left: list[int]) -> int:
    """The cost of landmarks one by one, or of one that wins at once; prices depend on the number built."""
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
    """The number of rounds to plan for: a share of what the fastest seat needs at its income."""
    seats = [seat for seat, gone in enumerate(view.resigned) if not gone]
    needs = [(still_to_pay(view, seat) - view.coins[seat]) / outlook.income(seat) for seat in seats]
    return max(FEWEST_ROUNDS, min(MOST_ROUNDS, SHARE * min(needs)))
