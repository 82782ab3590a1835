"""The parts of an exact race that run for every cell: paying out a throw, and the sweeps of the solver.

`workers.exact_race` says what a race is. A *cell* is a number of coins for each seat, a *branch* a throw with
everything that follows it until the roller builds: what is added, the throw of the boats, and who pays.
"""

from __future__ import annotations

from kernel.effects import choice_made, pay_out
from kernel.layout import (
    COINS,
    DECLINE_SWAP,
    DIE_1,
    DIE_2,
    EXTRA_TURN_DUE,
    FIRST_DOUBLE,
    FIRST_OTHER,
    GIVE,
    LUCK_FREE,
    PHASE,
    RACE_ASKS,
    RACE_GIVES,
    RACE_GOES_ON,
    RACE_SAILS,
    RECEIVED,
    ROLLS,
    SCRIPT_AT,
    SCRIPTED,
    SEATS,
    SWAP,
    TAKE_COINS,
    TAKE_FROM,
    THROWS,
    TOTAL,
    Chances,
    Codes,
    Luck,
    Row,
    Tables,
)
from kernel.moves import answer_to_card

_EQUAL = 1e-11
"""Chances that differ by less count as equal: the first option is taken."""
_SETTLED = 1e-13
"""The most that a chance may still change in the last sweep."""
_OF_ONE_DIE = 1 / 6
_OF_DOUBLE = 1 / 36


def _pay_throw(t: Tables, s: Row, w: Luck, throw: Codes) -> int:
    """Pay out a throw of the active seat on the row; what came up, as bits."""
    s[DIE_1] = throw[0]
    s[DIE_2] = throw[1]
    s[TOTAL] = throw[2]
    s[RECEIVED] = 0
    s[EXTRA_TURN_DUE] = 0
    w[LUCK_FREE] = throw[3] // 2
    w[LUCK_FREE + 1] = throw[3] - throw[3] // 2
    w[SCRIPTED] = 2
    w[SCRIPT_AT] = LUCK_FREE
    choice_made(s)
    throws, start, found = s[THROWS], 0, 0
    while True:
        if start >= 0:
            pay_out(t, s, w, start)
        if s[PHASE] == TAKE_COINS:
            found |= RACE_ASKS
            start = answer_to_card(t, s, TAKE_FROM + throw[4])
        elif s[PHASE] == SWAP:
            start = answer_to_card(t, s, DECLINE_SWAP)
        else:
            break
    if s[EXTRA_TURN_DUE]:
        found |= RACE_GOES_ON
    if s[THROWS] > throws:
        found |= RACE_SAILS
    if s[PHASE] == GIVE:
        found |= RACE_GIVES
    return found


def pay_cells(t: Tables, s: Row, w: Luck, lows: Codes, tops: Codes, throw: Codes, gains: Codes) -> int:
    """Pay out a throw of the active seat from all cells between two; what came up in any of them, as bits.

    `lows` and `tops` are coins by seat, both included. `throw` has the two dice, the total, that of the boats
    and the seat that pays if one is asked for; trades are declined. `gains` gets what every seat gains, by
    cell, the last seat's coins varying fastest.
    """
    seats = t[SEATS]
    cells = 1
    for seat in range(seats):
        cells *= tops[seat] - lows[seat] + 1
    found = 0
    for cell in range(cells):
        left = cell
        for i in range(seats):
            seat = seats - 1 - i
            width = tops[seat] - lows[seat] + 1
            gains[cell * seats + seat] = lows[seat] + left % width
            s[COINS + seat] = gains[cell * seats + seat]
            left //= width
        found |= _pay_throw(t, s, w, throw)
        for seat in range(seats):
            gains[cell * seats + seat] = s[COINS + seat] - gains[cell * seats + seat]
    return found


def _built(x: Chances, seats: int, cells: int, roller: int, goes_on: int, cell: int, idle_cell: int) -> int:
    """Where the chances after the roller's best build are, `idle_cell` being its cell if it builds nothing."""
    following = roller
    if not goes_on:
        following = roller + 1 if roller + 1 < seats else 0
    idle = (following * cells + idle_cell) * seats
    built = ((seats * (1 + goes_on) + roller) * cells + cell) * seats
    return built if x[built + roller] >= x[idle + roller] - _EQUAL else idle


