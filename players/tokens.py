"""Choices about the tokens on cards: which cards to close for renovation, and whether to invest a coin."""

from collections.abc import Sequence
from typing import Final

from domain.match.commands import PlayCommand, Renovate
from domain.match.decide.draft import opponents
from domain.match.decide.effects import coins_per_copy
from domain.match.rules import Firing
from domain.match.state import MatchState, in_force, open_copies
from players.forecast import BOATS_MEAN

ROUNDS: Final = 12
"""The number of rounds over which the return of an investment is counted."""

_FREE: Final = ("demolish", "move")
"""Kinds of cards whose owner loses nothing while they are closed."""


def best_renovation(view: MatchState, legal: Sequence[PlayCommand]) -> PlayCommand:
    """Close the card with the most gain: the coins that opponents pay now, plus one activation that they lose
    on average, less one activation of one's own copies."""

    def worth(command: PlayCommand) -> float:
        assert isinstance(command, Renovate)
        return _worth_of_closing(view, view.rules.firings[view.rules.index[command.card]])

    return max(legal, key=worth)


def _worth_of_closing(view: MatchState, firing: Firing) -> float:
    seat, others = view.active, opponents(view)
    amount = view.rules.firings[view.rules.index[view.pending_card]].amount
    paid = sum([min(view.coins[other], amount * open_copies(view, other, firing.card)) for other in others])
    lost = sum([_activation(view, firing, other) for other in others])
    return paid + lost / len(others) - _activation(view, firing, seat)


def _activation(view: MatchState, firing: Firing, seat: int) -> int:
    """What the open copies of a card bring its owner when they fire, in coins."""
    copies = open_copies(view, seat, firing.card)
    if firing.kind in _FREE:
        return 0
    if firing.kind == "boats":
        return copies * BOATS_MEAN
    return copies * coins_per_copy(view, firing, seat) * (-1 if firing.kind == "to_bank" else 1)


def is_investment_worth_it(view: MatchState) -> bool:
    """Whether a coin is likely to bring more than it costs, from all opponents and over some rounds."""
    rules, seat = view.rules, view.active
    may_roll_two = rules.two_dice < 0 or in_force(view, seat, rules.two_dice)
    if not may_roll_two:
        return False
    chance = sum([6 - abs(total - 7) for total in rules.cards[rules.invests].activation if total <= 12]) / 36
    return ROUNDS * chance * len(opponents(view)) > 1
