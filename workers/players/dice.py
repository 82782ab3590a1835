"""How many dice, again or not, two more or not: whatever brings the seat itself more coins on average."""

from collections.abc import Sequence

from domain.match.commands import AddTwo, KeepDice, KeepTotal, PlayCommand, RerollDice, RollDice
from domain.match.state import MatchState
from workers.players.forecast import Forecast


def choose(view: MatchState, legal: Sequence[PlayCommand]) -> PlayCommand | None:
    """The better of the legal commands about dice; None if the decision is about something else."""
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
