"""The luck of throws in coins: the same numbers as those of `domain.luck`, which explains them.

Before each throw, every throw that could have come is paid out on the row itself, in the workspace of a
forecast: by roll and seat, `KNOWN` has what the dice bring if they stay. Values are in the units of
`domain.luck.tree`.
"""

from __future__ import annotations

from domain.luck.records import UNIT
from domain.luck.tree import SCALE
from kernel.effects import pay_out, stage_after
from kernel.forecast import amount_to_add, begin_forecast, end_forecast
from kernel.layout import (
    ACTIVE,
    ADDER,
    AMOUNT,
    COINS,
    DECLINE_SWAP,
    DIE_1,
    DIE_2,
    EXTRA_TURN_DUE,
    GIVE,
    LUCK_FREE,
    MOST_SEATS,
    PAIRS,
    PENDING_CARD,
    PHASE,
    RECEIVED,
    REROLL_DICE,
    REROLLER,
    RESIGNED,
    SCRIPT_AT,
    SCRIPTED,
    SEATS,
    SWAP,
    TAKE_COINS,
    TAKE_FROM,
    TOTAL,
    TWO_MORE,
    Codes,
    Luck,
    Row,
    Tables,
)
from kernel.moves import answer_to_card, dice_of
from kernel.payments import choice_made
from kernel.queries import in_force
from kernel.workspaces import CHANGED, FIRST_DOUBLE, FIRST_OTHER, KNOWN, ROLLS, SAVED

REROLLED_VALUE = CHANGED
"""The value before a reroll; here and below: by seat."""
MEAN_VALUE = REROLLED_VALUE + MOST_SEATS
"""The value before a throw."""
THROWN_VALUE = MEAN_VALUE + MOST_SEATS
"""The value after a throw."""
RAISED_VALUE = THROWN_VALUE + MOST_SEATS
"""The value with something added to the total."""
BOATS_VALUE = RAISED_VALUE + MOST_SEATS
"""The value with one throw of the boats."""
TARGET_VALUE = BOATS_VALUE + MOST_SEATS
"""The value if one opponent pays."""
COIN_LUCK = TARGET_VALUE + MOST_SEATS
"""The sums over the throws of a match, in units of `domain.luck`."""


def _lead(t: Tables, s: Row, w: Luck, at: int) -> int:
    """A measure of the active seat's gain relative to the mean of the others."""
    playing, total = 0, 0
    for seat in range(t[SEATS]):
        playing += 1 - s[RESIGNED + seat]
        total += w[at + seat]
    return playing * w[at + s[ACTIVE]] - total


def _keep_better(t: Tables, s: Row, w: Luck, other: int, at: int) -> None:
    """Replace a value by another one that is better for the active seat."""
    if _lead(t, s, w, other) > _lead(t, s, w, at):
        for seat in range(t[SEATS]):
            w[at + seat] = w[other + seat]


def _pay_dice(t: Tables, s: Row, w: Luck, first: int, second: int, total: int, target: int) -> int:
    """Pay out dice on the coins of the beginning, with the scripted throw of the boats; whether the seat has
    to choose who pays, and no target is given.

    Trades and gifts are left out: no stage that can follow looks at establishments.
    """
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
            if target < 0:
                return 1
            start = answer_to_card(t, s, TAKE_FROM + target)
        elif s[PHASE] == SWAP:
            start = answer_to_card(t, s, DECLINE_SWAP)
        elif s[PHASE] == GIVE:
            start = stage_after(t, s, s[PENDING_CARD])
            choice_made(s)
        else:
            return 0


def _put_gains(t: Tables, s: Row, w: Luck, to: int) -> None:
    for seat in range(t[SEATS]):
        w[to + seat] = (s[COINS + seat] - w[SAVED + COINS + seat]) * SCALE


def _put_paid(t: Tables, s: Row, w: Luck, first: int, second: int, total: int, boats: int, to: int) -> int:
    """The value of dice that stay, with the total that the boats would throw; whether they threw."""
    w[LUCK_FREE] = max(1, boats - 6)
    w[LUCK_FREE + 1] = min(6, boats - 1)
    asks = _pay_dice(t, s, w, first, second, total, -1)
    sails = 1 if w[SCRIPTED] == 0 else 0
    if not asks:
        _put_gains(t, s, w, to)
        return sails
    active, seats = s[ACTIVE], t[SEATS]
    found = 0
    for i in range(1, seats):
        target = (active + i) % seats
        if s[RESIGNED + target]:
            continue
        _pay_dice(t, s, w, first, second, total, target)
        if found:
            _put_gains(t, s, w, TARGET_VALUE)
            _keep_better(t, s, w, TARGET_VALUE, to)
        else:
            _put_gains(t, s, w, to)
        found = 1
    return sails


def _put_mean_of_boats(t: Tables, s: Row, w: Luck, first: int, second: int, total: int, to: int) -> None:
    """The value of dice that stay, as the mean over the throws of the boats."""
    if not _put_paid(t, s, w, first, second, total, 2, to):
        return
    for boats in range(3, 13):
        _put_paid(t, s, w, first, second, total, boats, BOATS_VALUE)
        for seat in range(t[SEATS]):
            w[to + seat] += (6 - abs(7 - boats)) * w[BOATS_VALUE + seat]
    for seat in range(t[SEATS]):
        w[to + seat] //= PAIRS


