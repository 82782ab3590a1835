"""Forecasts of rolls, with the same sums of floats as `workers.players.forecast`, so that ties fall alike.

A roll is paid out on the row itself, whose head and coins are put back afterwards. The room of a forecast is
described in `kernel.layout`.
"""

from __future__ import annotations

from kernel.effects import choice_made, pay_out
from kernel.layout import (
    ACTIVE,
    ADDER,
    AFFECTED,
    AMOUNT,
    CHANGED,
    CITIES,
    COINS,
    DECLINE_SWAP,
    DICE_MATTER,
    DIE_1,
    DIE_2,
    ESTABLISHMENTS,
    EXTRA_TURN_DUE,
    FIRST_DOUBLE,
    FIRST_OTHER,
    GAINS_WIDTH,
    KNOWN,
    LUCK_FREE,
    MOST_CARDS,
    PHASE,
    RECEIVED,
    RESIGNED,
    ROLLS,
    SAVED,
    SAVED_WIDTH,
    SCRIPT_AT,
    SCRIPTED,
    SEATS,
    SIZE,
    SWAP,
    TAKE_COINS,
    TAKE_FROM,
    THRESHOLD,
    TOTAL,
    Luck,
    Row,
    Tables,
)
from kernel.legal import may_roll_two
from kernel.moves import answer_to_card
from kernel.reading import in_force

_EVERY_TOTAL = (1 << 15) - 1
_OF_ONE_DIE = 1 / 6
_OF_DOUBLE = 1 / 36


def richest_opponent(t: Tables, s: Row) -> int:
    """The opponent in play with most coins, the next in turn if several have."""
    seats, active = t[SEATS], s[ACTIVE]
    found, most = -1, -1
    for i in range(1, seats):
        seat = (active + i) % seats
        if not s[RESIGNED + seat] and s[COINS + seat] > most:
            found, most = seat, s[COINS + seat]
    return found


def begin_forecast(s: Row, w: Luck) -> None:
    """Remember the head and the coins of the row; the boats roll the average of two dice."""
    w[LUCK_FREE] = 3
    w[LUCK_FREE + 1] = 4
    for i in range(SAVED_WIDTH):
        w[SAVED + i] = s[i]


def end_forecast(s: Row, w: Luck) -> None:
    """Put them back."""
    for i in range(SAVED_WIDTH):
        s[i] = w[SAVED + i]


def pay_roll(t: Tables, s: Row, w: Luck, first: int, second: int, total: int) -> None:
    """Pay out a roll of the active seat on the coins of the beginning, with default answers to choices."""
    for seat in range(t[SEATS]):
        s[COINS + seat] = w[SAVED + COINS + seat]
    s[DIE_1] = first
    s[DIE_2] = second
    s[TOTAL] = total
    s[RECEIVED] = 0
    s[EXTRA_TURN_DUE] = 0
    w[SCRIPTED] = 2
    w[SCRIPT_AT] = LUCK_FREE
    choice_made(s)
    start = 0
    while True:
        if start >= 0:
            pay_out(t, s, w, start)
        if s[PHASE] == TAKE_COINS:
            start = answer_to_card(t, s, TAKE_FROM + richest_opponent(t, s))
        elif s[PHASE] == SWAP:
            start = answer_to_card(t, s, DECLINE_SWAP)
        else:
            return


def gain_of(s: Row, w: Luck, seat: int) -> int:
    """What the seat gained from the roll that was paid out."""
    return s[COINS + seat] - w[SAVED + COINS + seat]


def amount_to_add(t: Tables, s: Row, total: int) -> int:
    """What the active seat may add to the total; 0 for nothing."""
    adder = t[ADDER]
    if adder >= 0 and total >= t[THRESHOLD + adder] and in_force(t, s, s[ACTIVE], adder):
        return t[AMOUNT + adder]
    return 0


def _put_gain(t: Tables, s: Row, w: Luck, seat: int, first: int, second: int, at: int) -> None:
    """The gains from one roll, of the roller and of the seat; the roller adds if that is better for it."""
    total, roller = first + second, s[ACTIVE]
    pay_roll(t, s, w, first, second, total)
    own, of_seat = gain_of(s, w, roller), gain_of(s, w, seat)
    more = amount_to_add(t, s, total)
    if more:
        pay_roll(t, s, w, first, second, total + more)
        if gain_of(s, w, roller) > own:
            own, of_seat = gain_of(s, w, roller), gain_of(s, w, seat)
    w[at] = own
    w[at + GAINS_WIDTH] = of_seat


def _do_dice_matter(t: Tables, s: Row) -> bool:
    for card in range(t[ESTABLISHMENTS], t[SIZE]):
        if t[DICE_MATTER + card]:
            for seat in range(t[SEATS]):
                if s[CITIES + seat * MOST_CARDS + card]:
                    return True
    return False


def _roll_of_total(total: int) -> int:
    """The roll of two dice, or of one for 1, that stands for a total if only the total matters."""
    if total == 1:
        return 0
    if total % 2:
        return FIRST_OTHER + total - 3
    return FIRST_DOUBLE + total // 2 - 1


