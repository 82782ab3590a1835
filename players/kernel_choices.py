"""The players `expected_value` and `learned` by the compiled kernel: the same choices, many times faster."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from domain.match.chance import RandomNumbers
from domain.match.commands import PlayCommand
from domain.match.rules import Rules
from domain.match.state import MatchState
from kernel.convert import command_of, row_of
from kernel.engine import Engine
from kernel.layout import EXPECTED_VALUE, LEARNED, Net
from kernel.nets import net_of
from players.weight_files import has_weights, weights_for


class KernelChoices:
    """The policy of one of these players. Not safe to share among threads."""

    def __init__(self, kernel: Engine, policy: int) -> None:
        """The policy is `EXPECTED_VALUE` or `LEARNED`, which plays as the other one without a network."""
        self._kernel: Final = kernel
        self._uses_network = policy == LEARNED
        self._tables = lru_cache(maxsize=64)(kernel.tables)
        self._net = lru_cache(maxsize=16)(self._net_of)
        self._no_net = kernel.net()
        # Neither policy uses the luck, which stands first.
        self._workspaces = (kernel.luck(0), kernel.forecast(), kernel.codes(), kernel.incomes())
        self._layers = kernel.net_workspace()

    def __call__(self, view: MatchState, legal: Sequence[PlayCommand], rng: RandomNumbers) -> PlayCommand:
        if len(legal) == 1:
            return legal[0]
        rules, row = view.rules, self._kernel.row(row_of(view))
        policy, net = EXPECTED_VALUE, self._no_net
        if self._uses_network and has_weights(rules.ruleset.id):
            policy, net = LEARNED, self._net(rules, view.resigned.count(False))
        code = self._kernel.choose(self._tables(rules), row, *self._workspaces, net, self._layers, policy)
        return command_of(rules, view.active, code)

    def _net_of(self, rules: Rules, playing: int) -> Net:
        return self._kernel.net(net_of(rules, weights_for(rules.ruleset.id, playing)))
