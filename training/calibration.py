"""How well the chances of winning hold: of the seats that the network gives 70 %, how many win?

`python -m training.calibration` prints a Markdown table; see `--help`. All seats play `learned`. In each
match, the network rates one position at the start of a random turn, and the match goes on to its end. The
same seed gives the same table.
"""

import argparse
import random
import shlex
import sys
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from domain.match.rulesets import CURRENT
from kernel import layout as at
from kernel.engine import Engine, engine
from kernel.nets import net_of
from players.weight_files import weights_for
from training.arena import rules_of

TENS: Final = 10
"""The columns of the table are 0 % to 100 % in tens, each with the chances that are nearest to it."""
LAST_TURN: Final = 28
"""For each seat: the rated turn is one of the first so many; most matches are over by then."""
_FOR_EVER: Final = 1 << 30


class Rated(NamedTuple):
    """A seat in a rated position."""

    chance: float
    has_won: bool


def rated(kernel: Engine, ruleset: str, seats: int, matches: int, seed: int) -> Iterator[Rated]:
    """All seats of the positions that were rated, one position of each match that came so far."""
    rules = rules_of(ruleset, seats)
    tables, row, luck = kernel.tables(rules), kernel.row(), kernel.luck(0)
    room = kernel.forecast(), kernel.codes(), kernel.incomes()
    net, x = kernel.net(net_of(rules, weights_for(ruleset, seats))), kernel.net_room()
    policies = kernel.codes((at.LEARNED,) * seats)
    rng = random.Random(f"calibration|{ruleset}|{seats}|{seed}")
    for _ in range(matches):
        kernel.seed_luck(luck, rng.getrandbits(60))
        kernel.start_match(tables, row, luck, -1)
        kernel.play_on(tables, row, luck, *room, net, x, policies, rng.randint(1, LAST_TURN * seats))
        if row[at.STATUS] != at.RUNNING:
            continue
        kernel.put_chances(tables, row, net, x, row[at.ACTIVE], row[at.ROUND], -1)
        chances = [*x[at.CHANCES : at.CHANCES + seats]]
        kernel.play_on(tables, row, luck, *room, net, x, policies, _FOR_EVER)
        for seat, chance in enumerate(chances):
            yield Rated(chance, row[at.WINNER] == seat)


def line(ruleset: str, seats: str, found: Sequence[Rated]) -> str:
    """A line of the table: by column, the mean chance, and the share that won with its 95 % interval."""
    columns: list[list[Rated]] = [[] for _ in range(TENS + 1)]
    for one in found:
        columns[int(one.chance * TENS + 0.5)].append(one)
    return f"| `{ruleset}` | {seats} | {' | '.join([_cell(column) for column in columns])} |"


def _cell(column: Sequence[Rated]) -> str:
    if not column:
        return ""
    given = sum([one.chance for one in column]) / len(column)
    won = sum([one.has_won for one in column]) / len(column)
    half = 1.96 * (won * (1 - won) / len(column)) ** 0.5
    return f"{100 * given:.1f}: {100 * won:.1f} ± {100 * half:.1f}"


def main(words: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m training.calibration", description=__doc__)
    parser.add_argument("--ruleset", nargs="+", default=[*CURRENT], choices=[*CURRENT])
    parser.add_argument("--seats", nargs="+", type=int, default=[2, 3, 4, 5])
    parser.add_argument("--matches", type=int, default=4000, help="for each line of the table")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(words)
    print(f"`python -m training.calibration {shlex.join(sys.argv[1:] if words is None else words)}`\n")
    columns = " | ".join([f"{10 * ten} %" for ten in range(TENS + 1)])
    print(f"| ruleset | seats | {columns} |\n|{' --- |' * (3 + TENS)}", flush=True)
    kernel = engine()
    for ruleset in given.ruleset:
        every: list[Rated] = []
        for seats in given.seats:
            found = [*rated(kernel, ruleset, seats, given.matches, given.seed)]
            print(line(ruleset, str(seats), found), flush=True)
            every += found
        print(line(ruleset, "all", every), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
