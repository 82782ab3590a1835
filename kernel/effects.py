"""The stages of paying out a roll, and the effects of landmarks when they are built.

They mirror `domain.match.decide.effects`, whose docstrings explain each rule.
"""

from __future__ import annotations

from kernel.layout import (
    ACTIVE,
    AMOUNT,
    BOATS,
    BUILD,
    CITIES,
    COINS,
    DIE_1,
    DIE_2,
    DOUBLES_PLAN,
    ESTABLISHMENTS,
    EXTRA_TURN_DUE,
    EXTRA_TURN_ON_DOUBLE,
    FROM_EACH,
    FROM_EACH_ON_DOUBLE,
    FROM_EACH_PER_LANDMARK,
    FROM_EACH_PER_SYMBOL,
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
    LANDMARKS,
    LEVEL_COINS,
    MOST_CARDS,
    OWN_TURN,
    PAYERS,
    PENDING_CARD,
    PENDING_COPIES,
    PHASE,
    PLAN,
    PLAN_WIDTH,
    RECEIVED,
    RED,
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
from kernel.reading import can_change_by_trade, coins_per_copy, counted, fires, has_coins_to_take, in_force


def request(s: Row, phase: int, card: int, copies: int) -> None:
    """Wait for the active seat's choice."""
    s[PHASE] = phase
    s[PENDING_CARD] = card
    s[PENDING_COPIES] = copies


def choice_made(s: Row) -> None:
    """Continue with building, unless another choice is requested."""
    request(s, BUILD, -1, 0)


def pay(s: Row, payer: int, payee: int, owed: int) -> None:
    """One seat pays another up to what it has."""
    if s[PAYERS] and owed > 0:
        s[PAYERS] |= 1 << payer
    paid = min(owed, s[COINS + payer])
    s[COINS + payer] -= paid
    s[COINS + payee] += paid
    if payee == s[ACTIVE]:
        s[RECEIVED] += paid


def receive(s: Row, seat: int, coins: int) -> None:
    """The bank pays a seat."""
    s[COINS + seat] += coins
    if seat == s[ACTIVE]:
        s[RECEIVED] += coins


def _red(t: Tables, s: Row, stage: int) -> None:
    active, seats = s[ACTIVE], t[SEATS]
    seat = active
    for _ in range(1, seats):
        seat -= 1
        if seat < 0:
            seat += seats
        if s[COINS + active] == 0 and s[PAYERS] == 0:
            return
        if s[RESIGNED + seat]:
            continue
        for i in range(t[stage + 1]):
            card = t[stage + 2 + i]
            copies = fires(t, s, card, seat)
            if copies:
                pay(s, active, seat, copies * coins_per_copy(t, s, card, seat))


def _income(t: Tables, s: Row, stage: int) -> None:
    active, seats = s[ACTIVE], t[SEATS]
    for i in range(t[stage + 1]):
        card = t[stage + 2 + i]
        if t[OWN_TURN + card]:
            copies = fires(t, s, card, active)
            if copies:
                receive(s, active, copies * coins_per_copy(t, s, card, active))
            continue
        for seat in range(seats):
            copies = fires(t, s, card, seat)
            if copies and not s[RESIGNED + seat]:
                receive(s, seat, copies * coins_per_copy(t, s, card, seat))


def _boats(t: Tables, s: Row, r: Luck, card: int) -> None:
    boats = 0
    for seat in range(t[SEATS]):
        if not s[RESIGNED + seat]:
            boats += fires(t, s, card, seat)
    if boats == 0:
        return
    total = die(r)
    total += die(r)
    s[THROWS] += 1
    for seat in range(t[SEATS]):
        if not s[RESIGNED + seat]:
            receive(s, seat, fires(t, s, card, seat) * total)


def take_from_all(t: Tables, s: Row, kind: int, card: int, copies: int) -> None:
    """Every opponent pays the active seat, clockwise: a fixed amount, or by cards, landmarks or coins."""
    active, seats = s[ACTIVE], t[SEATS]
    amount = copies * t[AMOUNT + card]
    seat = active
    for _ in range(1, seats):
        seat += 1
        if seat == seats:
            seat = 0
        if s[RESIGNED + seat]:
            continue
        owed = amount
        if kind == FROM_EACH_PER_SYMBOL:
            owed = amount * counted(t, s, card, seat)
        elif kind == FROM_EACH_PER_LANDMARK:
            owed = amount * s[LANDMARKS + seat]
        elif kind == HALF_FROM_EACH:
            owed = s[COINS + seat] // 2 if s[COINS + seat] >= t[THRESHOLD + card] else 0
        pay(s, seat, active, owed)


def _level_coins(t: Tables, s: Row) -> None:
    pool, sharing = 0, 0
    for seat in range(t[SEATS]):
        if not s[RESIGNED + seat]:
            pool += s[COINS + seat]
            sharing += 1
    share = (pool + sharing - 1) // sharing
    for seat in range(t[SEATS]):
        if not s[RESIGNED + seat]:
            s[COINS + seat] = share


def act_when_built(t: Tables, s: Row, kind: int, card: int) -> None:
    """The effect of a landmark that acts once."""
    if kind == LEVEL_COINS:
        _level_coins(t, s)
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
        elif _of_landmark(t, s, kind, card):
            return


def stage_after(t: Tables, s: Row, card: int) -> int:
    """The stage after that of the card."""
    plan = _plan(s)
    i = 0
    while t[plan + 1 + i * STAGE_WIDTH + 2] != card:
        i += 1
    return i + 1
