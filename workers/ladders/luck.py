"""The luck of a match in a ladder's results: whole numbers that sum to zero over the seats.

Where the kernel is compiled, it measures both, many times faster than the rules: luck in coins, with the
numbers of `domain.luck`, and luck in wins by the network of the player `learned`, to the nearest millionths.
See docs/luck.md.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from domain.luck import UNIT, luck_of
from domain.match.commands import RerollDice, RollDice
from domain.match.events import DiceRolled, Event
from domain.match.evolve import begin, fold
from domain.match.rules import Rules
from domain.match.state import MatchState
from kernel.coin_luck import COIN_LUCK
from kernel.convert import recorded_decks_of, script_of
from kernel.engine import Engine, engine_at_once
from kernel.layout import COINS, Net
from kernel.nets import NetWeights, net_of
from kernel.workspaces import WIN_LUCK
from players.lookahead import THROWS, Lookahead, Ranking, Rankings, best_builds, rank, roll_kind
from players.network import Weights
from players.tables import in_play
from players.value_function import Judge, double_chances_of
from players.weight_files import digest, weights_for
from runtime.strategies import luck_version

THOUSANDTHS: Final = 1_000
MILLIONTHS: Final = 1_000_000
AT_A_TIME: Final = 8
"""Rolls evaluated in one batch: a larger one needs more memory and is hardly faster."""

Floats = NDArray[np.float64]


class ValueFunction(NamedTuple):
    """A value function that is fixed for a season."""

    version: str
    """That of luck in wins measured with it, which the season's configuration names."""
    chances: Judge
    """By row and seat in play: the chance of winning at the start of a turn, in a new array."""
    weights: Callable[[Rules], NetWeights] | None = None
    """Those of the same function for the kernel, while nobody has resigned; None if it is no network."""


def value_function(ruleset: str) -> ValueFunction:
    """The value function of a ruleset: the shipped network."""
    return ValueFunction(luck_version(digest(ruleset)), double_chances_of, _weights)


def _weights(rules: Rules) -> Weights:
    return weights_for(rules.ruleset.id, rules.seats)


