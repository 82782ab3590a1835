"""The players without lookahead over opponents: `random`, `landmark_first` and `greedy`."""

import random
from collections.abc import Sequence

from domain.match.commands import PlayCommand
from domain.match.state import MatchState
from workers.players.choices import (
    any_best_by_income,
    any_of,
    best_about_dice,
    best_by_income,
    landmarks,
    richest,
    winning,
    winning_next,
    without_idle_round,
)


def choose_any(view: MatchState, legal: Sequence[PlayCommand], rng: random.Random) -> PlayCommand:
    """A uniformly random legal command.

    In the first game this is exact, for comparison with published figures of random play. In the second game
    it builds in building rounds and takes a landmark that wins.
    """
    if view.rules.own_landmarks:
        return any_of(legal, rng)
    won = winning_next(view, landmarks(view, legal))
    return won or any_of(without_idle_round(view, legal), rng)


def choose_landmark_first(view: MatchState, legal: Sequence[PlayCommand], rng: random.Random) -> PlayCommand:
    """The most expensive affordable landmark, else any legal command.

    It builds in building rounds if it can and gives away what it needs least. If a trade could cost it the
    trading card itself, it trades for income.
    """
    about_dice = best_about_dice(view, legal)
    if about_dice is not None:
        return about_dice
    priced = landmarks(view, legal)
    if priced:
        return winning(view, priced) or max(priced, key=lambda one: one[0])[1]
    if _could_lose_any_card(view):
        return best_by_income(view, legal)
    return any_of(without_idle_round(view, legal), rng)


def _could_lose_any_card(view: MatchState) -> bool:
    """Whether the choice can cost any establishment, including the card that requests it."""
    rules = view.rules
    return view.phase == "give" or (view.phase == "swap" and rules.tradable[rules.index[view.pending_card]])


def choose_greedily(view: MatchState, legal: Sequence[PlayCommand], rng: random.Random) -> PlayCommand:
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
        return winning(view, priced) or min(priced, key=lambda one: one[0])[1]
    if view.phase in ("build", "setup"):
        return any_best_by_income(view, without_idle_round(view, legal), rng)
    return best_by_income(view, legal)
