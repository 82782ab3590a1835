"""`greedy`: the cheapest landmark that can be paid for, else whatever adds most to a round's income."""

import random
from collections.abc import Sequence

from domain.commands import PlayCommand, TakeCoins
from domain.state import MatchState
from workers.players import dice, income
from workers.players.builds import landmarks, winning, without_idle_round


def choose(view: MatchState, legal: Sequence[PlayCommand], rng: random.Random) -> PlayCommand:
    about_dice = dice.choose(view, legal)
    if about_dice is not None:
        return about_dice
    if view.phase == "take_coins":
        return max(legal, key=lambda command: _coins_of_target(view, command))
    priced = landmarks(view, legal)
    if priced:
        return winning(view, priced) or min(priced, key=lambda one: one[0])[1]
    return income.best(view, without_idle_round(view, legal))


def _coins_of_target(view: MatchState, command: PlayCommand) -> int:
    assert isinstance(command, TakeCoins)
    return view.coins[command.from_seat]
