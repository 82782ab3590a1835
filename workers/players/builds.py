"""What can be built now, which landmark wins, building rounds, whose coins to take, any command at all."""

import random
from collections.abc import Sequence

from domain.match.commands import Build, PlayCommand, TakeCoins
from domain.match.decide.building import price
from domain.match.state import MatchState


def landmarks(view: MatchState, legal: Sequence[PlayCommand]) -> list[tuple[int, Build]]:
    """The landmarks that can be built, each with its price to the seat, in catalogue order."""
    rules = view.rules
    return [
        (price(view, view.active, rules.index[command.card]), command)
        for command in legal
        if isinstance(command, Build) and rules.index[command.card] >= rules.establishments
    ]


def winning(view: MatchState, priced: Sequence[tuple[int, Build]]) -> Build | None:
    """The one of these landmarks that wins however many the seat has; None if there is none.

    Where the next landmark wins anyway, any of them will do.
    """
    return _first_to_win(view, priced, 1)


def winning_next(view: MatchState, priced: Sequence[tuple[int, Build]]) -> Build | None:
    """The first of these landmarks that wins now, before all one that always does; None if none does."""
    return winning(view, priced) or _first_to_win(view, priced, view.landmarks[view.active] + 1)


def _first_to_win(view: MatchState, priced: Sequence[tuple[int, Build]], count: int) -> Build | None:
    """The first that wins as the seat's landmark of that number."""
    rules = view.rules
    return next((build for _, build in priced if rules.wins(count, rules.index[build.card])), None)


def without_idle_round(view: MatchState, legal: Sequence[PlayCommand]) -> Sequence[PlayCommand]:
    """The builds alone in a building round where anything can be built, else all that is legal.

    Such a round is over without a throw, and coins that are kept bring nothing.
    """
    if view.phase != "setup":
        return legal
    return [command for command in legal if isinstance(command, Build)] or legal


def richest(view: MatchState, legal: Sequence[PlayCommand]) -> PlayCommand:
    """Take the coins of the opponent who has most; of the next in turn of equals."""

    def coins(command: PlayCommand) -> int:
        assert isinstance(command, TakeCoins)
        return view.coins[command.from_seat]

    return max(legal, key=coins)


def any_of(legal: Sequence[PlayCommand], rng: random.Random) -> PlayCommand:
    """One of the commands, each as likely as the next."""
    return legal[int(rng.random() * len(legal))]
