"""How strong every built-in player is: duels, one against a table of others, mirrors, and time per decision.

`python -m training.strength` measures what is asked for (`--help`) and prints Markdown tables. `--lines FILE`
adds every result as a line of JSON, and a pair that the file has is not played again, so a long table can be
stopped and resumed. A *block* is as many matches on the same dice as there are seats: every player sits once
on every seat.
"""

import argparse
import os
import random
import shlex
import sys
import time
from collections.abc import Iterator, Sequence
from multiprocessing import Pool
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from bench.figures import Figure
from bench.matches import committed, new_match
from domain import create, legal_commands, view
from domain.match.decide import advance
from domain.match.state import RUNNING
from training.strength_tables import Result, markdown
from workers.players import PLAYERS

TURN_BLOCKS: Final = 4
"""Blocks that one process plays at a time."""


class Task(Struct, frozen=True):
    """Some blocks of one pair: `one` on a single seat, `others` on all other seats."""

    ruleset: str
    options: dict[str, Any]
    seats: int
    one: str
    others: str
    seed: int
    first: int
    blocks: int


class Plan(Struct, frozen=True):
    """What is to be measured."""

    rulesets: tuple[str, ...]
    seats: tuple[int, ...]
    players: tuple[str, ...]
    against: tuple[str, ...]
    """Who sits on the other seats, with three and more of them."""
    matches: int
    seeds: tuple[int, ...]
    processes: int
    options: dict[str, Any]


def play(task: Task) -> Result:
    """The blocks of a task, with every decision timed that was not forced."""
    wins = [0] * task.seats
    turns = square = 0
    called_off = 0
    times: dict[str, list[int]] = {task.one: [], task.others: []}
    for block in range(task.first, task.first + task.blocks):
        for place in range(task.seats):
            names = [task.one if seat == place else task.others for seat in range(task.seats)]
            winner, length = _match(task, names, block, times)
            called_off += winner < 0
            wins[winner if task.one == task.others else place] += task.one == task.others or winner == place
            turns, square = turns + length, square + length * length
    matches = task.blocks * task.seats
    costs = {name: _cost(spent) for name, spent in times.items() if spent}
    where = (task.ruleset, task.options, task.seats, task.one, task.others)
    return Result(*where, matches, tuple(wins), turns, square, called_off, costs)


def _match(task: Task, names: Sequence[str], block: int, times: dict[str, list[int]]) -> tuple[int, int]:
    """The winning seat, below 0 for nobody, and the length in turns."""
    chance, dice = committed((task.seed << 32) + block)
    state, _ = create(new_match(task.ruleset, names, dice, first_seat=0, **task.options), chance)
    rng = random.Random(block)
    while state.status == RUNNING:
        legal = legal_commands(state)
        command = legal[0]
        if len(legal) > 1:
            start = time.perf_counter_ns()
            command = PLAYERS[names[state.active]](view(state), legal, rng)
            times[names[state.active]].append(time.perf_counter_ns() - start)
        advance(state, command, chance)
    return state.winner, state.turn


def _cost(spent: list[int]) -> tuple[int, int, int]:
    """Decisions, their time in all and the time that one in a hundred exceeds, in nanoseconds."""
    return len(spent), sum(spent), sorted(spent)[len(spent) * 99 // 100]


def pairs(plan: Plan, seats: int) -> Iterator[tuple[str, str]]:
    """With two seats every pair once and every mirror; with more everybody against tables of some."""
    if seats == 2:
        for place, one in enumerate(plan.players):
            yield from [(one, other) for other in plan.players[: place + 1]]
        return
    for one in plan.players:
        yield from [(one, other) for other in dict.fromkeys((one, *plan.against))]


def tasks(plan: Plan, known: Sequence[Result]) -> Iterator[Task]:
    """All blocks that are still to be played."""
    there = {(one.ruleset, one.seats, one.one, one.others) for one in known if one.options == plan.options}
    for ruleset in plan.rulesets:
        for seats in plan.seats:
            for one, others in pairs(plan, seats):
                if (ruleset, seats, one, others) not in there:
                    yield from _tasks_of(plan, ruleset, seats, one, others)


def _tasks_of(plan: Plan, ruleset: str, seats: int, one: str, others: str) -> Iterator[Task]:
    blocks = max(1, round(plan.matches / seats / len(plan.seeds)))
    for seed in plan.seeds:
        for first in range(0, blocks, TURN_BLOCKS):
            size = min(TURN_BLOCKS, blocks - first)
            yield Task(ruleset, plan.options, seats, one, others, seed, first, size)


def run(plan: Plan, known: Sequence[Result], lines: Path | None) -> list[Result]:
    """Everything that is known and everything that was missing; each pair is written when it is done."""
    found = list(known)
    with Pool(plan.processes) as pool:
        pending: Result | None = None
        for result in pool.imap(play, tasks(plan, known)):
            if pending is not None and not pending.is_same_pair(result):
                found.append(_finished(pending, lines))
                pending = None
            pending = result if pending is None else pending.joined(result)
    if pending is not None:
        found.append(_finished(pending, lines))
    return found


def _finished(result: Result, lines: Path | None) -> Result:
    print(result.sentence(), file=sys.stderr, flush=True)
    if lines:
        with lines.open("ab") as file:
            file.write(msgspec.json.encode(result) + b"\n")
    return result


def load(lines: Path | None) -> list[Result]:
    """The results of a file of lines; none if it is not there."""
    if lines is None or not lines.exists():
        return []
    return [msgspec.json.decode(line, type=Result) for line in lines.read_bytes().splitlines()]


def measure() -> Iterator[Figure]:
    """`python -m bench strength`: `expected_value` against everybody in the first game, in short."""
    plan = _plan(_arguments(["--matches", "400"]))
    for name in plan.players:
        if name == "expected_value":
            continue
        parts = [play(task) for task in _tasks_of(plan, "base", 2, "expected_value", name)]
        whole = parts[0]
        for part in parts[1:]:
            whole = whole.joined(part)
        share, low, high = whole.share()
        note = f"{low * 100:.1f} to {high * 100:.1f} in {whole.matches} matches"
        yield Figure(f"expected_value beats {name}", round(share * 100, 1), "%", note=note)


def _arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m training.strength", description=__doc__)
    parser.add_argument("--ruleset", nargs="+", default=["base"])
    parser.add_argument("--seats", nargs="+", type=int, default=[2])
    parser.add_argument("--players", nargs="+", default=list(PLAYERS), choices=list(PLAYERS))
    parser.add_argument("--against", nargs="+", default=["greedy", "expected_value"], choices=list(PLAYERS))
    parser.add_argument(
        "--matches", type=int, default=2000, help="number of matches of each pair, over all seeds"
    )
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2, 3])
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--options", default="{}", help='such as {"market": "limited"}')
    parser.add_argument("--lines", type=Path, help="results file to resume from and append to")
    return parser.parse_args(words)


def _plan(given: argparse.Namespace) -> Plan:
    return Plan(
        tuple(given.ruleset),
        tuple(given.seats),
        tuple(given.players),
        tuple(given.against),
        given.matches,
        tuple(given.seeds),
        given.processes,
        msgspec.json.decode(given.options, type=dict[str, Any]),
    )


def main() -> int:
    given = _arguments()
    results = run(_plan(given), load(given.lines), given.lines)
    print(f"`python -m training.strength {shlex.join(sys.argv[1:])}`\n")
    print(markdown(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
