"""The course of turns: their beginning and end, and who has the next one; also the end of a match."""

from __future__ import annotations

from kernel.layout import (
    ABORTED,
    ACTIVE,
    ADDED,
    AMOUNT,
    BUILDING_ROUNDS,
    BY_TURN_LIMIT,
    CITIES,
    COINS,
    DIE_1,
    DIE_2,
    EXTRA_TURN,
    EXTRA_TURN_DUE,
    FIRST_SEAT,
    INVEST,
    INVESTS,
    MOST_CARDS,
    OVER,
    RECEIVED,
    REROLLED,
    RESIGNED,
    RESULT,
    ROLL,
    ROUND,
    SEAT_TURNS,
    SEATS,
    SETUP,
    STATUS,
    TOTAL,
    TURN,
    TURN_LIMIT,
    WINNER,
    Row,
    Tables,
)
from kernel.payments import request


def start_turn(s: Row, seat: int, phase: int, extra: int, round: int) -> None:
    """Begin the next turn; `extra` is 1 for an extra turn, `round` is 0 outside of building rounds."""
    s[TURN] += 1
    s[ROUND] = round
    s[ACTIVE] = seat
    s[EXTRA_TURN] = extra
    s[SEAT_TURNS + seat] += 1
    s[DIE_1] = 0
    s[DIE_2] = 0
    s[TOTAL] = 0
    s[ADDED] = 0
    s[REROLLED] = 0
    s[RECEIVED] = 0
    s[EXTRA_TURN_DUE] = 0
    request(s, phase, -1, 0)


def close(s: Row, status: int, result: int, winner: int) -> None:
    """End the match; without a winner, `winner` is -1."""
    s[STATUS] = status
    s[RESULT] = result
    s[WINNER] = winner
    request(s, OVER, -1, 0)


def next_seat(t: Tables, s: Row) -> int:
    """The seat of the next turn: the same one after an extra turn was granted, else the next in play."""
    active, seats = s[ACTIVE], t[SEATS]
    if s[EXTRA_TURN_DUE] and not s[RESIGNED + active]:
        return active
    seat = active + 1 if active + 1 < seats else 0
    while s[RESIGNED + seat]:
        seat = seat + 1 if seat + 1 < seats else 0
    return seat


def next_round(t: Tables, s: Row, seat: int) -> int:
    """The building round of the next turn, which is that of the seat, or 0."""
    round, seats = s[ROUND], t[SEATS]
    if round == 0 or s[EXTRA_TURN_DUE]:
        return 0
    first = s[FIRST_SEAT]
    if (seat - first + seats) % seats <= (s[ACTIVE] - first + seats) % seats:
        round += 1
    return 0 if round > t[BUILDING_ROUNDS] else round


def end_turn(t: Tables, s: Row) -> None:
    """End the turn and begin the next one, or end the match at the turn limit."""
    if s[TURN] >= t[TURN_LIMIT]:
        close(s, ABORTED, BY_TURN_LIMIT, -1)
        return
    extra = 1 if s[EXTRA_TURN_DUE] and not s[RESIGNED + s[ACTIVE]] else 0
    seat = next_seat(t, s)
    round = 0 if extra else next_round(t, s, seat)
    start_turn(s, seat, SETUP if round else ROLL, extra, round)


def finish_turn(t: Tables, s: Row) -> None:
    """After building or passing: request the decision to invest if the seat may, else end the turn."""
    card, active = t[INVESTS], s[ACTIVE]
    if card >= 0 and s[CITIES + active * MOST_CARDS + card] and s[COINS + active] >= t[AMOUNT + card]:
        request(s, INVEST, card, 1)
    else:
        end_turn(t, s)
