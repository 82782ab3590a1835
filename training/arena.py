"""The arena: training matches that the kernel plays, with the tables at the start of all turns.

The network and its predecessors play as the kernel's policy `quick`, which builds, trades and gives by the
network and decides about dice by coins. That is many times faster than `learned`, and nearly as strong.
"""

import random
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from domain.match.events import Options
from domain.match.rules import Rules, rules_for
from domain.match.rulesets import CURRENT, resolve_options
from kernel import layout as at
from kernel import workspaces
from kernel.engine import Engine
from kernel.nets import net_of
from players.network import Weights

Singles = NDArray[np.float32]

MOST_TURNS: Final = 80
"""Turns per seat after which a training match is dropped."""

LEARNER: Final = "network"
"""The name of the network that is being trained."""
PREDECESSOR: Final = "predecessor"
"""The name of the network that does not change."""
POLICIES: Final = {
    "expected_value": at.EXPECTED_VALUE,
    "greedy": at.GREEDY,
    "landmark_first": at.LANDMARK_FIRST,
    LEARNER: at.QUICK,
    PREDECESSOR: at.QUICK,
}
"""By name of a player: its policy in the kernel."""


class MatchPlan(NamedTuple):
    """The plan of one training match."""

    players: tuple[str, ...]
    """By seat: the name of its player."""
    random_turns: int = 0
    """The number of turns with random builds at the beginning."""
    options: Options | None = None


class ArenaMatch(NamedTuple):
    """A training match, by its turns; each begins with the table that the turn before left."""

    rows: NDArray[np.int32]
    """By turn: the row of the kernel."""
    seats: Singles
    """By turn and seat: the features."""
    table: Singles
    """By turn: the features of the whole table."""
    values: Singles
    """By turn and seat: the chance of winning by the network that is being trained."""
    best: Singles
    """The same for the table that the turn before would have left without exploration."""
    explored: NDArray[np.bool_]
    """By turn: whether the turn before had a random build."""
    winner: int
    """The winning seat; -1 if nobody won in time."""


def rules_of(ruleset: str, seats: int, options: Options | None = None) -> Rules:
    """The current rules, with the usual options unless others are given."""
    game = CURRENT[ruleset]
    return rules_for(game.version, options or resolve_options(game, seats), seats)


class Arena:
    """Training matches of one ruleset and number of seats."""

    def __init__(self, kernel: Engine, ruleset: str, seats: int, networks: dict[str, Weights]) -> None:
        """`networks` has the weights of the learner, and those of the predecessor if one plays."""
        self._kernel = kernel
        self._ruleset = ruleset
        self._seats = seats
        self._tables: dict[str, at.Tables] = {}
        rules = rules_of(ruleset, seats)
        self._nets = {name: kernel.net(net_of(rules, weights)) for name, weights in networks.items()}
        self._luck, self._forecast = kernel.luck(0), kernel.forecast()
        self._codes, self._incomes = kernel.codes(), kernel.incomes()
        self._net_workspace = kernel.net_workspace()
        self._features = len(networks[LEARNER].own), len(networks[LEARNER].table)

    def play(self, plan: MatchPlan, rng: random.Random, explore: float) -> ArenaMatch:
        """Play a match to its end, or drop it; `explore` is the share of random builds."""
        kernel, luck, row = self._kernel, self._luck, self._kernel.row()
        tables = self._tables_of(plan.options)
        kernel.seed_luck(luck, rng.getrandbits(60))
        kernel.start_match(tables, row, luck, -1)
        rows: list[NDArray[np.int32]] = []
        seen: list[tuple[Singles, Singles, Singles]] = []
        found: list[tuple[Singles, bool]] = []
        turn, best, most = -1, None, MOST_TURNS * self._seats
        while row[at.STATUS] == at.RUNNING and len(rows) < most:
            if row[at.TURN] != turn:
                turn = row[at.TURN]
                rows.append(np.array(row, np.int32))
                seen.append(self._seen(tables, row))
                found.append((seen[-1][2] if best is None else best, best is not None))
                best = None
            player = plan.players[row[at.ACTIVE]]
            code = self._choose(tables, row, player)
            if row[at.PHASE] in (at.BUILD, at.SETUP) and (
                len(rows) <= plan.random_turns or (self._explores(plan, player) and rng.random() < explore)
            ):
                count = kernel.legal(tables, row, self._codes)
                other = self._codes[int(rng.random() * count)]
                if other != code:
                    best, code = self._after(tables, row, code), other
            kernel.step(tables, row, luck, code)
        seats, table, values = (np.array(part) for part in zip(*seen, strict=True))
        of_best, explored = (np.array(part) for part in zip(*found, strict=True))
        return ArenaMatch(np.array(rows), seats, table, values, of_best, explored, row[at.WINNER])

    def _tables_of(self, options: Options | None) -> at.Tables:
        name = str(options)
        if name not in self._tables:
            self._tables[name] = self._kernel.tables(rules_of(self._ruleset, self._seats, options))
        return self._tables[name]

    @staticmethod
    def _explores(plan: MatchPlan, player: str) -> bool:
        return player == LEARNER or LEARNER not in plan.players

    def _choose(self, tables: at.Tables, row: at.Row, player: str) -> int:
        net = self._nets.get(player, self._nets[LEARNER])
        return self._kernel.choose(
            tables,
            row,
            self._luck,
            self._forecast,
            self._codes,
            self._incomes,
            net,
            self._net_workspace,
            POLICIES[player],
        )

    def _seen(self, tables: at.Tables, row: at.Row) -> tuple[Singles, Singles, Singles]:
        """The features of the seats and of the table, and the chances by the learner."""
        workspace = self._net_workspace
        self._kernel.put_chances(
            tables, row, self._nets[LEARNER], workspace, row[at.ACTIVE], row[at.ROUND], 0, -1
        )
        of_seat, of_table = self._features
        found = np.array(workspace, np.float32)
        seats = found[workspaces.BY_SEAT : workspaces.OF_TABLE].reshape(
            at.MOST_SEATS, workspaces.MOST_FEATURES
        )
        return (
            seats[: self._seats, :of_seat].copy(),
            found[workspaces.OF_TABLE : workspaces.OF_TABLE + of_table].copy(),
            found[: self._seats].copy(),
        )

    def _after(self, tables: at.Tables, row: at.Row, code: int) -> Singles:
        """The chances after a command, which is then taken back together with its luck."""
        kernel, words = self._kernel, self._luck[: at.LUCK_FREE]
        after = kernel.row(row[:])
        kernel.step(tables, after, self._luck, code)
        for place, word in enumerate(words):
            self._luck[place] = word
        if after[at.STATUS] != at.RUNNING:
            return np.asarray(np.eye(self._seats)[after[at.WINNER]], np.float32)
        return self._seen(tables, after)[2]
