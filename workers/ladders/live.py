"""Live ratings and the progress of sequential tests, updated while matches are played.

Live ratings come from a Bayesian Plackett-Luce model (openskill) that is updated match by match. The winner
ranks first, and all others tie. Matches count in the order of their blocks in the ladder's history, so the
ratings are a function of that history. A test uses the blocks before the first open one.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import log, sqrt
from typing import Final

from openskill.models import PlackettLuce

from domain.ladder import results
from domain.ladder.arithmetic import ROUNDED_Z
from domain.ladder.config import LadderConfig
from domain.ladder.events import STAND_IN, BlockFinished, SequentialTest
from domain.ladder.results import block_lines
from domain.ladder.sprt import Hypotheses, SprtState, sequential_test
from domain.ladder.state import Block, LadderState, Round
from events.ladders.ladders import CODEC, Ladder
from events.ladders.tables import LiveRating, SequentialProgress

UNDECIDED: Final = "undecided"

_MODEL: Final = PlackettLuce()
_POINTS: Final = 400 / log(10)
"""Rating points for a factor of e in the odds; a factor of 10 is 400 points."""


class LiveStrength:
    """The belief about one entry's strength, on the model's own scale."""

    def __init__(self, mu: float = _MODEL.mu, sigma: float = _MODEL.sigma, matches: int = 0) -> None:
        self.mu = mu
        self.sigma = sigma
        self.matches = matches


Strengths = dict[int, LiveStrength]
"""By entry number."""


def updated(strengths: Strengths, ladder: Ladder, season: int, after: int) -> Strengths:
    """The strengths updated with the season's results after the version `after` of the ladder."""
    found = {number: LiveStrength(one.mu, one.sigma, one.matches) for number, one in strengths.items()}
    for event in _finished(ladder, after):
        round = ladder.state.round_of(event.block)
        assert round is not None, "every block belongs to a round"
        if round.purpose == "rated" and round.season == season:
            block = round.blocks[event.block - round.first_block]
            for rotation, result in enumerate(event.results):
                _update(found, block, rotation, result.winner)
    return found


def _finished(ladder: Ladder, after: int) -> Iterable[BlockFinished]:
    version = 0
    for entry in ladder.entries:
        if entry.last > after:
            for sequence, event in enumerate(CODEC.events_of(ladder.id, version, entry), version + 1):
                if sequence > after and isinstance(event, BlockFinished):
                    yield event
        version = entry.last


def _update(strengths: Strengths, block: Block, rotation: int, winner: int) -> None:
    seats = block.seats(rotation)
    assert STAND_IN not in seats, "rated tables have no stand-ins"
    seated = [strengths.setdefault(number, LiveStrength()) for number in seats]
    teams = [[_MODEL.rating(mu=one.mu, sigma=one.sigma)] for one in seated]
    ranks = [float(seat != winner) for seat in range(len(seats))]
    for one, (rated,) in zip(seated, _MODEL.rate(teams, ranks=ranks), strict=True):
        one.mu, one.sigma = rated.mu, rated.sigma
        one.matches += 1


def live_ratings(state: LadderState, season: int, strengths: Strengths) -> tuple[LiveRating, ...]:
    """The ratings on the scale of the official ones, best first."""
    config = state.configs[season - 1]
    # The model's odds at a table are those of e to the power of mu / (beta * sqrt(seats)).
    scale = _POINTS / (_MODEL.beta * sqrt(config.seats))
    zero = _anchor(state, config, strengths)
    found = []
    for number, one in strengths.items():
        rating = config.rating.anchor_rating + (one.mu - zero) * scale
        half = ROUNDED_Z * one.sigma * scale
        id = state.entries[number].id
        found.append(
            LiveRating(id, round(rating, 1), round(rating - half, 1), round(rating + half, 1), one.matches)
        )
    return tuple(sorted(found, key=lambda one: (-one.rating, one.entry)))


def _anchor(state: LadderState, config: LadderConfig, strengths: Strengths) -> float:
    """The `mu` that maps to the anchor's rating: that of the anchor strategy, or else the mean of all."""
    for number, one in strengths.items():
        player = state.entries[number].player
        if player.kind == "strategy" and player.name == config.rating.anchor:
            return one.mu
    return sum([one.mu for one in strengths.values()]) / len(strengths) if strengths else _MODEL.mu


def progress_of_tests(
    known: Sequence[SequentialProgress], ladder_id: str, state: LadderState, season: int
) -> tuple[SequentialProgress, ...]:
    """The progress of all tests of the season; decided ones are kept as they are."""
    by_round = {one.round: one for one in known}
    found = []
    for round in state.rounds:
        if round.test is not None and round.season == season:
            before = by_round.get(round.number)
            is_over = before is not None and bool(before.decision)
            found.append(before if before is not None and is_over else _progress(ladder_id, state, round))
    return tuple(found)


def decision(known: Sequence[SequentialProgress], round: Round) -> str:
    """The decision of the round's test; empty while it is running, or if the round is not a test."""
    return next((one.decision for one in known if one.round == round.number), "")


def _progress(ladder_id: str, state: LadderState, round: Round) -> SequentialProgress:
    test = round.test
    assert test is not None
    a, b = state.entries[test.a].id, state.entries[test.b].id
    seen = sequential_test(_first_blocks(ladder_id, state, round), a, b, _hypotheses(test))
    return SequentialProgress(
        round=round.number,
        llr=seen.llr,
        lower=seen.bounds[0],
        upper=seen.bounds[1],
        wins_a=seen.wins,
        wins_b=seen.losses,
        others=seen.others,
        blocks=seen.blocks,
        elo=seen.elo,
        elo_interval=seen.elo_interval,
        decision=_decision(seen, round),
    )


def _decision(seen: SprtState, round: Round) -> str:
    """The decision; empty while an undecided test has blocks left."""
    return "" if seen.decision == UNDECIDED and round.left else seen.decision


def _first_blocks(ladder_id: str, state: LadderState, round: Round) -> Iterator[results.BlockResults]:
    """The finished blocks before the first open one: skipping slow blocks would bias the test."""
    for block in round.blocks:
        if block.is_open:
            return
        if block.results:
            yield results.BlockResults(block.number, tuple(block_lines(ladder_id, state, round, block)))


def _hypotheses(test: SequentialTest) -> Hypotheses:
    return Hypotheses(test.elo0, test.elo1, test.alpha_percent, test.beta_percent)
