"""Choices by expected income: cards by income per round, dice by expected gain."""

import random
from collections.abc import Sequence
from typing import Final

from domain.match.commands import (
    AddTwo,
    Build,
    GiveEstablishment,
    KeepDice,
    KeepTotal,
    PlayCommand,
    RerollDice,
    RollDice,
    SwapEstablishments,
)
from domain.match.state import MatchState
from workers.players.builds import any_of
from workers.players.forecast import Forecast

EQUAL: Final = 1e-9
"""The tolerance for equal incomes, in coins per round: floats that are summed in another order differ."""


def best(view: MatchState, legal: Sequence[PlayCommand]) -> PlayCommand:
    """The command after which the seat has the highest expected income per round; the first on a tie.

    A command that leaves the city unchanged comes first.
    """
    forecast = Forecast(view)
    return max(legal, key=lambda command: _income_after(view, forecast, command))


def any_best(view: MatchState, legal: Sequence[PlayCommand], rng: random.Random) -> PlayCommand:
    """A random command among those with the highest expected income per round."""
    forecast = Forecast(view)
    incomes = [_income_after(view, forecast, command) for command in legal]
    enough = max(incomes) - EQUAL
    return any_of([command for command, found in zip(legal, incomes, strict=True) if found >= enough], rng)


def _income_after(view: MatchState, forecast: Forecast, command: PlayCommand) -> float:
    with forecast.changed(view.active, changes(view, command)):
        return forecast.round_income(view.active)


def changes(view: MatchState, command: PlayCommand) -> dict[int, int]:
    """By card: the change in the number of copies in the seat's city."""
    index = view.rules.index
    if isinstance(command, Build):
        return {index[command.card]: 1}
    if isinstance(command, SwapEstablishments):
        return {index[command.give]: -1, index[command.take]: 1} if command.give != command.take else {}
    if isinstance(command, GiveEstablishment):
        return {index[command.card]: -1}
    return {}


def best_about_dice(view: MatchState, legal: Sequence[PlayCommand]) -> PlayCommand | None:
    """The best command about dice; None if the decision is about something else."""
    if len(legal) == 1:
        return legal[0]
    if view.phase == "roll":
        return RollDice(view.active, Forecast(view).best_dice(view.active))
    if view.phase == "reroll":
        return _reroll_or_keep(view)
    if view.phase == "add_two":
        return _add_or_keep(view)
    return None


def _reroll_or_keep(view: MatchState) -> PlayCommand:
    seat = view.active
    forecast = Forecast(view)
    if forecast.expected_gain(seat, seat, len(view.dice)) > forecast.gain(seat, seat, view.dice):
        return RerollDice(seat)
    return KeepDice(seat)


def _add_or_keep(view: MatchState) -> PlayCommand:
    seat = view.active
    forecast = Forecast(view)
    rules = view.rules
    more = rules.firings[rules.add_two].amount
    if forecast.payments(seat, view.dice, more)[seat] > forecast.payments(seat, view.dice)[seat]:
        return AddTwo(seat)
    return KeepTotal(seat)
