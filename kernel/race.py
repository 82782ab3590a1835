"""The parts of an exact race that run for every cell: paying out a throw, and the sweeps of the solver.

`players.exact_race` says what a race is. A *cell* is a number of coins for each seat, a *branch* a throw with
everything that follows it until the roller builds: what is added, the throw of the boats, and who pays.
"""

from __future__ import annotations

from kernel.effects import pay_out
from kernel.layout import (
    COINS,
    DECLINE_SWAP,
    DIE_1,
    DIE_2,
    EXTRA_TURN_DUE,
    GIVE,
    LUCK_FREE,
    PHASE,
    RACE_ASKS,
    RACE_GIVES,
    RACE_GOES_ON,
    RACE_SAILS,
    RECEIVED,
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
from kernel.payments import choice_made
from kernel.workspaces import FIRST_DOUBLE, ROLLS

_EQUAL = 1e-9
"""Chances that differ by less count as equal: the first option is taken."""
_SETTLED = 1e-13
"""The most that a chance may still change in the last sweep."""


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
    """Where the chances after the roller's best build are; `idle_cell` is its cell if it builds nothing."""
    following = roller
    if not goes_on:
        following = roller + 1 if roller + 1 < seats else 0
    idle = (following * cells + idle_cell) * seats
    built = ((seats * (1 + goes_on) + roller) * cells + cell) * seats
    return built if x[built + roller] >= x[idle + roller] - _EQUAL else idle


def _add(seats: int, x: Chances, to: int, share: float, of: int) -> None:
    for seat in range(seats):
        x[to + seat] += share * x[of + seat]


def _put_mixed(
    seats: int,
    cells: int,
    x: Chances,
    places: Codes,
    idle: Codes,
    roller: int,
    goes_on: int,
    boats: int,
    payers: int,
    branch: int,
    to: int,
) -> None:
    """Put the chances after a throw with several branches: the mean over the boats of the best who pays."""
    for seat in range(seats):
        x[to + seat] = 0.0
    for sailed in range(boats):
        best = -1
        for i in range(payers):
            cell = places[branch + sailed * payers + i]
            at = _built(x, seats, cells, roller, goes_on, cell, idle[roller * cells + cell])
            if best < 0 or x[at + roller] > x[best + roller] + _EQUAL:
                best = at
        _add(seats, x, to, 1.0 if boats == 1 else (6 - abs(sailed - 5)) / 36, best)


def _put_again(seats: int, x: Chances, rolls: int, first: int, last: int, mean: int, roller: int) -> None:
    """Put the mean over rolls, of which the roller throws those again that are worse than their mean."""
    again = mean + seats
    for seat in range(seats):
        x[again + seat] = 0.0
    for roll in range(first, last):
        at = rolls + roll * seats
        better = x[mean + roller] > x[at + roller] + _EQUAL
        _add(seats, x, again, x[rolls - ROLLS + roll], mean if better else at)
    for seat in range(seats):
        x[mean + seat] = x[again + seat]


def _update(
    seats: int,
    cells: int,
    x: Chances,
    turns: Codes,
    places: Codes,
    idle: Codes,
    roller: int,
    cell: int,
    at: int,
    put: int,
) -> float:
    """Put the chances before the roller's turn in a cell, as they are now; by how much they changed."""
    shares = 3 * seats * cells * seats
    rolls = shares + ROLLS
    one = rolls + ROLLS * seats
    two, spare = one + 2 * seats, one + 4 * seats
    throws, rerolls = turns[at], turns[at + 1]
    branch = turns[at + 3] + cell * turns[at + 2]
    at += 4
    for i in range(4 * seats):
        x[one + i] = 0.0
    for roll in range(throws):
        to = rolls + roll * seats
        alternatives = turns[at]
        at += 1
        for i in range(alternatives):
            goes_on, boats, payers = turns[at], turns[at + 1], turns[at + 2]
            at += 3
            if boats * payers == 1:
                here = places[branch]
                found = _built(x, seats, cells, roller, goes_on, here, idle[roller * cells + here])
            else:
                found = spare
                _put_mixed(seats, cells, x, places, idle, roller, goes_on, boats, payers, branch, spare)
            branch += boats * payers
            if i == 0 or x[found + roller] > x[to + roller] + _EQUAL:
                for seat in range(seats):
                    x[to + seat] = x[found + seat]
        _add(seats, x, one if roll < FIRST_DOUBLE else two, x[shares + roll], to)
    if rerolls:
        _put_again(seats, x, rolls, 0, FIRST_DOUBLE, one, roller)
        if throws > FIRST_DOUBLE:
            _put_again(seats, x, rolls, FIRST_DOUBLE, ROLLS, two, roller)
    best = two if throws > FIRST_DOUBLE and x[two + roller] > x[one + roller] + _EQUAL else one
    change = 0.0
    value = (roller * cells + cell) * seats
    for seat in range(seats):
        change = max(change, abs(x[best + seat] - x[value + seat]))
        x[put + seat] = x[best + seat]
    return change


def sweep_cells(shape: Codes, turns: Codes, places: Codes, idle: Codes, x: Chances) -> int:
    """Sweep over all cells until no chance changes.

    With two seats the richest cells come first, in place: their chances are unique. With more, they may
    depend on the order, so all cells of a roller change at once, those of the last roller first, as by numpy.
    Returns the number of sweeps, or 0 if chances still change after the most sweeps.

    `shape` has the number of seats, that of cells, the most sweeps, and by seat where its turn is in `turns`:
    the number of rolls, whether it may roll again, the number of branches, where its first cell is in
    `places`; then for each roll the number of totals, and for each total whether another turn follows, the
    number of totals of the boats, and that of seats that may pay. `places` has by cell and branch the cell
    that the branch leads to, `idle` by roller and cell the cell if it builds nothing. `x` has by roller, cell
    and seat the chances before a turn; the chances after the best build, if the turn passes on and if not; by
    roll its probability; and room for the chances of each roll, for five more, and for those of all cells.
    """
    seats, cells, most = shape[0], shape[1], shape[2]
    room = 3 * seats * cells * seats + ROLLS + (ROLLS + 5) * seats
    for sweep in range(most):
        change = 0.0
        if seats == 2:
            for i in range(cells):
                cell = cells - 1 - i
                for roller in range(2):
                    start, put = shape[3 + roller], (roller * cells + cell) * 2
                    found = _update(2, cells, x, turns, places, idle, roller, cell, start, put)
                    change = max(change, found)
        else:
            for i in range(seats):
                roller = seats - 1 - i
                for cell in range(cells):
                    start, put = shape[3 + roller], room + cell * seats
                    found = _update(seats, cells, x, turns, places, idle, roller, cell, start, put)
                    change = max(change, found)
                for place in range(cells * seats):
                    x[roller * cells * seats + place] = x[room + place]
        if change < _SETTLED:
            return sweep + 1
    return 0
