"""Which decisions of a reviewed match are puzzles: one command is certainly best, and is not the obvious one.

The obvious command is what `expected_value` would choose, which looks one ply ahead. A decision is a puzzle
if it rolls no dice, there are at least three legal commands, every other candidate certainly loses something,
and the obvious one loses at least as much as an inaccuracy. The review cannot see how wrong its network is.
So `expected_value` also plays the match to its end from both commands, many times with common dice, and the
best command has to win certainly more often there, too.
"""

import random
from collections.abc import Callable, Iterable
from itertools import islice, takewhile
from statistics import mean, stdev
from typing import Final, NamedTuple

from contract.reviews import MILLIONTHS, Candidate
from domain import legal_commands, view
from domain.ladder.arithmetic import ROUNDED_Z
from domain.match.commands import PlayCommand
from domain.match.decide import advance_turn
from domain.match.state import RUNNING, MatchState
from kernel.convert import TwinChance, row_of
from kernel.engine import Engine
from kernel.layout import EXPECTED_VALUE, POLICIES
from kernel.play import Simulator
from players import expected_value
from review.judging import Judged, JudgedDecision
from review.report import presented
from review.verdicts import INACCURACY
from review.walk import Decision, Step

LEAST_COMMANDS: Final = 3
LEAST_LOSS: Final = round(INACCURACY * MILLIONTHS)
"""What the obvious command loses at least, in millionths."""
PLAYOUTS: Final = 1000
"""How often the match is played to its end from each of the two commands."""
SEED: Final = 1
"""The seed of the play-outs."""
MOST: Final = 3
"""The most puzzles of one match: those whose obvious commands lose most."""


class PlayoutWins(NamedTuple):
    """How many of `PLAYOUTS` matches the seat won that were played to the end after each of two commands."""

    best: int
    obvious: int


class FoundPuzzle(NamedTuple):
    """A decision that is a puzzle."""

    before: int
    """The last event before the decision."""
    state: MatchState
    """The state at the decision."""
    candidates: tuple[Candidate, ...]
    """The best first."""
    obvious: int
    """The index of the obvious command."""
    playouts: PlayoutWins | None = None
    """None before the two commands are compared, and if the best one wins the match at once."""


def puzzles_of(
    kernel: Engine,
    steps: Iterable[Step],
    judged: Iterable[Judged],
    may_go_on: Callable[[], bool] = lambda: True,
) -> list[FoundPuzzle]:
    """The puzzles of a match, at most `MOST`, those that cost most first.

    There is one for each turn, and one for each pair of the best and the obvious command: the same choice a
    turn later teaches nothing new. `may_go_on` is asked before each decision is played to the end, which can
    take seconds.
    """
    by_turn: dict[int, FoundPuzzle] = {}
    for step, one in zip(steps, judged, strict=True):
        if isinstance(step, Decision) and isinstance(one, JudgedDecision):
            found = _puzzle(step, one)
            known = by_turn.get(step.state.turn)
            if found is not None and (known is None or _cost(found) > _cost(known)):
                by_turn[step.state.turn] = found
    by_choice: dict[tuple[PlayCommand, PlayCommand], FoundPuzzle] = {}
    for puzzle in sorted(by_turn.values(), key=lambda one: -_cost(one)):
        by_choice.setdefault(_choice(puzzle), puzzle)
    played = takewhile(lambda one: may_go_on(), by_choice.values())
    confirmed = (_confirmed(kernel, puzzle) for puzzle in played)
    return [*islice((puzzle for puzzle in confirmed if puzzle is not None), MOST)]


def _puzzle(step: Decision, judged: JudgedDecision) -> FoundPuzzle | None:
    legal = legal_commands(step.state)
    if len(legal) < LEAST_COMMANDS or len(judged.candidates) < 2 or step.roll is not None:
        return None
    candidates = tuple([presented(legal, one) for one in judged.candidates])
    if any(one.low == 0 for one in candidates[1:]):
        return None
    choice = expected_value.choose(view(step.state), legal, random.Random(0))
    obvious = next((i for i, one in enumerate(candidates) if one.command == choice), 0)
    if candidates[obvious].loss < LEAST_LOSS:
        return None
    return FoundPuzzle(step.version - 1, step.state, candidates, obvious)


def _confirmed(kernel: Engine, puzzle: FoundPuzzle) -> FoundPuzzle | None:
    """The puzzle, if its best command certainly wins more often than the obvious one when `expected_value`
    plays on from both; else None."""
    state = puzzle.state
    seat, rules = state.active, state.rules
    ends = [_after(state, command) for command in _choice(puzzle)]
    if any(one.status != RUNNING for one in ends):
        return puzzle if ends[0].status != RUNNING else None  # that command wins the match
    policies = [POLICIES[EXPECTED_VALUE]] * rules.seats
    played = Simulator(kernel, rules).play_on([row_of(one) for one in ends], policies, SEED, PLAYOUTS)
    own = played.values[seat :: rules.seats]
    gains = [best - other for best, other in zip(own[:PLAYOUTS], own[PLAYOUTS:], strict=True)]
    if mean(gains) <= ROUNDED_Z * stdev(gains) / PLAYOUTS**0.5:
        return None
    return puzzle._replace(playouts=PlayoutWins(round(sum(own[:PLAYOUTS])), round(sum(own[PLAYOUTS:]))))


def _after(state: MatchState, command: PlayCommand) -> MatchState:
    """The state after a command. Cards that it turns over are the same for all commands."""
    after = state.copy()
    advance_turn(after, command, TwinChance(SEED))
    return after


def _cost(puzzle: FoundPuzzle) -> int:
    return puzzle.candidates[puzzle.obvious].loss


def _choice(puzzle: FoundPuzzle) -> tuple[PlayCommand, PlayCommand]:
    """The best and the obvious command."""
    return puzzle.candidates[0].command, puzzle.candidates[puzzle.obvious].command
