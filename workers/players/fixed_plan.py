"""The fixed plans: the first wish that can be paid for, else the cheapest landmark, else nothing.

In a market that shows a part of its cards, and shows none that is wished for, a plan builds whatever adds
most to its income, so that new cards come up.
"""

import random
from collections.abc import Iterator, Sequence

from domain.match.commands import Build, Pass, PlayCommand
from domain.match.state import MatchState
from workers.players import income
from workers.players.builds import landmarks, richest, winning_next, without_idle_round
from workers.players.plans import Plan, Wish


class FixedPlan:
    """A player that follows one plan, without looking at anybody else's city."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def __call__(self, view: MatchState, legal: Sequence[PlayCommand], rng: random.Random) -> PlayCommand:
        about_dice = income.best_about_dice(view, legal)
        if about_dice is not None:
            return about_dice
        if view.phase in ("build", "setup"):
            return self._build(view, legal)
        if view.phase == "take_coins":
            return richest(view, legal)
        return income.best(view, legal)

    def _build(self, view: MatchState, legal: Sequence[PlayCommand]) -> PlayCommand:
        priced = landmarks(view, legal)
        won = winning_next(view, priced)
        if won:
            return won
        seat = view.active
        missing = list(_missing(view, self._plan[view.rules.ruleset.id]))
        for card, _ in missing:
            if Build(seat, card) in legal:
                return Build(seat, card)
        if priced:
            return min(priced, key=lambda one: one[0])[1]
        if view.phase == "setup" or _lie_in_the_deck(view, missing):
            return income.best(view, without_idle_round(view, legal))
        return Pass(seat)


def _missing(view: MatchState, wishes: Sequence[Wish]) -> Iterator[Wish]:
    """The wishes that are not met, in their order."""
    city = view.cities[view.active]
    index = view.rules.index
    return (wish for wish in wishes if city[index[wish[0]]] < wish[1])


def _lie_in_the_deck(view: MatchState, missing: Sequence[Wish]) -> bool:
    """Whether some of the wishes lie in the deck and none lies open."""
    cards = [view.rules.index[card] for card, _ in missing]
    return any([view.decks[card] for card in cards]) and not any([view.supply[card] for card in cards])
