"""Reviews: the processor time to compute one, on one core, beside the speed of that core."""

import random
import time
from collections.abc import Iterator, Sequence

from bench.figures import Figure, loops_per_second
from bench.matches import committed, new_match, play_out
from bench.rules import RULESETS
from domain.match.events import Event
from kernel.engine import engine
from review.reviewer import Reviewer

PLAYER = "expected_value"
SEATS = 4
MATCH = 5
ROUNDS = 3
GOAL = "<= 5"


def measure() -> Iterator[Figure]:
    """The shortest time of a few for the same match of four in each ruleset."""
    how = "compiled" if engine().is_compiled else "plain: numba is missing"
    for ruleset in RULESETS:
        chance, dice = committed(MATCH)
        state, events = play_out(new_match(ruleset, (PLAYER,) * SEATS, dice), chance, random.Random(1))
        seconds = min([_review_s(events) for _ in range(ROUNDS)])
        name = f"review {ruleset} {SEATS} {PLAYER}, {state.turn} turns"
        yield Figure(name, seconds, "s", GOAL, loops_per_second(), "plain loops/s", how)


def _review_s(events: Sequence[Event]) -> float:
    reviewer = Reviewer("bench", events, "bench", engine())
    begun_s = time.process_time()
    while reviewer.done < reviewer.total:
        reviewer.advance()
    reviewer.review()
    return time.process_time() - begun_s