def _put_gains(t: Tables, s: Row, w: Luck, seat: int, base: int, mask: int) -> None:
    """The gains from all rolls of the active seat: new ones for the totals of the mask, else the known ones.

    If only totals matter, one roll stands for all of its total, as in `workers.players.forecast`: a double if
    there is one.
    """
    roller = s[ACTIVE]
    two = may_roll_two(t, s)
    by_total = two and not _do_dice_matter(t, s)
    more = amount_to_add(t, s, 99)
    for i in range(ROLLS):
        roll = (i + FIRST_DOUBLE) % ROLLS
        first, second = roll + 1, 0
        if roll >= FIRST_OTHER:
            total = roll - FIRST_OTHER + 3
            first = max(1, total - 6)
            second = total - first
        elif roll >= FIRST_DOUBLE:
            first = second = roll - FIRST_DOUBLE + 1
        if second and not two:
            continue
        total = first + second
        at = base + roller * ROLLS + roll
        if not (mask >> total) & 1 and not (more and (mask >> (total + more)) & 1):
            known = KNOWN + roller * ROLLS + roll
            w[at] = w[known]
            w[at + GAINS_WIDTH] = w[known + GAINS_WIDTH]
        elif by_total and _roll_of_total(total) != roll:
            known = base + roller * ROLLS + _roll_of_total(total)
            w[at] = w[known]
            w[at + GAINS_WIDTH] = w[known + GAINS_WIDTH]
        else:
            _put_gain(t, s, w, seat, first, second, at)


def _expected(w: Luck, at: int, dice: int) -> float:
    """The expected gain from a throw of so many dice, where `at` has the gains of the rolls."""
    found = 0.0
    if dice == 1:
        for roll in range(FIRST_DOUBLE):
            found += _OF_ONE_DIE * w[at + roll]
        return found
    for roll in range(FIRST_DOUBLE, FIRST_OTHER):
        found += _OF_DOUBLE * w[at + roll]
    for roll in range(FIRST_OTHER, ROLLS):
        total = roll - FIRST_OTHER + 3
        ways = (min(total, 14 - total) - 1) // 2
        found += ways / 18 * w[at + roll]
    return found


def _best_dice(t: Tables, s: Row, w: Luck, base: int) -> int:
    """The number of dice with the higher expected gain for the active seat; one on a tie."""
    if not may_roll_two(t, s):
        return 1
    at = base + s[ACTIVE] * ROLLS
    return 2 if _expected(w, at, 2) > _expected(w, at, 1) else 1


def best_dice(t: Tables, s: Row, w: Luck) -> int:
    """The number of dice with the higher expected gain for the seat to act."""
    begin_forecast(s, w)
    _put_gains(t, s, w, s[ACTIVE], KNOWN, _EVERY_TOTAL)
    found = _best_dice(t, s, w, KNOWN)
    end_forecast(s, w)
    return found


def round_income(t: Tables, s: Row, w: Luck, seat: int, base: int, mask: int) -> float:
    """The seat's expected gain while every seat rolls once, with its best number of dice.

    The gains from totals of the mask are new, the others those that are known. It moves the active seat; the
    forecast has begun, and its end moves it back.
    """
    found = 0.0
    for roller in range(t[SEATS]):
        if not s[RESIGNED + roller]:
            s[ACTIVE] = roller
            _put_gains(t, s, w, seat, base, mask)
            dice = _best_dice(t, s, w, base)
            found += _expected(w, base + roller * ROLLS + GAINS_WIDTH, dice)
    return found


def income_now(t: Tables, s: Row, w: Luck, seat: int) -> float:
    """The seat's income per round with its cards as they are; the known gains from here on."""
    return round_income(t, s, w, seat, KNOWN, _EVERY_TOTAL)


def income_with(t: Tables, s: Row, w: Luck, seat: int, more: int, less: int) -> float:
    """The seat's income per round with one more and one less of a card, -1 for none, in its city."""
    city = CITIES + seat * MOST_CARDS
    mask = 0
    if more >= 0:
        s[city + more] += 1
        mask |= t[AFFECTED + more]
    if less >= 0:
        s[city + less] -= 1
        mask |= t[AFFECTED + less]
    found = round_income(t, s, w, seat, CHANGED, mask)
    if more >= 0:
        s[city + more] -= 1
    if less >= 0:
        s[city + less] += 1
    return found


def gains_by_rerolling(t: Tables, s: Row, w: Luck) -> bool:
    """Whether a new throw is expected to bring the seat to act more than the dice that lie."""
    seat, first, second = s[ACTIVE], s[DIE_1], s[DIE_2]
    begin_forecast(s, w)
    _put_gains(t, s, w, seat, KNOWN, _EVERY_TOTAL)
    expected = _expected(w, KNOWN + seat * ROLLS, 2 if second else 1)
    _put_gain(t, s, w, seat, first, second, CHANGED)
    end_forecast(s, w)
    return expected > w[CHANGED]


def gains_by_adding(t: Tables, s: Row, w: Luck) -> bool:
    """Whether the seat to act gains more from its dice if it adds to their total."""
    seat, first, second = s[ACTIVE], s[DIE_1], s[DIE_2]
    more = t[AMOUNT + t[ADDER]]
    begin_forecast(s, w)
    pay_roll(t, s, w, first, second, first + second)
    kept = gain_of(s, w, seat)
    pay_roll(t, s, w, first, second, first + second + more)
    raised = gain_of(s, w, seat)
    end_forecast(s, w)
    return raised > kept
