"""Choices that players share, and the players that consist of them: `random`, `landmark_first` and `greedy`.

The choices are about landmarks, building rounds, targets, and the best command by expected income.
"""

from collections.abc import Sequence
from typing import Final

from domain.match.chance import RandomNumbers
from domain.match.commands import (
    AddTwo,
    Build,
    Demolish,
    GiveEstablishment,
    KeepDice,
    KeepTotal,
    MoveEstablishment,
    PlayCommand,
    RerollDice,
    RollDice,
    SwapEstablishments,
    TakeCoins,
)
from domain.match.decide.building import price
from domain.match.decide.turns import default_command
from domain.match.state import MatchState, wins
from players.forecast import Forecast
from players.tokens import best_renovation, is_investment_worth_it

EQUAL: Final = 1e-9
"""The tolerance for equal incomes, in coins per round: floats that are summed in another order differ."""


def landmarks(view: MatchState, legal: Sequence[PlayCommand]) -> list[tuple[int, Build]]:
    """The landmarks that can be built now, with their prices in coins, in catalogue order."""
    rules = view.rules
    return [
        (price(view, view.active, rules.index[command.card]), command)
        for command in legal
        if isinstance(command, Build) and rules.index[command.card] >= rules.establishments
    ]


def always_winning_landmark(view: MatchState, priced: Sequence[tuple[int, Build]]) -> Build | None:
    """The landmark that wins regardless of how many the seat has; None if there is none.

    If the goal is one landmark, any of them wins.
    """
    return _first_to_win(view, priced, 1)


def winning_landmark(view: MatchState, priced: Sequence[tuple[int, Build]]) -> Build | None:
    """A landmark that wins now, preferably one that always wins; None if there is none."""
    return always_winning_landmark(view, priced) or _first_to_win(
        view, priced, view.landmarks[view.active] + 1
    )


def _first_to_win(view: MatchState, priced: Sequence[tuple[int, Build]], count: int) -> Build | None:
    """The first landmark that wins as the seat's `count`-th."""
    rules = view.rules
    return next((build for _, build in priced if wins(rules, count, rules.index[build.card])), None)


def without_idle_round(view: MatchState, legal: Sequence[PlayCommand]) -> Sequence[PlayCommand]:
    """Only the builds, if anything can be built in a building round; else all legal commands.

    A building round has no throw, and saved coins bring nothing.
    """
    if view.phase != "setup":
        return legal
    return [command for command in legal if isinstance(command, Build)] or legal


def richest(view: MatchState, legal: Sequence[PlayCommand]) -> PlayCommand:
    """Take coins from the richest opponent; ties go to the next in turn."""

    def coins(command: PlayCommand) -> int:
        assert isinstance(command, TakeCoins)
        return view.coins[command.from_seat]

    return max(legal, key=coins)


def any_of(legal: Sequence[PlayCommand], rng: RandomNumbers) -> PlayCommand:
    """A uniformly random command."""
    return legal[int(rng.random() * len(legal))]


def best_by_income(view: MatchState, legal: Sequence[PlayCommand]) -> PlayCommand:
    """The command after which the seat has the highest expected income per round; the first on a tie.

    A command that leaves the city unchanged comes first.
    """
    forecast = Forecast(view)
    return max(legal, key=lambda command: _income_after(view, forecast, command))


def any_best_by_income(view: MatchState, legal: Sequence[PlayCommand], rng: RandomNumbers) -> PlayCommand:
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
    if isinstance(command, GiveEstablishment | MoveEstablishment | Demolish):
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


def best_of_tokens(view: MatchState, legal: Sequence[PlayCommand]) -> PlayCommand | None:
    """The best choice for a demolition, a move, a renovation or an investment; None for other decisions."""
    if view.phase == "demolish":
        return default_command(view)  # it demolishes what costs least to build again
    if view.phase == "move":
        return _best_move(view, legal)
    if view.phase == "renovate":
        return best_renovation(view, legal)
    if view.phase == "invest":
        return legal[0] if is_investment_worth_it(view) else legal[1]
    return None


def _best_move(view: MatchState, legal: Sequence[PlayCommand]) -> PlayCommand:
    """Give away the card without which the income stays highest, to the opponent furthest from winning."""
    moves = [command for command in legal if isinstance(command, MoveEstablishment)]
    first = {command.card: command for command in reversed(moves)}
    best = best_by_income(view, [first[card] for card in dict.fromkeys([move.card for move in moves])])
    assert isinstance(best, MoveEstablishment)
    takers = [command for command in moves if command.card == best.card]
    return min(takers, key=lambda move: (view.landmarks[move.to_seat], view.coins[move.to_seat]))


def choose_any(view: MatchState, legal: Sequence[PlayCommand], rng: RandomNumbers) -> PlayCommand:
    """A uniformly random legal command.

    In the first game this is exact, for comparison with published figures of random play. In the second game
    it builds in building rounds and takes a landmark that wins.
    """
    if view.rules.own_landmarks:
        return any_of(legal, rng)
    won = winning_landmark(view, landmarks(view, legal))
    return won or any_of(without_idle_round(view, legal), rng)


def choose_landmark_first(view: MatchState, legal: Sequence[PlayCommand], rng: RandomNumbers) -> PlayCommand:
    """The most expensive affordable landmark, else any legal command.

    It builds in building rounds if it can and gives away what it needs least. If a trade could cost it the
    trading card itself, it trades for income.
    """
    about_dice = best_about_dice(view, legal)
    if about_dice is not None:
        return about_dice
    priced = landmarks(view, legal)
    if priced:
        return always_winning_landmark(view, priced) or max(priced, key=lambda one: one[0])[1]
    if _could_lose_any_card(view):
        return best_of_tokens(view, legal) or best_by_income(view, legal)
    return any_of(without_idle_round(view, legal), rng)


def _could_lose_any_card(view: MatchState) -> bool:
    """Whether the choice can cost any establishment, including the card that requests it."""
    rules = view.rules
    return view.phase in ("give", "demolish", "move") or (
        view.phase == "swap" and rules.tradable[rules.index[view.pending_card]]
    )


def choose_greedily(view: MatchState, legal: Sequence[PlayCommand], rng: RandomNumbers) -> PlayCommand:
    """The cheapest affordable landmark, else the build that increases the income per round most.

    Ties are random, so if no card increases the income, it may build a useless card or none.
    """
    about_dice = best_about_dice(view, legal)
    if about_dice is not None:
        return about_dice
    if view.phase == "take_coins":
        return richest(view, legal)
    priced = landmarks(view, legal)
    if priced:
        return always_winning_landmark(view, priced) or min(priced, key=lambda one: one[0])[1]
    if view.phase in ("build", "setup"):
        return any_best_by_income(view, without_idle_round(view, legal), rng)
    return best_of_tokens(view, legal) or best_by_income(view, legal)
