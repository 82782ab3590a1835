"""The error of the network of `learned` in races, whose chances are exact: by landmarks that everybody lacks.

`python -m training.network_error` prints a Markdown table; see `--help`. The positions are those at the start
of turns in matches of the network against itself, one of each match and phase at most. Errors are those of
the mover's chance of winning, in percentage points, against the restricted game in which nobody buys an
establishment any more. What that leaves out is measured as well: the largest change of the exact chance if
every seat may buy one copy of some establishment.
"""

import argparse
import random
import shlex
import sys
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from domain.match.state import MatchState
from kernel.engine import PLAIN, Engine, engine
from players.exact_race.cities import Purchases, RaceRefused
from players.exact_race.races import Races
from players.tables import TableBatch
from players.value_function import values
from players.weight_files import weights_for
from training.arena import Arena, MatchPlan
from training.judges import ByNetwork

AT_ONCE: Final = 128
"""Matches that are played at a time."""
PHASES: Final = {2: (1, 2, 3), 3: (1,)}
"""By number of seats: the numbers of landmarks that every seat lacks."""
MOST: Final = 4_000_000
"""The most chances of a race here, where nobody waits for it."""


class PhaseError(NamedTuple):
    """The errors of one phase, in percentage points."""

    seats: int
    left: int
    errors: Sequence[float]
    """By position: the network's chance of the mover less the exact one."""
    by_purchase: Sequence[float]
    """By position of a part of them: the largest change of the exact chance by one purchase each."""

    def line(self) -> str:
        """A line of the table."""
        found = np.array(self.errors)
        cells = [
            str(self.seats),
            str(self.left),
            str(len(found)),
            f"{np.abs(found).mean():.1f}",
            f"{np.sqrt((found**2).mean()):.1f}",
            f"{found.mean():+.1f} ± {1.96 * found.std() / len(found) ** 0.5:.1f}",
            f"{np.abs(found).max():.1f}",
            f"{np.mean(self.by_purchase):.1f} ({len(self.by_purchase)})" if self.by_purchase else "",
        ]
        return f"| {' | '.join(cells)} |"


HEADINGS: Final = (
    "| seats | landmarks left | positions | mean error | root mean square | bias | largest | one purchase |\n"
    "| --- | --- | --- | --- | --- | --- | --- | --- |"
)


def positions(
    ruleset: str, seats: int, lefts: Sequence[int], matches: int, seed: int
) -> list[list[MatchState]]:
    """By number of landmarks that every seat lacks: the first such starts of turns, one of each match."""
    weights = weights_for(ruleset, seats)
    found: list[list[MatchState]] = [[] for _ in lefts]
    for first in range(0, matches, AT_ONCE):
        plans = [MatchPlan((0,) * seats)] * min(AT_ONCE, matches - first)
        rng = random.Random(f"network error|{seed}|{seats}|{first}")
        arena = Arena(ruleset, seats, plans, [ByNetwork(weights)], weights, 0.0, rng)
        like = arena.states[0].copy()
        turns = arena.play().turns
        for states, left in zip(found, lefts, strict=True):
            seen: set[int] = set()
            for turn in turns:
                built = turn.tables.cities[:, :, like.rules.establishments :].sum(axis=2)
                for row in np.flatnonzero((built == like.rules.goal - left).all(axis=1)).tolist():
                    if int(turn.matches[row]) not in seen:
                        seen.add(int(turn.matches[row]))
                        states.append(state_of(turn.tables, row, like))
    return found


def state_of(tables: TableBatch, row: int, like: MatchState) -> MatchState:
    """The match of a table, before its mover's throw; the rest is that of another match by the same rules."""
    state = like.copy()
    state.coins = tables.coins[row].tolist()
    state.cities = tables.cities[row].tolist()
    state.supply = tables.supply[row].tolist()
    state.landmarks = [sum(city[state.rules.establishments :]) for city in state.cities]
    state.active = int(tables.mover[row])
    state.round = 0
    state.phase = "roll"
    state.dice = ()
    return state


def by_one_purchase(kernel: Engine, state: MatchState) -> float:
    """The largest change of the mover's chance if every seat may buy one copy of some establishment.

    Raises:
        RaceRefused: such a race is too large.
    """
    rules, mover = state.rules, state.active
    without = Races(kernel, rules).before_turn(state)[mover]
    changes = [0.0]
    for card in range(rules.establishments):
        if state.supply[card] and card in rules.offers:
            found = Races(kernel, rules, Purchases((card,), 1)).before_turn(state)[mover]
            changes.append(abs(found - without))
    return max(changes)


def measure(states: Sequence[MatchState], left: int, purchases: int, kernel: Engine) -> PhaseError:
    """The errors on the positions that are no too large races; on some of them with purchases, too."""
    errors: list[float] = []
    by_purchase: list[float] = []
    for state in states:
        try:
            exact = Races(kernel, state.rules, most=MOST).before_turn(state)[state.active]
        except RaceRefused:
            continue
        errors.append(100 * (float(values([state])[0, state.active]) - exact))
        try:
            if len(by_purchase) < purchases:
                by_purchase.append(100 * by_one_purchase(kernel, state))
        except RaceRefused:
            purchases = 0  # others of this phase are as large
    return PhaseError(len(states[0].coins), left, errors, by_purchase)


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m training.network_error", description=__doc__)
    parser.add_argument("--ruleset", default="base", choices=["base", "harbor"])
    parser.add_argument("--matches", type=int, default=1000, help="for each number of seats")
    parser.add_argument(
        "--purchases", type=int, default=40, help="positions of each phase with purchases, too"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plain", action="store_true", help="without numba, with the same results")
    given = parser.parse_args(words)
    print(f"`python -m training.network_error {shlex.join(sys.argv[1:] if words is None else words)}`\n")
    print(HEADINGS, flush=True)
    kernel = PLAIN if given.plain else engine()
    for seats, lefts in PHASES.items():
        found = positions(given.ruleset, seats, lefts, given.matches, given.seed)
        for states, left in zip(found, lefts, strict=True):
            if states:
                print(measure(states, left, given.purchases, kernel).line(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
