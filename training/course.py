"""Courses: a course is one training run, with its hyperparameters, its schedules and its mix of matches.

A round is determined by the course, the weights and its number.
"""

import random
import sys
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from domain.match.rulesets import CURRENT, resolve_options
from training.arena import LEARNER, POLICIES, PREDECESSOR, MatchPlan


class Course(Struct, frozen=True):
    """The hyperparameters of a course."""

    ruleset: str
    seats: int
    seed: int
    matches: int
    """The total number of matches; exploration and step size decrease towards it."""
    per_round: int = 384
    rate: float = 1e-3
    """Adam's initial step size."""
    last_rate: float = 5e-5
    explore: float = 0.09
    """The initial share of random builds."""
    last_explore: float = 0.01
    trace: float = 0.8
    """The lambda of TD(lambda)."""
    passes: int = 3
    """Epochs over the tables of a round."""
    batch: int = 128
    sizes: tuple[int, int] = (64, 32)
    """The sizes of the hidden layers."""
    alone: float = 0.4
    """The share of self-play matches."""
    frozen: float = 0.15
    """The share of matches against a predecessor."""
    against_one: float = 0.0
    """The share of those in which the predecessor has one seat and the network all others."""
    expected: float = 0.6
    """The share of the remaining matches against `expected_value`; the other opponents share the rest."""
    mixed: float = 1 / 3
    """The share of matches against others in which the network may have several seats."""
    freeze_every: int = 40
    """The number of rounds after which a predecessor is stored."""
    keep_frozen: int = 6
    """The number of predecessors that are kept, besides the rivals; the newest stay."""
    rivals: int = 0
    """The number of networks of other courses that stay among the predecessors for the whole course."""
    openings: float = 0.25
    """The share of matches that begin with random turns."""
    variety: float = 0.06
    """The share of matches with other options of the ruleset."""
    average: float = 0.9995
    """The decay of the averaged weights per step."""


EXPECTED: Final = "expected_value"
"""The strongest of the fixed opponents."""
FIXED_NAMES: Final = [name for name in POLICIES if name not in (LEARNER, PREDECESSOR)]


def exploiting(course: Course) -> Course:
    """The course for the network that only learns to beat one predecessor, on one seat against all others."""
    return replace(course, alone=0.0, frozen=1.0, mixed=0.0, freeze_every=sys.maxsize)


def rival(course: Course) -> str:
    """The opponent against which the progress of the course is measured."""
    return PREDECESSOR if course.frozen == 1 else EXPECTED


def progress(course: Course, matches: int) -> float:
    """The completed share of the course, 0 to 1."""
    return min(1.0, matches / course.matches)


def rate(course: Course, done: float) -> float:
    """Adam's step size: constant for a fifth of the course, then an exponential decay to the last one."""
    return float(course.rate * (course.last_rate / course.rate) ** max(0.0, (done - 0.2) / 0.8))


def exploration(course: Course, done: float) -> float:
    """The share of random builds."""
    return course.explore + (course.last_explore - course.explore) * done


def plans(course: Course, rng: random.Random, has_predecessor: bool) -> list[MatchPlan]:
    """The plans of a round's matches."""
    return [_plan(course, rng, has_predecessor) for _ in range(course.per_round)]


def _plan(course: Course, rng: random.Random, has_predecessor: bool) -> MatchPlan:
    players = _players(course, rng, has_predecessor)
    turns = 0
    if rng.random() < course.openings:
        turns = 1 + int(rng.random() * 5 * course.seats)
    options = None
    if rng.random() < course.variety and CURRENT[course.ruleset].options:
        limited = rng.random() < 0.5
        options = resolve_options(
            CURRENT[course.ruleset],
            course.seats,
            market="limited" if limited else None,
            max_copies=None if limited else 2,
        )
    return MatchPlan(players, turns, options)


def _players(course: Course, rng: random.Random, has_predecessor: bool) -> tuple[str, ...]:
    kind = rng.random()
    if kind < course.alone:
        return (LEARNER,) * course.seats
    if has_predecessor and kind < course.alone + course.frozen:
        # Without such a share nothing is drawn for it, so that earlier courses give the same weights.
        if course.against_one and rng.random() < course.against_one:
            lone = int(rng.random() * course.seats)
            return tuple([PREDECESSOR if seat == lone else LEARNER for seat in range(course.seats)])
        return _seated(course, PREDECESSOR, rng)
    is_expected = rng.random() < course.expected
    others = [name for name in FIXED_NAMES if name != EXPECTED]
    return _seated(course, EXPECTED if is_expected else rng.choice(others), rng)


def _seated(course: Course, other: str, rng: random.Random) -> tuple[str, ...]:
    """One learner against the others, or a random mix with at least one learner."""
    lone = int(rng.random() * course.seats)
    mixed = rng.random() < course.mixed
    return tuple(
        [LEARNER if seat == lone or (mixed and rng.random() < 0.5) else other for seat in range(course.seats)]
    )
