"""Players with a fixed plan: they build the first affordable goal, else the cheapest landmark, else nothing.

If the missing goals are in the deck and none is face up, they build what increases their income most, so that
new cards are drawn.
"""

from collections.abc import Iterator, Sequence

from domain.match.chance import RandomNumbers
from domain.match.commands import Build, Pass, PlayCommand
from domain.match.state import MatchState
from players.choices import (
    best_about_dice,
    best_by_income,
    best_of_tokens,
    landmarks,
    richest,
    winning_landmark,
    without_idle_round,
)
from players.plans import Goal, Plan


class FixedPlan:
    """A player that follows one plan and ignores the other cities."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def __call__(self, view: MatchState, legal: Sequence[PlayCommand], rng: RandomNumbers) -> PlayCommand:
        about_dice = best_about_dice(view, legal)
        if about_dice is not None:
            return about_dice
        if view.phase in ("build", "setup"):
            return self._build(view, legal)
        if view.phase == "take_coins":
            return richest(view, legal)
        return best_of_tokens(view, legal) or best_by_income(view, legal)

    def _build(self, view: MatchState, legal: Sequence[PlayCommand]) -> PlayCommand:
        priced = landmarks(view, legal)
        won = winning_landmark(view, priced)
        if won:
            return won
        seat = view.active
        missing = list(_missing(view, self._plan[view.rules.ruleset.id]))
        for card, _ in missing:
            if Build(seat, card) in legal:
                return Build(seat, card)
        if priced:
            return min(priced, key=lambda one: one[0])[1]
        if view.phase == "setup" or _are_in_the_deck(view, missing):
            return best_by_income(view, without_idle_round(view, legal))
        return Pass(seat)


def _missing(view: MatchState, goals: Sequence[Goal]) -> Iterator[Goal]:
    """The goals that are not reached, in order."""
    city = view.cities[view.active]
    index = view.rules.index
    return (goal for goal in goals if city[index[goal[0]]] < goal[1])


def _are_in_the_deck(view: MatchState, missing: Sequence[Goal]) -> bool:
    """Whether some of the goals are in the deck and none is face up."""
    cards = [view.rules.index[card] for card, _ in missing]
    return any([view.decks[card] for card in cards]) and not any([view.supply[card] for card in cards])
