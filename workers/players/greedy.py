"""`greedy`: the cheapest landmark that can be paid for, else whatever adds most to a round's income.

Of cards that add as much it takes any; where nothing adds anything, a card that is of no use or none at all.
"""

import random
from collections.abc import Sequence

from domain.match.commands import PlayCommand
from domain.match.state import MatchState
from workers.players import dice, income
from workers.players.builds import landmarks, richest, winning, without_idle_round


def choose(view: MatchState, legal: Sequence[PlayCommand], rng: random.Random) -> PlayCommand:
    about_dice = dice.choose(view, legal)
    if about_dice is not None:
        return about_dice
    if view.phase == "take_coins":
        return richest(view, legal)
    priced = landmarks(view, legal)
    if priced:
        return winning(view, priced) or min(priced, key=lambda one: one[0])[1]
    if view.phase in ("build", "setup"):
        return income.any_best(view, without_idle_round(view, legal), rng)
    return income.best(view, legal)
