"""Cards that close, that have conditions on landmarks, or that are paid otherwise than usual.

They mirror parts of `domain.match.decide.effects` and `exchanges`, and the default answers of `turns`. They
have a module of their own because, compiled as one piece with the other effects, they would slow these down.
"""

from __future__ import annotations

from kernel.layout import (
    ACTIVE,
    AMOUNT,
    BELOW_LANDMARKS,
    CITIES,
    CLOSED,
    CLOSES,
    COINS,
    COUNTS_ALL,
    DEMOLISH,
    DEMOLISH_CARD,
    DEMOLITION,
    ESTABLISHMENTS,
    FROM_EACH,
    INVESTED,
    INVESTMENT,
    LANDMARKS,
    MAX_COPIES,
    MOST_CARDS,
    MOST_SEATS,
    MOVE,
    MOVE_CARD,
    MOVING,
    NEEDS,
    PAYS_BANK,
    PER_COUNTED,
    PHASE,
    PRICE_1,
    RENOVATE,
    RENOVATE_CARD,
    RENOVATES,
    RENOVATION,
    RESIGNED,
    ROLLER_LANDMARKS,
    SEATS,
    SIZE,
    TAKES_ALL,
    TRADABLE,
    UNPAID,
    Row,
    Tables,
)
from kernel.payments import level_coins, pay, receive, request, take_from_all
from kernel.queries import coins_per_copy, counted, open_copies


def may_give(t: Tables, s: Row, card: int, seat: int) -> bool:
    """Whether the active seat may give the card to another seat."""
    active, limit = s[ACTIVE], t[MAX_COPIES]
    if seat == active or s[RESIGNED + seat] or not t[TRADABLE + card]:
        return False
    if s[CITIES + active * MOST_CARDS + card] == 0:
        return False
    return limit == 0 or s[CITIES + seat * MOST_CARDS + card] < limit


def cheapest_gift(t: Tables, s: Row) -> int:
    """The gift of the cheapest card to the next seat that may have it, as a code; -1 if there is none."""
    found, least, seats = -1, 0, t[SEATS]
    for card in range(t[ESTABLISHMENTS]):
        for i in range(1, seats):
            seat = (s[ACTIVE] + i) % seats
            if (found < 0 or t[PRICE_1 + card] < least) and may_give(t, s, card, seat):
                found, least = MOVE_CARD + card * MOST_SEATS + seat, t[PRICE_1 + card]
    return found


def cheapest_demolition(t: Tables, s: Row) -> int:
    """The demolition of the active seat's cheapest landmark, as a code; -1 for none."""
    found, least = -1, 0
    for card in range(t[ESTABLISHMENTS], t[SIZE]):
        if s[CITIES + s[ACTIVE] * MOST_CARDS + card] and (found < 0 or t[PRICE_1 + card] < least):
            found, least = DEMOLISH_CARD + card, t[PRICE_1 + card]
    return found


def can_close(t: Tables, s: Row, card: int) -> bool:
    """Whether the establishment can close: some city in play has an open copy."""
    if not t[TRADABLE + card]:
        return False
    for seat in range(t[SEATS]):
        if not s[RESIGNED + seat] and open_copies(t, s, seat, card) > 0:
            return True
    return False


def worst_closing(t: Tables, s: Row) -> int:
    """The closing of what the opponents have most of in comparison, as a code; -1 for none."""
    found, most = -1, 0
    for card in range(t[ESTABLISHMENTS]):
        if not can_close(t, s, card):
            continue
        lead = 0
        for seat in range(t[SEATS]):
            if not s[RESIGNED + seat]:
                copies = open_copies(t, s, seat, card)
                lead += copies if seat != s[ACTIVE] else -copies
        if found < 0 or lead > most:
            found, most = RENOVATE_CARD + card, lead
    return found


def default_answer(t: Tables, s: Row) -> int:
    """The default answer to a demolition, a gift or a renovation, as a code; -1 if there is no answer."""
    if s[PHASE] == DEMOLISH:
        return cheapest_demolition(t, s)
    return cheapest_gift(t, s) if s[PHASE] == MOVE else worst_closing(t, s)


