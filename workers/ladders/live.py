"""The live rating of a ladder: by a Bayesian model that takes in one match after the other.

The winner is placed before all others, who are not ranked among each other. Matches count in the order in
which the ladder's history has their blocks, so the rating is a function of that history.
"""

from collections.abc import Iterable
from math import log, sqrt
from typing import Final

from openskill.models import PlackettLuce

from domain.ladder.config import LadderConfig
from domain.ladder.events import STAND_IN, BlockFinished
from domain.ladder.state import Block, LadderState
from events.ladders.entries import Ladder, events_of
from events.ladders.tables import LiveRating

WIDTH: Final = 1.96
"""Standard deviations on each side of a 95 % interval."""

_MODEL: Final = PlackettLuce()
_POINTS: Final = 400 / log(10)
"""As many points of rating are a factor of e in the odds."""


class Strength:
    """What is believed of one entry, on the model's own scale."""

    def __init__(self, mu: float = _MODEL.mu, sigma: float = _MODEL.sigma, matches: int = 0) -> None:
        self.mu = mu
        self.sigma = sigma
        self.matches = matches


Strengths = dict[int, Strength]
"""By number of the entry."""


def taken_in(strengths: Strengths, ladder: Ladder, season: int, after: int) -> Strengths:
    """The strengths with what the ladder's history has of the season behind the version `after`."""
    found = {number: Strength(one.mu, one.sigma, one.matches) for number, one in strengths.items()}
    for event in _finished(ladder, after):
        round = ladder.state.round_of(event.block)
        assert round is not None, "every block belongs to a round"
        if round.purpose == "rated" and round.season == season:
            block = round.blocks[event.block - round.first_block]
            for rotation, result in enumerate(event.results):
                _take_in(found, block, rotation, result.winner)
    return found


def _finished(ladder: Ladder, after: int) -> Iterable[BlockFinished]:
    version = 0
    for entry in ladder.entries:
        if entry.last > after:
            for sequence, event in enumerate(events_of(ladder.id, version, entry), version + 1):
                if sequence > after and isinstance(event, BlockFinished):
                    yield event
        version = entry.last


def _take_in(strengths: Strengths, block: Block, rotation: int, winner: int) -> None:
    seats = block.seats(rotation)
    assert STAND_IN not in seats, "nobody stands in where it counts"
    seated = [strengths.setdefault(number, Strength()) for number in seats]
    teams = [[_MODEL.rating(mu=one.mu, sigma=one.sigma)] for one in seated]
    ranks = [float(seat != winner) for seat in range(len(seats))]
    for one, (rated,) in zip(seated, _MODEL.rate(teams, ranks=ranks), strict=True):
        one.mu, one.sigma = rated.mu, rated.sigma
        one.matches += 1


def shown(state: LadderState, season: int, strengths: Strengths) -> tuple[LiveRating, ...]:
    """The ratings on the scale of the official one, the best first."""
    config = state.configs[season - 1]
    # The model's odds at a table are those of e to the power of mu / (beta * sqrt(seats)).
    scale = _POINTS / (_MODEL.beta * sqrt(config.seats))
    zero = _anchor(state, config, strengths)
    found = []
    for number, one in strengths.items():
        rating = config.rating.anchor_rating + (one.mu - zero) * scale
        half = WIDTH * one.sigma * scale
        id = state.entries[number].id
        found.append(
            LiveRating(id, round(rating, 1), round(rating - half, 1), round(rating + half, 1), one.matches)
        )
    return tuple(sorted(found, key=lambda one: (-one.rating, one.entry)))


def _anchor(state: LadderState, config: LadderConfig, strengths: Strengths) -> float:
    """What has the anchor's rating: the strategy that the rules name, or else the mean of all."""
    for number, one in strengths.items():
        player = state.entries[number].player
        if player.kind == "strategy" and player.name == config.rating.anchor:
            return one.mu
    return sum([one.mu for one in strengths.values()]) / len(strengths) if strengths else _MODEL.mu
