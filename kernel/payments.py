"""Requests of choices, and payments between seats and the bank."""

from __future__ import annotations

from kernel.layout import (
    ACTIVE,
    AMOUNT,
    BUILD,
    COINS,
    FROM_EACH_PER_LANDMARK,
    FROM_EACH_PER_SYMBOL,
    HALF_FROM_EACH,
    LANDMARKS,
    PAYERS,
    PENDING_CARD,
    PENDING_COPIES,
    PHASE,
    RECEIVED,
    RESIGNED,
    SEATS,
    THRESHOLD,
    Row,
    Tables,
)
from kernel.queries import counted


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


def level_coins(t: Tables, s: Row) -> None:
    """Share the coins of all seats in play equally, rounded up; the bank adds the difference."""
    pool, sharing = 0, 0
    for seat in range(t[SEATS]):
        if not s[RESIGNED + seat]:
            pool += s[COINS + seat]
            sharing += 1
    share = (pool + sharing - 1) // sharing
    for seat in range(t[SEATS]):
        if not s[RESIGNED + seat]:
            s[COINS + seat] = share
