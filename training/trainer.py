"""Training round by round: play some hundred matches, learn from their tables, go on.

A round is the unit of everything: what it does follows from the course, its number and what the trainer
holds, so a course that was interrupted goes on as if it had not been.
"""

import random
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from domain.match.rules import rules_for
from domain.match.rulesets import CURRENT, resolve_options
from training.arena import LEARNER, Arena, PlainChance, Plan, Played, new_match
from training.course import Course, exploration, fixed, plans, progress, rate
from training.gradient import Adam, copy, loss_and_gradient, zeros
from training.judges import FIXED, ByNetwork, Judge
from training.targets import lessons
from workers.players.features import Features, features_of
from workers.players.network import Weights, fresh
from workers.players.tables import tables_of

Floats = NDArray[np.float32]


class Round(NamedTuple):
    """What came of a round."""

    loss: float
    met: int
    """Matches of the network alone against the fixed opponent that expects most."""
    won: int
    """How many of these it won."""


class Trainer:
    """The weights and all that goes on from round to round."""

    def __init__(self, course: Course, weights: Weights) -> None:
        self.course = course
        self.weights = weights
        self.averaged = copy(weights)
        """The running average of the weights: what is worth shipping."""
        self.adam = Adam(zeros(weights), zeros(weights), 0)
        self.frozen: list[Weights] = []
        """Predecessors, the oldest first."""
        self.rounds = 0

    @property
    def matches(self) -> int:
        """How many have been played."""
        return self.rounds * self.course.per_round

    def round(self) -> Round:
        """Play and learn once."""
        course = self.course
        rng = random.Random(f"{course.seed}|{self.rounds}")
        seated = plans(course, rng, bool(self.frozen), progress(course, self.matches))
        played = self._play(seated, rng)
        loss = self._learn(played, np.random.default_rng([course.seed, self.rounds]))
        self.rounds += 1
        if self.rounds % course.freeze_every == 0:
            self.frozen = [*self.frozen, copy(self.averaged)][-course.keep_frozen :]
        return Round(loss, *_record(seated, played))

    def _play(self, seated: list[Plan], rng: random.Random) -> Played:
        course = self.course
        judges: list[Judge] = [ByNetwork(self.weights), *FIXED.values()]
        if self.frozen:
            judges.append(ByNetwork(rng.choice(self.frozen)))
        explore = exploration(course, progress(course, self.matches))
        return Arena(course.ruleset, course.seats, seated, judges, self.weights, explore, rng).play()

    def _learn(self, played: Played, rng: np.random.Generator) -> float:
        course = self.course
        tables, targets = lessons(played, course.trace)
        seen = _features(course).see(tables)
        losses = []
        step = rate(course, progress(course, self.matches))
        for _ in range(course.passes):
            order = rng.permutation(len(targets))
            for start in range(0, len(order) - course.batch // 2, course.batch):
                rows = order[start : start + course.batch]
                losses.append(self._step(seen.seats[rows], seen.table[rows], targets[rows], step))
        return float(np.mean(losses))

    def _step(self, seats: Floats, table: Floats, targets: Floats, step: float) -> float:
        loss, gradient = loss_and_gradient(self.weights, seats, table, targets)
        self.adam.step(self.weights, gradient, step)
        # At first the average is over all steps so far: what the weights began with is soon forgotten.
        keep = min(self.course.average, 1 - 1 / (1 + self.adam.steps))
        for averaged, weight in zip(self.averaged, self.weights, strict=True):
            averaged += np.float32(1 - keep) * (weight - averaged)
        return loss


def _record(seated: Sequence[Plan], played: Played) -> tuple[int, int]:
    """How many matches the network played alone against `expected`, and how many of these it won."""
    met = won = 0
    for plan, winner in zip(seated, played.winners.tolist(), strict=True):
        if plan.judges.count(LEARNER) == 1 and fixed("expected") in plan.judges and not plan.random_turns:
            met += 1
            won += winner == plan.judges.index(LEARNER)
    return met, won


def _features(course: Course) -> Features:
    """How the tables of a course are seen."""
    ruleset = CURRENT[course.ruleset]
    return features_of(rules_for(ruleset.version, resolve_options(ruleset, course.seats), course.seats))


def beginner(course: Course) -> Trainer:
    """A trainer at the beginning of a course, with weights by luck."""
    state = new_match(course.ruleset, course.seats, None, PlainChance(random.Random(0)))
    seen = _features(course).see(tables_of([state]))
    rng = np.random.default_rng(course.seed)
    return Trainer(course, fresh(seen.seats.shape[2], seen.table.shape[1], rng, course.sizes))
