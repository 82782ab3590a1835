"""`landmark_first`: the dearest landmark that can be paid for, else anything legal.

It lets no building round pass where it can build, gives away what it needs least, and trades for more
income where a trade may cost it the very card that trades.
"""

import random
from collections.abc import Sequence

from domain.match.commands import PlayCommand
from domain.match.state import MatchState
from workers.players import dice, income
from workers.players.builds import landmarks, winning, without_idle_round
from workers.players.uniform import any_of


def choose(view: MatchState, legal: Sequence[PlayCommand], rng: random.Random) -> PlayCommand:
    about_dice = dice.choose(view, legal)
    if about_dice is not None:
        return about_dice
    priced = landmarks(view, legal)
    if priced:
        return winning(view, priced) or max(priced, key=lambda one: one[0])[1]
    if _could_lose_much(view):
        return income.best(view, legal)
    return any_of(without_idle_round(view, legal), rng)


def _could_lose_much(view: MatchState) -> bool:
    """Any establishment at all may go, the card that asks included."""
    rules = view.rules
    return view.phase == "give" or (view.phase == "swap" and rules.tradable[rules.index[view.pending_card]])
