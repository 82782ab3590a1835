"""Forecasts of rolls, with the same sums of floats as `players.forecast`, so that ties fall alike.

A roll is paid out on the row itself, whose head and coins are put back afterwards. `kernel.workspaces`
describes the workspace of a forecast.
"""

from __future__ import annotations

from kernel.effects import pay_out
from kernel.layout import (
    ACTIVE,
    ADDER,
    AFFECTED,
    AMOUNT,
    BUILD,
    CITIES,
    CLOSED,
    COINS,
    DECLINE_SWAP,
    DEMOLISH,
    DICE_MATTER,
    DIE_1,
    DIE_2,
    ESTABLISHMENTS,
    EXTRA_TURN_DUE,
    GIVE,
    IS_ASKED,
    LANDMARKS,
    LUCK_FREE,
    MOST_CARDS,
    MOST_SEATS,
    PAYERS,
    PHASE,
    PRICE_1,
    RECEIVED,
    RENOVATES,
    RESIGNED,
    SCRIPT_AT,
    SCRIPTED,
    SEATS,
    SIZE,
    SWAP,
    TAKE_COINS,
    TAKE_FROM,
    THRESHOLD,
    TOTAL,
    UNPAID,
    WIDTH,
    Luck,
    Row,
    Tables,
)
from kernel.legal import may_roll_two
from kernel.moves import answer_to_card
from kernel.payments import choice_made
from kernel.queries import in_force
from kernel.tokens import default_answer
from kernel.workspaces import (
    CHANGED,
    FIRST_DOUBLE,
    FIRST_OTHER,
    KEPT_CARDS,
    KNOWN,
    ONE_DIE,
    ONE_FIRST,
    PAID,
    ROLLS,
    SAVED,
    SAVED_WIDTH,
    TWO_DICE_ONLY,
    TWO_FIRST,
)

EVERY_TOTAL = (1 << 15) - 1
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


def _keep_cards(t: Tables, s: Row, w: Luck) -> None:
    """Remember the cards of the row and what lies on them."""
    for i in range(LANDMARKS, RESIGNED):
        w[KEPT_CARDS + i] = s[i]
    for i in range(CITIES, t[WIDTH]):
        w[KEPT_CARDS + i] = s[i]
    s[UNPAID] = 1


def _put_cards_back(t: Tables, s: Row, w: Luck) -> None:
    """Put the cards back; the roller pays the price of those that it lost, and what it was spared."""
    roller = s[ACTIVE]
    lost, city = s[UNPAID] - 1, CITIES + roller * MOST_CARDS
    for card in range(t[SIZE]):
        lost += (w[KEPT_CARDS + city + card] - s[city + card]) * t[PRICE_1 + card]
    s[COINS + roller] -= lost
    for i in range(LANDMARKS, RESIGNED):
        s[i] = w[KEPT_CARDS + i]
    for i in range(CITIES, t[WIDTH]):
        s[i] = w[KEPT_CARDS + i]


def _pay_with_tokens(t: Tables, s: Row, w: Luck) -> None:
    """Pay out the roll where answers can cost cards: `pay_roll` alone would be slower for all other rules."""
    _keep_cards(t, s, w)
    pay_out(t, s, w, 0)
    owed = s[PAYERS] * 1
    s[PAYERS] = 0
    while s[PHASE] not in (GIVE, BUILD):
        code = DECLINE_SWAP
        if s[PHASE] == TAKE_COINS:
            code = TAKE_FROM + richest_opponent(t, s)
        elif s[PHASE] >= DEMOLISH:
            code = default_answer(t, s)
        start = answer_to_card(t, s, code)
        if start >= 0:
            pay_out(t, s, w, start)
    s[PAYERS] = owed
    _put_cards_back(t, s, w)


