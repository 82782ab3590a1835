"""The luck of a match in a ladder's results: whole numbers that sum to zero over the seats.

Where the kernel is compiled, it measures both, many times faster than the rules: luck in coins, with the
numbers of `domain.luck`, and luck in wins by the network of the player `learned`, to the nearest millionths.
See docs/luck.md.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Final, NamedTuple

import numpy as np

from domain.ladder.results import MatchLuck
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
from players.tables import Doubles, in_play
from players.value_function import Evaluator, chances_of
from players.weight_files import digest, weights_for
from runtime.strategies import luck_version

THOUSANDTHS: Final = 1_000
MILLIONTHS: Final = 1_000_000
AT_A_TIME: Final = 8
"""Rolls evaluated in one batch: a larger one needs more memory and is hardly faster."""


class ValueFunction(NamedTuple):
    """A value function that is fixed for a season."""

    version: str
    """That of luck in wins measured with it, which the season's configuration names."""
    chances: Evaluator
    """By row and seat in play: the chance of winning at the start of a turn, in a new array."""
    weights: Callable[[Rules], NetWeights] | None = None
    """Those of the same function for the kernel, while nobody has resigned; None if it is no network."""


@cache
def value_function(ruleset: str) -> ValueFunction:
    """The value function of a ruleset: the shipped network."""
    return ValueFunction(luck_version(digest(ruleset)), chances_of, _weights)


def _weights(rules: Rules) -> Weights:
    return weights_for(rules.ruleset.id, rules.seats)


def match_luck(state: MatchState, events: Sequence[Event], values: ValueFunction | None = None) -> MatchLuck:
    """The luck of a match: in coins, and in wins if there are values. The events lead to the state.

    In coins, it is what the dice brought to each seat less their expectation, relative to the mean of the
    other seats. In wins, a roll adds the seat's chance after the roll less the mean over all possible rolls,
    both by the value function and under the choices that this function prefers for the active seat. The
    expectation is therefore zero whatever the function and the players are. Rolls for boats and drawn cards
    do not count there.

    Raises:
        Unexplained: the events do not follow from the rules.
    """
    kernel = _kernel_luck()
    coins, wins = kernel.measure(state, events, values) if kernel else (None, None)
    coins = coins or luck_of(events).totals.luck
    thousandths = _even([(2 * THOUSANDTHS * luck + UNIT) // (2 * UNIT) for luck in coins])
    if values is None:
        return MatchLuck(thousandths, None)
    wins = wins or _win_luck_by_rules(events, len(state.coins), values)
    return MatchLuck(thousandths, _even([round(won * MILLIONTHS) for won in wins]))


Measured = tuple[tuple[int, ...] | None, tuple[float, ...] | None]
"""By seat: luck in coins, in units of `domain.luck`, and in wins; None where only the rules can tell."""


class KernelLuck:
    """The luck of a match by the kernel. Not safe to share among threads."""

    def __init__(self, kernel: Engine) -> None:
        self._kernel: Final = kernel
        self._tables = lru_cache(maxsize=64)(kernel.tables)
        self._net = lru_cache(maxsize=16)(self._net_of)
        self._no_net = kernel.net()
        self._row, self._forecast = kernel.row(), kernel.forecast()
        self._incomes = kernel.incomes()
        self._workspaces = (self._forecast, kernel.codes(), self._incomes)
        self._layers = kernel.net_workspace()

    def measure(self, state: MatchState, events: Sequence[Event], values: ValueFunction | None) -> Measured:
        """The luck of a match in coins, and in wins if there are values.

        Only the rules can tell it if cards can close, the match begins elsewhere, a seat resigned in the
        middle of a turn, or the events do not lead to the coins of the state. Luck in wins is left to them
        after any resignation, and if the value function is no network.
        """
        if state.created.position is not None or state.rules.renovates:
            return None, None
        seats = len(state.coins)
        net = self._net(values.weights, state.rules) if values and values.weights else None
        if net is not None and self._follows(state, events, net):
            return self._coins(seats), tuple(self._incomes[WIN_LUCK : WIN_LUCK + seats])
        if self._follows(state, events):
            return self._coins(seats), None
        return None, None

    def _follows(self, state: MatchState, events: Sequence[Event], net: Net | None = None) -> bool:
        """Whether the kernel has followed the match, and measured its luck: in wins if there is a network."""
        kernel, row = self._kernel, self._row
        tables, script = self._tables(state.rules), script_of(state.rules, events)
        chance = kernel.luck(0, recorded_decks_of(state, events))
        kernel.start_match(tables, row, chance, state.first_seat)
        wins = 0 if net is None else 1
        workspaces = (*self._workspaces, net if wins else self._no_net, self._layers)
        is_whole = kernel.follow_luck(
            tables, row, chance, *workspaces, kernel.codes(script), len(script), wins
        )
        return is_whole == 1 and [*row[COINS : COINS + len(state.coins)]] == state.coins

    def _coins(self, seats: int) -> tuple[int, ...]:
        return tuple(self._forecast[COIN_LUCK : COIN_LUCK + seats])

    def _net_of(self, weights: Callable[[Rules], NetWeights], rules: Rules) -> Net:
        return self._kernel.net(net_of(rules, weights(rules)))


@cache
def _kernel_luck() -> KernelLuck | None:
    """None where the kernel is not compiled: plain, it is slower than the rules."""
    kernel = engine_at_once()
    return KernelLuck(kernel) if kernel.is_compiled else None


def _win_luck_by_rules(events: Iterable[Event], seats: int, values: ValueFunction) -> tuple[float, ...]:
    found = np.zeros(seats)
    for throws in _groups(events):
        found[[*throws[0].playing]] += _gained(throws, values)
    return tuple(found.tolist())


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

    def gained(self, leaves: Doubles) -> Doubles:
        """By seat in play: the chance after the roll less the mean, given the chances of the leaves."""
        seat = self.playing.index(self.table.active)
        return self._fell.chances(leaves, seat) - self._mean.chances(leaves, seat)


def _gained(throws: Sequence[_Throw], values: ValueFunction) -> Doubles:
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
