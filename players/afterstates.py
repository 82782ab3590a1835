"""Afterstates: the tables that a decision can lead to, for many matches at a time.

Most builds only pay a price from the rules and move one card; the rules execute all other builds on a copy.
Cards that refill the market afterwards are unknown and left out.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from domain.match.commands import Build, Pass, PlayCommand, SwapEstablishments
from domain.match.decide import advance_turn
from domain.match.decide.building import price
from domain.match.decide.effects import WHEN_BUILT
from domain.match.rules import Rules
from domain.match.state import MatchState, wins
from players.tables import TableBatch, in_play, tables_of

AVERAGE_BOATS: Final = (3, 4)
"""A roll for the boats with the average of two dice."""


class GivenChance:
    """A source of preset rolls; draws return the first possible card."""

    def __init__(self, values: tuple[int, ...] = (), boats: tuple[int, ...] = AVERAGE_BOATS) -> None:
        self.values = values
        self.boats = boats
        self.drawn = False
        """Whether a card was drawn, which a player cannot predict."""

    def throw(self, state: MatchState, purpose: str, dice: int) -> tuple[int, ...]:
        return self.boats if purpose == "boats" else self.values

    def draw(self, state: MatchState, row: int, number: int, weights: Sequence[int]) -> int:
        self.drawn = True
        return next(place for place, weight in enumerate(weights) if weight)


class Afterstates(NamedTuple):
    """The tables after every legal build and after passing: match by match, in the order of the commands."""

    tables: TableBatch
    origin: NDArray[np.intp]
    """By row: the index of its match."""
    ends: NDArray[np.intp]
    """By match: where its rows end."""
    wins: NDArray[np.bool_]
    """By row: whether the build wins the match."""
    deciders: NDArray[np.intp]
    """By row: the deciding seat, as an index into the seats in play."""
    cards: NDArray[np.intp]
    """By row: the card that is built, or -1."""

    @property
    def starts(self) -> NDArray[np.intp]:
        """By match: where its rows start; the first row is that of passing."""
        return np.concatenate([[0], self.ends[:-1]])


def after(state: MatchState, command: PlayCommand, chance: GivenChance) -> MatchState:
    """A copy of the state after the command."""
    twin = state.copy()
    advance_turn(twin, command, chance)
    return twin


def answers(state: MatchState, legal: Sequence[PlayCommand], chance: GivenChance) -> TableBatch:
    """The tables after every answer to a choice, as they would be after building nothing."""
    playing = in_play(state)
    if state.phase == "swap":
        tables = tables_of([state]).rows(np.zeros(len(legal), np.intp))
        for row, command in enumerate(legal):
            if isinstance(command, SwapEstablishments):
                _trade(tables, row, playing, state, command)
    else:
        tables = tables_of([after(state, command, chance) for command in legal])
    if not state.extra_turn_due:
        tables.mover[:] = (playing.index(state.active) + 1) % len(playing)
    return tables


def _trade(
    tables: TableBatch, row: int, playing: Sequence[int], state: MatchState, command: SwapEstablishments
) -> None:
    index = state.rules.index
    seat, other = playing.index(command.seat), playing.index(command.with_seat)
    for card, giver, taker in ((index[command.give], seat, other), (index[command.take], other, seat)):
        tables.cities[row, giver, card] -= 1
        tables.cities[row, taker, card] += 1


def afterstates(states: Sequence[MatchState], legals: Sequence[Sequence[PlayCommand]]) -> Afterstates:
    """The afterstates of building decisions; all matches have the same number of seats in play."""
    builder = _RowCollector()
    for state, legal in zip(states, legals, strict=True):
        builder.add(state, legal)
    return builder.afterstates(tables_of(states))


@lru_cache(maxsize=64)
def plain_prices(rules: Rules) -> dict[str, tuple[int, int]]:
    """By card id: index and price of establishments, which have fixed prices and no effect when built."""
    cards = range(rules.establishments)
    return {rules.ids[card]: (card, rules.prices[card][0]) for card in cards}


class _RowCollector:
    """Collects rows as lists; numpy then copies what all rows of a match share."""

    def __init__(self) -> None:
        self.chance = GivenChance()
        self.seats: list[int] = []
        self.next: list[int] = []
        self.rounds: list[int] = []
        self.cards: list[int] = []
        self.costs: list[int] = []
        self.wins: list[int] = []
        self.ends: list[int] = []
        self.purses: list[tuple[int, list[int]]] = []
        self.again: list[tuple[int, int]] = []

    def add(self, state: MatchState, legal: Sequence[PlayCommand]) -> None:
        seat = state.active
        playing = in_play(state)
        plain = plain_prices(state.rules)
        passed = after(state, Pass(seat), self.chance)
        self.seats.append(playing.index(seat))
        self.next.append(playing.index(passed.active))
        self.rounds.append(passed.round)
        for command in legal:
            if not isinstance(command, Build):
                if passed.coins != state.coins:
                    self.purses.append((len(self.cards), [passed.coins[one] for one in playing]))
                self._row(-1, 0)
            elif command.card in plain:
                card, cost = plain[command.card]
                self.cards.append(card)
                self.costs.append(cost)
            else:
                self._landmark(state, playing, command)
        self.ends.append(len(self.cards))

    def _landmark(self, state: MatchState, playing: Sequence[int], command: Build) -> None:
        rules = state.rules
        seat = state.active
        card = rules.index[command.card]
        if wins(rules, state.landmarks[seat] + 1, card):
            self.wins.append(len(self.cards))
        elif rules.firings[card].kind in WHEN_BUILT:
            then = after(state, command, self.chance)
            self.purses.append((len(self.cards), [then.coins[one] for one in playing]))
            self.again.append((len(self.cards), playing.index(then.active)))
            self._row(card, 0)
            return
        self._row(card, price(state, seat, card))

    def _row(self, card: int, cost: int) -> None:
        self.cards.append(card)
        self.costs.append(cost)

    def afterstates(self, before: TableBatch) -> Afterstates:
        ends = np.array(self.ends)
        origin = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))
        seats = np.array(self.seats)[origin]
        cards = np.array(self.cards)
        tables = before.rows(origin)
        tables.mover[:] = np.array(self.next)[origin]
        tables.round[:] = np.array(self.rounds)[origin]
        rows = np.arange(len(cards))
        tables.coins[rows, seats] -= np.array(self.costs, np.int32)
        built = rows[cards >= 0]
        tables.cities[built, seats[built], cards[built]] += 1
        tables.supply[built, cards[built]] -= 1
        np.maximum(tables.supply, 0, out=tables.supply)
        for row, coins in self.purses:
            tables.coins[row] = coins
        for row, seat in self.again:
            tables.mover[row] = seat
        wins = np.zeros(len(cards), bool)
        wins[self.wins] = True
        return Afterstates(tables, origin, ends, wins, seats, cards)