def able_copies(t: Tables, s: Row, card: int, seat: int) -> int:
    """The number of open copies of the seat if what the card needs is there, else 0."""
    needs = t[NEEDS + card]
    if needs >= 0 and s[CITIES + seat * MOST_CARDS + needs] == 0:
        return 0
    below = t[BELOW_LANDMARKS + card]
    if below and s[LANDMARKS + seat] >= below:
        return 0
    if s[LANDMARKS + s[ACTIVE]] < t[ROLLER_LANDMARKS + card]:
        return 0
    return open_copies(t, s, seat, card)


def _activate(t: Tables, s: Row, card: int, seat: int) -> int:
    """Open the seat's closed copies again; returns the number of copies that fire, which were open before."""
    copies = able_copies(t, s, card, seat)
    if t[RENOVATES]:
        s[CLOSED + seat * MOST_CARDS + card] = 0
    return copies


def reopen(t: Tables, s: Row, card: int) -> None:
    """Open the closed copies of all seats in play again."""
    for seat in range(t[SEATS]):
        if not s[RESIGNED + seat]:
            s[CLOSED + seat * MOST_CARDS + card] = 0


def coins_of_special(t: Tables, s: Row, card: int, seat: int) -> int:
    """The coins per firing copy for the seat."""
    if t[PER_COUNTED + card] != COUNTS_ALL:
        return coins_per_copy(t, s, card, seat)
    found = 0
    for other in range(t[SEATS]):
        if not s[RESIGNED + other]:
            found += counted(t, s, card, other)
    return t[AMOUNT + card] * found


def pay_special_owner(t: Tables, s: Row, card: int, seat: int) -> None:
    """The active seat pays the owner of a red card."""
    active = s[ACTIVE]
    copies = _activate(t, s, card, seat)
    if copies:
        owed = s[COINS + active] if t[TAKES_ALL + card] else copies * coins_of_special(t, s, card, seat)
        pay(s, active, seat, owed)


def settle_special(t: Tables, s: Row, card: int, seat: int) -> None:
    """What passes between the bank and an owner of blue or green cards."""
    copies = _activate(t, s, card, seat)
    if copies == 0:
        return
    if t[PAYS_BANK + card]:
        owed = copies * t[AMOUNT + card]
        paid = min(owed, s[COINS + seat])
        s[COINS + seat] -= paid
        if t[RENOVATES] and s[UNPAID]:
            s[UNPAID] += owed - paid
        return
    receive(s, seat, copies * coins_of_special(t, s, card, seat))
    if t[CLOSES + card]:
        s[CLOSED + seat * MOST_CARDS + card] += copies


def request_demolition(s: Row, card: int, copies: int) -> bool:
    """Request the landmark to turn back for the next copy, unless the seat has none."""
    if copies > 0 and s[LANDMARKS + s[ACTIVE]]:
        request(s, DEMOLISH, card, copies)
        return True
    return False


def request_gift(t: Tables, s: Row, card: int, copies: int) -> bool:
    """Request the gift for the next copy, unless nothing can be given."""
    if copies > 0 and cheapest_gift(t, s) >= 0:
        request(s, MOVE, card, copies)
        return True
    return False


def act_by_tokens(t: Tables, s: Row, kind: int, card: int) -> int:
    """A stage of a card that demolishes, moves, closes, holds or levels coins; 1 if it requested a choice."""
    active = s[ACTIVE]
    if s[CITIES + active * MOST_CARDS + card] == 0:
        return 0
    if kind == DEMOLITION:
        return 1 if request_demolition(s, card, _activate(t, s, card, active)) else 0
    if kind == MOVING:
        return 1 if request_gift(t, s, card, _activate(t, s, card, active)) else 0
    if kind == RENOVATION:
        if worst_closing(t, s) < 0:
            return 0
        request(s, RENOVATE, card, 1)
        return 1
    if kind == INVESTMENT:
        take_from_all(t, s, FROM_EACH, card, s[INVESTED + active])
    else:
        level_coins(t, s)
    return 0
