"""The tables of the kernel, made from the rules that `domain` compiles: no card and no number stands here."""

from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from domain import create
from domain.match import events as ev
from domain.match.commands import CreateMatch, SeatPlan
from domain.match.decide.effects import WHEN_BUILT as ACTS_WHEN_BUILT
from domain.match.decide.turns import TURN_LIMIT as LAST_TURN
from domain.match.rated import without_rating
from domain.match.rules import Firing, PayoutStage, Rules
from domain.match.state import MatchState, wins
from kernel import layout as at

_STAGES: Final = {name: number for number, name in enumerate(at.STAGES)}
_OF_DICE: Final = ("from_each_on_double", "income_if_nothing_received")
"""Effects that depend on the dice and not only on their total."""
_OF_FIXED_COINS: Final = ("from_bank", "from_roller", "from_each", "from_one")
_COUNTS: Final = {"per_counted": at.COUNTS_OWN, "per_counted_of_all": at.COUNTS_ALL}
_SPECIAL: Final = ("per_counted_of_all", "all_from_roller", "to_bank")
_ON_DOUBLE: Final = ("from_each_on_double", "extra_turn_on_double", "give_on_double")
"""Effects of doubles alone."""


def width_of(rules: Rules) -> int:
    """How many numbers a row has: what only some rules have comes last, and others leave it out."""
    last = at.CLOSED if rules.renovates or rules.invests >= 0 else at.CITIES
    return last + rules.seats * at.MOST_CARDS


@lru_cache(maxsize=256)
def tables_of(rules: Rules) -> tuple[int, ...]:
    """The rules as integers, by `kernel.layout`."""
    t = [0] * at.TABLES_WIDTH
    _put(t, 0, _head(rules))
    for card in range(rules.size):
        _put_card(t, rules, card)
    _put(t, at.OFFERED, rules.offers)
    by_price = sorted(rules.offers, key=lambda card: t[at.LOWEST + card])
    _put(t, at.CHEAPEST_FIRST, by_price)
    prices = [t[at.LOWEST + card] for card in by_price]
    _put(t, at.AFFORDABLE, [bisect_right(prices, coins) for coins in range(at.MOST_PRICED)])
    for i, discount in enumerate(rules.discounts):
        applies = [int(card in discount.targets) for card in range(rules.size)]
        _put(t, at.DISCOUNT + i * at.DISCOUNT_WIDTH, [discount.landmark, discount.amount, *applies])
    for row, cards in enumerate(rules.row_cards):
        _put(t, at.MARKET_ROW + row * at.MARKET_ROW_WIDTH, [rules.rows[row].kinds, len(cards), *cards])
    for total in range(len(rules.plans)):
        place, stages = total * at.PLAN_WIDTH, rules.plans[total]
        _put_plan(t, at.DOUBLES_PLAN + place, stages)
        _put_plan(t, at.PLAN + place, [stage for stage in stages if stage.kind not in _ON_DOUBLE])
    landmarks = [card for card in range(rules.establishments, rules.size) if not t[at.WINS_ALONE + card]]
    _put(
        t,
        at.USUAL,
        [min([t[tier + card] for card in landmarks]) for tier in (at.PRICE_1, at.PRICE_2, at.PRICE_3)],
    )
    _put_start(t, rules)
    assert len(t) == at.TABLES_WIDTH
    assert rules.size <= at.MOST_CARDS
    assert len(rules.discounts) <= at.MOST_DISCOUNTS
    return tuple(t)


def _put(t: list[int], place: int, values: Sequence[int]) -> None:
    t[place : place + len(values)] = values


