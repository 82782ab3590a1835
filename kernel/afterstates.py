"""The chance of the seat to act to win after each build, trade or gift, by the value network.

It mirrors `players.afterstates` and the answers of `players.lookahead`. Values are compared
to six decimals, and the first of equal ones is chosen.
"""

from __future__ import annotations

from kernel.effects import act_when_built, pay_out
from kernel.features import dependent_seats
from kernel.layout import (
    ACTIVE,
    AMOUNT,
    BUILD_CARD,
    CITIES,
    COINS,
    DECLINE_SWAP,
    ESTABLISHMENTS,
    EXTRA_TURN_DUE,
    GOAL,
    LANDMARKS,
    MOST_CARDS,
    MOST_SEATS,
    OWN_LANDMARKS,
    PASS,
    PAYS_PASS,
    PHASE,
    RECEIVED,
    SETUP,
    SUPPLY,
    SWAP,
    TRADE,
    WHEN_BUILT,
    WIDTH,
    WINS_ALONE,
    Codes,
    Incomes,
    Luck,
    Net,
    Row,
    Tables,
)
from kernel.legal import legal
from kernel.moves import answer_to_card
from kernel.network import begin_alike, end_alike, put_chances
from kernel.queries import in_force, price
from kernel.turns import next_round, next_seat
from kernel.workspaces import CHANCES, COINS_BEFORE, KEPT_GIFT

_FEW_TRADES = 48
"""As `players.lookahead.FEW_TRADES`."""

_SAME = 1e6


def same(value: float) -> int:
    """The value to six decimals, as a whole number."""
    return int(value * _SAME + 0.5)


def keep(t: Tables, s: Row, w: Luck, at: int) -> None:
    """Copy the row to the workspace of a forecast, from `at` on."""
    for i in range(t[WIDTH]):
        w[at + i] = s[i]


def put_back(t: Tables, s: Row, w: Luck, at: int) -> None:
    """Copy the row back that `keep` has copied to `at`."""
    for i in range(t[WIDTH]):
        s[i] = w[at + i]


def _chance_after_turn(t: Tables, s: Row, n: Net, x: Net, changed: int, card: int) -> float:
    """The chance of the seat to act to win, if its turn ends as the table is; see `put_chances`."""
    mover = next_seat(t, s)
    put_chances(t, s, n, x, mover, next_round(t, s, mover), changed, card)
    return x[CHANCES + s[ACTIVE]] * 1.0


def _value_of_pass(t: Tables, s: Row, n: Net, x: Net, changed: int) -> float:
    active, airport = s[ACTIVE], t[PAYS_PASS]
    gained = 0
    if airport >= 0 and s[PHASE] != SETUP and in_force(t, s, active, airport):
        gained = t[AMOUNT + airport]
    s[COINS + active] += gained
    found = _chance_after_turn(t, s, n, x, changed, -1)
    s[COINS + active] -= gained
    return found


def value_of_build(t: Tables, s: Row, w: Luck, n: Net, x: Net, code: int, changed: int) -> float:
    """The chance to win after a build, or after building nothing; cards that follow are unknown. The chances
    of all seats are at `CHANCES`.

    `changed` are the seats whose features depend on the seat to act, as `begin_alike_turns` returns them.
    """
    if code == PASS:
        return _value_of_pass(t, s, n, x, changed)
    active, card = s[ACTIVE], code - BUILD_CARD
    is_landmark = card >= t[ESTABLISHMENTS]
    if is_landmark and (s[LANDMARKS + active] + 1 >= t[GOAL] or t[WINS_ALONE + card]):
        for seat in range(MOST_SEATS):
            x[CHANCES + seat] = 1.0 if seat == active else 0.0
        return 1.0
    city, supply = CITIES + active * MOST_CARDS + card, s[SUPPLY + card]
    received, extra = s[RECEIVED], s[EXTRA_TURN_DUE]
    for seat in range(MOST_SEATS):
        w[COINS_BEFORE + seat] = s[COINS + seat]
    s[COINS + active] -= price(t, s, active, card)
    s[city] += 1
    s[SUPPLY + card] = max(supply - 1, 0)
    if is_landmark:
        s[LANDMARKS + active] += 1
        if t[WHEN_BUILT + card]:
            act_when_built(t, s, t[WHEN_BUILT + card], card)
        changed = changed if t[OWN_LANDMARKS] else 0
    found = _chance_after_turn(t, s, n, x, changed, card)
    if is_landmark:
        s[LANDMARKS + active] -= 1
    s[SUPPLY + card] = supply
    s[city] -= 1
    for seat in range(MOST_SEATS):
        s[COINS + seat] = w[COINS_BEFORE + seat]
    s[RECEIVED], s[EXTRA_TURN_DUE] = received, extra
    return found


