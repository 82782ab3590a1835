"""The rollouts of one command: their values, batch by batch."""

from collections.abc import Callable
from typing import Final

from domain.match.commands import PlayCommand, RerollDice, RollDice
from domain.match.rules import Rules
from domain.match.state import MatchState
from kernel import layout as at
from kernel.convert import code_of, row_of
from kernel.engine import Engine
from kernel.nets import net_of
from players.network import Weights

MOST_BATCHES: Final = 32
_SEED_BITS: Final = 44
_SEEDS: Final = 1 << 18
"""More than the seeds of so many batches."""


class Simulation:
    """The arrays for rollouts of commands in matches of some rules."""

    def __init__(self, kernel: Engine, rules: Rules, weights: Callable[[str, int], Weights]) -> None:
        """`weights` returns those of the network, by ruleset and number of seats in play."""
        self._kernel = kernel
        self._weights = weights
        self._rules = rules
        self._tables = kernel.tables(rules)
        self._nets: dict[int, at.Net] = {}
        self._before = kernel.row(), kernel.luck(0), kernel.forecast(), kernel.codes(), kernel.incomes()
        self._net_workspace = kernel.net_workspace()
        self._memo = kernel.memo(self._tables)
        self._policies = kernel.codes((at.QUICK,) * rules.seats)

    def values(
        self, state: MatchState, command: PlayCommand, seed: int, first: int, batches: int, turns: int
    ) -> list[tuple[float, ...]]:
        """By rollout of `batches` batches from number `first` on, and by seat: its share of the win, or its
        chance by the network.

        A batch has one rollout for each pair of dice. In the turn in which all commands of the state roll
        next, the rollouts of a batch have the pairs in their order.
        """
        assert first + batches <= MOST_BATCHES
        kernel, seats = self._kernel, self._rules.seats
        found = kernel.incomes(batches * at.PAIRS * seats)
        kernel.roll_out(
            self._tables,
            *self._before,
            self._net(state.resigned.count(False)),
            self._net_workspace,
            self._policies,
            kernel.row(row_of(state)),
            code_of(self._rules, command),
            seed % (1 << _SEED_BITS) * _SEEDS,
            first,
            batches,
            turns,
            int(state.phase not in ("roll", "reroll")),
            kernel.codes((0,) * (turns * at.PAIRS)),
            found,
            self._memo,
        )
        listed = found[:]
        return [tuple(listed[place : place + seats]) for place in range(0, len(listed), seats)]

    def _net(self, playing: int) -> at.Net:
        if playing not in self._nets:
            weights = self._weights(self._rules.ruleset.id, playing)
            self._nets[playing] = self._kernel.net(net_of(self._rules, weights))
        return self._nets[playing]


def dice_of(state: MatchState, command: PlayCommand) -> int:
    """How many dice the command rolls."""
    if isinstance(command, RollDice):
        return command.dice
    return len(state.dice) if isinstance(command, RerollDice) else 0


def roll_of(place: int, dice: int) -> tuple[int, ...]:
    """The dice that the rollout at this place rolls first, if the command rolls `dice` dice."""
    number = place % at.PAIRS
    return (1 + number // 6, 1 + number % 6)[:dice]
