"""Courses of training: hyperparameters, schedules, and the composition of a round of matches.

A round is determined by the course, the weights and its number.
"""

import random
from typing import Final

from msgspec import Struct

from domain.match.rulesets import CURRENT, resolve_options
from training.arena import LEARNER, MatchPlan
from training.judges import FIXED


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
    taught: float = 0.2
    """The initial part of the course in which only fixed opponents play and the network learns from them."""
    alone: float = 0.4
    """The share of self-play matches."""
    frozen: float = 0.15
    """The share of matches against a predecessor."""
    expected: float = 0.6
    """The share of the remaining matches against `expected`; the other opponents share the rest."""
    freeze_every: int = 40
    """The number of rounds after which a predecessor is stored."""
    keep_frozen: int = 6
    openings: float = 0.25
    """The share of matches that begin with random turns."""
    variety: float = 0.06
    """The share of matches with other options of the ruleset."""
    average: float = 0.9995
    """The decay of the averaged weights per step."""


FIXED_NAMES: Final = list(FIXED)
FROZEN: Final = 1 + len(FIXED_NAMES)
"""The index of a predecessor in the list of judges, after the network and the fixed opponents."""


def fixed(name: str) -> int:
    """The index of a fixed opponent in the list of judges."""
    return 1 + FIXED_NAMES.index(name)


def progress(course: Course, matches: int) -> float:
    """The completed share of the course, 0 to 1."""
    return min(1.0, matches / course.matches)


def rate(course: Course, done: float) -> float:
    """Adam's step size: constant for a fifth of the course, then an exponential decay to the last one."""
    return float(course.rate * (course.last_rate / course.rate) ** max(0.0, (done - 0.2) / 0.8))


def exploration(course: Course, done: float) -> float:
    """The share of random builds."""
    return course.explore + (course.last_explore - course.explore) * done


def plans(course: Course, rng: random.Random, has_frozen: bool, done: float) -> list[MatchPlan]:
    """The plans of a round's matches at progress `done`."""
    return [_plan(course, rng, has_frozen, done < course.taught) for _ in range(course.per_round)]


def _plan(course: Course, rng: random.Random, has_frozen: bool, is_taught: bool) -> MatchPlan:
    judges = _teachers(course, rng) if is_taught else _judges(course, rng, has_frozen)
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
    return MatchPlan(judges, turns, options)


def _teachers(course: Course, rng: random.Random) -> tuple[int, ...]:
    """Fixed opponents on all seats, mostly the strongest one."""
    return tuple(
        fixed(FIXED_NAMES[0] if rng.random() < 0.8 else _fixed_name(course, rng)) for _ in range(course.seats)
    )


def _judges(course: Course, rng: random.Random, has_frozen: bool) -> tuple[int, ...]:
    kind = rng.random()
    if kind < course.alone:
        return (LEARNER,) * course.seats
    if has_frozen and kind < course.alone + course.frozen:
        return _seated(course.seats, FROZEN, rng)
    return _seated(course.seats, fixed(_fixed_name(course, rng)), rng)


def _fixed_name(course: Course, rng: random.Random) -> str:
    if rng.random() < course.expected:
        return FIXED_NAMES[0]
    return rng.choice(FIXED_NAMES[1:])


def _seated(seats: int, other: int, rng: random.Random) -> tuple[int, ...]:
    """One learner against the others in two of three matches, else a random mix with at least one learner."""
    lone = int(rng.random() * seats)
    mixed = rng.random() < 1 / 3
    return tuple(
        LEARNER if seat == lone or (mixed and rng.random() < 0.5) else other for seat in range(seats)
    )
