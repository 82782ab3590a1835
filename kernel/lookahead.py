"""The chances to win after the rest of a turn: all rolls, choices of the seat to act, and its best build.

It mirrors `players.lookahead`. The roll for boats counts as its average. Chances are among the incomes, by
seat; those that a function finds go to `FOUND`, and the chance of the seat to act is its value.
"""

from __future__ import annotations

from kernel.afterstates import begin_alike_turns, keep, put_back, quick_answer, same, value_of_build
from kernel.effects import pay_out
from kernel.forecast import amount_to_add, share_of
from kernel.layout import (
    ACTIVE,
    BUILD,
    BUILD_CARD,
    COINS,
    DECLINE_SWAP,
    DIE_1,
    DIE_2,
    EXTRA_TURN_DUE,
    GIVE,
    LANDMARKS,
    LUCK_FREE,
    MOST_CARDS,
    MOST_SEATS,
    PASS,
    PHASE,
    REROLLER,
    RESIGNED,
    SCRIPT_AT,
    SCRIPTED,
    SEATS,
    SWAP,
    TAKE_COINS,
    TAKE_FROM,
    TOTAL,
    Codes,
    Incomes,
    Luck,
    Net,
    Row,
    Tables,
)
from kernel.legal import legal
from kernel.moves import answer_to_card
from kernel.network import end_alike
from kernel.payments import choice_made
from kernel.queries import in_force
from kernel.workspaces import (
    BEST_TARGET,
    CHANCES,
    FIRST_DOUBLE,
    FIRST_OTHER,
    FOUND,
    KEPT,
    KEPT_CHOICE,
    LANDMARKS_THEN,
    LEAF_CHANCES,
    LEAVES,
    MOST_LEAVES,
    RANKED,
    RANKS,
    RANKS_WIDTH,
    ROLL_CHANCES,
    ROLLS,
    ROLLS_LEFT,
    TRADED,
    UNRAISED,
)

MORE_COINS = 8
"""As `players.lookahead.MORE_COINS`."""
RANKED_ROLLS = 4
"""As `players.lookahead.RANKED_ROLLS`."""


def _copy(incomes: Incomes, source: int, to: int) -> None:
    """Copy the chances of all seats."""
    for seat in range(MOST_SEATS):
        incomes[to + seat] = incomes[source + seat]


def _fine(value: float) -> int:
    """The value to nine decimals, as a whole number: in the rest, equal choices can differ."""
    return int(value * 1e9 + 0.5)


def _keep_better(s: Row, incomes: Incomes, other: int, at: int) -> None:
    """Replace chances by others that are better for the seat to act."""
    if _fine(incomes[other + s[ACTIVE]]) > _fine(incomes[at + s[ACTIVE]]):
        _copy(incomes, other, at)


def _rank_at(s: Row, code: int) -> int:
    """The place of the rank of a build of the seat to act."""
    return RANKS + s[ACTIVE] * RANKS_WIDTH + (MOST_CARDS if code == PASS else code - BUILD_CARD)


def _are_ranked(s: Row, w: Luck, out: Codes, count: int) -> bool:
    """Whether the listed builds all have ranks that are still used."""
    ranks = RANKS + s[ACTIVE] * RANKS_WIDTH
    if w[ranks + ROLLS_LEFT] == 0 or w[ranks + LANDMARKS_THEN] != s[LANDMARKS + s[ACTIVE]]:
        return False
    for i in range(count):
        if w[_rank_at(s, out[i])] == 0:
            return False
    return True


def rank_builds(t: Tables, s: Row, w: Luck, out: Codes, n: Net, x: Net) -> None:
    """Rank the builds before a throw, as `players.lookahead.Rankings` does, unless they are ranked.

    Until the next lookahead begins, tables after this throw are judged by the build that ranks highest, and
    no cards are traded. The table before the throw, with more coins, stays the base: see `begin_alike`.
    """
    active, phase = s[ACTIVE] * 1, s[PHASE] * 1
    ranks = RANKS + active * RANKS_WIDTH
    s[COINS + active] += MORE_COINS
    s[PHASE] = BUILD
    count, changed = legal(t, s, out), begin_alike_turns(t, s, n, x)
    if not _are_ranked(s, w, out, count):
        for place in range(ranks, ranks + RANKS_WIDTH):
            w[place] = 0
        for i in range(count):
            w[_rank_at(s, out[i])] = 1 + _fine(value_of_build(t, s, w, n, x, out[i], changed))
        w[ranks + ROLLS_LEFT] = RANKED_ROLLS
        w[ranks + LANDMARKS_THEN] = s[LANDMARKS + active]
    w[ranks + ROLLS_LEFT] -= 1
    s[COINS + active] -= MORE_COINS
    s[PHASE] = phase
    w[RANKED] = 1


