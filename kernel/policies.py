"""Policies inside the kernel: uniform play, and built-in players; and playing matches by them.

They choose as the players of `players` do; where those draw, these draw from the luck of the match.
"""

from __future__ import annotations

from kernel.expected_value import choose_by_coins
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
    AFFORDABLE,
    BUILD,
    BUILD_CARD,
    CHEAPEST_FIRST,
    CITIES,
    COINS,
    DECLINE_SWAP,
    DEMOLISH,
    DEMOLISH_CARD,
    ESTABLISHMENTS,
    EXPECTED_VALUE,
    GIVE,
    GIVE_CARD,
    GOAL,
    GREEDY,
    KEEP_DICE,
    KEEP_TOTAL,
    LANDMARKS,
    LEARNED,
    MAX_COPIES,
    MOST_CARDS,
    MOST_PRICED,
    MOST_SEATS,
    MOVE,
    OWN_LANDMARKS,
    PASS,
    PENDING_CARD,
    PHASE,
    QUICK,
    RANDOM,
    REROLL,
    REROLL_DICE,
    RESIGNED,
    RESULT,
    RESULT_WIDTH,
    ROLL,
    ROLL_ONE,
    ROUND,
    RUNNING,
    SEATS,
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
    WIDTH,
    WINNER,
    WINS_ALONE,
    Codes,
    Incomes,
    Luck,
    Net,
    Row,
    Tables,
)
from kernel.learned import choose_at_once, choose_by_network
from kernel.legal import legal, may_roll_two
from kernel.luck import below, seed_luck
from kernel.moves import start_match, step
from kernel.network import put_chances
from kernel.queries import is_offered, price
from kernel.token_choices import choose_about_tokens
from kernel.workspaces import CHANCES

_EQUAL = 1e-9
"""As `players.choices.EQUAL`."""


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


def _wins(t: Tables, s: Row, out: Codes, count: int) -> int:
    """A landmark that wins now, preferably one that always wins, as a code, or -1."""
    found = _first_to_win(t, out, count, 1)
    return found if found >= 0 else _first_to_win(t, out, count, s[LANDMARKS + s[ACTIVE]] + 1)


def _choose_random(t: Tables, s: Row, r: Luck, out: Codes, n: int) -> int:
    if t[OWN_LANDMARKS]:
        return out[below(r, n)]
    found = _wins(t, s, out, n)
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
        elif GIVE_CARD <= out[i] < DEMOLISH_CARD:
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


def _tradable(t: Tables, s: Row, seat: int) -> int:
    """How many kinds of cards the seat may trade."""
    city = CITIES + seat * MOST_CARDS
    found = 0
    for card in range(t[ESTABLISHMENTS]):
        found += 1 if s[city + card] and t[TRADABLE + card] else 0
    return found


def _tradable_at(t: Tables, s: Row, seat: int, number: int) -> int:
    """The card of that number, from 0, among those that the seat may trade."""
    city = CITIES + seat * MOST_CARDS
    card = -1
    while number >= 0:
        card += 1
        number -= 1 if s[city + card] and t[TRADABLE + card] else 0
    return card