def _head(rules: Rules) -> list[int]:
    helps = _help_of(rules)
    head = {
        at.SEATS: rules.seats,
        at.SIZE: rules.size,
        at.ESTABLISHMENTS: rules.establishments,
        at.OWN_LANDMARKS: int(rules.own_landmarks),
        at.GOAL: rules.goal,
        at.MAX_COPIES: rules.max_copies,
        at.TWO_DICE: rules.two_dice,
        at.REROLLER: rules.reroll,
        at.ADDER: rules.add_two,
        at.PAYS_PASS: rules.income_on_pass,
        at.LOAN_OFFICE: rules.loan_office,
        at.BUILDING_ROUNDS: rules.ruleset.building_rounds,
        at.MARKET_ROWS: len(rules.rows),
        at.TURN_LIMIT: LAST_TURN,
        at.OFFERS: len(rules.offers),
        at.HELP_NEEDS: helps.needs if helps else -1,
        at.HELP_COINS: helps.amount if helps else 0,
        at.DISCOUNTS: len(rules.discounts),
        at.DOUBLER: next(
            (f.card for f in rules.firings if f.kind == "extra_turn_on_double"),
            -1,
        ),
        at.WIDTH: width_of(rules),
        at.RENOVATES: int(rules.renovates),
        at.INVESTS: rules.invests,
        at.WAYS_TO_INVESTMENT: _ways_to(rules, rules.invests),
        at.SOLD: sum([row >= 0 for row in rules.row_of]),
        at.HALF_THRESHOLD: max([f.threshold for f in rules.firings if f.kind == "half_from_each"] or [0]),
    }
    return [head.get(place, 0) for place in range(at.BY_CARD)]


def _ways_to(rules: Rules, card: int) -> int:
    """How many of the 36 throws of two dice activate an establishment; 0 without one, -1."""
    totals = rules.cards[card].activation if card >= 0 else ()
    return sum([6 - abs(total - 7) for total in totals if total <= 12])


def _help_of(rules: Rules) -> Firing | None:
    """The help for an empty purse, which ends every plan that has it."""
    last = rules.plans[-1][-1:]
    return last[0].firings[0] if last and last[0].kind == "help" else None


def _put_card(t: list[int], rules: Rules, card: int) -> None:
    firing, prices = rules.firings[card], rules.prices[card]
    three = prices if len(prices) == 3 else prices * 3
    assert len(three) == 3
    by_card = {
        at.LOWEST: rules.lowest_prices[card] if len(prices) > 1 else prices[0],
        at.PRICE_1: three[0],
        at.PRICE_2: three[1],
        at.PRICE_3: three[2],
        at.PRICED_BY_LANDMARKS: int(len(prices) > 1),
        at.UNIQUE: int(rules.unique[card]),
        at.TRADABLE: int(rules.tradable[card]),
        at.ROW_OF: rules.row_of[card],
        at.SOLD_PLACE: sum([row >= 0 for row in rules.row_of[:card]]) if rules.row_of[card] >= 0 else -1,
        at.EVERYBODY: int(rules.everybody[card]),
        at.WINS_ALONE: int(wins(rules, 0, card)),
        at.WHEN_BUILT: _STAGES[firing.kind] if firing.kind in ACTS_WHEN_BUILT else 0,
        at.AMOUNT: firing.amount,
        at.THRESHOLD: firing.threshold,
        at.NEEDS: firing.needs,
        at.OWN_TURN: int(firing.own_turn_only),
        at.PER_COUNTED: _COUNTS.get(firing.kind, 0),
        at.BOOST_PER_COUNTED: int(firing.boost_per_counted),
        at.AFFECTED: sum([1 << total for total in range(at.TOTALS) if _affects(rules, total, card)]),
        at.DICE_MATTER: int(firing.kind in _OF_DICE),
        at.IS_HIGH: int(min(rules.cards[card].activation, default=0) > 6),
        at.FIXED: firing.amount
        if firing.kind in _OF_FIXED_COINS
        else at.BOATS_MEAN * (firing.kind == "boats"),
        at.SHARED: int(firing.kind == "from_each"),
        at.PER_SYMBOL: firing.amount if firing.kind == "from_each_per_symbol" else 0,
        at.HALVES: int(firing.kind == "half_from_each"),
        at.CONDITION: _condition(rules, firing),
        at.BELOW_LANDMARKS: firing.below_landmarks,
        at.ROLLER_LANDMARKS: firing.roller_landmarks,
        at.TAKES_ALL: int(firing.kind == "all_from_roller"),
        at.PAYS_BANK: int(firing.kind == "to_bank"),
        at.CLOSES: int(firing.closes),
        at.BONUS: rules.bonuses[card],
        at.STAGE_OF: _STAGES.get(firing.kind, 0),
    }
    for place, value in by_card.items():
        t[place + card] = value
    _put_list(t, at.COUNTED + card * (1 + at.MOST_COUNTED), firing.counted, at.MOST_COUNTED)
    _put_list(t, at.BOOSTS + card * (1 + at.MOST_BOOSTS), firing.boosts, at.MOST_BOOSTS)


