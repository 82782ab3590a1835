"""Simple choices that players share: landmarks, building rounds, targets and random commands."""

import random
from collections.abc import Sequence

from domain.match.commands import Build, PlayCommand, TakeCoins
from domain.match.decide.building import price
from domain.match.state import MatchState


def landmarks(view: MatchState, legal: Sequence[PlayCommand]) -> list[tuple[int, Build]]:
    """The landmarks that can be built now, with their prices in coins, in catalogue order."""
    rules = view.rules
    return [
        (price(view, view.active, rules.index[command.card]), command)
        for command in legal
        if isinstance(command, Build) and rules.index[command.card] >= rules.establishments
    ]


def winning(view: MatchState, priced: Sequence[tuple[int, Build]]) -> Build | None:
    """The landmark that wins regardless of how many the seat has; None without one.

    If the goal is one landmark, any of them wins.
    """
    return _first_to_win(view, priced, 1)


def winning_next(view: MatchState, priced: Sequence[tuple[int, Build]]) -> Build | None:
    """A landmark that wins now, preferably one that always wins; None without one."""
    return winning(view, priced) or _first_to_win(view, priced, view.landmarks[view.active] + 1)


def _first_to_win(view: MatchState, priced: Sequence[tuple[int, Build]], count: int) -> Build | None:
    """The first landmark that wins as the seat's `count`-th."""
    rules = view.rules
    return next((build for _, build in priced if rules.wins(count, rules.index[build.card])), None)


def without_idle_round(view: MatchState, legal: Sequence[PlayCommand]) -> Sequence[PlayCommand]:
    """Only the builds, if anything can be built in a building round; else all legal commands.

    A building round has no roll, and saved coins bring nothing.
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


def any_of(legal: Sequence[PlayCommand], rng: random.Random) -> PlayCommand:
    """A uniformly random command."""
    return legal[int(rng.random() * len(legal))]