def _uniform_trade(t: Tables, s: Row, r: Luck) -> int:
    """Any trade, or none, with equal probability, where no limit of copies forbids any."""
    active, seats = s[ACTIVE], t[SEATS]
    own, theirs = _tradable(t, s, active), 0
    for seat in range(seats):
        if seat != active and not s[RESIGNED + seat]:
            theirs += _tradable(t, s, seat)
    number = below(r, 1 + own * theirs) - 1
    if number < 0:
        return DECLINE_SWAP
    give, number = _tradable_at(t, s, active, number // theirs), number % theirs
    seat = 0
    while True:
        if seat != active and not s[RESIGNED + seat]:
            kinds = _tradable(t, s, seat)
            if number < kinds:
                return TRADE + (give * MOST_SEATS + seat) * MOST_CARDS + _tradable_at(t, s, seat, number)
            number -= kinds
        seat += 1


def _uniform(t: Tables, s: Row, r: Luck, out: Codes) -> int:
    """Any legal command with equal probability, without a list of builds or trades."""
    phase, seat = s[PHASE], s[ACTIVE]
    if phase in (BUILD, SETUP):
        priced = t[AFFORDABLE + min(s[COINS + seat], MOST_PRICED - 1)]
        while True:
            place = below(r, priced + 1)
            if place == priced:
                return PASS
            card = t[CHEAPEST_FIRST + place]
            if is_offered(t, s, seat, card) and price(t, s, seat, card) <= s[COINS + seat]:
                return BUILD_CARD + card
    if phase == ROLL:
        return ROLL_ONE + below(r, 2) if may_roll_two(t, s) else ROLL_ONE
    if phase == SWAP and t[MAX_COPIES] == 0:
        return _uniform_trade(t, s, r)
    return out[below(r, legal(t, s, out))]


def choose(
    t: Tables, s: Row, r: Luck, w: Luck, out: Codes, incomes: Incomes, n: Net, x: Net, policy: int
) -> int:
    """The policy's choice among the legal commands."""
    if policy == UNIFORM:
        return _uniform(t, s, r, out)
    count = legal(t, s, out)
    if count == 1:
        return out[0]
    if policy == RANDOM:
        return _choose_random(t, s, r, out, count)
    if policy == LEARNED:
        found = _wins(t, s, out, count)
        return found if found >= 0 else choose_by_network(t, s, w, out, count, incomes, n, x)
    if policy == QUICK and s[PHASE] in (BUILD, SETUP, SWAP, GIVE):
        found = _wins(t, s, out, count)
        return found if found >= 0 else choose_at_once(t, s, w, out, count, incomes, n, x)
    if policy in (EXPECTED_VALUE, QUICK):
        found = _first_to_win(t, out, count, 1)
        return found if found >= 0 else choose_by_coins(t, s, w, out, count, incomes)
    phase = s[PHASE]
    if phase >= DEMOLISH and (policy == GREEDY or phase in (DEMOLISH, MOVE)):
        return choose_about_tokens(t, s, w, out, count)
    found = _about_dice(t, s, w)
    if found >= 0:
        return found
    if policy == GREEDY and phase == TAKE_COINS:
        return TAKE_FROM + richest_opponent(t, s)
    found = _landmark(t, s, out, count, policy != GREEDY)
    if found >= 0:
        return found
    if policy == GREEDY and phase in (BUILD, SETUP):
        return _any_best_by_income(t, s, r, w, out, count, incomes)
    if policy == GREEDY or phase == GIVE or (phase == SWAP and t[TRADABLE + s[PENDING_CARD]]):
        return _best_by_income(t, s, w, out, count, incomes)
    return _any_of(s, r, out, count)


def play_on(
    t: Tables,
    s: Row,
    r: Luck,
    w: Luck,
    out: Codes,
    incomes: Incomes,
    n: Net,
    x: Net,
    policies: Codes,
    last_turn: int,
) -> int:
    """Play on by the policies of the seats until the turn of that number; how many commands there were."""
    steps = 0
    while s[STATUS] == RUNNING and s[TURN] < last_turn:
        step(t, s, r, choose(t, s, r, w, out, incomes, n, x, policies[s[ACTIVE]]))
        steps += 1
    return steps


def put_values(t: Tables, s: Row, n: Net, x: Net, values: Incomes, place: int) -> None:
    """Each seat's share of the win, or its chance by the network if the match is not over."""
    seats = t[SEATS]
    if s[STATUS] == RUNNING:
        put_chances(t, s, n, x, s[ACTIVE], s[ROUND], 0, -1)
    for seat in range(seats):
        if s[STATUS] == RUNNING:
            values[place + seat] = x[CHANCES + seat]
        elif s[WINNER] < 0:
            values[place + seat] = 1 / seats
        else:
            values[place + seat] = 1.0 if s[WINNER] == seat else 0.0


def play_matches(
    t: Tables,
    s: Row,
    r: Luck,
    w: Luck,
    out: Codes,
    incomes: Incomes,
    n: Net,
    x: Net,
    policies: Codes,
    rows: Row,
    positions: int,
    matches: int,
    seed: int,
    turns: int,
    first_seat: int,
    results: Codes,
    values: Incomes,
) -> None:
    """Play `matches` matches from each position, or from the start if there is none, each for at most `turns`
    turns.

    Without a first seat, -1, chance chooses it. The matches of a position have the seeds from `seed` on.
    Their results and values are written one by one.
    """
    place = 0
    for position in range(max(positions, 1)):
        for i in range(matches):
            seed_luck(r, seed + i)
            if positions == 0:
                start_match(t, s, r, first_seat)
            else:
                for j in range(t[WIDTH]):
                    s[j] = rows[position * t[WIDTH] + j]
            first_turn = s[TURN] * 1
            steps = play_on(t, s, r, w, out, incomes, n, x, policies, first_turn + turns)
            put_values(t, s, n, x, values, place * t[SEATS])
            at = place * RESULT_WIDTH
            results[at] = s[WINNER]
            results[at + 1] = s[RESULT]
            results[at + 2] = s[TURN]
            results[at + 3] = steps
            place += 1
