"""The policy of the player `learned`, as in `players.learned`."""

from __future__ import annotations

from kernel.afterstates import answer, keep, put_back, put_values_of_builds, quick_answer, same
from kernel.features import seats_in_play
from kernel.forecast import amount_to_add
from kernel.layout import (
    ACTIVE,
    ADD_TWO,
    BUILD,
    DIE_1,
    DIE_2,
    DRAWS,
    GIVE,
    KEEP_DICE,
    KEEP_TOTAL,
    LUCK_FREE,
    MARKET_ROWS,
    PHASE,
    REROLL,
    REROLL_DICE,
    ROLL,
    ROLL_ONE,
    ROLL_TWO,
    SCRIPT_AT,
    SCRIPTED,
    SETUP,
    SWAP,
    TOTAL,
    TWO_MORE,
    Codes,
    Incomes,
    Luck,
    Net,
    Row,
    Tables,
)
from kernel.legal import may_roll_two
from kernel.lookahead import (
    begin_lookahead,
    best_target,
    value_of_paying,
    value_of_roll,
    value_of_throw,
    value_of_turn,
)
from kernel.moves import step
from kernel.workspaces import CLOSE, KEPT_BUILD, MOST_CLOSE

_CLOSE_UNITS = 30_000
"""As `players.learned.CLOSE_UNITS`."""


def _about_dice(t: Tables, s: Row, w: Luck, out: Codes, incomes: Incomes, n: Net, x: Net) -> int:
    """The best command about dice or a target."""
    phase, first, second, total = s[PHASE], s[DIE_1], s[DIE_2], s[TOTAL]
    begin_lookahead(t, s, w)
    if phase == ROLL:
        one = same(value_of_turn(t, s, w, out, incomes, n, x, 1))
        return ROLL_TWO if same(value_of_turn(t, s, w, out, incomes, n, x, 2)) > one else ROLL_ONE
    if phase == REROLL:
        kept = same(value_of_roll(t, s, w, out, incomes, n, x, first, second))
        again = same(value_of_throw(t, s, w, out, incomes, n, x, 2 if second else 1, False))
        return KEEP_DICE if kept > again else REROLL_DICE
    if phase == ADD_TWO:
        more = amount_to_add(t, s, total)
        kept = same(value_of_paying(t, s, w, out, incomes, n, x, total))
        return (
            KEEP_TOTAL
            if kept > same(value_of_paying(t, s, w, out, incomes, n, x, total + more))
            else TWO_MORE
        )
    w[SCRIPTED] = 2
    w[SCRIPT_AT] = LUCK_FREE
    return best_target(t, s, w, out, incomes, n, x)


def after_next_turn(
    t: Tables, s: Row, w: Luck, out: Codes, incomes: Incomes, n: Net, x: Net, code: int
) -> float:
    """The chance after the build and the best next turn, with two seats; -1 if no roll comes next."""
    seat, drawn = s[ACTIVE], 0
    for row in range(t[MARKET_ROWS]):
        drawn += s[DRAWS + row]
    keep(t, s, w, KEPT_BUILD)
    w[SCRIPTED] = 0
    step(t, s, w, code)
    for row in range(t[MARKET_ROWS]):
        drawn -= s[DRAWS + row]
    found = -1.0
    if drawn == 0 and s[PHASE] == ROLL:
        begin_lookahead(t, s, w)
        found = value_of_turn(t, s, w, out, incomes, n, x, 1)
        if may_roll_two(t, s):
            found = max(found, value_of_turn(t, s, w, out, incomes, n, x, 2))
        if s[ACTIVE] != seat:
            found = 1.0 - found
    put_back(t, s, w, KEPT_BUILD)
    return found


def _place_of_best(incomes: Incomes, count: int) -> int:
    """The first of the highest values."""
    best = 0
    for i in range(1, count):
        if same(incomes[i]) > same(incomes[best]):
            best = i
    return best


def _best_of_close(
    t: Tables, s: Row, w: Luck, out: Codes, count: int, incomes: Incomes, n: Net, x: Net
) -> int:
    """The best build; with two seats in play, close ones are compared after the best next turn."""
    put_values_of_builds(t, s, w, out, count, incomes, n, x)
    best = _place_of_best(incomes, count)
    if seats_in_play(t, s) != 2:
        return out[best]
    least, found, close = same(incomes[best]) - _CLOSE_UNITS, best, 0
    while close < MOST_CLOSE and same(incomes[found]) > least:
        w[CLOSE + close] = out[found]
        close += 1
        incomes[found] = -1.0
        found = _place_of_best(incomes, count)
    code, most = out[best] * 1, -1
    for i in range(close if close > 1 else 0):
        value = after_next_turn(t, s, w, out, incomes, n, x, w[CLOSE + i])
        if value < 0.0:
            return w[CLOSE]
        if same(value) > most:
            code, most = w[CLOSE + i], same(value)
    return code


def choose_at_once(
    t: Tables, s: Row, w: Luck, out: Codes, count: int, incomes: Incomes, n: Net, x: Net
) -> int:
    """The build, trade or gift with the highest value at once, of the listed commands."""
    if s[PHASE] in (SWAP, GIVE):
        return quick_answer(t, s, w, out, n, x)
    put_values_of_builds(t, s, w, out, count, incomes, n, x)
    return out[_place_of_best(incomes, count)]


def choose_by_network(
    t: Tables, s: Row, w: Luck, out: Codes, count: int, incomes: Incomes, n: Net, x: Net
) -> int:
    """The choice of `learned` among the listed commands, none of which wins at once."""
    phase = s[PHASE]
    if phase in (SWAP, GIVE):
        return answer(t, s, w, out, count, n, x)
    if phase in (BUILD, SETUP):
        return _best_of_close(t, s, w, out, count, incomes, n, x)
    return _about_dice(t, s, w, out, incomes, n, x)
