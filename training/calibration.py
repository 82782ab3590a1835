"""The calibration of the chances of winning: of the seats that are given 70 %, how many win?

`python -m training.calibration` prints a Markdown table; see `--help`. All seats play `learned`. In each
match, the chances of one position at the start of a random turn are noted, and the match goes on to its end.
These chances are the calibrated ones of reviews, or with `--network` those of the network alone. The last
column has the temperature: the number by which the logits would have to be divided for the best calibration,
with a 95 % interval. It is 1 for calibrated chances. The same seed gives the same table.
"""

import argparse
import random
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from math import log
from typing import Final, NamedTuple

from domain.ladder.arithmetic import ROUNDED_Z
from kernel import layout as at
from kernel import workspaces
from kernel.engine import Engine, engine
from kernel.nets import net_of
from players.network import Weights
from players.weight_files import calibrated_weights, weights_for
from runtime.strategies import VALUE_FUNCTIONS
from training.arena import rules_of

STEPS: Final = 10
"""The columns of the table go from 0 % to 100 % in so many steps; each has the chances nearest to it."""
LAST_TURN: Final = 28
"""The last turn, per seat, that can be rated; most matches are over by then."""
TEMPERATURES: Final = [one / 100 for one in range(60, 181, 2)]
"""The temperatures among which the most likely one is sought."""
_DROP: Final = 1.92
"""The drop of the log-likelihood at the ends of a 95 % interval: 1.96² / 2."""
_LEAST: Final = 1e-9
"""The least chance, so that its logarithm exists."""
_NO_LIMIT: Final = 1 << 30


class RatedPosition(NamedTuple):
    """A position, rated at the start of a turn."""

    chances: tuple[float, ...]
    """By seat."""
    winner: int


Source = Callable[[str, int], Weights]


def rated(
    kernel: Engine, ruleset: str, seats: int, matches: int, seed: int, source: Source = calibrated_weights
) -> Iterator[RatedPosition]:
    """Positions rated with the weights of `source`: one of each match that lasts until its rated turn."""
    rules = rules_of(ruleset, seats)
    tables, row, luck = kernel.tables(rules), kernel.row(), kernel.luck(0)
    arrays = kernel.forecast(), kernel.codes(), kernel.incomes()
    judge, player = [kernel.net(net_of(rules, one(ruleset, seats))) for one in (source, weights_for)]
    net_workspace = kernel.net_workspace()
    policies = kernel.codes((at.LEARNED,) * seats)
    rng = random.Random(f"calibration|{ruleset}|{seats}|{seed}")
    for _ in range(matches):
        kernel.seed_luck(luck, rng.getrandbits(60))
        kernel.start_match(tables, row, luck, -1)
        last_turn = rng.randint(1, LAST_TURN * seats)
        kernel.play_on(tables, row, luck, *arrays, player, net_workspace, policies, last_turn)
        if row[at.STATUS] != at.RUNNING:
            continue
        kernel.put_chances(tables, row, judge, net_workspace, row[at.ACTIVE], row[at.ROUND], 0, -1)
        chances = tuple(net_workspace[workspaces.CHANCES : workspaces.CHANCES + seats])
        kernel.play_on(tables, row, luck, *arrays, player, net_workspace, policies, _NO_LIMIT)
        yield RatedPosition(chances, row[at.WINNER])


def line(ruleset: str, seats: str, found: Sequence[RatedPosition]) -> str:
    """A line of the table: by column, the mean chance, and the share that won with its 95 % interval."""
    columns: list[list[tuple[float, bool]]] = [[] for _ in range(STEPS + 1)]
    for one in found:
        for seat, chance in enumerate(one.chances):
            columns[int(chance * STEPS + 0.5)].append((chance, one.winner == seat))
    best, low, high = temperature(found)
    cells = [f"`{ruleset}`", seats, *map(_cell, columns), f"{best:.2f} ({low:.2f} to {high:.2f})"]
    return f"| {' | '.join(cells)} |"


def _cell(column: Sequence[tuple[float, bool]]) -> str:
    if not column:
        return ""
    given, won = (sum(values) / len(column) for values in zip(*column, strict=True))
    half = ROUNDED_Z * (won * (1 - won) / len(column)) ** 0.5
    return f"{100 * given:.0f}: {100 * won:.0f} ± {100 * half:.1f}"


def temperature(found: Sequence[RatedPosition]) -> tuple[float, float, float]:
    """The most likely temperature, and its 95 % interval by the likelihood ratio."""
    likelihoods = [_log_likelihood(found, one) for one in TEMPERATURES]
    best = max(likelihoods)
    inside = [one for one, value in zip(TEMPERATURES, likelihoods, strict=True) if value > best - _DROP]
    return TEMPERATURES[likelihoods.index(best)], inside[0], inside[-1]


def _log_likelihood(found: Sequence[RatedPosition], temperature: float) -> float:
    total = 0.0
    for one in found:
        heated = [max(chance, _LEAST) ** (1 / temperature) for chance in one.chances]
        total += log(heated[one.winner] / sum(heated))
    return total


def main(words: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m training.calibration", description=__doc__)
    parser.add_argument("--ruleset", nargs="+", default=[*VALUE_FUNCTIONS], choices=[*VALUE_FUNCTIONS])
    parser.add_argument("--seats", nargs="+", type=int, default=[2, 3, 4, 5])
    parser.add_argument("--matches", type=int, default=4000, help="matches for each line of the table")
    parser.add_argument(
        "--network", action="store_true", help="rate with the network alone, without calibration"
    )
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(words)
    print(f"`python -m training.calibration {shlex.join(sys.argv[1:] if words is None else words)}`\n")
    columns = " | ".join([f"{10 * ten} %" for ten in range(STEPS + 1)])
    print(f"| ruleset | seats | {columns} | temperature |\n|{' --- |' * (4 + STEPS)}", flush=True)
    kernel, source = engine(), weights_for if args.network else calibrated_weights
    for ruleset in args.ruleset:
        of_ruleset: list[RatedPosition] = []
        for seats in args.seats:
            found = [*rated(kernel, ruleset, seats, args.matches, args.seed, source)]
            print(line(ruleset, str(seats), found), flush=True)
            of_ruleset += found
        print(line(ruleset, "all", of_ruleset), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