def begin_alike_turns(t: Tables, s: Row, n: Net, x: Net) -> int:
    """Take the table after the turn as the base for the values of all choices, until `end_alike`.

    Returns the `dependent_seats` of the seat to act.
    """
    mover, active = next_seat(t, s), s[ACTIVE]
    begin_alike(t, s, n, x, mover, next_round(t, s, mover))
    return dependent_seats(t, s, active)


def put_values_of_builds(
    t: Tables, s: Row, w: Luck, out: Codes, count: int, incomes: Incomes, n: Net, x: Net
) -> None:
    """Write the chance to win after each of the listed builds, see `value_of_build`."""
    changed = begin_alike_turns(t, s, n, x)
    for i in range(count):
        incomes[i] = value_of_build(t, s, w, n, x, out[i], changed)
    end_alike(x)


def _value_of_trade(t: Tables, s: Row, n: Net, x: Net, code: int) -> float:
    if code == DECLINE_SWAP:
        return _chance_after_turn(t, s, n, x, 0, -1)
    traded = code - TRADE
    own = CITIES + s[ACTIVE] * MOST_CARDS
    theirs = CITIES + traded // MOST_CARDS % MOST_SEATS * MOST_CARDS
    give, take = traded // (MOST_CARDS * MOST_SEATS), traded % MOST_CARDS
    s[own + give] -= 1
    s[theirs + give] += 1
    s[theirs + take] -= 1
    s[own + take] += 1
    found = _chance_after_turn(t, s, n, x, 0, -1)
    s[own + take] -= 1
    s[theirs + take] += 1
    s[theirs + give] -= 1
    s[own + give] += 1
    return found


def _value_of_gift(t: Tables, s: Row, w: Luck, n: Net, x: Net, code: int) -> float:
    keep(t, s, w, KEPT_GIFT)
    start = answer_to_card(t, s, code)
    if start >= 0:
        pay_out(t, s, w, start)
    found = _chance_after_turn(t, s, n, x, 0, -1)
    put_back(t, s, w, KEPT_GIFT)
    return found


def answer(t: Tables, s: Row, w: Luck, out: Codes, count: int, n: Net, x: Net) -> int:
    """The best of the trades, or of the gifts."""
    best, most = -1, -1
    begin_alike_turns(t, s, n, x)
    for i in range(count):
        if s[PHASE] == SWAP:
            value = same(_value_of_trade(t, s, n, x, out[i]))
        else:
            value = same(_value_of_gift(t, s, w, n, x, out[i]))
        if value > most:
            best, most = out[i], value
    end_alike(x)
    return best


def quick_answer(t: Tables, s: Row, w: Luck, out: Codes, n: Net, x: Net) -> int:
    """As `answer`, but with many trades it first chooses the card to take, then the card to give for it."""
    count = legal(t, s, out)
    if s[PHASE] != SWAP or count <= _FEW_TRADES:
        return answer(t, s, w, out, count, n, x)
    kinds = MOST_CARDS * MOST_SEATS
    first, best, most = (out[1] - TRADE) // kinds, -1, -1
    for i in range(1, count):
        if (out[i] - TRADE) // kinds == first:
            value = same(_value_of_trade(t, s, n, x, out[i]))
            if value > most:
                best, most = out[i], value
    left, wanted = 1, (best - TRADE) % kinds
    for i in range(1, count):
        if (out[i] - TRADE) % kinds == wanted:
            out[left] = out[i]
            left += 1
    return answer(t, s, w, out, left, n, x)
