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

from domain import create
from domain.ladder.arithmetic import ROUNDED_Z
from domain.match.state import MatchState
from kernel import layout as at
from kernel.compare import Case, creation_of
from kernel.convert import TwinChance, state_of
from kernel.engine import PLAIN, Engine, engine
from players.exact_race.cities import Purchases, RaceRefused
from players.exact_race.races import Races
from players.value_function import values
from players.weight_files import weights_for
from training.arena import LEARNER, Arena, MatchPlan

PHASES: Final = {2: (1, 2, 3), 3: (1,)}
"""By number of seats: the numbers of landmarks that every seat lacks."""
MOST: Final = 4_000_000
"""The most chances of a race: more than in play, because here nobody waits for the result."""


class PhaseError(NamedTuple):
    """The errors of one phase, in percentage points."""

    seats: int
    left: int
    errors: Sequence[float]
    """By position: the network's chance of the mover less the exact one."""
    by_purchase: Sequence[float]
    """For some of the positions: the largest change of the exact chance by one purchase of each seat."""

    def line(self) -> str:
        """A line of the table."""
        found = np.array(self.errors)
        cells = [
            str(self.seats),
            str(self.left),
            str(len(found)),
            f"{np.abs(found).mean():.1f}",
            f"{np.sqrt((found**2).mean()):.1f}",
            f"{found.mean():+.1f} ± {ROUNDED_Z * found.std() / len(found) ** 0.5:.1f}",
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
    arena = Arena(engine(), ruleset, seats, {LEARNER: weights_for(ruleset, seats)})
    like, _ = create(creation_of(Case(ruleset, seats, {})), TwinChance(0))
    rng = random.Random(f"network error|{seed}|{seats}")
    found: list[list[MatchState]] = [[] for _ in lefts]
    for _ in range(matches):
        rows = arena.play(MatchPlan((LEARNER,) * seats), rng, 0.0).rows
        built = rows[:, at.LANDMARKS : at.LANDMARKS + seats]
        for states, left in zip(found, lefts, strict=True):
            such = np.flatnonzero((built == like.rules.goal - left).all(axis=1))
            if len(such):
                states.append(state_of(rows[such[0]].tolist(), like))
    return found


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
    """The errors on the positions whose races are not too large; for `purchases` of them, also with
    purchases."""
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
    parser.add_argument("--matches", type=int, default=1000, help="matches for each number of seats")
    parser.add_argument(
        "--purchases",
        type=int,
        default=40,
        help="positions of each phase that are also measured with purchases",
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plain", action="store_true", help="run without numba, with the same results")
    args = parser.parse_args(words)
    print(f"`python -m training.network_error {shlex.join(sys.argv[1:] if words is None else words)}`\n")
    print(HEADINGS, flush=True)
    kernel = PLAIN if args.plain else engine()
    for seats, lefts in PHASES.items():
        found = positions(args.ruleset, seats, lefts, args.matches, args.seed)
        for states, left in zip(found, lefts, strict=True):
            if states:
                print(measure(states, left, args.purchases, kernel).line(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
