"""Policies inside the kernel: uniform play, and the built-in players without lookahead over opponents.

They choose as `workers.players.simple` does; where those draw, these draw from the luck of the match.
"""

from __future__ import annotations

from kernel.forecast import (
    begin_forecast,
    best_dice,
    end_forecast,
    gains_by_adding,
    gains_by_rerolling,
    income_now,
    income_with,
    richest_opponent,
)
from kernel.layout import (
    ACTIVE,
    ADD_TWO,
    BUILD,
    BUILD_CARD,
    ESTABLISHMENTS,
    GIVE,
    GIVE_CARD,
    GOAL,
    GREEDY,
    KEEP_DICE,
    KEEP_TOTAL,
    LANDMARKS,
    MOST_CARDS,
    MOST_SEATS,
    OWN_LANDMARKS,
    PENDING_CARD,
    PHASE,
    RANDOM,
    REROLL,
    REROLL_DICE,
    RESULT,
    RESULT_WIDTH,
    ROLL,
    ROLL_ONE,
    RUNNING,
    SETUP,
    STATUS,
    SWAP,
    TAKE_COINS,
    TAKE_FROM,
    TRADABLE,
    TRADE,
    TURN,
    TWO_MORE,
    UNIFORM,
    WINNER,
    WINS_ALONE,
    Codes,
    Incomes,
    Luck,
    Row,
    Tables,
)
from kernel.legal import legal
from kernel.luck import below, seed_luck
from kernel.moves import start_match, step
from kernel.reading import price

_EQUAL = 1e-9
"""As `workers.players.choices.EQUAL`."""


def _first_to_win(t: Tables, out: Codes, n: int, count: int) -> int:
    """The first landmark that wins as the seat's `count`-th, as a code, or -1."""
    for i in range(n):
        card = out[i] - BUILD_CARD
        if t[ESTABLISHMENTS] <= card < MOST_CARDS and (count >= t[GOAL] or t[WINS_ALONE + card]):
            return out[i]
    return -1


def _landmark(t: Tables, s: Row, out: Codes, n: int, dearest: bool) -> int:
    """A landmark that always wins, else the dearest or the cheapest one, as a code, or -1."""
    found = _first_to_win(t, out, n, 1)
    if found >= 0:
        return found
    best = 0
    for i in range(n):
        card = out[i] - BUILD_CARD
        if t[ESTABLISHMENTS] <= card < MOST_CARDS:
            cost = price(t, s, s[ACTIVE], card)
            if found < 0 or (cost > best if dearest else cost < best):
                found, best = out[i], cost
    return found


def _without_idle_round(s: Row, n: int) -> int:
    """The place of the first command to consider: passing comes first, and is idle in building rounds."""
    return 1 if s[PHASE] == SETUP and n > 1 else 0


def _any_of(s: Row, r: Luck, out: Codes, n: int) -> int:
    first = _without_idle_round(s, n)
    return out[first + below(r, n - first)]


def _choose_random(t: Tables, s: Row, r: Luck, out: Codes, n: int) -> int:
    if t[OWN_LANDMARKS]:
        return out[below(r, n)]
    found = _first_to_win(t, out, n, 1)
    if found < 0:
        found = _first_to_win(t, out, n, s[LANDMARKS + s[ACTIVE]] + 1)
    return found if found >= 0 else _any_of(s, r, out, n)


def _put_incomes(t: Tables, s: Row, w: Luck, out: Codes, n: int, incomes: Incomes) -> None:
    """The income per round of the seat to act after each command."""
    seat = s[ACTIVE]
    begin_forecast(s, w)
    now = income_now(t, s, w, seat)
    for i in range(n):
        more, less = -1, -1
        if BUILD_CARD <= out[i] < GIVE_CARD:
            more = out[i] - BUILD_CARD
        elif GIVE_CARD <= out[i] < TRADE:
            less = out[i] - GIVE_CARD
        elif out[i] >= TRADE:
            more = (out[i] - TRADE) % MOST_CARDS
            less = (out[i] - TRADE) // (MOST_CARDS * MOST_SEATS)
        incomes[i] = now if more == less else income_with(t, s, w, seat, more, less)
    end_forecast(s, w)


