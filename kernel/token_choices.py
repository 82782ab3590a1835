"""The choices of built-in players about demolitions, gifts, renovations and investments.

They mirror `best_of_tokens` of `players.choices`, and `players.tokens`.
"""

from __future__ import annotations

from kernel.forecast import begin_forecast, end_forecast, income_now, income_with
from kernel.layout import (
    ACTIVE,
    AMOUNT,
    BOATS,
    BOATS_MEAN,
    COINS,
    DEMOLISH,
    DEMOLITION,
    INVEST_COIN,
    KEEP_COIN,
    LANDMARKS,
    MOST_SEATS,
    MOVE,
    MOVE_CARD,
    MOVING,
    PAYS_BANK,
    PENDING_CARD,
    PHASE,
    RENOVATE,
    RENOVATE_CARD,
    RESIGNED,
    SEATS,
    STAGE_OF,
    WAYS_TO_INVESTMENT,
    Codes,
    Luck,
    Row,
    Tables,
)
from kernel.legal import may_roll_two
from kernel.queries import open_copies
from kernel.tokens import cheapest_demolition, coins_of_special

_ROUNDS = 12
"""As `players.tokens.ROUNDS`."""
_WAYS = 36


def _best_gift(t: Tables, s: Row, w: Luck, out: Codes, count: int) -> int:
    """Give away the card without which the income stays highest, to the opponent furthest from winning."""
    seat, last, best, most = s[ACTIVE] * 1, -1, -1, 0.0
    begin_forecast(s, w)
    income_now(t, s, w, seat)
    for i in range(count):
        card = (out[i] - MOVE_CARD) // MOST_SEATS
        if card == last:
            continue
        last = card
        income = income_with(t, s, w, seat, -1, card)
        if best < 0 or income > most:
            best, most = card, income
    end_forecast(s, w)
    found = -1
    for i in range(count):
        taker = (out[i] - MOVE_CARD) % MOST_SEATS
        if (out[i] - MOVE_CARD) // MOST_SEATS != best:
            continue
        other = (found - MOVE_CARD) % MOST_SEATS
        more = s[LANDMARKS + taker] - s[LANDMARKS + other]
        if found < 0 or more < 0 or (more == 0 and s[COINS + taker] < s[COINS + other]):
            found = out[i] * 1
    return found


def _activation(t: Tables, s: Row, card: int, seat: int) -> int:
    """What the open copies of a card bring its owner when they fire, in coins."""
    copies = open_copies(t, s, seat, card)
    if t[STAGE_OF + card] in (DEMOLITION, MOVING):
        return 0
    if t[STAGE_OF + card] == BOATS:
        return copies * BOATS_MEAN
    coins = copies * coins_of_special(t, s, card, seat)
    return -coins if t[PAYS_BANK + card] else coins


def _worth_of_closing(t: Tables, s: Row, card: int) -> float:
    """The coins now, and one activation that opponents lose, less one's own."""
    active, amount = s[ACTIVE], t[AMOUNT + s[PENDING_CARD]]
    paid, lost, others = 0, 0, 0
    for seat in range(t[SEATS]):
        if seat != active and not s[RESIGNED + seat]:
            paid += min(s[COINS + seat], amount * open_copies(t, s, seat, card))
            lost += _activation(t, s, card, seat)
            others += 1
    return paid + lost / others - _activation(t, s, card, active)


def _best_closing(t: Tables, s: Row, out: Codes, count: int) -> int:
    best, most = -1, 0.0
    for i in range(count):
        worth = _worth_of_closing(t, s, out[i] - RENOVATE_CARD)
        if best < 0 or worth > most:
            best, most = out[i] * 1, worth
    return best


def _is_investment_worth_it(t: Tables, s: Row) -> bool:
    """Whether a coin is likely to bring more than it costs, from all opponents and over some rounds."""
    others = -1
    for seat in range(t[SEATS]):
        others += 0 if s[RESIGNED + seat] else 1
    return may_roll_two(t, s) and _ROUNDS * (t[WAYS_TO_INVESTMENT] / _WAYS) * others > 1


def choose_about_tokens(t: Tables, s: Row, w: Luck, out: Codes, count: int) -> int:
    """The best of the listed answers to a demolition, a gift, a renovation or an investment."""
    if s[PHASE] == DEMOLISH:
        return cheapest_demolition(t, s)
    if s[PHASE] == MOVE:
        return _best_gift(t, s, w, out, count)
    if s[PHASE] == RENOVATE:
        return _best_closing(t, s, out, count)
    return INVEST_COIN if _is_investment_worth_it(t, s) else KEEP_COIN
