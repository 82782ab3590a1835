"""Playing an imagined match to its end: quick habits, the domain's own rules, luck of one's own.

The habits are those of `landmark_first` without its forecasts: the dearest landmark that can be paid for,
else any build or none. No list of all that is legal is made: a card is drawn from the catalogue until one can
be built, which leaves each as likely as the next.
"""

import random
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from domain.match.chance import index_at
from domain.match.commands import AddTwo, Build, KeepDice, KeepTotal, Pass, PlayCommand, RerollDice, RollDice
from domain.match.decide import advance_turn
from domain.match.decide.building import refusal
from domain.match.decide.clocks import default_command
from domain.match.decide.dice import may_roll_two
from domain.match.rules import HIGHEST_TOTAL, Rules
from domain.match.state import RUNNING, MatchState
from workers.players.forecast import ONE_DIE, TWO_DICE

NOBODY: Final = -1


class OwnChance:
    """Dice and draws from a player's own luck: what the match's dice will be, nobody knows."""

    def __init__(self, rng: random.Random) -> None:
        self._random = rng.random

    def throw(self, state: MatchState, purpose: str, dice: int) -> tuple[int, ...]:
        luck = self._random
        if dice == 1:
            return (int(luck() * 6) + 1,)
        return tuple([int(luck() * 6) + 1 for _ in range(dice)])

    def draw(self, state: MatchState, row: int, number: int, weights: Sequence[int]) -> int:
        return index_at(int(self._random() * sum(weights)), weights)


class Habits:
    """What quick play needs to know of a ruleset, looked up once."""

    def __init__(self, rules: Rules) -> None:
        self.landmarks: list[int] = sorted(
            [card for card in rules.offers if card >= rules.establishments],
            key=lambda card: (rules.wins(1, card), rules.highest_prices[card]),
            reverse=True,
        )
        """Those that win by themselves, then the dearest first."""
        self.cheapest_landmark: int = min([rules.lowest_prices[card] for card in self.landmarks])
        self.pays: list[list[tuple[int, int]]] = [_payers(rules, total) for total in range(HIGHEST_TOTAL + 1)]
        """By total: the cards that pay their owner on its own turn, and roughly how much for each copy."""
        self.one_die: list[tuple[int, float]] = self._on_average(ONE_DIE)
        self.two_dice: list[tuple[int, float]] = self._on_average(TWO_DICE)

    def gain(self, city: Sequence[int], total: int) -> int:
        """Roughly what the owner of the city gets on a total of its own."""
        return sum([city[card] * coins for card, coins in self.pays[total]])

    def average(self, city: Sequence[int], dice: int) -> float:
        """Roughly what the owner of the city gets on average for so many dice."""
        return sum([city[card] * coins for card, coins in (self.one_die if dice == 1 else self.two_dice)])

    def _on_average(self, throws: Sequence[tuple[tuple[int, ...], float]]) -> list[tuple[int, float]]:
        found: dict[int, float] = {}
        for values, chance in throws:
            for card, coins in self.pays[sum(values)]:
                found[card] = found.get(card, 0.0) + chance * coins
        return list(found.items())


def _payers(rules: Rules, total: int) -> list[tuple[int, int]]:
    return [
        (card, max(rules.firings[card].amount, 1))
        for card in range(rules.establishments)
        if total in rules.cards[card].activation and rules.cards[card].colour != "red"
    ]


@lru_cache(maxsize=256)
def habits_of(rules: Rules) -> Habits:
    """The habits for a ruleset; made once for each."""
    return Habits(rules)


def play_on(state: MatchState, chance: OwnChance, rng: random.Random, last_turn: int) -> int:
    """Play the match that is given to its end; the winning seat.

    `NOBODY` if it was called off, or has not ended with the turn `last_turn`.
    """
    habits = habits_of(state.rules)
    while state.status == RUNNING and state.turn <= last_turn:
        advance_turn(state, habitual(state, habits, rng), chance)
    return state.winner


def habitual(state: MatchState, habits: Habits, rng: random.Random) -> PlayCommand:
    """A legal command after one's habits."""
    phase = state.phase
    if phase in ("build", "setup"):
        return _build(state, habits, rng)
    seat = state.active
    city = state.cities[seat]
    if phase == "roll":
        two = may_roll_two(state, state.rules) and habits.average(city, 2) > habits.average(city, 1)
        return RollDice(seat, 1 + two)
    if phase == "reroll":
        is_poor = habits.gain(city, state.total) < habits.average(city, len(state.dice))
        return RerollDice(seat) if is_poor else KeepDice(seat)
    if phase == "add_two":
        more = state.rules.firings[state.rules.add_two].amount
        is_better = habits.gain(city, state.total + more) > habits.gain(city, state.total)
        return AddTwo(seat) if is_better else KeepTotal(seat)
    return default_command(state)


def _build(state: MatchState, habits: Habits, rng: random.Random) -> PlayCommand:
    """The first landmark that can be paid for, else anything; nothing in a building round only if need be."""
    rules = state.rules
    seat = state.active
    coins = state.coins[seat]
    lowest = rules.lowest_prices
    if coins >= habits.cheapest_landmark:
        for card in habits.landmarks:
            if lowest[card] <= coins and not refusal(state, seat, card):
                return Build(seat, rules.ids[card])
    luck = rng.random
    offers = rules.offers
    # The place behind the last card stands for none.
    places = len(offers) + 1
    for _ in range(places if state.phase == "setup" else 0):
        card = offers[int(luck() * (places - 1))]
        if lowest[card] <= coins and not refusal(state, seat, card):
            return Build(seat, rules.ids[card])
    while (place := int(luck() * places)) < places - 1:
        card = offers[place]
        if lowest[card] <= coins and not refusal(state, seat, card):
            return Build(seat, rules.ids[card])
    return Pass(seat)
