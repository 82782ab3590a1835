"""The player `expected_value`: it looks one ply ahead over all dice and maximises a value in coins.

The value of a table for a seat is its coins, its paid share of what it needs to win, and its expected income
per round for the rounds that the match is likely to last. A card that needs a landmark is also valued
together with that landmark, from when both can be paid. The player uses no random numbers and no training.
"""

from collections.abc import Sequence

from domain.match.chance import RandomNumbers
from domain.match.commands import AddTwo, Build, KeepDice, KeepTotal, PlayCommand, RerollDice, RollDice
from domain.match.decide.building import price
from domain.match.state import MatchState
from players.choices import (
    always_winning_landmark,
    best_of_tokens,
    changes,
    landmarks,
    richest,
    without_idle_round,
)
from players.distance import rounds_left, still_to_pay
from players.outlook import Outlook

Worth = tuple[float, bool]
"""Coins, and whether a landmark is built: ties prefer landmarks, which cannot be taken away."""


def choose(view: MatchState, legal: Sequence[PlayCommand], rng: RandomNumbers) -> PlayCommand:
    if len(legal) == 1:
        return legal[0]
    if view.phase == "take_coins":
        return richest(view, legal)
    won = always_winning_landmark(view, landmarks(view, legal)) or best_of_tokens(view, legal)
    if won:
        return won
    outlook = Outlook(view, view.active)
    if view.phase in ("build", "setup"):
        return _BuildDecision(view, outlook).best(without_idle_round(view, legal))
    if view.phase in ("swap", "give"):
        return max(legal, key=lambda command: outlook.change(changes(view, command)))
    return _about_dice(view, outlook)


def _about_dice(view: MatchState, outlook: Outlook) -> PlayCommand:
    seat = view.active
    if view.phase == "roll":
        return RollDice(seat, outlook.own_turn.best[0])
    if view.phase == "reroll":
        return RerollDice(seat) if outlook.own_turn.is_below_average(view.dice) else KeepDice(seat)
    return AddTwo(seat) if outlook.gains_by_adding(view.dice) else KeepTotal(seat)


class _BuildDecision:
    """One building decision: the value of every build."""

    def __init__(self, view: MatchState, outlook: Outlook) -> None:
        self._view = view
        self._seat = view.active
        self._outlook = outlook
        self._rounds = rounds_left(view, outlook)
        self._still_to_pay = still_to_pay(view, self._seat)
        more = view.rules.goal - view.landmarks[self._seat] - 1
        coming = view.coins[self._seat] + more * outlook.income(self._seat)
        self._short = max(0.0, self._still_to_pay - coming)
        """The coins that the seat would lack if it built only landmarks: the highest value of income."""
        self._pairs: dict[int, float] = {}
        """By missing landmark: its highest value together with a card that needs it."""

    def best(self, legal: Sequence[PlayCommand]) -> PlayCommand:
        index = self._view.rules.index
        builds = [command for command in legal if isinstance(command, Build)]
        cards = {index[command.card]: command for command in builds}
        # Establishments come first, because their value with a landmark also counts for the landmark.
        worths: dict[int, Worth] = {card: self._worth(card) for card in sorted(cards)}
        best = max(worths, key=lambda card: worths[card], default=-1)
        idle = [command for command in legal if not isinstance(command, Build)]
        if idle and (best < 0 or worths[best] < (self._idle(), False)):
            return idle[0]
        return cards[best]

    def _idle(self) -> float:
        """The value of building nothing."""
        return min(self._outlook.idle_income(), self._short) + self._gain_at_risk(0)

    def _gain_at_risk(self, cost: int) -> float:
        """The expected gain from rolls on which the seat pays, after spending `cost`; usually negative."""
        return self._outlook.gain_at_risk(self._view.coins[self._seat] - cost)

    def _worth(self, card: int) -> Worth:
        view, rules = self._view, self._view.rules
        cost = price(view, self._seat, card) - rules.bonuses[card]
        gain = min(self._short, self._rounds * self._outlook.change({card: 1}))
        if card >= rules.establishments:
            progress = self._still_to_pay - still_to_pay(view, self._seat, card)
            at_once = self._outlook.at_once(card, cost)
            value = max(gain, self._pairs.get(card, 0.0)) + progress + at_once
            return value - cost + self._gain_at_risk(cost), True
        return max(gain, self._with_landmarks(card, cost)) - cost + self._gain_at_risk(cost), False

    def _with_landmarks(self, card: int, cost: int) -> float:
        """The value of the card together with the landmarks that it needs."""
        needed = self._outlook.needed(card)
        if not needed:
            return 0.0
        whole = cost + sum([price(self._view, self._seat, landmark) for landmark in needed])
        missing = whole - self._view.coins[self._seat]
        delay = max(0.0, missing / self._outlook.income(self._seat)) if missing > 0 else 0.0
        if delay >= self._rounds:
            return 0.0
        change = self._outlook.change({card: 1, **dict.fromkeys(needed, 1)})
        worth = min(self._short, (self._rounds - delay) * change)
        for landmark in needed:
            self._pairs[landmark] = max(self._pairs.get(landmark, 0.0), worth - cost)
        return worth
