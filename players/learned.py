"""The player `learned`: it looks one ply ahead and evaluates afterstates with a value network.

With two seats in play, it looks one turn further at builds with nearly equal values. Decisions about dice
average over all rolls, each followed by the best build. The player uses no random numbers; ties go to the
first command. The network was trained by self-play; see docs/learned.md. For a ruleset without a network, it
plays as `expected_value`.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from domain.match.chance import RandomNumbers
from domain.match.commands import PlayCommand
from domain.match.legal import legal_commands
from domain.match.state import MatchState
from players import expected_value
from players.afterstates import GivenChance, after
from players.choices import landmarks, winning_landmark
from players.lookahead import COMPARED_DECIMALS, Lookahead, Node, answer, best_builds, judged_builds
from players.tables import Doubles, in_play
from players.value_function import chances_of
from players.weight_files import has_weights

MOST_CLOSE: Final = 4
"""The most builds that are searched one turn further."""
UNITS: Final = 10**COMPARED_DECIMALS
"""Values of builds are compared as whole numbers of so many units."""
CLOSE_UNITS: Final = UNITS * 3 // 100
"""Builds whose chance of winning is less than 0.03 below the best are close to it."""


def choose(view: MatchState, legal: Sequence[PlayCommand], rng: RandomNumbers) -> PlayCommand:
    if len(legal) == 1:
        return legal[0]
    if not has_weights(view.rules.ruleset.id):
        return expected_value.choose(view, legal, rng)
    if view.phase in ("swap", "give"):
        return answer(view, legal)
    if view.phase not in ("build", "setup"):
        return Lookahead(view).best(legal)
    won = winning_landmark(view, landmarks(view, legal))
    if won:
        return won
    _, judged = judged_builds([view], [legal])
    return best_of_close(view, legal, judged)


def best_of_close(view: MatchState, legal: Sequence[PlayCommand], judged: Doubles) -> PlayCommand:
    """The best build, given their values by the network.

    With two seats in play, builds with nearly equal values are compared by their value after the opponent's
    best next turn. With more seats, one further turn tells too little for its cost.
    """
    values = np.rint(judged * UNITS).astype(int)
    order: list[int] = np.argsort(-values, kind="stable").tolist()
    found = [legal[place] for place in order[:MOST_CLOSE] if values[place] > values.max() - CLOSE_UNITS]
    if len(found) == 1 or len(in_play(view)) != 2:
        return legal[order[0]]
    chance = GivenChance()
    tables = [after(view, command, chance) for command in found]
    if chance.drawn or any([table.phase != "roll" for table in tables]):
        return legal[order[0]]
    worth = _after_next_turn(view.active, tables)
    return found[worth.index(max(worth))]


def _after_next_turn(seat: int, tables: Sequence[MatchState]) -> list[float]:
    """By table: the seat's probability of winning after the next turn."""
    trees = [Lookahead(table) for table in tables]
    nodes = [
        [tree.follow(command) for command in legal_commands(table)]
        for tree, table in zip(trees, tables, strict=True)
    ]
    leaves = best_builds(trees, chances_of)
    return [
        round(_chance_after_turn(follows, own, table, seat), COMPARED_DECIMALS)
        for follows, own, table in zip(nodes, leaves, tables, strict=True)
    ]


def _chance_after_turn(nodes: Sequence[Node], leaves: Doubles, table: MatchState, seat: int) -> float:
    playing = in_play(table)
    mover = playing.index(table.active)
    found = max([node.chances(leaves, mover) for node in nodes], key=lambda chances: float(chances[mover]))
    return float(found[playing.index(seat)])