def _put_list(t: list[int], place: int, values: Sequence[int], most: int) -> None:
    assert len(values) <= most
    _put(t, place, [len(values), *values])


def _condition(rules: Rules, firing: Firing) -> int:
    can_close = rules.renovates and rules.tradable[firing.card]
    if can_close or firing.below_landmarks or firing.roller_landmarks or firing.kind in _SPECIAL:
        return at.IS_SPECIAL
    return at.NEEDS_LANDMARK if firing.needs >= 0 else 0


def _affects(rules: Rules, total: int, card: int) -> bool:
    """Whether copies of the card can change what the total pays, or costs its roller besides coins."""
    return any(
        [
            card in (firing.card, firing.needs)
            or card in firing.counted
            or card in firing.boosts
            or _depends_on(rules, firing, card)
            for stage in rules.plans[total]
            for firing in stage.firings
        ]
    )


def _depends_on(rules: Rules, firing: Firing, card: int) -> bool:
    """Whether the card is a landmark that is counted or demolished, or one that is given away or closes."""
    if card >= rules.establishments:
        return firing.kind == "demolish" or firing.below_landmarks > 0 or firing.roller_landmarks > 0
    return firing.kind in ("move", "renovate") and rules.tradable[card]


def _put_plan(t: list[int], place: int, stages: Sequence[PayoutStage]) -> None:
    assert len(stages) <= at.MOST_STAGES
    t[place] = len(stages)
    for i, stage in enumerate(stages):
        cards = [firing.card for firing in stage.firings]
        assert len(cards) <= at.MOST_FIRING
        _put(t, place + 1 + i * at.STAGE_WIDTH, [_STAGES[stage.kind], len(cards), *cards])


class _NoChance:
    """A source of chance for laying out a table, from which only the counts before any draw are taken."""

    def first_seat(self, state: MatchState) -> int:
        return 0

    def draw(self, state: MatchState, row: int, number: int, weights: Sequence[int]) -> int:
        return next(place for place, weight in enumerate(weights) if weight)


def _put_start(t: list[int], rules: Rules) -> None:
    """The table as `domain` lays it out, before it fills rows."""
    anybody = SeatPlan("strategy", "random", "random", "1")
    options = without_rating(rules.options)
    creation = CreateMatch(
        rules.ruleset.version, options, (anybody,) * rules.seats, ev.Dice("committed"), "acc_kernel"
    )
    _, events = create(creation, _NoChance())
    [started] = [event for event in events if isinstance(event, ev.MatchStarted)]
    t[at.START + at.WINNER] = -1
    t[at.START + at.PENDING_CARD] = -1
    _put(t, at.START + at.COINS, started.coins)
    _put(t, at.START + at.SUPPLY, [started.supply.get(id, 0) for id in rules.ids])
    _put(t, at.START + at.DECKS, [started.decks.get(id, 0) for id in rules.ids])
    for seat, city in enumerate(started.cities):
        counts = [city.get(id, 0) for id in rules.ids]
        _put(t, at.START + at.CITIES + seat * at.MOST_CARDS, counts)
