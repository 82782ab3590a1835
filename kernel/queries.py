"""Questions about a row that the tables answer: powers in force, open copies, prices, what is for sale,
trades."""

from __future__ import annotations

from kernel.layout import (
    ACTIVE,
    AMOUNT,
    BOOST_PER_COUNTED,
    BOOSTS,
    CITIES,
    CLOSED,
    COINS,
    COUNTED,
    DISCOUNT,
    DISCOUNT_WIDTH,
    DISCOUNTS,
    ESTABLISHMENTS,
    EVERYBODY,
    LANDMARKS,
    LOAN_OFFICE,
    MAX_COPIES,
    MOST_BOOSTS,
    MOST_CARDS,
    MOST_COUNTED,
    OWN_LANDMARKS,
    PER_COUNTED,
    PHASE,
    PRICE_1,
    PRICED_BY_LANDMARKS,
    RENOVATES,
    RESIGNED,
    SEATS,
    SETUP,
    SUPPLY,
    TRADABLE,
    UNIQUE,
    Row,
    Tables,
)


def in_force(t: Tables, s: Row, seat: int, landmark: int) -> bool:
    """Whether a landmark works for the seat."""
    if not t[EVERYBODY + landmark]:
        return s[CITIES + seat * MOST_CARDS + landmark] > 0
    built = 0
    for other in range(t[SEATS]):
        built += s[CITIES + other * MOST_CARDS + landmark]
    return built > 0


def open_copies(t: Tables, s: Row, seat: int, card: int) -> int:
    """The copies of an establishment in the seat's city that are not closed for renovation."""
    place = seat * MOST_CARDS + card
    copies = s[CITIES + place]
    return copies - s[CLOSED + place] if t[RENOVATES] else copies * 1


def counted(t: Tables, s: Row, card: int, seat: int) -> int:
    """How many cards the card's effect counts in the seat's city."""
    at = COUNTED + card * (1 + MOST_COUNTED)
    city = CITIES + seat * MOST_CARDS
    found = 0
    for i in range(1, 1 + t[at]):
        found += s[city + t[at + i]]
    return found


def coins_per_copy(t: Tables, s: Row, card: int, seat: int) -> int:
    """The coins per firing copy for the seat."""
    at = BOOSTS + card * (1 + MOST_BOOSTS)
    more = 0
    for i in range(1, 1 + t[at]):
        if in_force(t, s, seat, t[at + i]):
            more += 1
    amount = t[AMOUNT + card]
    if not t[PER_COUNTED + card]:
        return amount + more
    if t[BOOST_PER_COUNTED + card]:
        return (amount + more) * counted(t, s, card, seat)
    return amount * counted(t, s, card, seat) + more


def price(t: Tables, s: Row, seat: int, card: int) -> int:
    """The price of the card for the seat."""
    if not t[PRICED_BY_LANDMARKS + card]:
        return t[PRICE_1 + card]
    cost = t[PRICE_1 + min(s[LANDMARKS + seat], 2) * MOST_CARDS + card]
    for i in range(t[DISCOUNTS]):
        at = DISCOUNT + i * DISCOUNT_WIDTH
        if t[at + 2 + card] and in_force(t, s, seat, t[at]):
            cost -= t[at + 1]
    return max(cost, 0)


def _is_only_one_without_landmark(t: Tables, s: Row, seat: int) -> bool:
    if s[LANDMARKS + seat]:
        return False
    for other in range(t[SEATS]):
        if other != seat and not s[RESIGNED + other] and s[LANDMARKS + other] == 0:
            return False
    return True


def is_offered(t: Tables, s: Row, seat: int, card: int) -> bool:
    """Whether the seat may build the card if it can pay for it."""
    owned = s[CITIES + seat * MOST_CARDS + card]
    if card < t[ESTABLISHMENTS]:
        if s[SUPPLY + card] <= 0 or (t[UNIQUE + card] and owned):
            return False
        return t[MAX_COPIES] == 0 or owned < t[MAX_COPIES]
    if owned or s[PHASE] == SETUP:
        return False
    if not t[OWN_LANDMARKS] and s[SUPPLY + card] <= 0:
        return False
    return card != t[LOAN_OFFICE] or _is_only_one_without_landmark(t, s, seat)


def may_trade(t: Tables, s: Row, give: int, seat: int, take: int) -> bool:
    """Whether the copy limit lets the active seat trade two cards that are there and tradable."""
    limit = t[MAX_COPIES]
    if limit == 0 or give == take:
        return True
    own = CITIES + s[ACTIVE] * MOST_CARDS
    return s[CITIES + seat * MOST_CARDS + give] < limit and s[own + take] < limit


def can_change_by_trade(t: Tables, s: Row) -> bool:
    """Whether any trade exchanges two different cards."""
    active = s[ACTIVE]
    own = CITIES + active * MOST_CARDS
    for seat in range(t[SEATS]):
        if seat == active or s[RESIGNED + seat]:
            continue
        city = CITIES + seat * MOST_CARDS
        for give in range(t[ESTABLISHMENTS]):
            if not s[own + give] or not t[TRADABLE + give]:
                continue
            for take in range(t[ESTABLISHMENTS]):
                if take == give or not s[city + take] or not t[TRADABLE + take]:
                    continue
                if may_trade(t, s, give, seat, take):
                    return True
    return False


def previous_in_play(t: Tables, s: Row, seat: int) -> int:
    """The seat in play before the given one."""
    seats = t[SEATS]
    seat = (seat + seats - 1) % seats
    while s[RESIGNED + seat]:
        seat = (seat + seats - 1) % seats
    return seat


def has_coins_to_take(t: Tables, s: Row) -> bool:
    """Whether any opponent of the active seat has coins."""
    for seat in range(t[SEATS]):
        if seat != s[ACTIVE] and not s[RESIGNED + seat] and s[COINS + seat]:
            return True
    return False
