"""The features of a table for the value network, as `players.features` computes them.

They are about the seats in play, numbered from 0 without those that have resigned. `kernel.workspaces`
describes where they lie.
"""

from __future__ import annotations

from math import exp

from kernel.layout import (
    ADDER,
    AMOUNT,
    BOOST_PER_COUNTED,
    BOOSTS,
    CITIES,
    COINS,
    COUNTS_OWN,
    DISCOUNT,
    DISCOUNT_WIDTH,
    DISCOUNTS,
    ESTABLISHMENTS,
    EVERYBODY,
    FIXED,
    GOAL,
    HALF_THRESHOLD,
    HALVES,
    LANDMARKS,
    MOST_BOOSTS,
    MOST_CARDS,
    NEEDS,
    OWN_LANDMARKS,
    PER_COUNTED,
    PER_SYMBOL,
    PRICE_1,
    RESIGNED,
    SEATS,
    SHARED,
    SIZE,
    SOLD,
    SOLD_PLACE,
    SUPPLY,
    TWO_DICE,
    USUAL,
    WINS_ALONE,
    Net,
    Row,
    Tables,
)
from kernel.queries import counted
from kernel.workspaces import BY_SEAT, FIRES, FIRES_WIDTH, KINDS, MOST_FEATURES, OF_TABLE, ROUNDS_LEFT

_OUT_OF_REACH = 99


def seats_in_play(t: Tables, s: Row) -> int:
    """How many seats have not resigned."""
    found = 0
    for seat in range(t[SEATS]):
        found += 0 if s[RESIGNED + seat] else 1
    return found


def _works(t: Tables, s: Row, seat: int, landmark: int) -> bool:
    """Whether a landmark works for the seat; those of seats that have resigned count for nobody."""
    if not t[EVERYBODY + landmark]:
        return s[CITIES + seat * MOST_CARDS + landmark] > 0
    for other in range(t[SEATS]):
        if not s[RESIGNED + other] and s[CITIES + other * MOST_CARDS + landmark]:
            return True
    return False


def _worth(t: Tables, s: Row, seat: int, card: int, playing: int) -> int:
    """The coins that all copies of a card of the seat pay when they fire, if every payer has enough."""
    city = CITIES + seat * MOST_CARDS
    copies = s[city + card]
    needs = t[NEEDS + card]
    if copies == 0 or (needs >= 0 and s[city + needs] == 0):
        return 0
    at = BOOSTS + card * (1 + MOST_BOOSTS)
    each = 0
    for i in range(1, 1 + t[at]):
        each += 1 if _works(t, s, seat, t[at + i]) else 0
    if t[PER_COUNTED + card] == COUNTS_OWN:
        number = counted(t, s, card, seat)
        if t[BOOST_PER_COUNTED + card]:
            each *= number
        each += t[AMOUNT + card] * number
    each += t[FIXED + card] * (playing - 1 if t[SHARED + card] else 1)
    if t[PER_SYMBOL + card] or t[HALVES + card]:
        for other in range(t[SEATS]):
            if other == seat or s[RESIGNED + other]:
                continue
            each += t[PER_SYMBOL + card] * counted(t, s, card, other)
            if t[HALVES + card] and s[COINS + other] >= t[HALF_THRESHOLD]:
                each += s[COINS + other] // 2
    return each * copies


def _next_cost(t: Tables, s: Row, seat: int) -> int:
    """The cost of the cheapest missing landmark, where every seat has landmarks of its own."""
    found = _OUT_OF_REACH
    for card in range(t[ESTABLISHMENTS], t[SIZE]):
        if not s[CITIES + seat * MOST_CARDS + card]:
            found = min(found, t[PRICE_1 + card])
    return found


def _left_cost(t: Tables, s: Row, seat: int) -> int:
    """The cost of the missing landmarks, where every seat has landmarks of its own."""
    found = 0
    for card in range(t[ESTABLISHMENTS], t[SIZE]):
        found += 0 if s[CITIES + seat * MOST_CARDS + card] else t[PRICE_1 + card]
    return found


