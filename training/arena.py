"""The arena: many training matches in parallel, one turn of every match at a time, evaluated in batches.

The matches follow the rules of the domain. Every turn ends with one building decision, so all running matches
have had the same number of turns.
"""

import random
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from domain import create, legal_commands
from domain.match.commands import CreateMatch, PlayCommand, SeatPlan
from domain.match.decide import advance
from domain.match.decide.turns import default_command
from domain.match.events import Dice, Options
from domain.match.rulesets import CURRENT, resolve_options
from domain.match.state import FINISHED, RUNNING, MatchState
from players.afterstates import Afterstates, GivenChance, afterstates, answers
from players.features import features_of
from players.network import Weights, chances
from players.tables import TableBatch, joined
from training import dice
from training.judges import Judge

Floats = NDArray[np.float32]

MOST_TURNS = 80
"""Turns per seat after which a training match is dropped."""

LEARNER = 0
"""The index of the judge that is being trained."""


class MatchPlan(NamedTuple):
    """The plan of one training match."""

    judges: tuple[int, ...]
    """By seat: the index of its judge."""
    random_turns: int = 0
    """The number of random turns at the beginning."""
    options: Options | None = None


class ArenaTurn(NamedTuple):
    """One turn of all running matches: the chosen tables."""

    matches: NDArray[np.intp]
    tables: TableBatch
    values: Floats
    """By row and seat: the network's value of the chosen table."""
    best: Floats
    """By row and seat: the value of the table that would have been chosen without exploration."""
    explored: NDArray[np.bool_]


class ArenaMatches(NamedTuple):
    """Finished training matches."""

    turns: list[ArenaTurn]
    winners: NDArray[np.intp]
    """By match: the winning seat; -1 if nobody won in time."""
    lengths: NDArray[np.intp]
    """By match: the number of turns."""


