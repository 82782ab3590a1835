"""Answers to cards: what is traded, given to an opponent, demolished or closed.

They must be legal, as in `kernel.moves`. They have a module of their own for the same reason as the commands
of `kernel.ending_commands`.
"""

from __future__ import annotations

from kernel.effects import stage_after
from kernel.layout import (
    ACTIVE,
    AMOUNT,
    CITIES,
    CLOSED,
    DEMOLISH_CARD,
    LANDMARKS,
    MOST_CARDS,
    MOST_SEATS,
    MOVE_CARD,
    RENOVATE_CARD,
    RENOVATES,
    RESIGNED,
    SEATS,
    Row,
    Tables,
)
from kernel.payments import pay, receive
from kernel.queries import open_copies
from kernel.tokens import request_demolition, request_gift


def _move(s: Row, card: int, giver: int, taker: int, is_closed: int) -> None:
    s[CITIES + giver * MOST_CARDS + card] -= 1
    s[CITIES + taker * MOST_CARDS + card] += 1
    if is_closed:
        s[CLOSED + giver * MOST_CARDS + card] -= 1
        s[CLOSED + taker * MOST_CARDS + card] += 1


def _is_closed(t: Tables, s: Row, seat: int, card: int) -> int:
    """Whether the copy that the seat would give is closed: an open one goes first."""
    return 1 if t[RENOVATES] and open_copies(t, s, seat, card) == 0 else 0


def trade(t: Tables, s: Row, traded: int) -> None:
    """Trade two cards with what lies on them."""
    active, other = s[ACTIVE], traded // MOST_CARDS % MOST_SEATS
    give, take = traded // (MOST_CARDS * MOST_SEATS), traded % MOST_CARDS
    is_given_closed, is_taken_closed = _is_closed(t, s, active, give), _is_closed(t, s, other, take)
    _move(s, give, active, other, is_given_closed)
    _move(s, take, other, active, is_taken_closed)


def _close_cards(t: Tables, s: Row, card: int, kind: int) -> None:
    """Close an establishment in all cities; opponents pay for each copy that they had open."""
    active, seats = s[ACTIVE], t[SEATS]
    for i in range(seats):
        seat = (active + i) % seats
        if s[RESIGNED + seat]:
            continue
        copies = open_copies(t, s, seat, kind)
        s[CLOSED + seat * MOST_CARDS + kind] += copies
        if i:
            pay(s, seat, active, copies * t[AMOUNT + card])


def answer_about_tokens(t: Tables, s: Row, code: int, card: int, copies: int) -> int:
    """Demolish, give away or close; the stage to go on paying out from, or -1."""
    active = s[ACTIVE]
    if code < RENOVATE_CARD:
        s[CITIES + active * MOST_CARDS + code - DEMOLISH_CARD] -= 1
        s[LANDMARKS + active] -= 1
        receive(s, active, t[AMOUNT + card])
        return -1 if request_demolition(s, card, copies - 1) else stage_after(t, s, card)
    if code < MOVE_CARD:
        _close_cards(t, s, card, code - RENOVATE_CARD)
        return stage_after(t, s, card)
    given, taker = (code - MOVE_CARD) // MOST_SEATS, (code - MOVE_CARD) % MOST_SEATS
    _move(s, given, active, taker, _is_closed(t, s, active, given))
    receive(s, active, t[AMOUNT + card])
    return -1 if request_gift(t, s, card, copies - 1) else stage_after(t, s, card)