def coin_luck(state: MatchState, events: Sequence[Event]) -> tuple[int, ...]:
    """By seat: what the dice brought less their expectation, relative to the mean of the other seats, in
    thousandths of a coin. The events are those of a match that is over, and lead to the state.

    Raises:
        Unexplained: the events do not follow from the rules.
    """
    kernel = _kernel_luck()
    measured = kernel.coins(state, events) if kernel else None
    units = measured or luck_of(events).totals.luck
    return _even([(2 * THOUSANDTHS * luck + UNIT) // (2 * UNIT) for luck in units])


def win_luck(state: MatchState, events: Sequence[Event], values: ValueFunction) -> tuple[int, ...]:
    """By seat: what the rolls of the match added to its chance of winning, in millionths of a win. The events
    lead to the state.

    A roll adds the seat's chance after the roll less the mean over all possible rolls, both by the value
    function and under the choices that this function prefers for the active seat. The expectation is
    therefore zero whatever the function and the players are. Rolls for boats and drawn cards do not count.
    """
    kernel = _kernel_luck()
    measured = kernel.wins(state, events, values) if kernel else None
    found = measured or _win_luck_by_rules(events, len(state.coins), values)
    return _even([round(wins * MILLIONTHS) for wins in found])


class KernelLuck:
    """The luck of a match by the kernel. Not safe to share among threads.

    It returns None if only the rules can tell: cards can close, the match begins elsewhere, a seat resigned
    in the middle of a turn, or the events do not lead to the coins of the state.
    """

    def __init__(self, kernel: Engine) -> None:
        self._kernel: Final = kernel
        self._tables = lru_cache(maxsize=64)(kernel.tables)
        self._net = lru_cache(maxsize=16)(self._net_of)
        self._no_net = kernel.net()
        self._row, self._forecast = kernel.row(), kernel.forecast()
        self._incomes = kernel.incomes()
        self._workspaces = (self._forecast, kernel.codes(), self._incomes)
        self._layers = kernel.net_workspace()

    def coins(self, state: MatchState, events: Sequence[Event]) -> tuple[int, ...] | None:
        """By seat: the luck of a match that is over, in units of `domain.luck`."""
        if not self._follows(state, events, self._no_net, 0):
            return None
        return tuple(self._forecast[COIN_LUCK : COIN_LUCK + len(state.coins)])

    def wins(
        self, state: MatchState, events: Sequence[Event], values: ValueFunction
    ) -> tuple[float, ...] | None:
        """By seat: the luck of a match in wins. Any resignation is left to the rules, and so is any value
        function that is no network."""
        if values.weights is None or state.rules.renovates:
            return None
        if not self._follows(state, events, self._net(values.weights, state.rules), 1):
            return None
        return tuple(self._incomes[WIN_LUCK : WIN_LUCK + len(state.coins)])

    def _follows(self, state: MatchState, events: Sequence[Event], net: Net, wins: int) -> bool:
        """Whether the kernel has followed the match, and measured its luck."""
        if state.created.position is not None or state.rules.renovates:
            return False
        kernel, row = self._kernel, self._row
        tables, script = self._tables(state.rules), script_of(state.rules, events)
        # What is for sale makes no difference to coins.
        chance = kernel.luck(0, recorded_decks_of(state, events)) if wins else kernel.luck(0)
        kernel.start_match(tables, row, chance, state.first_seat)
        workspaces = (*self._workspaces, net, self._layers)
        is_whole = kernel.follow_luck(
            tables, row, chance, *workspaces, kernel.codes(script), len(script), wins
        )
        return is_whole == 1 and [*row[COINS : COINS + len(state.coins)]] == state.coins

    def _net_of(self, weights: Callable[[Rules], NetWeights], rules: Rules) -> Net:
        return self._kernel.net(net_of(rules, weights(rules)))


@cache
def _kernel_luck() -> KernelLuck | None:
    """None where the kernel is not compiled: plain, it is slower than the rules."""
    kernel = engine_at_once()
    return KernelLuck(kernel) if kernel.is_compiled else None


def _win_luck_by_rules(events: Iterable[Event], seats: int, values: ValueFunction) -> list[float]:
    found = np.zeros(seats)
    for throws in _groups(events):
        found[[*throws[0].playing]] += _gained(throws, values)
    return [float(wins) for wins in found]


def _groups(events: Iterable[Event]) -> Iterator[list["_Throw"]]:
    """Batches of rolls with the same seats in play."""
    rest = iter(events)
    state = begin(next(rest))
    throws: list[_Throw] = []
    rankings = Rankings()
    for event in rest:
        if isinstance(event, DiceRolled) and event.purpose != "boats":
            throw = _Throw(state.copy(), event, rankings.before_roll(state))
            if len(throws) == AT_A_TIME or (throws and throws[0].playing != throw.playing):
                yield throws
                throws = []
            throws.append(throw)
        fold(state, (event,))
    if throws:
        yield throws


class _Throw:
    """A roll, the tree of what can follow from the table before it, and the ranking of the builds."""

    def __init__(self, table: MatchState, event: DiceRolled, ranking: Ranking) -> None:
        self.table = table
        self.ranking = ranking
        self.playing = tuple(in_play(table))
        dice = len(event.values)
        is_again = event.purpose == "reroll"
        self.tree = Lookahead(table, trades=False)
        self._mean = self.tree.follow(RerollDice(table.active) if is_again else RollDice(table.active, dice))
        self._fell = self._mean.parts[
            [roll_kind(values) for values, _ in THROWS[dice]].index(roll_kind(event.values))
        ]

    def gained(self, leaves: Floats) -> Floats:
        """By seat in play: the chance after the roll less the mean, given the chances of the leaves."""
        seat = self.playing.index(self.table.active)
        return self._fell.chances(leaves, seat) - self._mean.chances(leaves, seat)


def _gained(throws: Sequence[_Throw], values: ValueFunction) -> Floats:
    """By seat in play: what these rolls added to the chance of winning."""
    rankings = [throw.ranking for throw in throws]
    rank([one for one in dict.fromkeys(rankings) if not one.ranks], values.chances)
    ranks = [one.ranks for one in rankings]
    leaves = best_builds([throw.tree for throw in throws], values.chances, ranks)
    gained = [throw.gained(own) for throw, own in zip(throws, leaves, strict=True)]
    return np.asarray(np.sum(gained, axis=0))


def _even(parts: list[int]) -> tuple[int, ...]:
    """Correct the largest part so that all sum to zero, as they did before rounding."""
    place = max(range(len(parts)), key=lambda seat: abs(parts[seat]))
    parts[place] -= sum(parts)
    return tuple(parts)