class PlainChance:
    """Dice and draws from a plain random generator."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def throw(self, state: MatchState, purpose: str, dice: int) -> tuple[int, ...]:
        draw = self._rng.random
        return tuple([int(draw() * 6) + 1 for _ in range(dice)])

    def draw(self, state: MatchState, row: int, number: int, weights: Sequence[int]) -> int:
        return self._rng.choices(range(len(weights)), weights)[0]

    def first_seat(self, state: MatchState) -> int:
        return int(self._rng.random() * len(state.controllers))

    def reveal(self) -> tuple[str, str]:
        return "", ""


def new_match(ruleset: str, seats: int, options: Options | None, chance: PlainChance) -> MatchState:
    """A new match."""
    rules = CURRENT[ruleset]
    plans = tuple(SeatPlan("strategy", "learned", "learned", "1") for _ in range(seats))
    resolved = options or resolve_options(rules, seats)
    return create(CreateMatch(rules.version, resolved, plans, Dice("committed"), "acc_training"), chance)[0]


class Arena:
    """Training matches of one ruleset and number of seats."""

    def __init__(
        self,
        ruleset: str,
        seats: int,
        plans: Sequence[MatchPlan],
        judges: Sequence[Judge],
        weights: Weights,
        explore: float,
        rng: random.Random,
    ) -> None:
        self.rng = rng
        self.chance = PlainChance(rng)
        self.states = [new_match(ruleset, seats, plan.options, self.chance) for plan in plans]
        self.features = features_of(self.states[0].rules)
        self.plans = plans
        self.judges = judges
        self.weights = weights
        self.explore = explore
        self.most_turns = MOST_TURNS * seats
        self.live = list(range(len(plans)))
        self.turns: list[ArenaTurn] = []

    def play(self) -> ArenaMatches:
        """Play all matches to the end."""
        lengths = np.zeros(len(self.states), np.intp)
        while self.live and len(self.turns) < self.most_turns:
            lengths[self.live] += 1
            self._throw()
            self._answer()
            self._build()
            self.live = [match for match in self.live if self.states[match].status == RUNNING]
        winners = [state.winner if state.status == FINISHED else -1 for state in self.states]
        return ArenaMatches(self.turns, np.array(winners), lengths)

    def _throw(self) -> None:
        """Make the decisions about dice of all matches that are not in building rounds."""
        states = [self.states[match] for match in self.live if self.states[match].phase == "roll"]
        if not states:
            return
        for state, odds in zip(states, dice.odds_of(states), strict=True):
            while state.phase in ("roll", "reroll", "add_two"):
                advance(state, dice.decide(state, odds), self.chance)

    def _answer(self) -> None:
        """Answer the choices of cards until all matches are about to build."""
        while asked := [match for match in self.live if self.states[match].phase not in ("build", "setup")]:
            legals = [legal_commands(self.states[match]) for match in asked]
            judged = [self._is_judged(match) for match in asked]
            thoughtful = [
                one
                for one, is_judged in zip(zip(asked, legals, strict=True), judged, strict=True)
                if is_judged
            ]
            for match, is_judged in zip(asked, judged, strict=True):
                if not is_judged:
                    state = self.states[match]
                    advance(state, default_command(state), self.chance)
            self._answer_by_network(thoughtful)

    def _is_judged(self, match: int) -> bool:
        return self.plans[match].judges[self.states[match].active] == LEARNER

    def _answer_by_network(self, asked: list[tuple[int, list[PlayCommand]]]) -> None:
        if not asked:
            return
        tables = joined([answers(self.states[match], legal, GivenChance()) for match, legal in asked])
        values = self._values(tables)
        start = 0
        for match, legal in asked:
            state = self.states[match]
            best = int(values[start : start + len(legal), state.active].argmax())
            start += len(legal)
            advance(state, legal[best], self.chance)

    def _build(self) -> None:
        states = [self.states[match] for match in self.live]
        legals = [legal_commands(state) for state in states]
        found = afterstates(states, legals)
        chosen, best, explored = self._choose(found)
        tables = found.tables.rows(chosen)
        values = self._values(tables)
        of_best = values.copy()
        if explored.any():
            of_best[explored] = self._values(found.tables.rows(best[explored]))
        self.turns.append(ArenaTurn(np.array(self.live), tables, values, of_best, explored))
        for state, legal, place in zip(states, legals, (chosen - found.starts).tolist(), strict=True):
            advance(state, legal[place], self.chance)

    def _values(self, tables: TableBatch) -> Floats:
        seen = self.features.extract(tables)
        return chances(self.weights, seen.seats, seen.table)

    def _choose(self, found: Afterstates) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.bool_]]:
        """By match: the chosen row, the best row, and whether the choice was exploratory."""
        scores = self._scores(found)
        scores[found.wins] = np.inf
        ends = found.ends.tolist()
        starts = [0, *ends[:-1]]
        best = [start + int(scores[start:end].argmax()) for start, end in zip(starts, ends, strict=True)]
        chosen = best.copy()
        explored = np.zeros(len(best), bool)
        turn = len(self.turns)
        for i, match in enumerate(self.live):
            plan = self.plans[match]
            state = self.states[match]
            is_exploring = plan.judges[state.active] == LEARNER or LEARNER not in plan.judges
            if not is_exploring and turn >= plan.random_turns:
                continue
            if turn < plan.random_turns or self.rng.random() < self.explore:
                chosen[i] = starts[i] + int(self.rng.random() * (ends[i] - starts[i]))
                explored[i] = chosen[i] != best[i]
        return np.array(chosen), np.array(best), explored

    def _scores(self, found: Afterstates) -> Floats:
        """By row: the score by the judge of its match."""
        who = np.array([self.plans[match].judges[self.states[match].active] for match in self.live])
        of_row = who[found.origin]
        if (who == who[0]).all():
            return self.judges[int(who[0])](found, self.features)
        scores = np.zeros(len(of_row), np.float32)
        for judge in np.unique(who):
            matches = np.flatnonzero(who == judge)
            rows = np.flatnonzero(of_row == judge)
            counts = np.diff(found.ends, prepend=0)[matches]
            part = Afterstates(
                found.tables.rows(rows),
                np.repeat(np.arange(len(matches)), counts),
                np.cumsum(counts),
                found.wins[rows],
                found.deciders[rows],
                found.cards[rows],
            )
            scores[rows] = self.judges[judge](part, self.features)
        return scores
