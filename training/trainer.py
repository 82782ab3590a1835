"""The trainer, which alternates between playing some hundred matches and learning from them.

A round is determined by the course, its number and the state of the trainer, so an interrupted course
continues with the same result.
"""

import random
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from domain.match.rules import rules_for
from domain.match.rulesets import CURRENT, resolve_options
from players.features import Features, features_of
from players.network import Weights, initial_weights
from players.tables import tables_of
from training.arena import LEARNER, Arena, ArenaMatches, MatchPlan, PlainChance, new_match
from training.course import Course, exploration, fixed, plans, progress, rate
from training.gradient import Adam, copy, loss_and_gradient, zeros
from training.judges import FIXED, ByNetwork, Judge
from training.targets import lessons

Floats = NDArray[np.float32]


class RoundOutcome(NamedTuple):
    """The outcome of a round."""

    loss: float
    met: int
    """Matches of one network against the fixed opponent `expected`."""
    won: int
    """How many of these the network won."""


class Trainer:
    """The state of training between rounds."""

    def __init__(self, course: Course, weights: Weights) -> None:
        self.course = course
        self.weights = weights
        self.averaged = copy(weights)
        """The running average of the weights, which is released."""
        self.adam = Adam(zeros(weights), zeros(weights), 0)
        self.frozen: list[Weights] = []
        """Predecessors, oldest first."""
        self.rounds = 0

    @property
    def matches(self) -> int:
        """The number of matches played."""
        return self.rounds * self.course.per_round

    def round(self) -> RoundOutcome:
        """Play and learn one round."""
        course = self.course
        rng = random.Random(f"{course.seed}|{self.rounds}")
        seated = plans(course, rng, bool(self.frozen), progress(course, self.matches))
        played = self._play(seated, rng)
        loss = self._learn(played, np.random.default_rng([course.seed, self.rounds]))
        self.rounds += 1
        if self.rounds % course.freeze_every == 0:
            self.frozen = [*self.frozen, copy(self.averaged)][-course.keep_frozen :]
        return RoundOutcome(loss, *_record(seated, played))

    def _play(self, seated: list[MatchPlan], rng: random.Random) -> ArenaMatches:
        course = self.course
        judges: list[Judge] = [ByNetwork(self.weights), *FIXED.values()]
        if self.frozen:
            judges.append(ByNetwork(rng.choice(self.frozen)))
        explore = exploration(course, progress(course, self.matches))
        return Arena(course.ruleset, course.seats, seated, judges, self.weights, explore, rng).play()

    def _learn(self, played: ArenaMatches, rng: np.random.Generator) -> float:
        course = self.course
        tables, targets = lessons(played, course.trace)
        seen = _features(course).extract(tables)
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
        # At first this is the mean over all steps, so that the initial weights are soon forgotten.
        keep = min(self.course.average, 1 - 1 / (1 + self.adam.steps))
        for averaged, weight in zip(self.averaged, self.weights, strict=True):
            averaged += np.float32(1 - keep) * (weight - averaged)
        return loss


def _record(seated: Sequence[MatchPlan], played: ArenaMatches) -> tuple[int, int]:
    """How many matches one network played against `expected`, and how many of these it won."""
    met = won = 0
    for plan, winner in zip(seated, played.winners.tolist(), strict=True):
        if plan.judges.count(LEARNER) == 1 and fixed("expected") in plan.judges and not plan.random_turns:
            met += 1
            won += winner == plan.judges.index(LEARNER)
    return met, won


def _features(course: Course) -> Features:
    """The features of the tables of a course."""
    ruleset = CURRENT[course.ruleset]
    return features_of(rules_for(ruleset.version, resolve_options(ruleset, course.seats), course.seats))


def new_trainer(course: Course) -> Trainer:
    """A trainer at the start of a course, with random weights."""
    state = new_match(course.ruleset, course.seats, None, PlainChance(random.Random(0)))
    seen = _features(course).extract(tables_of([state]))
    rng = np.random.default_rng(course.seed)
    return Trainer(course, initial_weights(seen.seats.shape[2], seen.table.shape[1], rng, course.sizes))