def forget_ranks(w: Luck, x: Net) -> None:
    """Forget the ranks of all seats, and the table before the last throw."""
    for seat in range(MOST_SEATS):
        w[RANKS + seat * RANKS_WIDTH + ROLLS_LEFT] = 0
    end_alike(x)


def _keep_promising(s: Row, w: Luck, out: Codes, count: int) -> int:
    """Keep the build that ranks highest, and those without a rank; how many these are."""
    best, left = 0, 0
    for i in range(1, count):
        if w[_rank_at(s, out[i])] > w[_rank_at(s, out[best])]:
            best = i
    for i in range(count):
        if i == best or w[_rank_at(s, out[i])] == 0:
            out[left] = out[i]
            left += 1
    return left


def _leaf(t: Tables, s: Row, w: Luck, out: Codes, incomes: Incomes, n: Net, x: Net) -> None:
    """Find the chances after the best build; a table is known by its coins, unless cards were traded."""
    key = 1 if s[EXTRA_TURN_DUE] else 0
    for seat in range(MOST_SEATS):
        key = (key << 12) + s[COINS + seat]
    known = w[LEAVES]
    if not w[TRADED]:
        for i in range(known):
            if w[LEAVES + 1 + i] == key:
                _copy(incomes, LEAF_CHANCES + i * MOST_SEATS, FOUND)
                return
    best, changed, count = -1, 0, legal(t, s, out)
    if w[RANKED]:
        count = _keep_promising(s, w, out, count)
        if not w[TRADED]:
            changed = (1 << t[SEATS]) - 1
    else:
        changed = begin_alike_turns(t, s, n, x)
    for i in range(count):
        value = _fine(value_of_build(t, s, w, n, x, out[i], changed))
        if value > best:
            best = value
            for seat in range(MOST_SEATS):
                incomes[FOUND + seat] = x[CHANCES + seat]
    if not w[RANKED]:
        end_alike(x)
    if not w[TRADED] and known < MOST_LEAVES:
        w[LEAVES + 1 + known] = key
        _copy(incomes, FOUND, LEAF_CHANCES + known * MOST_SEATS)
        w[LEAVES] = known + 1


def _pay_on(t: Tables, s: Row, w: Luck, out: Codes, n: Net, x: Net, start: int) -> None:
    """Pay out from a stage on, with trades and gifts, until a target is to be chosen or the seat builds."""
    while True:
        if start >= 0:
            pay_out(t, s, w, start)
        if s[PHASE] != SWAP and s[PHASE] != GIVE:
            return
        code = DECLINE_SWAP
        if s[PHASE] == GIVE or not w[RANKED]:
            code = quick_answer(t, s, w, out, n, x)
            if w[RANKED]:
                begin_alike_turns(t, s, n, x)
        if code != DECLINE_SWAP:
            w[TRADED] = 1
        start = answer_to_card(t, s, code)


def best_target(t: Tables, s: Row, w: Luck, out: Codes, incomes: Incomes, n: Net, x: Net) -> int:
    """The command with the best target, to six decimals; find the chances after it."""
    keep(t, s, w, KEPT_CHOICE)
    found, most = -1, -1
    traded = w[TRADED]
    for i in range(1, t[SEATS]):
        seat = (s[ACTIVE] + i) % t[SEATS]
        if s[RESIGNED + seat]:
            continue
        start = answer_to_card(t, s, TAKE_FROM + seat)
        _pay_on(t, s, w, out, n, x, start)
        _leaf(t, s, w, out, incomes, n, x)
        value = same(incomes[FOUND + s[ACTIVE]])
        if found < 0:
            _copy(incomes, FOUND, BEST_TARGET)
        else:
            _keep_better(s, incomes, FOUND, BEST_TARGET)
        if value > most:
            found, most = TAKE_FROM + seat, value
        put_back(t, s, w, KEPT_CHOICE)
        w[TRADED] = traded
    _copy(incomes, BEST_TARGET, FOUND)
    return found


