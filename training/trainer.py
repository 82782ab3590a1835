"""The trainer, which alternates between playing some hundred matches and learning from them.

A round is determined by the course, its number and the state of the trainer, so an interrupted course
continues with the same result.
"""

import random
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from domain import create
from kernel.compare import Case, creation_of
from kernel.convert import TwinChance
from kernel.engine import engine
from players.features import features_of
from players.network import Weights, initial_weights
from players.tables import tables_of
from training.arena import LEARNER, PREDECESSOR, Arena, ArenaMatch, MatchPlan, Singles
from training.course import Course, exploration, plans, progress, rate, rival
from training.gradient import Adam, copy, loss_and_gradient, zeros
from training.targets import lessons


class RoundOutcome(NamedTuple):
    """The outcome of a round."""

    loss: float
    met: int
    """Matches of one network against the rival of the course."""
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
        """The rivals, then the predecessors, oldest first."""
        self.rounds = 0

    @property
    def matches(self) -> int:
        """The number of matches played."""
        return self.rounds * self.course.per_round

    def round(self) -> RoundOutcome:
        """Play and learn one round."""
        course = self.course
        rng = random.Random(f"{course.seed}|{self.rounds}")
        seated = plans(course, rng, bool(self.frozen))
        played = self._play(seated, rng)
        loss = self._learn(played, np.random.default_rng([course.seed, self.rounds]))
        self.rounds += 1
        if self.rounds % course.freeze_every == 0:
            rivals, own = self.frozen[: course.rivals], self.frozen[course.rivals :]
            self.frozen = [*rivals, *[*own, copy(self.averaged)][-course.keep_frozen :]]
        return RoundOutcome(loss, *_record(seated, played, rival(course)))

    def _play(self, seated: list[MatchPlan], rng: random.Random) -> list[ArenaMatch]:
        course = self.course
        networks = {LEARNER: self.weights}
        if self.frozen:
            networks[PREDECESSOR] = rng.choice(self.frozen)
        explore = exploration(course, progress(course, self.matches))
        arena = Arena(engine(), course.ruleset, course.seats, networks)
        return [arena.play(plan, rng, explore) for plan in seated]

    def _learn(self, played: list[ArenaMatch], rng: np.random.Generator) -> float:
        course = self.course
        seats, table, targets = lessons(played, course.trace)
        losses = []
        step = rate(course, progress(course, self.matches))
        for _ in range(course.passes):
            order = rng.permutation(len(targets))
            for start in range(0, len(order) - course.batch // 2, course.batch):
                rows = order[start : start + course.batch]
                losses.append(self._step(seats[rows], table[rows], targets[rows], step))
        return float(np.mean(losses))

    def _step(self, seats: Singles, table: Singles, targets: Singles, step: float) -> float:
        loss, gradient = loss_and_gradient(self.weights, seats, table, targets)
        self.adam.step(self.weights, gradient, step)
        # At first this is the mean over all steps, so that the initial weights are soon forgotten.
        keep = min(self.course.average, 1 - 1 / (1 + self.adam.steps))
        for averaged, weight in zip(self.averaged, self.weights, strict=True):
            averaged += np.float32(1 - keep) * (weight - averaged)
        return loss


def _record(seated: Sequence[MatchPlan], played: Sequence[ArenaMatch], other: str) -> tuple[int, int]:
    """How many matches one network played against the rival from the start, and how many of these it won."""
    met = won = 0
    for plan, match in zip(seated, played, strict=True):
        if plan.players.count(LEARNER) == 1 and other in plan.players and not plan.random_turns:
            met += 1
            won += match.winner == plan.players.index(LEARNER)
    return met, won


def new_trainer(course: Course) -> Trainer:
    """A trainer at the start of a course, with random weights."""
    state, _ = create(creation_of(Case(course.ruleset, course.seats, {})), TwinChance(0))
    seen = features_of(state.rules).extract(tables_of([state]))
    rng = np.random.default_rng(course.seed)
    return Trainer(course, initial_weights(seen.seats.shape[2], seen.table.shape[1], rng, course.sizes))
