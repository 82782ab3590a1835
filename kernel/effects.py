"""The stages of paying out a roll, and the effects of landmarks when they are built.

They mirror `domain.match.decide.effects`, whose docstrings explain each rule.
"""

from __future__ import annotations

from kernel.layout import (
    ACTIVE,
    AMOUNT,
    BOATS,
    CITIES,
    COINS,
    CONDITION,
    DIE_1,
    DIE_2,
    DOUBLES_PLAN,
    ESTABLISHMENTS,
    EXTRA_TURN_DUE,
    EXTRA_TURN_ON_DOUBLE,
    FROM_EACH,
    FROM_EACH_ON_DOUBLE,
    FROM_ONE,
    GIVE,
    GIVE_ON_DOUBLE,
    GRANT_EXTRA_TURN,
    HALF_FROM_EACH,
    HELP,
    HELP_COINS,
    HELP_NEEDS,
    INCOME,
    INCOME_IF_NOTHING_RECEIVED,
    INCOME_ON_TOTAL,
    IS_SPECIAL,
    LEVEL_COINS,
    MOST_CARDS,
    NEEDS,
    OWN_TURN,
    PAYERS,
    PLAN,
    PLAN_WIDTH,
    RECEIVED,
    RED,
    RENOVATES,
    RESIGNED,
    SEATS,
    STAGE_WIDTH,
    SWAP,
    TAKE_COINS,
    THRESHOLD,
    THROWS,
    TOTAL,
    TRADING,
    Luck,
    Row,
    Tables,
)
from kernel.luck import die
from kernel.payments import level_coins, pay, receive, request, take_from_all
from kernel.queries import can_change_by_trade, coins_per_copy, has_coins_to_take, in_force
from kernel.tokens import able_copies, act_by_tokens, pay_special_owner, reopen, settle_special


def _pay_owner(t: Tables, s: Row, card: int, seat: int) -> None:
    """The active seat pays the owner of a red card."""
    condition, city = t[CONDITION + card], CITIES + seat * MOST_CARDS
    if condition == IS_SPECIAL:
        pay_special_owner(t, s, card, seat)
    elif condition == 0 or s[city + t[NEEDS + card]]:
        pay(s, s[ACTIVE], seat, s[city + card] * coins_per_copy(t, s, card, seat))


def _red(t: Tables, s: Row, stage: int) -> None:
    active, seats = s[ACTIVE], t[SEATS]
    seat = active
    for _ in range(1, seats):
        seat -= 1
        if seat < 0:
            seat += seats
        if s[COINS + active] == 0 and s[PAYERS] == 0 and not t[RENOVATES]:
            return
        if s[RESIGNED + seat]:
            continue
        for i in range(t[stage + 1]):
            card = t[stage + 2 + i]
            if s[CITIES + seat * MOST_CARDS + card]:
                _pay_owner(t, s, card, seat)


def _settle(t: Tables, s: Row, card: int, seat: int) -> None:
    """The bank pays an owner of blue or green cards."""
    condition, city = t[CONDITION + card], CITIES + seat * MOST_CARDS
    if condition == IS_SPECIAL:
        settle_special(t, s, card, seat)
    elif condition == 0 or s[city + t[NEEDS + card]]:
        receive(s, seat, s[city + card] * coins_per_copy(t, s, card, seat))


def _income(t: Tables, s: Row, stage: int) -> None:
    active, seats = s[ACTIVE], t[SEATS]
    for i in range(t[stage + 1]):
        card = t[stage + 2 + i]
        if t[OWN_TURN + card]:
            if s[CITIES + active * MOST_CARDS + card]:
                _settle(t, s, card, active)
            continue
        for seat in range(seats):
            if s[CITIES + seat * MOST_CARDS + card] and not s[RESIGNED + seat]:
                _settle(t, s, card, seat)


def _sailing(t: Tables, s: Row, card: int, seat: int) -> int:
    """The number of boats that fire for the seat."""
    city, condition = CITIES + seat * MOST_CARDS, t[CONDITION + card]
    if s[city + card] == 0 or s[RESIGNED + seat]:
        return 0
    if condition == IS_SPECIAL:
        return able_copies(t, s, card, seat)
    return s[city + card] * 1 if condition == 0 or s[city + t[NEEDS + card]] else 0


def _boats(t: Tables, s: Row, r: Luck, card: int) -> None:
    boats = 0
    for seat in range(t[SEATS]):
        boats += _sailing(t, s, card, seat)
    if boats:
        total = die(r)
        total += die(r)
        s[THROWS] += 1
        for seat in range(t[SEATS]):
            receive(s, seat, _sailing(t, s, card, seat) * total)
    if t[RENOVATES]:
        reopen(t, s, card)


