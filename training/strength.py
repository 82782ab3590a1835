"""The strength of built-in players: duels, one player against a table of others, mirrors, and decision times.

`python -m training.strength` prints Markdown tables; see `--help`. `--lines FILE` appends every result as a
line of JSON, and pairs in that file are not played again, so a long measurement can be resumed. A *block* has
a match from the same seed for each seat: every player sits once on every seat. If numba is installed, the
kernel plays most of the matches, much faster and with the same results.
"""

import argparse
import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from multiprocessing import Pool
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from kernel.engine import engine
from players import PLAYERS
from runtime.strategies import OFFERED
from training.duels import by_domain, by_kernel, has_players
from training.strength_tables import PairResult, markdown

TIMED_BLOCKS: Final = 20
"""Blocks in the first task of each pair, which measures decision times."""
TASK_BLOCKS: Final = 40
"""Blocks in each other task."""


class StrengthTask(Struct, frozen=True):
    """Some blocks of one pair: `one` on a single seat, `others` on all other seats."""

    ruleset: str
    options: dict[str, Any]
    seats: int
    one: str
    others: str
    seed: int
    first: int
    blocks: int
    is_timed: bool


class StrengthPlan(Struct, frozen=True):
    """The plan of a measurement."""

    rulesets: tuple[str, ...]
    seats: tuple[int, ...]
    players: tuple[str, ...]
    against: tuple[str, ...]
    """The players on the other seats, with three or more seats."""
    matches: int
    seeds: tuple[int, ...]
    processes: int
    options: dict[str, Any]


def play(task: StrengthTask) -> PairResult:
    """Play the blocks of a task, by `domain` if decisions are timed or if the kernel cannot."""
    wins = [0] * task.seats
    turns = square = 0
    called_off = 0
    times: dict[str, list[int]] = {task.one: [], task.others: []}
    seed = (task.seed << 32) + task.first
    for place in range(task.seats):
        names = [task.one if seat == place else task.others for seat in range(task.seats)]
        if not task.is_timed and has_players(engine(), names):
            played = by_kernel(engine(), task.ruleset, names, task.options, seed, task.blocks)
        else:
            played = [
                by_domain(task.ruleset, names, task.options, seed + block, times)
                for block in range(task.blocks)
            ]
        for winner, length in played:
            called_off += winner < 0
            wins[winner if task.one == task.others else place] += task.one == task.others or winner == place
            turns, square = turns + length, square + length * length
    matches = task.blocks * task.seats
    costs = {name: _cost(spent) for name, spent in times.items() if spent}
    where = (task.ruleset, task.options, task.seats, task.one, task.others)
    return PairResult(*where, matches, tuple(wins), turns, square, called_off, costs)


def _cost(spent: list[int]) -> tuple[int, int, int]:
    """The number of decisions, their total time and the 99th percentile, in nanoseconds."""
    return len(spent), sum(spent), sorted(spent)[len(spent) * 99 // 100]


def pairs(plan: StrengthPlan, seats: int) -> Iterator[tuple[str, str]]:
    """The pairs: with two seats every pair and mirror once; with more, every player against `against`."""
    if seats == 2:
        for place, one in enumerate(plan.players):
            yield from [(one, other) for other in plan.players[: place + 1]]
        return
    for one in plan.players:
        yield from [(one, other) for other in dict.fromkeys((one, *plan.against))]


def tasks(plan: StrengthPlan, known: Sequence[PairResult]) -> Iterator[StrengthTask]:
    """The tasks for all pairs without a known result."""
    known_pairs = {
        (one.ruleset, one.seats, one.one, one.others) for one in known if one.options == plan.options
    }
    for ruleset in plan.rulesets:
        for seats in plan.seats:
            for one, others in pairs(plan, seats):
                if (ruleset, seats, one, others) not in known_pairs:
                    yield from _tasks_of(plan, ruleset, seats, one, others)


def _tasks_of(plan: StrengthPlan, ruleset: str, seats: int, one: str, others: str) -> Iterator[StrengthTask]:
    blocks = max(1, round(plan.matches / seats / len(plan.seeds)))
    for seed in plan.seeds:
        first = 0
        while first < blocks:
            is_timed = first == 0 and seed == plan.seeds[0]
            size = min(TIMED_BLOCKS if is_timed else TASK_BLOCKS, blocks - first)
            yield StrengthTask(ruleset, plan.options, seats, one, others, seed, first, size, is_timed)
            first += size


def run(plan: StrengthPlan, known: Sequence[PairResult], lines: Path | None) -> list[PairResult]:
    """All results, known and new; each new one is written when its pair is complete."""
    found = list(known)
    with Pool(plan.processes) as pool:
        pending: PairResult | None = None
        for result in pool.imap(play, tasks(plan, known)):
            if pending is not None and not pending.is_same_pair(result):
                found.append(_finished(pending, lines))
                pending = None
            pending = result if pending is None else pending.joined(result)
    if pending is not None:
        found.append(_finished(pending, lines))
    return found


def _finished(result: PairResult, lines: Path | None) -> PairResult:
    print(result.sentence(), file=sys.stderr, flush=True)
    if lines:
        with lines.open("ab") as file:
            file.write(msgspec.json.encode(result) + b"\n")
    return result


def load(lines: Path | None) -> list[PairResult]:
    """The results in a file of lines; none if it does not exist."""
    if lines is None or not lines.exists():
        return []
    return [msgspec.json.decode(line, type=PairResult) for line in lines.read_bytes().splitlines()]


def arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    """The parsed arguments, by default those of the command line."""
    parser = argparse.ArgumentParser(prog="python -m training.strength", description=__doc__)
    parser.add_argument("--ruleset", nargs="+", default=["base"])
    parser.add_argument("--seats", nargs="+", type=int, default=[2])
    parser.add_argument(
        "--players",
        nargs="+",
        default=list(OFFERED),
        choices=list(PLAYERS),
        help="all but the retired ones by default",
    )
    parser.add_argument("--against", nargs="+", default=["greedy", "expected_value"], choices=list(PLAYERS))
    parser.add_argument(
        "--matches", type=int, default=2000, help="number of matches of each pair, over all seeds"
    )
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2, 3])
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument(
        "--options", default="{}", help='options of the ruleset as JSON, such as {"market": "limited"}'
    )
    parser.add_argument("--lines", type=Path, help="results file to resume from and append to")
    return parser.parse_args(words)


def _plan(args: argparse.Namespace) -> StrengthPlan:
    return StrengthPlan(
        tuple(args.ruleset),
        tuple(args.seats),
        tuple(args.players),
        tuple(args.against),
        args.matches,
        tuple(args.seeds),
        args.processes,
        msgspec.json.decode(args.options, type=dict[str, Any]),
    )


def main() -> int:
    args = arguments()
    results = run(_plan(args), load(args.lines), args.lines)
    print(f"`python -m training.strength {shlex.join(sys.argv[1:])}`\n")
    print(markdown(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
