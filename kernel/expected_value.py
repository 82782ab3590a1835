"""The policy of the player `expected_value`: it looks one ply ahead over all dice, and counts in coins.

It mirrors `players.expected_value` and `distance`, with the same sums of floats, so that ties fall alike.
"""

from __future__ import annotations

from kernel.coin_luck import number_of_roll
from kernel.forecast import begin_forecast, end_forecast, gains_at, gains_by_adding, richest_opponent
from kernel.layout import (
    ACTIVE,
    ADD_TWO,
    AMOUNT,
    BONUS,
    BUILD,
    BUILD_CARD,
    CITIES,
    COINS,
    DEMOLISH,
    DEMOLISH_CARD,
    DIE_1,
    DIE_2,
    ESTABLISHMENTS,
    GIVE_CARD,
    GOAL,
    IS_HIGH,
    KEEP_DICE,
    KEEP_TOTAL,
    LANDMARKS,
    LOAN_OFFICE,
    MOST_CARDS,
    MOST_SEATS,
    NEEDS,
    OWN_LANDMARKS,
    PAYS_PASS,
    PHASE,
    PRICE_1,
    REROLL,
    REROLL_DICE,
    RESIGNED,
    ROLL,
    ROLL_ONE,
    SEATS,
    SETUP,
    SIZE,
    SUPPLY,
    TAKE_COINS,
    TAKE_FROM,
    TRADE,
    TWO_DICE,
    TWO_MORE,
    WINS_ALONE,
    Codes,
    Incomes,
    Luck,
    Row,
    Tables,
)
from kernel.outlook import (
    best_number_of_dice,
    change_of_income,
    gain_at_risk,
    gained_at_once,
    income_of,
    is_below_average,
    put_known_gains,
)
from kernel.queries import in_force, price
from kernel.token_choices import choose_about_tokens
from kernel.workspaces import KNOWN, PAIR_VALUES, SAVED

_SHARE = 0.6
"""As in `players.distance`; so are the next two."""
_FEWEST_ROUNDS = 1.0
_MOST_ROUNDS = 15.0


def _cheapest(t: Tables, s: Row, seat: int, built: int, usual_only: bool) -> int:
    """The lowest price of a missing landmark, or of those for sale that do not win alone; -1 for none."""
    found = -1
    for card in range(t[ESTABLISHMENTS], t[SIZE]):
        if s[CITIES + seat * MOST_CARDS + card] and card != built:
            continue
        if usual_only and (s[SUPPLY + card] <= 0 or t[WINS_ALONE + card] or card == t[LOAN_OFFICE]):
            continue
        cost = price(t, s, seat, card)
        found = cost if found < 0 else min(found, cost)
    return found


def _cheapest_sequence(t: Tables, s: Row, seat: int, built: int) -> int:
    """The cost of landmarks one by one, or of one that wins alone; prices depend on the number built."""
    number, spent, least = s[LANDMARKS + seat] * 1, 0, -1
    for have in range(number, t[GOAL]):
        s[LANDMARKS + seat] = have
        for card in range(t[ESTABLISHMENTS], t[SIZE]):
            missing = card == built or not s[CITIES + seat * MOST_CARDS + card]
            if missing and s[SUPPLY + card] > 0 and t[WINS_ALONE + card]:
                cost = spent + price(t, s, seat, card)
                least = cost if least < 0 else min(least, cost)
        cheapest = _cheapest(t, s, seat, built, True)
        spent += cheapest if cheapest >= 0 else _cheapest(t, s, seat, built, False)
    s[LANDMARKS + seat] = number
    return spent if least < 0 else min(spent, least)


def _still_to_pay(t: Tables, s: Row, seat: int, built: int) -> int:
    """The coins that the seat must still pay to win, as if `built`, or -1, was built already."""
    city = CITIES + seat * MOST_CARDS
    if t[OWN_LANDMARKS]:
        found = 0
        for card in range(t[ESTABLISHMENTS], t[SIZE]):
            found += 0 if s[city + card] or card == built else t[PRICE_1 + card]
        return found
    if built >= 0:
        s[city + built] += 1
        s[LANDMARKS + seat] += 1
    found = _cheapest_sequence(t, s, seat, built)
    if built >= 0:
        s[city + built] -= 1
        s[LANDMARKS + seat] -= 1
    return found


def _rounds_left(t: Tables, s: Row, w: Luck) -> float:
    """The number of rounds to plan for: a share of what the fastest seat needs at its income."""
    least = 1e9
    for seat in range(t[SEATS]):
        if not s[RESIGNED + seat]:
            missing = _still_to_pay(t, s, seat, -1) - w[SAVED + COINS + seat]
            least = min(least, missing / income_of(t, s, w, seat))
    return max(_FEWEST_ROUNDS, min(_MOST_ROUNDS, _SHARE * least))


def _needed(t: Tables, s: Row, seat: int, card: int, of_dice: bool) -> int:
    """A missing landmark without which the card pays nothing on the seat's own turns, or -1."""
    landmark = t[NEEDS + card]
    if of_dice:
        landmark = t[TWO_DICE] if t[IS_HIGH + card] else -1
    return landmark if landmark >= 0 and not in_force(t, s, seat, landmark) else -1