def act_when_built(t: Tables, s: Row, kind: int, card: int) -> None:
    """The effect of a landmark that acts once."""
    if kind == LEVEL_COINS:
        level_coins(t, s)
    elif kind == GRANT_EXTRA_TURN:
        s[EXTRA_TURN_DUE] = 1
    else:
        take_from_all(t, s, kind, card, 1)


def request_swap(t: Tables, s: Row, card: int, copies: int) -> bool:
    """Request a trade for the next copy, unless no trade could change anything."""
    if copies > 0 and can_change_by_trade(t, s):
        request(s, SWAP, card, copies)
        return True
    return False


def _has_establishment(t: Tables, s: Row, seat: int) -> bool:
    city = CITIES + seat * MOST_CARDS
    for card in range(t[ESTABLISHMENTS]):
        if s[city + card]:
            return True
    return False


def _purple(t: Tables, s: Row, kind: int, card: int) -> bool:
    """A purple stage; whether it requested a choice."""
    copies = s[CITIES + s[ACTIVE] * MOST_CARDS + card]
    if copies == 0:
        return False
    if kind == FROM_ONE:
        if not has_coins_to_take(t, s):
            return False
        request(s, TAKE_COINS, card, copies)
        return True
    if kind == TRADING:
        return request_swap(t, s, card, copies)
    if kind == HALF_FROM_EACH:
        for _ in range(copies):
            take_from_all(t, s, kind, card, 1)
    else:
        take_from_all(t, s, kind, card, copies)
    return False


def _of_landmark(t: Tables, s: Row, kind: int, card: int) -> bool:
    """The stage of a landmark that acts on a roll; whether it requested a choice."""
    active = s[ACTIVE]
    if kind == INCOME_ON_TOTAL:
        if s[TOTAL] == t[THRESHOLD + card] and in_force(t, s, active, card):
            receive(s, active, t[AMOUNT + card])
        return False
    if kind == INCOME_IF_NOTHING_RECEIVED:
        if s[DIE_2] and s[RECEIVED] == 0 and in_force(t, s, active, card):
            receive(s, active, t[AMOUNT + card])
        return False
    if not in_force(t, s, active, card):
        return False
    if kind == FROM_EACH_ON_DOUBLE:
        take_from_all(t, s, FROM_EACH, card, 1)
    elif kind == EXTRA_TURN_ON_DOUBLE:
        s[EXTRA_TURN_DUE] = 1
    elif kind == GIVE_ON_DOUBLE and _has_establishment(t, s, active):
        request(s, GIVE, card, 1)
        return True
    return False


def _help(t: Tables, s: Row) -> None:
    active, needs = s[ACTIVE], t[HELP_NEEDS]
    if s[COINS + active] == 0 and (needs < 0 or s[CITIES + active * MOST_CARDS + needs] > 0):
        s[COINS + active] += t[HELP_COINS]


def _later(t: Tables, s: Row, kind: int, card: int) -> bool:
    """The stage of a landmark, or of a card of which `kernel.tokens` knows; whether it requested a choice."""
    return _of_landmark(t, s, kind, card) if kind < HELP else act_by_tokens(t, s, kind, card) > 0


def _plan(s: Row) -> int:
    """Where the plan for the dice and their total is."""
    return (DOUBLES_PLAN if s[DIE_1] == s[DIE_2] else PLAN) + s[TOTAL] * PLAN_WIDTH


def pay_out(t: Tables, s: Row, r: Luck, start: int) -> None:
    """Run the stages of the total from `start` on, until one requests a choice or all are done."""
    plan = _plan(s)
    for i in range(start, t[plan]):
        stage = plan + 1 + i * STAGE_WIDTH
        kind, card = t[stage], t[stage + 2]
        if kind == RED:
            _red(t, s, stage)
        elif kind == INCOME:
            _income(t, s, stage)
        elif kind == BOATS:
            _boats(t, s, r, card)
        elif kind == HELP:
            _help(t, s)
        elif kind <= HALF_FROM_EACH:
            if _purple(t, s, kind, card):
                return
        elif _later(t, s, kind, card):
            return


def stage_after(t: Tables, s: Row, card: int) -> int:
    """The stage after that of the card."""
    plan = _plan(s)
    i = 0
    while t[plan + 1 + i * STAGE_WIDTH + 2] != card:
        i += 1
    return i + 1
