"""The players that look at nothing but the table as it lies: `random`, `landmark_first`, `greedy`."""

import random
from collections.abc import Sequence

from domain.match.commands import PlayCommand
from domain.match.state import MatchState
from workers.players import income
from workers.players.builds import any_of, landmarks, richest, winning, winning_next, without_idle_round


def choose_any(view: MatchState, legal: Sequence[PlayCommand], rng: random.Random) -> PlayCommand:
    """Any legal command, each as likely as the next.

    In the first game that is all: published figures of random play were measured with such matches. In the
    second game it throws no match away: it builds in the building rounds, and takes a landmark that wins.
    """
    if view.rules.own_landmarks:
        return any_of(legal, rng)
    won = winning_next(view, landmarks(view, legal))
    return won or any_of(without_idle_round(view, legal), rng)


def choose_landmark_first(view: MatchState, legal: Sequence[PlayCommand], rng: random.Random) -> PlayCommand:
    """The dearest landmark that can be paid for, else anything legal.

    It lets no building round pass where it can build, gives away what it needs least, and trades for more
    income where a trade may cost it the very card that trades.
    """
    about_dice = income.best_about_dice(view, legal)
    if about_dice is not None:
        return about_dice
    priced = landmarks(view, legal)
    if priced:
        return winning(view, priced) or max(priced, key=lambda one: one[0])[1]
    if _could_lose_much(view):
        return income.best(view, legal)
    return any_of(without_idle_round(view, legal), rng)


def _could_lose_much(view: MatchState) -> bool:
    """Any establishment at all may go, the card that asks included."""
    rules = view.rules
    return view.phase == "give" or (view.phase == "swap" and rules.tradable[rules.index[view.pending_card]])


def choose_greedily(view: MatchState, legal: Sequence[PlayCommand], rng: random.Random) -> PlayCommand:
    """The cheapest landmark that can be paid for, else whatever adds most to a round's income.

    Of cards that add as much it takes any; where nothing adds anything, a card that is of no use, or none.
    """
    about_dice = income.best_about_dice(view, legal)
    if about_dice is not None:
        return about_dice
    if view.phase == "take_coins":
        return richest(view, legal)
    priced = landmarks(view, legal)
    if priced:
        return winning(view, priced) or min(priced, key=lambda one: one[0])[1]
    if view.phase in ("build", "setup"):
        return income.any_best(view, without_idle_round(view, legal), rng)
    return income.best(view, legal)