def pay_roll(t: Tables, s: Row, w: Luck, first: int, second: int, total: int) -> None:
    """Pay out a roll of the active seat on the coins of the beginning, with default answers to choices.

    Afterwards the cards lie as before, and the roller's coins are less what it lost besides coins.
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
    if t[RENOVATES]:
        _pay_with_tokens(t, s, w)
        return
    pay_out(t, s, w, 0)
    owed, start = s[PAYERS] * 1, -1
    s[PAYERS] = 0  # the player does not see what answers to choices owe
    while True:
        if start >= 0:
            pay_out(t, s, w, start)
        if s[PHASE] == TAKE_COINS:
            start = answer_to_card(t, s, TAKE_FROM + richest_opponent(t, s))
        elif s[PHASE] == SWAP:
            start = answer_to_card(t, s, DECLINE_SWAP)
        else:
            break
    s[PAYERS] = owed


def gain_of(s: Row, w: Luck, seat: int) -> int:
    """What the seat gained from the roll that was paid out."""
    return s[COINS + seat] - w[SAVED + COINS + seat]


def amount_to_add(t: Tables, s: Row, total: int) -> int:
    """What the active seat may add to the total; 0 for nothing."""
    adder = t[ADDER]
    if adder >= 0 and total >= t[THRESHOLD + adder] and in_force(t, s, s[ACTIVE], adder):
        return t[AMOUNT + adder]
    return 0


def _pay_and_note(t: Tables, s: Row, w: Luck, first: int, second: int, total: int) -> None:
    """Pay out a roll, and note who owed coins if that is asked."""
    pay_roll(t, s, w, first, second, total)
    if s[PAYERS]:
        for seat in range(t[SEATS]):
            if (s[PAYERS] >> seat) & 1:
                w[PAID + s[ACTIVE] * MOST_SEATS + seat] |= 1 << total
        s[PAYERS] = IS_ASKED


def _put_gain(t: Tables, s: Row, w: Luck, first: int, second: int, at: int) -> None:
    """The gains of all seats from one roll of the active one, which adds if that is better for it."""
    total, roller, seats = first + second, s[ACTIVE], t[SEATS]
    _pay_and_note(t, s, w, first, second, total)
    for seat in range(seats):
        w[at + seat] = gain_of(s, w, seat)
    more = amount_to_add(t, s, total)
    if more:
        _pay_and_note(t, s, w, first, second, total + more)
        if gain_of(s, w, roller) > w[at + roller]:
            for seat in range(seats):
                w[at + seat] = gain_of(s, w, seat)


def _do_dice_matter(t: Tables, s: Row) -> bool:
    for card in range(t[ESTABLISHMENTS], t[SIZE]):
        if t[DICE_MATTER + card]:
            for seat in range(t[SEATS]):
                if s[CITIES + seat * MOST_CARDS + card]:
                    return True
    return False


def _roll_of_total(total: int, which: int) -> int:
    """The roll that stands for a total if only the total matters: the first that a player would try."""
    if total == 1 or which == ONE_DIE or (which == ONE_FIRST and total < 7):
        return total - 1
    if total % 2:
        return FIRST_OTHER + total - 3
    return FIRST_DOUBLE + total // 2 - 1


def put_gains(t: Tables, s: Row, w: Luck, at: int, known: int, mask: int, which: int) -> None:
    """The gains from rolls of the active seat: new ones for the totals of the mask, else the known ones.

    If only totals matter, one roll stands for all of its total, as in `players.forecast`.
    """
    by_total = not _do_dice_matter(t, s)
    more = amount_to_add(t, s, 99)
    start = FIRST_DOUBLE if which >= TWO_DICE_ONLY else 0
    end = FIRST_DOUBLE if which == ONE_DIE else ROLLS
    for i in range(start, end + (FIRST_DOUBLE if which == TWO_FIRST else 0)):
        roll = i % ROLLS
        first, second = roll + 1, 0
        if roll >= FIRST_OTHER:
            total = roll - FIRST_OTHER + 3
            first = max(1, total - 6)
            second = total - first
        elif roll >= FIRST_DOUBLE:
            first = second = roll - FIRST_DOUBLE + 1
        total, place = first + second, at + roll * MOST_SEATS
        source = -1
        if not (mask >> total) & 1 and not (more and (mask >> (total + more)) & 1):
            source = known + roll * MOST_SEATS
        elif by_total and _roll_of_total(total, which) != roll:
            source = at + _roll_of_total(total, which) * MOST_SEATS
        if source < 0:
            _put_gain(t, s, w, first, second, place)
        else:
            for seat in range(t[SEATS]):
                w[place + seat] = w[source + seat]


def share_of(roll: int) -> float:
    """The probability of a roll of its number of dice."""
    if roll < FIRST_DOUBLE:
        return _OF_ONE_DIE
    if roll < FIRST_OTHER:
        return _OF_DOUBLE
    total = roll - FIRST_OTHER + 3
    return (min(total, 14 - total) - 1) // 2 / 18


def expected_gain(w: Luck, at: int, seat: int, dice: int) -> float:
    """The seat's expected gain from a throw of so many dice, where `at` has the gains of the rolls."""
    found = 0.0
    start, end = (0, FIRST_DOUBLE) if dice == 1 else (FIRST_DOUBLE, ROLLS)
    for roll in range(start, end):
        found += share_of(roll) * w[at + roll * MOST_SEATS + seat]
    return found


