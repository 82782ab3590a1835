"""The outlook of the seat to act: its expected income, and how other cards would change it.

It mirrors `players.outlook` and `turn`, with the same sums of floats. The forecast has begun.
"""

from __future__ import annotations

from kernel.effects import act_when_built
from kernel.forecast import (
    EVERY_TOTAL,
    add_card,
    expected_gain,
    gain_of,
    gains_at,
    put_card_back,
    put_gains,
    share_of,
    take_card,
)
from kernel.layout import (
    ACTIVE,
    ADDER,
    AFFECTED,
    AMOUNT,
    COINS,
    DOUBLER,
    GRANT_EXTRA_TURN,
    IS_ASKED,
    MOST_SEATS,
    PAYERS,
    REROLLER,
    RESIGNED,
    SEATS,
    THRESHOLD,
    WHEN_BUILT,
    Luck,
    Row,
    Tables,
)
from kernel.legal import may_roll_two
from kernel.queries import in_force
from kernel.workspaces import (
    BEST_DICE,
    CHANGED,
    FIRST_DOUBLE,
    FIRST_OTHER,
    KNOWN,
    ONE_DIE,
    ONE_FIRST,
    PAID,
    ROLLS,
    SAVED,
    TWO_DICE_ONLY,
)

_LEAST_INCOME = 0.1
"""As `players.outlook.LEAST_INCOME`."""


def _works(t: Tables, s: Row, seat: int, landmark: int) -> bool:
    return landmark >= 0 and in_force(t, s, seat, landmark)


def _value_of_roll(w: Luck, at: int, seat: int, roll: int, more: float) -> float:
    gain = w[at + roll * MOST_SEATS + seat]
    return gain + more if FIRST_DOUBLE <= roll < FIRST_OTHER else gain * 1.0


def _extra(t: Tables, s: Row, w: Luck, at: int, seat: int, dice: int) -> float:
    """What a double is worth beyond its gain: the extra turn."""
    if dice == 1 or not _works(t, s, seat, t[DOUBLER]):
        return 0.0
    return expected_gain(w, at, seat, 2)


def _average(w: Luck, at: int, seat: int, dice: int, more: float, least: float) -> float:
    """The mean value of a throw, of which no roll counts less than `least`."""
    start, end = (0, FIRST_DOUBLE) if dice == 1 else (FIRST_DOUBLE, ROLLS)
    found = 0.0
    for roll in range(start, end):
        found += max(_value_of_roll(w, at, seat, roll, more), least) * share_of(roll)
    return found


def _value_of_throw(t: Tables, s: Row, w: Luck, at: int, seat: int, dice: int) -> float:
    """The value of throwing so many dice, with a reroll and an extra turn if the seat has them."""
    more = _extra(t, s, w, at, seat, dice)
    mean = _average(w, at, seat, dice, more, -1e9)
    return _average(w, at, seat, dice, more, mean) if _works(t, s, seat, t[REROLLER]) else mean


def _coins_of_turn(t: Tables, s: Row, w: Luck, at: int, seat: int) -> float:
    """The value of the active seat's own turn, whose gains are there."""
    one = _value_of_throw(t, s, w, at, seat, 1)
    return max(one, _value_of_throw(t, s, w, at, seat, 2)) if may_roll_two(t, s) else one


def best_number_of_dice(t: Tables, s: Row, w: Luck, at: int, seat: int) -> int:
    """The better number of dice for the active seat, one on a tie."""
    if not may_roll_two(t, s):
        return 1
    one = _value_of_throw(t, s, w, at, seat, 1)
    return 2 if _value_of_throw(t, s, w, at, seat, 2) > one else 1


def is_below_average(t: Tables, s: Row, w: Luck, seat: int, roll: int) -> bool:
    """Whether the expected value of another roll is higher than that of this one."""
    at, dice = gains_at(KNOWN, seat), 1 if roll < FIRST_DOUBLE else 2
    more = _extra(t, s, w, at, seat, dice)
    return _value_of_roll(w, at, seat, roll, more) < _average(w, at, seat, dice, more, -1e9)


def put_known_gains(t: Tables, s: Row, w: Luck, seat: int) -> None:
    """The gains from all rolls of all seats in play, their better dice, and when the seat pays anybody."""
    for roller in range(t[SEATS]):
        for payer in range(t[SEATS]):
            w[PAID + roller * MOST_SEATS + payer] = 0
        if s[RESIGNED + roller]:
            continue
        s[ACTIVE] = roller
        s[PAYERS] = IS_ASKED
        at = gains_at(KNOWN, roller)
        two = roller == seat or may_roll_two(t, s)
        put_gains(t, s, w, at, at, EVERY_TOTAL, ONE_FIRST if two else ONE_DIE)
        w[BEST_DICE + roller] = best_number_of_dice(t, s, w, at, roller)
    s[PAYERS] = 0
    s[ACTIVE] = seat