def _with_landmarks(
    t: Tables, s: Row, w: Luck, pairs: Incomes, card: int, cost: int, rounds: float, short: float
) -> float:
    """The value of the card together with the landmarks that it needs; also put among those of landmarks."""
    seat = s[ACTIVE]
    first, second = _needed(t, s, seat, card, False), _needed(t, s, seat, card, True)
    second = -1 if second == first else second
    if first < 0 and second < 0:
        return 0.0
    whole = cost
    whole += price(t, s, seat, first) if first >= 0 else 0
    whole += price(t, s, seat, second) if second >= 0 else 0
    missing = whole - w[SAVED + COINS + seat]
    delay = max(0.0, missing / income_of(t, s, w, seat)) if missing > 0 else 0.0
    if delay >= rounds:
        return 0.0
    change = change_of_income(t, s, w, seat, card, first, second, -1)
    worth = min(short, (rounds - delay) * change)
    if first >= 0:
        pairs[PAIR_VALUES + first] = max(pairs[PAIR_VALUES + first], worth - cost)
    if second >= 0:
        pairs[PAIR_VALUES + second] = max(pairs[PAIR_VALUES + second], worth - cost)
    return worth


def _worth(
    t: Tables, s: Row, w: Luck, pairs: Incomes, card: int, rounds: float, short: float, still: int
) -> float:
    """The value of a build in coins."""
    seat = s[ACTIVE]
    cost = price(t, s, seat, card) - t[BONUS + card]
    gain = min(short, rounds * change_of_income(t, s, w, seat, card, -1, -1, -1))
    if card < t[ESTABLISHMENTS]:
        found = max(gain, _with_landmarks(t, s, w, pairs, card, cost, rounds, short)) - cost
        return found + gain_at_risk(t, s, w, seat, w[SAVED + COINS + seat] - cost)
    progress = still - _still_to_pay(t, s, seat, card)
    at_once = gained_at_once(t, s, w, seat, card, cost)
    found = max(gain, pairs[PAIR_VALUES + card]) + progress + at_once - cost
    return found + gain_at_risk(t, s, w, seat, w[SAVED + COINS + seat] - cost)


def _build(t: Tables, s: Row, w: Luck, out: Codes, count: int, incomes: Incomes) -> int:
    """The best build, or building nothing; establishments come first, as they count for landmarks, too."""
    seat, airport, is_idle_legal = s[ACTIVE], t[PAYS_PASS], s[PHASE] == BUILD
    coins = w[SAVED + COINS + seat]
    rounds, still = _rounds_left(t, s, w), _still_to_pay(t, s, seat, -1)
    more = t[GOAL] - s[LANDMARKS + seat] - 1
    short = max(0.0, still - (coins + more * income_of(t, s, w, seat)))
    for card in range(MOST_CARDS):
        incomes[PAIR_VALUES + card] = 0.0
    best, most = -1, 0.0
    for i in range(1, count):
        card = out[i] - BUILD_CARD
        worth = _worth(t, s, w, incomes, card, rounds, short, still)
        is_better = best < 0 or worth > most
        if worth == most and card >= t[ESTABLISHMENTS] and best - BUILD_CARD < t[ESTABLISHMENTS]:
            is_better = True
        if is_better:
            best, most = out[i] * 1, worth
    if not is_idle_legal:
        return best
    paid = t[AMOUNT + airport] if airport >= 0 and in_force(t, s, seat, airport) else 0
    idle = min(paid * 1.0, short) + gain_at_risk(t, s, w, seat, coins)
    return best if best >= 0 and most >= idle else out[0] * 1


def _best_change(t: Tables, s: Row, w: Luck, out: Codes, count: int) -> int:
    """The trade or gift that raises the income most."""
    best, most = -1, 0.0
    for i in range(count):
        more, less = -1, -1
        if GIVE_CARD <= out[i] < DEMOLISH_CARD:
            less = out[i] - GIVE_CARD
        elif out[i] >= TRADE:
            more = (out[i] - TRADE) % MOST_CARDS
            less = (out[i] - TRADE) // (MOST_CARDS * MOST_SEATS)
        if more == less:
            more, less = -1, -1
        change = change_of_income(t, s, w, s[ACTIVE], more, -1, -1, less)
        if best < 0 or change > most:
            best, most = out[i] * 1, change
    return best


def _about_dice(t: Tables, s: Row, w: Luck, first: int, second: int) -> int:
    """The best number of dice, or whether to throw again."""
    seat = s[ACTIVE]
    if s[PHASE] == ROLL:
        return ROLL_ONE + best_number_of_dice(t, s, w, gains_at(KNOWN, seat), seat) - 1
    roll = number_of_roll(first, second)
    return REROLL_DICE if is_below_average(t, s, w, seat, roll) else KEEP_DICE


def choose_by_coins(t: Tables, s: Row, w: Luck, out: Codes, count: int, incomes: Incomes) -> int:
    """The choice of `expected_value` among the listed commands, none of which always wins."""
    phase, seat, first, second = s[PHASE], s[ACTIVE] * 1, s[DIE_1], s[DIE_2]
    if phase == TAKE_COINS:
        return TAKE_FROM + richest_opponent(t, s)
    if phase >= DEMOLISH:
        return choose_about_tokens(t, s, w, out, count)
    if phase == ADD_TWO:
        return TWO_MORE if gains_by_adding(t, s, w) else KEEP_TOTAL
    begin_forecast(s, w)
    put_known_gains(t, s, w, seat)
    s[PHASE] = phase
    if phase in (BUILD, SETUP):
        found = _build(t, s, w, out, count, incomes)
    elif phase in (ROLL, REROLL):
        found = _about_dice(t, s, w, first, second)
    else:
        found = _best_change(t, s, w, out, count)
    end_forecast(s, w)
    return found