def value_of_paying(
    t: Tables, s: Row, w: Luck, out: Codes, incomes: Incomes, n: Net, x: Net, total: int
) -> float:
    """The value of paying out the dice that lie with that total."""
    s[TOTAL] = total
    w[TRADED] = 0
    w[SCRIPTED] = 2
    w[SCRIPT_AT] = LUCK_FREE
    choice_made(s)
    _pay_on(t, s, w, out, n, x, 0)
    if s[PHASE] == TAKE_COINS:
        best_target(t, s, w, out, incomes, n, x)
    else:
        _leaf(t, s, w, out, incomes, n, x)
    put_back(t, s, w, KEPT)
    return incomes[FOUND + s[ACTIVE]] * 1.0


def value_of_roll(
    t: Tables, s: Row, w: Luck, out: Codes, incomes: Incomes, n: Net, x: Net, first: int, second: int
) -> float:
    """The value of a final roll."""
    s[DIE_1] = first
    s[DIE_2] = second
    more = amount_to_add(t, s, first + second)
    value_of_paying(t, s, w, out, incomes, n, x, first + second)
    if more:
        _copy(incomes, FOUND, UNRAISED)
        s[DIE_1] = first
        s[DIE_2] = second
        value_of_paying(t, s, w, out, incomes, n, x, first + second + more)
        _keep_better(s, incomes, FOUND, UNRAISED)
        _copy(incomes, UNRAISED, FOUND)
    return incomes[FOUND + s[ACTIVE]] * 1.0


def _put_mean(incomes: Incomes, start: int, end: int) -> None:
    """Find the mean of the chances after rolls."""
    for seat in range(MOST_SEATS):
        mean = 0.0
        for roll in range(start, end):
            mean += share_of(roll) * incomes[ROLL_CHANCES + roll * MOST_SEATS + seat]
        incomes[FOUND + seat] = mean


def value_of_throw(
    t: Tables, s: Row, w: Luck, out: Codes, incomes: Incomes, n: Net, x: Net, dice: int, again: bool
) -> float:
    """The value of a throw of so many dice, which may be thrown again; the chances after every roll are at
    `ROLL_CHANCES`."""
    start, end = (0, FIRST_DOUBLE) if dice == 1 else (FIRST_DOUBLE, ROLLS)
    for roll in range(start, end):
        first, second = roll + 1, 0
        if roll >= FIRST_OTHER:
            total = roll - FIRST_OTHER + 3
            first = max(1, total - 6)
            second = total - first
        elif roll >= FIRST_DOUBLE:
            first = second = roll - FIRST_DOUBLE + 1
        value_of_roll(t, s, w, out, incomes, n, x, first, second)
        _copy(incomes, FOUND, ROLL_CHANCES + roll * MOST_SEATS)
    _put_mean(incomes, start, end)
    if again:
        for roll in range(start, end):
            _keep_better(s, incomes, FOUND, ROLL_CHANCES + roll * MOST_SEATS)
        _put_mean(incomes, start, end)
    return incomes[FOUND + s[ACTIVE]] * 1.0


def begin_lookahead(t: Tables, s: Row, w: Luck) -> None:
    """Begin a lookahead from the row; the boats roll the average of two dice."""
    w[LUCK_FREE] = 3
    w[LUCK_FREE + 1] = 4
    w[LEAVES] = 0
    w[TRADED] = 0
    w[RANKED] = 0
    keep(t, s, w, KEPT)


def value_of_turn(
    t: Tables, s: Row, w: Luck, out: Codes, incomes: Incomes, n: Net, x: Net, dice: int
) -> float:
    """The value of the turn if so many dice are thrown."""
    again = t[REROLLER] >= 0 and in_force(t, s, s[ACTIVE], t[REROLLER])
    return value_of_throw(t, s, w, out, incomes, n, x, dice, again)
