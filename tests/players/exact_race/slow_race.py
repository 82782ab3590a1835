"""The same races by the rules of `domain` alone: every roll of dice by itself, and one turn after the other.

Only fit for races in which very few coins are missing.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

from domain import legal_commands
from domain.match.commands import AddTwo, Build, DeclineSwap, Pass, PlayCommand, RerollDice, RollDice
from domain.match.decide import advance_turn
from domain.match.state import RUNNING, MatchState

Chances = tuple[float, ...]


class _Dice:
    """Dice in a given order, those of the boats last."""

    def __init__(self, values: Sequence[int]) -> None:
        self._values = [*values]
        self.sailed = False

    def throw(self, state: MatchState, purpose: str, dice: int) -> tuple[int, ...]:
        self.sailed |= purpose == "boats"
        return tuple([self._values.pop(0) for _ in range(dice)])

    def draw(self, state: MatchState, row: int, number: int, weights: Sequence[int]) -> int:
        raise AssertionError("no card is drawn in a race")


class _Won(NamedTuple):
    seat: int


class _Best(NamedTuple):
    options: "tuple[_Plan, ...]"


class _Mean(NamedTuple):
    outcomes: "tuple[tuple[float, _Plan], ...]"


_Plan = int | _Won | _Best | _Mean
"""What may follow; a number is that of a table before a turn."""


class SlowRace:
    """The chances before turns, by iterating over all tables that can follow."""

    def __init__(self, state: MatchState, cards: Sequence[str] = (), most: int = 0, top: int = 12) -> None:
        """Up to `most` of the cards may be bought by each seat; coins above `top` are lost."""
        self._cards, self._most, self._top = frozenset(cards), most, top
        self._size = state.rules.establishments
        self._before = [sum(city[: self._size]) for city in state.cities]
        self._numbers: dict[object, int] = {}
        self._tables: list[MatchState] = []
        self._table(state.copy())
        self._plans: list[_Plan] = []
        while len(self._plans) < len(self._tables):
            self._seen: dict[object, _Plan] = {}
            self._plans.append(self._plan(self._tables[len(self._plans)].copy()))
        self._chances = [(0.0,) * len(state.coins)] * len(self._plans)

    def solve(self) -> Chances:
        """By seat: the chance of winning."""
        change = 1.0
        while change > 1e-11:
            change = 0.0
            for number in range(len(self._plans) - 1, -1, -1):
                found = self._worth(self._plans[number], self._tables[number].active)
                changes = [abs(a - b) for a, b in zip(found, self._chances[number], strict=True)]
                change = max(change, *changes)
                self._chances[number] = found
        return self._chances[0]

    def _table(self, state: MatchState) -> int:
        state.coins = [min(self._top, purse) for purse in state.coins]
        key = str((state.cities, state.active, state.coins))
        if key not in self._numbers:
            self._numbers[key] = len(self._tables)
            self._tables.append(state)
        return self._numbers[key]

    def _plan(self, state: MatchState) -> _Plan:
        if state.status != RUNNING:
            return _Won(state.winner)
        dice = () if state.phase == "build" else state.dice
        key = (state.phase, state.extra_turn_due, state.total if dice else 0, dice, *state.coins)
        if key not in self._seen:
            self._seen[key] = _Best(tuple([self._after(state, one) for one in self._in_race(state)]))
        return self._seen[key]

    def _in_race(self, state: MatchState) -> Iterator[PlayCommand]:
        """The commands of the race; what is chosen only if it is better comes last."""
        if state.phase == "swap":
            yield DeclineSwap(state.active)
            return
        last = []
        for command in legal_commands(state):
            if isinstance(command, Pass | RerollDice | AddTwo):
                last.append(command)
            elif not isinstance(command, Build) or self._may_build(state, command.card):
                yield command
        yield from last

    def _may_build(self, state: MatchState, card: str) -> bool:
        bought = sum(state.cities[state.active][: self._size]) - self._before[state.active]
        return state.rules.index[card] >= self._size or (card in self._cards and bought < self._most)

    def _after(self, state: MatchState, command: PlayCommand) -> _Plan:
        if isinstance(command, Build | Pass):
            after = state.copy()
            advance_turn(after, command, _Dice(()))
            return self._table(after) if after.status == RUNNING else _Won(after.winner)
        if isinstance(command, RollDice):
            return self._thrown(state, command, command.dice)
        if isinstance(command, RerollDice):
            key = ("again", len(state.dice))
            if key not in self._seen:
                self._seen[key] = self._thrown(state, command, len(state.dice))
            return self._seen[key]
        return self._sailed(state, command, ())

    def _thrown(self, state: MatchState, command: PlayCommand, dice: int) -> _Plan:
        rolls = product(range(1, 7), repeat=dice)
        return _mean([self._sailed(state, command, values) for values in rolls])

    def _sailed(self, state: MatchState, command: PlayCommand, values: Sequence[int]) -> _Plan:
        """After a command with these dice: if the boats sail, all of their throws are equally likely."""
        after, chance = state.copy(), _Dice([*values, 1, 1])
        advance_turn(after, command, chance)
        if not chance.sailed:
            return self._plan(after)
        found = []
        for boats in product(range(1, 7), repeat=2):
            after = state.copy()
            advance_turn(after, command, _Dice([*values, *boats]))
            found.append(self._plan(after))
        return _mean(found)

    def _worth(self, plan: _Plan, seat: int) -> Chances:
        if isinstance(plan, int):
            return self._chances[plan]
        if isinstance(plan, _Won):
            return tuple([float(one == plan.seat) for one in range(len(self._before))])
        if isinstance(plan, _Mean):
            found = [0.0] * len(self._before)
            for share, outcome in plan.outcomes:
                found = [a + share * b for a, b in zip(found, self._worth(outcome, seat), strict=True)]
            return tuple(found)
        best = self._worth(plan.options[0], seat)
        for option in plan.options[1:]:
            other = self._worth(option, seat)
            if other[seat] > best[seat] + 1e-11:
                best = other
        return best


def _mean(plans: Sequence[_Plan]) -> _Plan:
    return _Mean(tuple([(count / len(plans), plan) for plan, count in Counter(plans).items()]))
