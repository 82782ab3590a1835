"""Rollouts: playing on after a command for some turns, with all pairs of dice once in every turn.

A batch is one rollout for each pair of dice. In one turn the rollouts have the pairs in their order, in each
other turn in an order of its own. So they are spread evenly over the throws of every turn. Whatever else is
drawn in a turn depends on the numbers of the rollout and of the turn alone: the rollouts of several commands
have the same luck, one by one and turn by turn.
"""

from __future__ import annotations

from kernel.layout import (
    ACTIVE,
    LUCK_FREE,
    PAIRS,
    QUICK,
    REROLL_DICE,
    RUNNING,
    SCRIPT_AT,
    SCRIPTED,
    SEATS,
    STATUS,
    TURN,
    WIDTH,
    Codes,
    Incomes,
    Luck,
    Net,
    Row,
    Tables,
)
from kernel.luck import below, seed_luck
from kernel.moves import dice_of, step
from kernel.policies import choose, put_values
from kernel.workspaces import MEMO_SLOTS

_SEEDS = 64
"""How many seeds a batch has for its rollouts, and a rollout for its turns."""
_FIRST_TURNS = 5
"""Rollouts often meet the same tables in so many turns, and seldom later."""


def _choose_once(
    t: Tables, s: Row, r: Luck, w: Luck, out: Codes, incomes: Incomes, n: Net, x: Net, memo: Row
) -> int:
    """The choice of the policy `QUICK`, on which chance has no influence: from the memo, if it has it."""
    width, key, differs = t[WIDTH], 0, 0
    for i in range(width):
        key += s[i] * (i * 40503 + 1)
    at = ((key ^ (key >> 12)) & (MEMO_SLOTS - 1)) * (width + 1)
    for i in range(width):
        differs |= memo[at + i] ^ s[i]
    if differs == 0 and memo[at + width] > 0:
        return memo[at + width] - 1
    code = choose(t, s, r, w, out, incomes, n, x, QUICK)
    for i in range(width):
        memo[at + i] = s[i]
    memo[at + width] = code + 1
    return code


def _order_pairs(r: Luck, orders: Codes, turns: int, plain: int, seed: int) -> None:
    """Write an order of the pairs of dice for each turn."""
    seed_luck(r, seed)
    for turn in range(turns):
        at = turn * PAIRS
        for i in range(PAIRS):
            orders[at + i] = i
        for i in range(PAIRS - 1 if turn != plain else 0, 0, -1):
            j, pair = below(r, i + 1), orders[at + i] * 1
            orders[at + i] = orders[at + j]
            orders[at + j] = pair


def _throw(t: Tables, s: Row, r: Luck, code: int, pair: int) -> None:
    """Carry out a command to throw; a single die is the first one of the pair."""
    r[SCRIPT_AT] = LUCK_FREE
    r[LUCK_FREE] = 1 + pair // 6
    r[LUCK_FREE + 1] = 1 + pair % 6
    r[SCRIPTED] = dice_of(s, code)
    step(t, s, r, code)


def _roll_out(
    t: Tables,
    s: Row,
    r: Luck,
    w: Luck,
    out: Codes,
    incomes: Incomes,
    n: Net,
    x: Net,
    policies: Codes,
    code: int,
    seed: int,
    turns: int,
    orders: Codes,
    number: int,
    memo: Row,
) -> None:
    """Play on from a command for some turns. Only the first throw of a turn has a pair of the order."""
    first, known, is_thrown = s[TURN] * 1, -1, 0
    while s[STATUS] == RUNNING and s[TURN] < first + turns:
        turn = s[TURN] - first
        if turn > known:
            seed_luck(r, seed + turn)
            known, is_thrown = turn, 0
        if code < 0:
            policy = policies[s[ACTIVE]]
            if policy == QUICK and turn < _FIRST_TURNS:
                code = _choose_once(t, s, r, w, out, incomes, n, x, memo)
            else:
                code = choose(t, s, r, w, out, incomes, n, x, policy)
        if code <= REROLL_DICE and not is_thrown:
            _throw(t, s, r, code, orders[turn * PAIRS + number] * 1)
            is_thrown = 1
        else:
            step(t, s, r, code)
        code = -1


def roll_out(
    t: Tables,
    s: Row,
    r: Luck,
    w: Luck,
    out: Codes,
    incomes: Incomes,
    n: Net,
    x: Net,
    policies: Codes,
    start: Row,
    code: int,
    seed: int,
    first: int,
    batches: int,
    turns: int,
    plain: int,
    orders: Codes,
    values: Incomes,
    memo: Row,
) -> None:
    """Roll out a command in some batches, the first one of which has the number `first`.

    Each rollout ends after so many turns; that of the command counts. The pairs are in their order in the
    turn `plain`, from 0. By rollout, `values` gets the seats' shares of the win, or their chances by the
    network. The memo must be of the same rules and network.
    """
    for batch in range(batches):
        of_batch = seed + (first + batch) * _SEEDS * _SEEDS
        _order_pairs(r, orders, turns, plain, of_batch + _SEEDS * _SEEDS - 1)
        for number in range(PAIRS):
            for j in range(t[WIDTH]):
                s[j] = start[j]
            own_seed = of_batch + number * _SEEDS
            _roll_out(t, s, r, w, out, incomes, n, x, policies, code, own_seed, turns, orders, number, memo)
            put_values(t, s, n, x, values, (batch * PAIRS + number) * t[SEATS])
