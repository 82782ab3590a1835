"""Sequential tests: how they stand, by the blocks up to the first that is open."""

from collections.abc import Iterator, Sequence
from typing import Final

from domain.ladder import publishing
from domain.ladder.events import SequentialTest
from domain.ladder.results import Block
from domain.ladder.sequential import Decision, Hypotheses, sequential_test
from domain.ladder.state import LadderState, Round
from events.ladders.tables import SequentialProgress

UNDECIDED: Final = "undecided"


def progress(
    known: Sequence[SequentialProgress], ladder_id: str, state: LadderState, season: int
) -> tuple[SequentialProgress, ...]:
    """How all tests of the season stand; what was decided is taken over."""
    by_round = {one.round: one for one in known}
    found = []
    for round in state.rounds:
        if round.test is not None and round.season == season:
            before = by_round.get(round.number)
            is_over = before is not None and bool(before.decision)
            found.append(before if before is not None and is_over else _progress(ladder_id, state, round))
    return tuple(found)


def decision(known: Sequence[SequentialProgress], round: Round) -> str:
    """What the test of the round has come to; empty while it goes on, or if the round is no test."""
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


def _decision(seen: Decision, round: Round) -> str:
    """A test that is not decided goes on as long as there are blocks."""
    return "" if seen.decision == UNDECIDED and round.left else seen.decision


def _first_blocks(ladder_id: str, state: LadderState, round: Round) -> Iterator[Block]:
    """The finished blocks up to the first that is open: which is over first says nothing about A and B only
    if none is left out for being slow."""
    for block in round.blocks:
        if block.is_open:
            return
        if block.results:
            yield Block(block.number, tuple(publishing.block_lines(ladder_id, state, round, block)))


def _hypotheses(test: SequentialTest) -> Hypotheses:
    return Hypotheses(test.elo0, test.elo1, test.alpha_percent, test.beta_percent)