def gains_at(base: int, roller: int) -> int:
    """Where the gains from the rolls of a seat are."""
    return base + roller * ROLLS * MOST_SEATS


def may_of(t: Tables, s: Row) -> int:
    """Which rolls the active seat may try, two dice first."""
    return TWO_FIRST if may_roll_two(t, s) else ONE_DIE


def _best_dice(t: Tables, s: Row, w: Luck, at: int) -> int:
    """The number of dice with the higher expected gain for the active seat; one on a tie."""
    if not may_roll_two(t, s):
        return 1
    seat = s[ACTIVE]
    return 2 if expected_gain(w, at, seat, 2) > expected_gain(w, at, seat, 1) else 1


def best_dice(t: Tables, s: Row, w: Luck) -> int:
    """The number of dice with the higher expected gain for the seat to act."""
    begin_forecast(s, w)
    put_gains(t, s, w, KNOWN, KNOWN, EVERY_TOTAL, may_of(t, s))
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
            at = gains_at(base, roller)
            put_gains(t, s, w, at, gains_at(KNOWN, roller), mask, may_of(t, s))
            found += expected_gain(w, at, seat, _best_dice(t, s, w, at))
    return found


def income_now(t: Tables, s: Row, w: Luck, seat: int) -> float:
    """The seat's income per round with its cards as they are; the known gains from here on."""
    return round_income(t, s, w, seat, KNOWN, EVERY_TOTAL)


def add_card(t: Tables, s: Row, seat: int, card: int, copies: int) -> None:
    """Change the number of copies of a card in the seat's city."""
    s[CITIES + seat * MOST_CARDS + card] += copies
    if card >= t[ESTABLISHMENTS]:
        s[LANDMARKS + seat] += copies


def take_card(t: Tables, s: Row, seat: int, card: int) -> int:
    """Take a copy of an establishment out of the seat's city; 1 if it was closed: an open one goes first."""
    place = seat * MOST_CARDS + card
    s[CITIES + place] -= 1
    if t[RENOVATES] and s[CLOSED + place] > s[CITIES + place]:
        s[CLOSED + place] -= 1
        return 1
    return 0


def put_card_back(s: Row, seat: int, card: int, is_closed: int) -> None:
    """Put back what `take_card` took."""
    place = seat * MOST_CARDS + card
    s[CITIES + place] += 1
    if is_closed:
        s[CLOSED + place] += 1


def income_with(t: Tables, s: Row, w: Luck, seat: int, more: int, less: int) -> float:
    """The seat's income per round with one more and one less of a card, -1 for none, in its city."""
    mask, is_closed = 0, 0
    if more >= 0:
        add_card(t, s, seat, more, 1)
        mask |= t[AFFECTED + more]
    if less >= 0:
        is_closed = take_card(t, s, seat, less)
        mask |= t[AFFECTED + less]
    found = round_income(t, s, w, seat, CHANGED, mask)
    if more >= 0:
        add_card(t, s, seat, more, -1)
    if less >= 0:
        put_card_back(s, seat, less, is_closed)
    return found


def gains_by_rerolling(t: Tables, s: Row, w: Luck) -> bool:
    """Whether a new throw is expected to bring the seat to act more than the dice that lie."""
    seat, first, second = s[ACTIVE], s[DIE_1], s[DIE_2]
    begin_forecast(s, w)
    put_gains(t, s, w, KNOWN, KNOWN, EVERY_TOTAL, TWO_DICE_ONLY if second else ONE_DIE)
    expected = expected_gain(w, KNOWN, seat, 2 if second else 1)
    _put_gain(t, s, w, first, second, CHANGED)
    end_forecast(s, w)
    return expected > w[CHANGED + seat]


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
