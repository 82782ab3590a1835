"""`learned`: looks one ply ahead with a value network on the tables that its choices lead to.

With two seats in play, builds that are nearly as good as each other are looked at one turn further. The
network was trained by self-play, see docs/learned.md. Decisions about dice weigh all throws, and for each
the best that can be built then. Nothing is left to luck; of equals the first command is taken.
"""

import random
from collections.abc import Sequence

from domain.match.commands import PlayCommand
from domain.match.state import MatchState
from workers.players import replies
from workers.players.builds import landmarks, winning_next
from workers.players.lookahead import Lookahead, answer, judged_builds


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
    return replies.best(view, legal, judged)
