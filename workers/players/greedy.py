"""`greedy`: the cheapest landmark that can be paid for, else whatever adds most to a round's income."""

import random
from collections.abc import Sequence

from domain.commands import Build, GiveEstablishment, PlayCommand, SwapEstablishments, TakeCoins
from domain.state import MatchState
from workers.players import dice
from workers.players.builds import landmarks
from workers.players.forecast import Forecast


def choose(view: MatchState, legal: Sequence[PlayCommand], rng: random.Random) -> PlayCommand:
    about_dice = dice.choose(view, legal)
    if about_dice is not None:
        return about_dice
    if view.phase == "take_coins":
        return max(legal, key=lambda command: _coins_of_target(view, command))
    priced = landmarks(view, legal)
    if priced:
        return min(priced, key=lambda one: (not _wins(view, one[1]), one[0]))[1]
    return _best_for_income(view, legal)


def _coins_of_target(view: MatchState, command: PlayCommand) -> int:
    assert isinstance(command, TakeCoins)
    return view.coins[command.from_seat]


def _wins(view: MatchState, command: Build) -> bool:
    """Whether the landmark wins by itself, however many are built."""
    return view.rules.firings[view.rules.index[command.card]].kind == "win"


def _best_for_income(view: MatchState, legal: Sequence[PlayCommand]) -> PlayCommand:
    """The command after which the seat expects most in a round; the first of equals.

    Where a command leaves the city as it is, it stands first.
    """
    forecast = Forecast(view)
    return max(legal, key=lambda command: _income_after(view, forecast, command))


def _income_after(view: MatchState, forecast: Forecast, command: PlayCommand) -> float:
    with forecast.changed(view.active, _changes(view, command)):
        return forecast.round_income(view.active)


def _changes(view: MatchState, command: PlayCommand) -> dict[int, int]:
    """How many copies more or fewer of which cards the command leaves in the seat's city."""
    index = view.rules.index
    if isinstance(command, Build):
        return {index[command.card]: 1}
    if isinstance(command, SwapEstablishments):
        return {index[command.give]: -1, index[command.take]: 1} if command.give != command.take else {}
    if isinstance(command, GiveEstablishment):
        return {index[command.card]: -1}
    return {}
