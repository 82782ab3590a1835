"""Rollouts: simulated matches to the end, by a fast policy, the rules and independent random numbers.

The policy is that of `landmark_first` without forecasts: the most expensive affordable landmark, else any
build or none. It does not list legal commands: rejection sampling from the catalogue is uniform as well.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from domain.match.chance import RandomNumbers, index_at
from domain.match.commands import AddTwo, Build, KeepDice, KeepTotal, Pass, PlayCommand, RerollDice, RollDice
from domain.match.decide import advance_turn
from domain.match.decide.building import refusal
from domain.match.decide.turns import default_command, may_roll_two
from domain.match.rules import HIGHEST_TOTAL, Firing, Rules
from domain.match.state import RUNNING, MatchState, wins
from players.forecast import ONE_DIE, TWO_DICE

NOBODY: Final = -1


class OwnChance:
    """Dice and draws from a player's own random numbers, since the match's dice are secret."""

    def __init__(self, rng: RandomNumbers) -> None:
        self._random = rng.random

    def throw(self, state: MatchState, purpose: str, dice: int) -> tuple[int, ...]:
        luck = self._random
        if dice == 1:
            return (int(luck() * 6) + 1,)
        return tuple([int(luck() * 6) + 1 for _ in range(dice)])

    def draw(self, state: MatchState, row: int, number: int, weights: Sequence[int]) -> int:
        return index_at(int(self._random() * sum(weights)), weights)


class RolloutTables:
    """The tables of a ruleset that the rollout policy needs."""

    def __init__(self, rules: Rules) -> None:
        self.landmarks: list[int] = sorted(
            [card for card in rules.offers if card >= rules.establishments],
            key=lambda card: (wins(rules, 1, card), rules.highest_prices[card]),
            reverse=True,
        )
        """Landmarks that always win, then the others by descending price."""
        self.cheapest_landmark: int = min([rules.lowest_prices[card] for card in self.landmarks])
        self.pays: list[list[tuple[int, int]]] = [_payers(rules, total) for total in range(HIGHEST_TOTAL + 1)]
        """By total: the cards that pay their owner on its own turn, with approximate coins per copy."""
        self.one_die: list[tuple[int, float]] = self._on_average(ONE_DIE)
        self.two_dice: list[tuple[int, float]] = self._on_average(TWO_DICE)

    def gain(self, city: Sequence[int], total: int) -> int:
        """The owner's approximate income on a total of its own turn."""
        return sum([city[card] * coins for card, coins in self.pays[total]])

    def average(self, city: Sequence[int], dice: int) -> float:
        """The owner's approximate expected income with that many dice."""
        return sum([city[card] * coins for card, coins in (self.one_die if dice == 1 else self.two_dice)])

    def _on_average(self, throws: Sequence[tuple[tuple[int, ...], float]]) -> list[tuple[int, float]]:
        found: dict[int, float] = {}
        for values, chance in throws:
            for card, coins in self.pays[sum(values)]:
                found[card] = found.get(card, 0.0) + chance * coins
        return list(found.items())


def _payers(rules: Rules, total: int) -> list[tuple[int, int]]:
    return [
        (card, _approximately(rules.firings[card]))
        for card in range(rules.establishments)
        if total in rules.cards[card].activation and rules.cards[card].colour != "red"
    ]


def _approximately(firing: Firing) -> int:
    return -firing.amount if firing.kind == "to_bank" else max(firing.amount, 1)


@lru_cache(maxsize=256)
def rollout_tables(rules: Rules) -> RolloutTables:
    """The tables of a ruleset, cached."""
    return RolloutTables(rules)


def play_on(state: MatchState, chance: OwnChance, rng: RandomNumbers, last_turn: int) -> int:
    """Play the given match to its end and return the winning seat.

    Returns `NOBODY` if the match is aborted or has not ended by the turn `last_turn`.
    """
    tables = rollout_tables(state.rules)
    while state.status == RUNNING and state.turn <= last_turn:
        advance_turn(state, rollout_command(state, tables, rng), chance)
    return state.winner


def rollout_command(state: MatchState, tables: RolloutTables, rng: RandomNumbers) -> PlayCommand:
    """A legal command by the rollout policy."""
    phase = state.phase
    if phase in ("build", "setup"):
        return _build(state, tables, rng)
    seat = state.active
    city = state.cities[seat]
    if phase == "roll":
        two = may_roll_two(state, state.rules) and tables.average(city, 2) > tables.average(city, 1)
        return RollDice(seat, 1 + two)
    if phase == "reroll":
        is_poor = tables.gain(city, state.total) < tables.average(city, len(state.dice))
        return RerollDice(seat) if is_poor else KeepDice(seat)
    if phase == "add_two":
        more = state.rules.firings[state.rules.add_two].amount
        is_better = tables.gain(city, state.total + more) > tables.gain(city, state.total)
        return AddTwo(seat) if is_better else KeepTotal(seat)
    return default_command(state)


def _build(state: MatchState, tables: RolloutTables, rng: RandomNumbers) -> PlayCommand:
    """The first affordable landmark, else any build or none; in a building round, preferably a build."""
    rules = state.rules
    seat = state.active
    coins = state.coins[seat]
    lowest = rules.lowest_prices
    if coins >= tables.cheapest_landmark:
        for card in tables.landmarks:
            if lowest[card] <= coins and not refusal(state, seat, card):
                return Build(seat, rules.ids[card])
    luck = rng.random
    offers = rules.offers
    # The position after the last card means building nothing.
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
