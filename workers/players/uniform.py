"""`random`: any legal command, each as likely as the next.

In the first game that is all: published figures of random play were measured with such matches. In the
second game it throws no match away: it builds in the building rounds, and takes a landmark that wins.
"""

import random
from collections.abc import Sequence

from domain.match.commands import PlayCommand
from domain.match.state import MatchState
from workers.players.builds import landmarks, winning_next, without_idle_round


def choose(view: MatchState, legal: Sequence[PlayCommand], rng: random.Random) -> PlayCommand:
    if view.rules.own_landmarks:
        return any_of(legal, rng)
    won = winning_next(view, landmarks(view, legal))
    return won or any_of(without_idle_round(view, legal), rng)


def any_of(legal: Sequence[PlayCommand], rng: random.Random) -> PlayCommand:
    """One of the commands, each as likely as the next."""
    return legal[int(rng.random() * len(legal))]
