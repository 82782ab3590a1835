"""`random`: any legal command, each as likely as the next."""

import random
from collections.abc import Sequence

from domain.commands import PlayCommand
from domain.state import MatchState


def choose(view: MatchState, legal: Sequence[PlayCommand], rng: random.Random) -> PlayCommand:
    return legal[int(rng.random() * len(legal))]
