"""The legal commands of the seat to act, as codes in the order of `domain.legal_commands`."""

from __future__ import annotations

from kernel.layout import (
    ACTIVE,
    ADD_TWO,
    BUILD_CARD,
    CITIES,
    COINS,
    DECLINE_SWAP,
    DEMOLISH,
    DEMOLISH_CARD,
    ESTABLISHMENTS,
    GIVE,
    GIVE_CARD,
    INVEST,
    INVEST_COIN,
    KEEP_COIN,
    KEEP_DICE,
    KEEP_TOTAL,
    LOWEST,
    MOST_CARDS,
    MOST_SEATS,
    MOVE_CARD,
    OFFERED,
    OFFERS,
    OVER,
    PASS,
    PHASE,
    PRICED_BY_LANDMARKS,
    RENOVATE,
    RENOVATE_CARD,
    REROLL,
    REROLL_DICE,
    RESIGNED,
    ROLL,
    ROLL_ONE,
    ROLL_TWO,
    SEATS,
    SIZE,
    SWAP,
    TAKE_COINS,
    TAKE_FROM,
    TRADABLE,
    TRADE,
    TWO_DICE,
    TWO_MORE,
    Codes,
    Row,
    Tables,
)
from kernel.queries import in_force, is_offered, may_trade, price
from kernel.tokens import can_close, may_give


def may_roll_two(t: Tables, s: Row) -> bool:
    """Whether the active seat may roll two dice."""
    return t[TWO_DICE] < 0 or in_force(t, s, s[ACTIVE], t[TWO_DICE])


def _legal_builds(t: Tables, s: Row, out: Codes) -> int:
    seat = s[ACTIVE]
    coins = s[COINS + seat]
    out[0] = PASS
    n = 1
    for i in range(t[OFFERS]):
        card = t[OFFERED + i]
        if t[LOWEST + card] > coins or not is_offered(t, s, seat, card):
            continue
        if not t[PRICED_BY_LANDMARKS + card] or price(t, s, seat, card) <= coins:
            out[n] = BUILD_CARD + card
            n += 1
    return n


def _legal_swaps(t: Tables, s: Row, out: Codes) -> int:
    active, seats = s[ACTIVE], t[SEATS]
    own = CITIES + active * MOST_CARDS
    out[0] = DECLINE_SWAP
    n = 1
    for i in range(1, seats):
        seat = (active + i) % seats
        if s[RESIGNED + seat]:
            continue
        city = CITIES + seat * MOST_CARDS
        for give in range(t[ESTABLISHMENTS]):
            if not s[own + give] or not t[TRADABLE + give]:
                continue
            for take in range(t[ESTABLISHMENTS]):
                if s[city + take] and t[TRADABLE + take] and may_trade(t, s, give, seat, take):
                    out[n] = TRADE + (give * MOST_SEATS + seat) * MOST_CARDS + take
                    n += 1
    return n


def _legal_answers(t: Tables, s: Row, out: Codes) -> int:
    active, seats = s[ACTIVE], t[SEATS]
    n = 0
    if s[PHASE] == TAKE_COINS:
        for i in range(1, seats):
            seat = (active + i) % seats
            if not s[RESIGNED + seat]:
                out[n] = TAKE_FROM + seat
                n += 1
        return n
    for card in range(t[ESTABLISHMENTS]):
        if s[CITIES + active * MOST_CARDS + card]:
            out[n] = GIVE_CARD + card
            n += 1
    return n


def _legal_about_tokens(t: Tables, s: Row, out: Codes) -> int:
    """The answers to cards that demolish, move, close or hold coins."""
    active, seats, phase = s[ACTIVE], t[SEATS], s[PHASE]
    n = 0
    if phase == INVEST:
        out[0] = INVEST_COIN
        out[1] = KEEP_COIN
        return 2
    if phase == DEMOLISH:
        for card in range(t[ESTABLISHMENTS], t[SIZE]):
            if s[CITIES + active * MOST_CARDS + card]:
                out[n] = DEMOLISH_CARD + card
                n += 1
        return n
    for card in range(t[ESTABLISHMENTS]):
        if phase == RENOVATE:
            if can_close(t, s, card):
                out[n] = RENOVATE_CARD + card
                n += 1
            continue
        for i in range(1, seats):
            seat = (active + i) % seats
            if may_give(t, s, card, seat):
                out[n] = MOVE_CARD + card * MOST_SEATS + seat
                n += 1
    return n


def legal(t: Tables, s: Row, out: Codes) -> int:
    """Write the codes of the legal commands, without resigning; how many there are."""
    phase = s[PHASE]
    if phase == ROLL:
        out[0] = ROLL_ONE
        out[1] = ROLL_TWO
        return 2 if may_roll_two(t, s) else 1
    if phase == REROLL:
        out[0] = REROLL_DICE
        out[1] = KEEP_DICE
        return 2
    if phase == ADD_TWO:
        out[0] = TWO_MORE
        out[1] = KEEP_TOTAL
        return 2
    if phase == SWAP:
        return _legal_swaps(t, s, out)
    if phase in (TAKE_COINS, GIVE):
        return _legal_answers(t, s, out)
    if phase == OVER:
        return 0
    if phase >= DEMOLISH:
        return _legal_about_tokens(t, s, out)
    return _legal_builds(t, s, out)
