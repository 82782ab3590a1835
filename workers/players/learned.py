"""`learned`: looks one ply ahead with a value network on the tables that its choices lead to.

With two seats in play, builds that are nearly as good as each other are looked at one turn further. The
network was trained by self-play, see docs/learned.md. Decisions about dice weigh all throws, and for each
the best that can be built then. Nothing is left to luck; of equals the first command is taken.
"""

import random
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from domain.match.commands import PlayCommand
from domain.match.legal import legal_commands
from domain.match.state import MatchState
from workers.players.afterstates import GivenChance, after
from workers.players.builds import landmarks, winning_next
from workers.players.lookahead import SAME_TO, Floats, Lookahead, Node, answer, best_builds, judged_builds
from workers.players.tables import in_play
from workers.players.value_function import chances_of

MOST: Final = 4
"""As many builds are looked at, the best at first sight."""
CLOSE: Final = 0.03
"""As far below the best, in chances of winning, they may be."""


def choose(view: MatchState, legal: Sequence[PlayCommand], rng: random.Random) -> PlayCommand:
    if len(legal) == 1:
        return legal[0]
    if view.phase in ("swap", "give"):
        return answer(view, legal)
    if view.phase not in ("build", "setup"):
        return Lookahead(view).best(legal)
    won = winning_next(view, landmarks(view, legal))
    if won:
        return won
    _, judged = judged_builds([view], [legal])
    return best_of_close(view, legal, judged)


def best_of_close(view: MatchState, legal: Sequence[PlayCommand], judged: NDArray[np.float32]) -> PlayCommand:
    """The best of the builds, of which `judged` says what each is worth at first sight.

    With two seats in play, those that are nearly as good as each other are told apart by what is left of them
    after the next turn, which is played as is best for whose it is. With more seats the next turn is one of
    several before one's own, and tells too little for what it costs.
    """
    values = np.round(judged, SAME_TO)
    order: list[int] = np.argsort(-values, kind="stable").tolist()
    found = [legal[place] for place in order[:MOST] if values[place] > values.max() - CLOSE]
    if len(found) == 1 or len(in_play(view)) != 2:
        return legal[order[0]]
    chance = GivenChance()
    tables = [after(view, command, chance) for command in found]
    if chance.drawn or any([table.phase != "roll" for table in tables]):
        return legal[order[0]]
    worth = _after_next_turn(view.active, tables)
    return found[worth.index(max(worth))]


def _after_next_turn(seat: int, tables: Sequence[MatchState]) -> list[float]:
    """By table: the seat's chance of winning."""
    trees = [Lookahead(table) for table in tables]
    nodes = [
        [tree.follow(command) for command in legal_commands(table)]
        for tree, table in zip(trees, tables, strict=True)
    ]
    leaves = best_builds(trees, chances_of)
    return [
        round(_own(follows, own, table, seat), SAME_TO)
        for follows, own, table in zip(nodes, leaves, tables, strict=True)
    ]


def _own(nodes: Sequence[Node], leaves: Floats, table: MatchState, seat: int) -> float:
    playing = in_play(table)
    mover = playing.index(table.active)
    found = max([node.chances(leaves, mover) for node in nodes], key=lambda chances: float(chances[mover]))
    return float(found[playing.index(seat)])