def _best_by_income(t: Tables, s: Row, w: Luck, out: Codes, n: int, incomes: Incomes) -> int:
    """The first command with the highest income."""
    _put_incomes(t, s, w, out, n, incomes)
    best = 0
    for i in range(1, n):
        if incomes[i] > incomes[best]:
            best = i
    return out[best]


def _any_best_by_income(t: Tables, s: Row, r: Luck, w: Luck, out: Codes, n: int, incomes: Incomes) -> int:
    """A random command among those with the highest income."""
    _put_incomes(t, s, w, out, n, incomes)
    first = _without_idle_round(s, n)
    most = incomes[first]
    for i in range(first, n):
        most = max(most, incomes[i])
    enough = most - _EQUAL
    found = 0
    for i in range(first, n):
        found += 1 if incomes[i] >= enough else 0
    left = below(r, found)
    for i in range(first, n):
        if incomes[i] >= enough:
            if left == 0:
                return out[i]
            left -= 1
    return -1


def _about_dice(t: Tables, s: Row, w: Luck) -> int:
    """The best command about dice, or -1 if the decision is about something else."""
    if s[PHASE] == ROLL:
        return ROLL_ONE + best_dice(t, s, w) - 1
    if s[PHASE] == REROLL:
        return REROLL_DICE if gains_by_rerolling(t, s, w) else KEEP_DICE
    if s[PHASE] == ADD_TWO:
        return TWO_MORE if gains_by_adding(t, s, w) else KEEP_TOTAL
    return -1


def choose(t: Tables, s: Row, r: Luck, w: Luck, out: Codes, n: int, incomes: Incomes, policy: int) -> int:
    """The policy's choice among the `n` legal commands."""
    if n == 1:
        return out[0]
    if policy == UNIFORM:
        return out[below(r, n)]
    if policy == RANDOM:
        return _choose_random(t, s, r, out, n)
    found = _about_dice(t, s, w)
    if found >= 0:
        return found
    phase = s[PHASE]
    if policy == GREEDY and phase == TAKE_COINS:
        return TAKE_FROM + richest_opponent(t, s)
    found = _landmark(t, s, out, n, policy != GREEDY)
    if found >= 0:
        return found
    if policy == GREEDY and phase in (BUILD, SETUP):
        return _any_best_by_income(t, s, r, w, out, n, incomes)
    if policy == GREEDY or phase == GIVE or (phase == SWAP and t[TRADABLE + s[PENDING_CARD]]):
        return _best_by_income(t, s, w, out, n, incomes)
    return _any_of(s, r, out, n)


def play_on(
    t: Tables, s: Row, r: Luck, w: Luck, out: Codes, incomes: Incomes, policies: Codes, most: int
) -> int:
    """Play the match on by the policies of its seats, at most so many commands; how many there were."""
    steps = 0
    while s[STATUS] == RUNNING and steps < most:
        n = legal(t, s, out)
        step(t, s, r, choose(t, s, r, w, out, n, incomes, policies[s[ACTIVE]]))
        steps += 1
    return steps


def play_matches(
    t: Tables,
    s: Row,
    r: Luck,
    w: Luck,
    out: Codes,
    incomes: Incomes,
    policies: Codes,
    seed: int,
    matches: int,
    results: Codes,
) -> None:
    """Play the matches of the seeds from `seed` on, and write their results."""
    for i in range(matches):
        seed_luck(r, seed + i)
        start_match(t, s, r, -1)
        steps = play_on(t, s, r, w, out, incomes, policies, 1 << 30)
        at = i * RESULT_WIDTH
        results[at] = s[WINNER]
        results[at + 1] = s[RESULT]
        results[at + 2] = s[TURN]
        results[at + 3] = steps
