"""A course of training: what is trained, how long, and how a round of matches is put together.

Everything that a round does follows from the course, the weights and the number of the round.
"""

import random
from typing import Final

from msgspec import Struct

from domain.match.rulesets import CURRENT, resolve_options
from training.arena import LEARNER, Plan
from training.judges import FIXED


class Course(Struct, frozen=True):
    """What `python -m training` was asked for."""

    ruleset: str
    seats: int
    seed: int
    matches: int
    """As many in all; exploring and the steps shrink towards them."""
    per_round: int = 384
    rate: float = 1e-3
    """Adam's step at the beginning."""
    last_rate: float = 5e-5
    explore: float = 0.09
    """Which share of builds is left to luck, at the beginning."""
    last_explore: float = 0.01
    trace: float = 0.8
    """TD(lambda)'s lambda."""
    passes: int = 3
    """How often a round's tables are gone through."""
    batch: int = 128
    sizes: tuple[int, int] = (64, 32)
    """The hidden layers."""
    taught: float = 0.2
    """The part of the course, at its beginning, in which fixed opponents play and the network looks on."""
    alone: float = 0.4
    """Which share of matches the network plays against itself."""
    frozen: float = 0.15
    """Which share it plays against a predecessor."""
    expected: float = 0.6
    """Which share of the rest it plays against `expected`; the others share what is left."""
    freeze_every: int = 40
    """Rounds after which a predecessor is kept."""
    keep_frozen: int = 6
    openings: float = 0.25
    """Which share of matches begins with turns that are left to luck."""
    variety: float = 0.06
    """Which share is played with other options of the ruleset."""
    average: float = 0.9995
    """How much of the averaged weights stays at every step."""


FIXED_NAMES: Final = list(FIXED)
FROZEN: Final = 1 + len(FIXED_NAMES)
"""The place of a predecessor in the list of judges: behind the network and the fixed ones."""


def fixed(name: str) -> int:
    """The place of a fixed opponent in the list of judges."""
    return 1 + FIXED_NAMES.index(name)


def progress(course: Course, matches: int) -> float:
    """How much of the course is over, 0 to 1."""
    return min(1.0, matches / course.matches)


def rate(course: Course, done: float) -> float:
    """Adam's step: level for a fifth of the course, then down to the last one by equal factors."""
    return float(course.rate * (course.last_rate / course.rate) ** max(0.0, (done - 0.2) / 0.8))


def exploration(course: Course, done: float) -> float:
    """The share of builds that is left to luck."""
    return course.explore + (course.last_explore - course.explore) * done


def plans(course: Course, rng: random.Random, has_frozen: bool, done: float) -> list[Plan]:
    """The matches of a round, when so much of the course is over."""
    return [_plan(course, rng, has_frozen, done < course.taught) for _ in range(course.per_round)]


def _plan(course: Course, rng: random.Random, has_frozen: bool, is_taught: bool) -> Plan:
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
    return Plan(judges, turns, options)


def _teachers(course: Course, rng: random.Random) -> tuple[int, ...]:
    """Most of them the strongest of the fixed opponents."""
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
    """One learner against the others in two of three matches, else as many of each as luck will have it."""
    lone = int(rng.random() * seats)
    mixed = rng.random() < 1 / 3
    return tuple(
        LEARNER if seat == lone or (mixed and rng.random() < 0.5) else other for seat in range(seats)
    )