def _put_alternative(
    seats: int,
    cells: int,
    x: Chances,
    places: Codes,
    idle: Codes,
    roller: int,
    kind: int,
    boats: int,
    payers: int,
    branch: int,
    to: int,
) -> None:
    """The chances after one throw with one total: over the boats the mean, over who pays the best."""
    for seat in range(seats):
        x[to + seat] = 0.0
    for sailed in range(boats):
        best = -1
        for i in range(payers):
            cell = places[branch + sailed * payers + i]
            at = _built(x, seats, cells, roller, kind, cell, idle[roller * cells + cell])
            if best < 0 or x[at + roller] > x[best + roller] + _EQUAL:
                best = at
        weight = 1.0 if boats == 1 else (6 - abs(sailed - 5)) / 36
        for seat in range(seats):
            x[to + seat] += weight * x[best + seat]


def _put_mean(seats: int, x: Chances, of: int, first: int, last: int, limit: int, roller: int, to: int) -> None:
    """The mean over rolls `first` to before `last`; if there is a limit, what lies there replaces lower ones."""
    for seat in range(seats):
        x[to + seat] = 0.0
    for roll in range(first, last):
        weight = _OF_ONE_DIE
        if roll >= FIRST_OTHER:
            total = roll - FIRST_OTHER + 3
            weight = (min(total, 14 - total) - 1) // 2 / 18
        elif roll >= FIRST_DOUBLE:
            weight = _OF_DOUBLE
        at = of + roll * seats
        if limit >= 0 and x[limit + roller] > x[at + roller] + _EQUAL:
            at = limit
        for seat in range(seats):
            x[to + seat] += weight * x[at + seat]


def _update(
    seats: int, cells: int, x: Chances, turns: Codes, places: Codes, idle: Codes, roller: int, cell: int, at: int
) -> float:
    """The chances before the roller's turn in a cell, anew; by how much they changed."""
    rolls = 3 * seats * cells * seats
    spare = rolls + ROLLS * seats
    throws, rerolls = turns[at], turns[at + 1]
    branch = turns[at + 3] + cell * turns[at + 2]
    at += 4
    for roll in range(throws):
        alternatives = turns[at]
        at += 1
        for i in range(alternatives):
            goes_on, boats, payers = turns[at], turns[at + 1], turns[at + 2]
            at += 3
            to = rolls + roll * seats if i == 0 else spare
            _put_alternative(seats, cells, x, places, idle, roller, goes_on, boats, payers, branch, to)
            branch += boats * payers
            if i and x[spare + roller] > x[rolls + roll * seats + roller] + _EQUAL:
                for seat in range(seats):
                    x[rolls + roll * seats + seat] = x[spare + seat]
    best = spare
    _put_mean(seats, x, rolls, 0, FIRST_DOUBLE, -1, roller, spare)
    if rerolls:
        _put_mean(seats, x, rolls, 0, FIRST_DOUBLE, spare, roller, spare + seats)
        best = spare + seats
    if throws > FIRST_DOUBLE:
        two = spare + 2 * seats
        _put_mean(seats, x, rolls, FIRST_DOUBLE, ROLLS, -1, roller, two)
        if rerolls:
            _put_mean(seats, x, rolls, FIRST_DOUBLE, ROLLS, two, roller, two + seats)
            two += seats
        if x[two + roller] > x[best + roller] + _EQUAL:
            best = two
    change = 0.0
    value = (roller * cells + cell) * seats
    for seat in range(seats):
        change = max(change, abs(x[best + seat] - x[value + seat]))
        x[value + seat] = x[best + seat]
    return change


def sweep_cells(shape: Codes, turns: Codes, places: Codes, idle: Codes, x: Chances) -> int:
    """Sweep over all cells, the richest first, until no chance changes; the number of sweeps, or 0 if it goes on.

    `shape` has the number of seats, that of cells, the most sweeps, and by seat where its turn is in `turns`:
    the number of rolls, whether it may roll again, the number of branches, where its first cell is in
    `places`; then for each roll the number of totals, and for each total whether another turn follows, the
    number of totals of the boats, and that of seats that may pay. `places` has by cell and branch the cell
    that the branch leads to, `idle` by roller and cell the cell if it builds nothing. `x` has by roller, cell
    and seat the chances before a turn; the chances after the best build, if the turn passes on and if not;
    and room for those of each roll, and for four more.
    """
    seats, cells, most = shape[0], shape[1], shape[2]
    for sweep in range(most):
        change = 0.0
        for i in range(cells):
            cell = cells - 1 - i
            for roller in range(seats):
                found = _update(seats, cells, x, turns, places, idle, roller, cell, shape[3 + roller])
                change = max(change, found)
            for roller in range(seats):
                found = _update(seats, cells, x, turns, places, idle, roller, cell, shape[3 + roller])
                change = max(change, found)
        if change < _SETTLED:
            return sweep + 1
    return 0
