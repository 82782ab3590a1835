"""`landmark_first`: the dearest landmark that can be paid for, else anything legal."""

import random
from collections.abc import Sequence

from domain.commands import PlayCommand
from domain.state import MatchState
from workers.players import dice, uniform
from workers.players.builds import landmarks


def choose(view: MatchState, legal: Sequence[PlayCommand], rng: random.Random) -> PlayCommand:
    about_dice = dice.choose(view, legal)
    if about_dice is not None:
        return about_dice
    priced = landmarks(view, legal)
    if priced:
        return max(priced, key=lambda one: one[0])[1]
    return uniform.choose(view, legal, rng)
