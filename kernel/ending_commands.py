"""Commands that end a turn without building: to invest or not, and to resign.

They have a module of their own because they are rare: within `kernel.moves`, which numba compiles as one
piece, they would slow down all other commands.
"""

from __future__ import annotations

from kernel.effects import stage_after
from kernel.layout import (
    ACTIVE,
    AMOUNT,
    BY_RESIGNATION,
    COINS,
    FINISHED,
    INVEST_COIN,
    INVESTED,
    MOVE,
    PENDING_CARD,
    PHASE,
    RENOVATE,
    RESIGNED,
    SEATS,
    Row,
    Tables,
)
from kernel.payments import choice_made
from kernel.tokens import default_answer
from kernel.turns import close, end_turn


def invest(t: Tables, s: Row, code: int) -> int:
    """Put a coin on the card that asks for it or not, and end the turn; -1, as nothing is left to pay out."""
    if code == INVEST_COIN:
        coins = t[AMOUNT + s[PENDING_CARD]]
        s[COINS + s[ACTIVE]] -= coins
        s[INVESTED + s[ACTIVE]] += coins
    end_turn(t, s)
    return -1


def resign(t: Tables, s: Row, seat: int) -> int:
    """Take a seat out of play; the stage to go on from if an open choice has no answer any more, or -1."""
    s[RESIGNED + seat] = 1
    left, last = 0, 0
    for other in range(t[SEATS]):
        if not s[RESIGNED + other]:
            left += 1
            last = other
    if left == 1:
        close(s, FINISHED, BY_RESIGNATION, last)
    elif s[ACTIVE] == seat:
        end_turn(t, s)
    elif s[PHASE] in (MOVE, RENOVATE) and default_answer(t, s) < 0:
        card = s[PENDING_CARD]
        choice_made(s)
        return stage_after(t, s, card)
    return -1