def _on_sale(t: Tables, s: Row, tier: int) -> int:
    """The price of the cheapest landmark for sale, or the usual one, for a builder with `tier` landmarks."""
    found = _OUT_OF_REACH
    for card in range(t[ESTABLISHMENTS], t[SIZE]):
        if s[SUPPLY + card] > 0 and not t[WINS_ALONE + card]:
            found = min(found, t[PRICE_1 + tier * MOST_CARDS + card])
    return t[USUAL + tier] if found >= _OUT_OF_REACH else found


def _at_once(t: Tables, s: Row, seat: int, tier: int) -> int:
    """The price of the landmark that wins alone, which may be out of reach."""
    found, winner = _OUT_OF_REACH, -1
    for card in range(t[ESTABLISHMENTS], t[SIZE]):
        if t[WINS_ALONE + card]:
            winner = card if winner < 0 else winner
            if s[SUPPLY + card] > 0:
                found = min(found, t[PRICE_1 + tier * MOST_CARDS + card])
    for i in range(t[DISCOUNTS]):
        at = DISCOUNT + i * DISCOUNT_WIDTH
        if t[at + 2 + winner] and _works(t, s, seat, t[at]):
            found -= t[at + 1]
    return found


def place_of_incomes(t: Tables) -> int:
    """The place of the first feature of a seat that depends on more than one of its cards."""
    return 2 * t[ESTABLISHMENTS] + t[SIZE]


def _race_at(t: Tables, n: Net) -> int:
    """The place of the features of coins and costs among those of a seat."""
    return place_of_incomes(t) + 3 * int(n[KINDS])


def _put_race(t: Tables, s: Row, x: Net, seat: int, place: int, income: float) -> None:
    """The features of coins and costs, from `place` on; those that need other seats are left out."""
    coins, number, goal = s[COINS + seat], s[LANDMARKS + seat], t[GOAL]
    if t[OWN_LANDMARKS]:
        left, cheapest = _left_cost(t, s, seat), _next_cost(t, s, seat)
    else:
        left = 0
        for tier in range(number, goal):
            left += _on_sale(t, s, min(tier, 2)) if tier < 3 else 0
        cheapest = _on_sale(t, s, min(number, 2))
        left = min(left, _at_once(t, s, seat, min(number, 2)))
        cheapest = min(cheapest, left)
    short = left - coins
    rounds = min(max(short / (income + 0.4), 0.0), 40.0)
    x[place] = min(coins, 60) / 10
    x[place + 1] = min(coins, 120) / 40
    x[place + 2] = min(coins, 3) / 3
    x[place + 3] = min(coins, 7) / 7
    x[place + 4] = min(max((coins - cheapest) / 8, -1.0), 1.0)
    x[place + 5] = 1.0 if coins >= cheapest else 0.0
    x[place + 6] = left / 30
    x[place + 7] = min(max(short / 20, -1.0), 2.0)
    x[place + 8] = 1.0 if short <= 0 else 0.0
    x[place + 9] = income / 6
    x[place + 10] = rounds / 10
    x[place + 11] = exp(-rounds / 5)
    x[place + 13] = number / goal
    x[place + 14] = 1.0 if number == goal - 1 else 0.0


