"""The luck of a match in coins and in wins: the match is carried out again from its script.

See `kernel.convert.script_of`, and for what luck is, `workers.ladders.luck`.
"""

from __future__ import annotations

from kernel.coin_luck import COIN_LUCK, add_coin_luck, number_of_roll
from kernel.layout import (
    BUILD,
    LUCK_FREE,
    MOST_SEATS,
    PHASE,
    REROLL,
    REROLL_DICE,
    RESIGN,
    SCRIPT_AT,
    SCRIPTED,
    Codes,
    Incomes,
    Luck,
    Net,
    Row,
    Tables,
)
from kernel.lookahead import begin_lookahead, forget_ranks, rank_builds, value_of_throw, value_of_turn
from kernel.moves import dice_of, step
from kernel.workspaces import FOUND, ROLL_CHANCES, WIN_LUCK


def _add_win_luck(
    t: Tables, s: Row, w: Luck, out: Codes, incomes: Incomes, n: Net, x: Net, script: Codes, at: int
) -> None:
    """Add what a throw adds to the chances to win; the throws for boats do not count."""
    code = script[at]
    dice = dice_of(s, code)
    if not dice:
        return
    begin_lookahead(t, s, w)
    rank_builds(t, s, w, out, n, x)
    if code == REROLL_DICE:
        value_of_throw(t, s, w, out, incomes, n, x, dice, False)
    else:
        value_of_turn(t, s, w, out, incomes, n, x, dice)
    second = script[at + 3] if dice == 2 else 0
    thrown = ROLL_CHANCES + number_of_roll(script[at + 2], second) * MOST_SEATS
    for seat in range(MOST_SEATS):
        incomes[WIN_LUCK + seat] += incomes[thrown + seat] - incomes[FOUND + seat]


def follow_luck(
    t: Tables,
    s: Row,
    r: Luck,
    w: Luck,
    out: Codes,
    incomes: Incomes,
    n: Net,
    x: Net,
    script: Codes,
    size: int,
    wins: int,
) -> int:
    """Carry out the script on a row, and add up the luck of its throws by seat: in coins, in units of
    `domain.luck`, at `COIN_LUCK`, and, if `wins` is 1, in wins at `WIN_LUCK`.

    Returns whether that was possible: it is not if a seat resigns while a turn's dice bring choices, or if
    the commands throw other dice than those of the script. For luck in wins, nobody may resign.
    """
    for seat in range(MOST_SEATS):
        w[COIN_LUCK + seat] = 0
        incomes[WIN_LUCK + seat] = 0.0
    forget_ranks(w, x)
    at = 0
    while at < size:
        code, dice = script[at], script[at + 1]
        if RESIGN <= code < RESIGN + MOST_SEATS and (wins or REROLL <= s[PHASE] < BUILD):
            return 0
        if dice:
            add_coin_luck(t, s, w, script, at)
        if dice and wins:
            _add_win_luck(t, s, w, out, incomes, n, x, script, at)
        for i in range(dice):
            r[LUCK_FREE + i] = script[at + 2 + i]
        r[SCRIPTED] = dice
        r[SCRIPT_AT] = LUCK_FREE
        step(t, s, r, code)
        if r[SCRIPTED]:
            return 0
        at += 2 + dice
    return 1
