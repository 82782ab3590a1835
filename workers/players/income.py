"""What a command leaves in the seat's city, and what that city brings in a round."""

import random
from collections.abc import Sequence
from typing import Final

from domain.match.commands import Build, GiveEstablishment, PlayCommand, SwapEstablishments
from domain.match.state import MatchState
from workers.players.forecast import Forecast
from workers.players.uniform import any_of

EQUAL: Final = 1e-9
"""Coins in a round by which sums of the same chances may differ, as they are added in another order."""


def best(view: MatchState, legal: Sequence[PlayCommand]) -> PlayCommand:
    """The command after which the seat expects most in a round; the first of equals.

    Where a command leaves the city as it is, it stands first.
    """
    forecast = Forecast(view)
    return max(legal, key=lambda command: _income_after(view, forecast, command))


def any_best(view: MatchState, legal: Sequence[PlayCommand], rng: random.Random) -> PlayCommand:
    """One of the commands after which the seat expects most in a round, each as likely as the next."""
    forecast = Forecast(view)
    incomes = [_income_after(view, forecast, command) for command in legal]
    enough = max(incomes) - EQUAL
    return any_of([command for command, found in zip(legal, incomes, strict=True) if found >= enough], rng)


def _income_after(view: MatchState, forecast: Forecast, command: PlayCommand) -> float:
    with forecast.changed(view.active, changes(view, command)):
        return forecast.round_income(view.active)


def changes(view: MatchState, command: PlayCommand) -> dict[int, int]:
    """How many copies more or fewer of which cards the command leaves in the seat's city."""
    index = view.rules.index
    if isinstance(command, Build):
        return {index[command.card]: 1}
    if isinstance(command, SwapEstablishments):
        return {index[command.give]: -1, index[command.take]: 1} if command.give != command.take else {}
    if isinstance(command, GiveEstablishment):
        return {index[command.card]: -1}
    return {}