def _put_value(t: Tables, s: Row, w: Luck, first: int, second: int, to: int) -> None:
    """The value of dice that are not thrown again; the seat adds to their total if that is better."""
    total = first + second
    _put_mean_of_boats(t, s, w, first, second, total, to)
    more = amount_to_add(t, s, total)
    if more:
        _put_mean_of_boats(t, s, w, first, second, total + more, RAISED_VALUE)
        _keep_better(t, s, w, RAISED_VALUE, to)


def number_of_roll(first: int, second: int) -> int:
    """The number of a roll."""
    if second == 0:
        return first - 1
    if first == second:
        return FIRST_DOUBLE + first - 1
    return FIRST_OTHER + first + second - 3


def _weight(roll: int) -> int:
    """The weight of a roll out of 36 of its number of dice."""
    if roll < FIRST_DOUBLE:
        return 6
    if roll < FIRST_OTHER:
        return 1
    total = roll - FIRST_OTHER + 3
    return 6 - abs(7 - total) - (1 if total % 2 == 0 else 0)


def _put_mean(t: Tables, s: Row, w: Luck, dice: int, again: int, to: int) -> None:
    """The mean of the values of all rolls, each of which is thrown again if that is better and allowed."""
    start, end = (0, FIRST_DOUBLE) if dice == 1 else (FIRST_DOUBLE, ROLLS)
    for seat in range(t[SEATS]):
        w[to + seat] = 0
    for roll in range(start, end):
        at = KNOWN + roll * MOST_SEATS
        if again and _lead(t, s, w, REROLLED_VALUE) > _lead(t, s, w, at):
            at = REROLLED_VALUE
        for seat in range(t[SEATS]):
            w[to + seat] += _weight(roll) * w[at + seat]
    for seat in range(t[SEATS]):
        w[to + seat] //= PAIRS


def _put_first_throw(t: Tables, s: Row, w: Luck, first: int, second: int) -> None:
    """The values before and after the first throw of a turn, before a reroll, and of all dice that stay."""
    dice, reroller = 2 if second else 1, t[REROLLER]
    start, end = (0, FIRST_DOUBLE) if dice == 1 else (FIRST_DOUBLE, ROLLS)
    for roll in range(start, end):
        if roll < FIRST_DOUBLE:
            _put_value(t, s, w, roll + 1, 0, KNOWN + roll * MOST_SEATS)
        elif roll < FIRST_OTHER:
            die = roll - FIRST_DOUBLE + 1
            _put_value(t, s, w, die, die, KNOWN + roll * MOST_SEATS)
        else:
            total = roll - FIRST_OTHER + 3
            low = max(1, total - 6)
            _put_value(t, s, w, low, total - low, KNOWN + roll * MOST_SEATS)
    again = 1 if reroller >= 0 and in_force(t, s, s[ACTIVE], reroller) else 0
    _put_mean(t, s, w, dice, 0, REROLLED_VALUE)
    _put_mean(t, s, w, dice, again, MEAN_VALUE)
    thrown = KNOWN + number_of_roll(first, second) * MOST_SEATS
    for seat in range(t[SEATS]):
        w[THROWN_VALUE + seat] = w[thrown + seat]
    if again:
        _keep_better(t, s, w, REROLLED_VALUE, THROWN_VALUE)


def _add_luck(t: Tables, s: Row, w: Luck, thrown: int, expected: int) -> None:
    """Add the luck of a throw, relative to the mean of the other seats in play."""
    playing, total = 0, 0
    for seat in range(t[SEATS]):
        playing += 1 - s[RESIGNED + seat]
        total += w[thrown + seat] - w[expected + seat]
    each = UNIT // SCALE // (playing - 1)
    for seat in range(t[SEATS]):
        if not s[RESIGNED + seat]:
            w[COIN_LUCK + seat] += (playing * (w[thrown + seat] - w[expected + seat]) - total) * each


def add_coin_luck(t: Tables, s: Row, w: Luck, script: Codes, at: int) -> None:
    """Add the luck of the throws of a command that has not been carried out yet, at `COIN_LUCK`; for the
    script, see `kernel.convert.script_of`."""
    code, dice = script[at], script[at + 1]
    first, second, added, own = s[DIE_1] * 1, s[DIE_2] * 1, 0, dice_of(s, code)
    if own:
        first = script[at + 2]
        second = script[at + 3] if own == 2 else 0
    elif code == TWO_MORE:
        added = t[AMOUNT + t[ADDER]]
    begin_forecast(s, w)
    if code == REROLL_DICE:
        thrown = KNOWN + number_of_roll(first, second) * MOST_SEATS
        _add_luck(t, s, w, thrown, REROLLED_VALUE)
    elif own:
        _put_first_throw(t, s, w, first, second)
        _add_luck(t, s, w, THROWN_VALUE, MEAN_VALUE)
    if dice > own:
        boats = script[at + 2 + own] + script[at + 3 + own]
        total = first + second + added
        _put_mean_of_boats(t, s, w, first, second, total, MEAN_VALUE)
        _put_paid(t, s, w, first, second, total, boats, THROWN_VALUE)
        _add_luck(t, s, w, THROWN_VALUE, MEAN_VALUE)
    end_forecast(s, w)