def income_of(t: Tables, s: Row, w: Luck, seat: int) -> float:
    """A seat's expected gain while every seat in play has one turn; at least a little."""
    active = s[ACTIVE]
    s[ACTIVE] = seat
    found = _coins_of_turn(t, s, w, gains_at(KNOWN, seat), seat)
    s[ACTIVE] = active
    for roller in range(t[SEATS]):
        if roller != seat and not s[RESIGNED + roller]:
            found += expected_gain(w, gains_at(KNOWN, roller), seat, w[BEST_DICE + roller])
    return max(_LEAST_INCOME, found)


def _affected(t: Tables, card: int) -> int:
    """The totals, one bit each, that a copy of the card can change."""
    found = t[AFFECTED + card]
    if card == t[ADDER]:
        found |= EVERY_TOTAL & ~((1 << t[THRESHOLD + card]) - 1)
    return found


def _put_card(t: Tables, s: Row, seat: int, card: int, copies: int) -> int:
    if card < 0:
        return 0
    add_card(t, s, seat, card, copies)
    return _affected(t, card)


def change_of_income(
    t: Tables, s: Row, w: Luck, seat: int, first: int, second: int, third: int, less: int
) -> float:
    """The change of the seat's income with three more cards and one less, -1 for none."""
    known, at = gains_at(KNOWN, seat), gains_at(CHANGED, seat)
    before = _coins_of_turn(t, s, w, known, seat)
    mask = _put_card(t, s, seat, first, 1) | _put_card(t, s, seat, second, 1)
    mask |= _put_card(t, s, seat, third, 1)
    is_closed = 0
    if less >= 0:
        mask |= _affected(t, less)
        is_closed = take_card(t, s, seat, less)
    put_gains(t, s, w, at, known, mask, ONE_FIRST if may_roll_two(t, s) else ONE_DIE)
    found = _coins_of_turn(t, s, w, at, seat) - before
    for roller in range(t[SEATS]):
        if roller == seat or s[RESIGNED + roller]:
            continue
        s[ACTIVE] = roller
        dice = w[BEST_DICE + roller]
        known, at = gains_at(KNOWN, roller), gains_at(CHANGED, roller)
        put_gains(t, s, w, at, known, mask, ONE_DIE if dice == 1 else TWO_DICE_ONLY)
        start, end = (0, FIRST_DOUBLE) if dice == 1 else (FIRST_DOUBLE, ROLLS)
        for roll in range(start, end):
            gained = w[at + roll * MOST_SEATS + seat] - w[known + roll * MOST_SEATS + seat]
            found += share_of(roll) * gained
    s[ACTIVE] = seat
    _put_card(t, s, seat, first, -1)
    _put_card(t, s, seat, second, -1)
    _put_card(t, s, seat, third, -1)
    if less >= 0:
        put_card_back(s, seat, less, is_closed)
    return found


def _is_risky(t: Tables, s: Row, w: Luck, seat: int, roller: int, roll: int) -> bool:
    """Whether the seat pays with that roll, or if the roller adds to it."""
    paid = w[PAID + roller * MOST_SEATS + seat]
    total = roll + 1
    if roll >= FIRST_OTHER:
        total = roll - FIRST_OTHER + 3
    elif roll >= FIRST_DOUBLE:
        total = 2 * (roll - FIRST_DOUBLE + 1)
    adder = t[ADDER]
    if adder >= 0 and total >= t[THRESHOLD + adder] and in_force(t, s, roller, adder):
        paid |= paid >> t[AMOUNT + adder]
    return (paid >> total) & 1 == 1


def gain_at_risk(t: Tables, s: Row, w: Luck, seat: int, coins: int) -> float:
    """The seat's expected gain in the next round, with that many coins, from rolls on which it pays."""
    now = w[SAVED + COINS + seat]
    w[SAVED + COINS + seat] = coins
    found = 0.0
    for roller in range(t[SEATS]):
        if s[RESIGNED + roller] or w[PAID + roller * MOST_SEATS + seat] == 0:
            continue
        at, dice = gains_at(KNOWN, roller), w[BEST_DICE + roller]
        if coins != now:
            s[ACTIVE] = roller
            at = gains_at(CHANGED, roller)
            put_gains(t, s, w, at, at, EVERY_TOTAL, ONE_DIE if dice == 1 else TWO_DICE_ONLY)
        start, end = (0, FIRST_DOUBLE) if dice == 1 else (FIRST_DOUBLE, ROLLS)
        for roll in range(start, end):
            if _is_risky(t, s, w, seat, roller, roll):
                found += share_of(roll) * w[at + roll * MOST_SEATS + seat]
    w[SAVED + COINS + seat] = now
    s[ACTIVE] = seat
    return found


def gained_at_once(t: Tables, s: Row, w: Luck, seat: int, card: int, price: int) -> float:
    """The seat's one-time gain when it builds a landmark."""
    kind = t[WHEN_BUILT + card]
    if kind == 0:
        return 0.0
    if kind == GRANT_EXTRA_TURN:
        return _coins_of_turn(t, s, w, gains_at(KNOWN, seat), seat)
    for other in range(t[SEATS]):
        s[COINS + other] = w[SAVED + COINS + other]
    s[COINS + seat] -= price
    act_when_built(t, s, kind, card)
    return (gain_of(s, w, seat) + price) * 1.0