def _put_seat(
    t: Tables, s: Row, n: Net, x: Net, seat: int, playing: int, base: int, first: int, end: int
) -> None:
    """The features of a seat that do not depend on those of others; its cards from `first` to `end`."""
    city, cards, kinds = CITIES + seat * MOST_CARDS, t[ESTABLISHMENTS], int(n[KINDS])
    incomes = base + place_of_incomes(t)
    for i in range(3 * kinds):
        x[incomes + i] = 0.0
    for card in range(first, min(end, cards)):
        copies = s[city + card]
        x[base + card] = copies / 4
        x[base + cards + card] = 1.0 if copies else 0.0
        x[base + 2 * cards + card] = 1.0 if copies > 1 else 0.0
    for card in range(max(first, cards), end):
        x[base + 2 * cards + card] = 1.0 if s[city + card] else 0.0
    for card in range(cards):
        copies = s[city + card]
        if copies:
            worth = _worth(t, s, seat, card, playing)
            fires = FIRES + card * FIRES_WIDTH
            for kind in range(kinds):
                x[incomes + kind] += worth * n[fires + kind]
                x[incomes + kinds + kind] += worth * n[fires + 3 + kind]
                x[incomes + 2 * kinds + kind] += worth * n[fires + 6 + kind]
    two = x[incomes + 1] * 1.0
    if kinds == 3 and _works(t, s, seat, t[ADDER]):
        two = max(two, x[incomes + 2] * 1.0)
    best = x[incomes] * 1.0
    if t[TWO_DICE] < 0 or _works(t, s, seat, t[TWO_DICE]):
        best = max(best, two)
    passive = 0.0
    for kind in range(2):
        passive += x[incomes + kinds + kind] + x[incomes + 2 * kinds + kind]
    for kind in range(kinds):
        x[incomes + kind] /= 4
        x[incomes + kinds + kind] /= 2
        x[incomes + 2 * kinds + kind] /= 2
    _put_race(t, s, x, seat, incomes + 3 * kinds, best + (playing - 1) * passive / 2)


def _put_table(t: Tables, s: Row, x: Net, round: int, first: int, end: int) -> None:
    """The features of the whole table; what is for sale from the card `first` to `end`."""
    for card in range(first, end):
        if t[SOLD_PLACE + card] >= 0:
            place = OF_TABLE + t[SOLD_PLACE + card]
            x[place] = min(s[SUPPLY + card], 1)
            x[place + t[SOLD]] = min(s[SUPPLY + card], 4) / 4
    place = OF_TABLE + 2 * t[SOLD]
    for card in range(t[ESTABLISHMENTS], t[SIZE]):
        if t[EVERYBODY + card]:
            x[place] = 1.0 if _works(t, s, 0, card) else 0.0
            place += 1
    x[place] = 1.0 if round > 0 else 0.0
    x[place + 1] = round / 3


def dependent_seats(t: Tables, s: Row, seat: int) -> int:
    """The seats whose own features depend on the coins or the establishments of this one, as bits.

    They are this seat, and those with cards that pay by what it has.
    """
    found = 1 << seat
    for card in range(t[ESTABLISHMENTS]):
        if t[PER_SYMBOL + card] or t[HALVES + card]:
            for other in range(t[SEATS]):
                if s[CITIES + other * MOST_CARDS + card]:
                    found |= 1 << other
    return found


def first_among_others(t: Tables, n: Net) -> int:
    """The place of the first feature of a seat that can depend on the others: only later ones do."""
    return _race_at(t, n) + 12


def put_features(t: Tables, s: Row, n: Net, x: Net, mover: int, round: int, changed: int, card: int) -> int:
    """Write the features of a table before the turn of the seat `mover`; how many seats are in play.

    If since the base only the coins of one seat and its copies of `card` (or -1) have changed, `changed` are
    its `dependent_seats`; the features of other seats and cards are not written then. Else `changed` is 0.
    """
    begin, end = (max(card, 0), card + 1) if changed else (0, t[SIZE])
    playing = seats_in_play(t, s)
    race = _race_at(t, n)
    i, first = 0, 0
    for seat in range(t[SEATS]):
        if s[RESIGNED + seat]:
            continue
        first = i if seat == mover else first
        base = BY_SEAT + i * MOST_FEATURES
        if changed == 0 or changed >> seat & 1:
            _put_seat(t, s, n, x, seat, playing, base, begin, end)
            x[ROUNDS_LEFT + i] = x[base + race + 10] * 10
        i += 1
    for one in range(playing):
        base = BY_SEAT + one * MOST_FEATURES + race
        least = 1e9
        for other in range(playing):
            if other != one:
                least = min(least, x[ROUNDS_LEFT + other] * 1.0)
        x[base + 12] = min(max((least - x[ROUNDS_LEFT + one]) / 8, -2.0), 2.0)
        wait = (one - first + playing) % playing
        x[base + 15] = 1.0 if wait == 0 else 0.0
        x[base + 16] = wait / playing
    _put_table(t, s, x, round, begin, end)
    return playing
