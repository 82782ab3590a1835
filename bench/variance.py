"""The variance reduction of the luck-adjusted score, as the ratio of the variances of plain and adjusted
score.

`python -m bench.variance` plays complete blocks, as a ladder would, for each pair (`one:others`: one on a
single seat, the others on the rest). It adjusts the score of `one` with the code of the ladders: once by coin
luck with a cross-fitted slope, and once by luck in wins from the value function of the player `learned`.
"""

import argparse
import os
import random
import shlex
import sys
from collections.abc import Sequence
from multiprocessing import Pool
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from bench.matches import committed, new_match, play_out
from domain.ladder.results import BlockResults, MatchLuck, ResultLine, rotated
from domain.ladder.scores import Adjusted, Score, scores
from workers.ladders.luck import match_luck, value_function

ONE: Final = "one"
PAIRS: Final = (
    "learned:expected_value",
    "expected_value:greedy",
    "expected_value:cheese",
    "cheese:convenience_rush",
    "convenience_rush:greedy",
    "greedy:landmark_first",
)
AT_A_TIME: Final = 4
"""Blocks per task."""


class VarianceTask(Struct, frozen=True):
    """Some blocks of one pair."""

    ruleset: str
    seats: int
    one: str
    others: str
    seed: int
    blocks: range


def play(task: VarianceTask) -> list[BlockResults]:
    """Play the blocks; every match has its luck in coins and in wins."""
    return [
        BlockResults(number, tuple([_match(task, number, rotation) for rotation in range(task.seats)]))
        for number in task.blocks
    ]


def _match(task: VarianceTask, block: int, rotation: int) -> ResultLine:
    entries = rotated([ONE, *[f"other_{number}" for number in range(1, task.seats)]], rotation)
    players = [task.one if entry == ONE else task.others for entry in entries]
    number = (task.seed << 32) + block * task.seats + rotation
    chance, dice = committed(number)
    state, events = play_out(
        new_match(task.ruleset, players, dice, first_seat=0), chance, random.Random(number)
    )
    found = match_luck(state, events, value_function(task.ruleset))
    none = (0,) * task.seats
    return ResultLine(
        ladder="lad_bench",
        season=1,
        round=1,
        block=block,
        rotation=rotation,
        match_id=f"mat_{number}",
        seats=entries,
        winner=state.winner,
        turns=state.turn,
        version=len(events),
        head="",
        timeouts=none,
        errors=none,
        luck=found,
    )


def without_wins(blocks: Sequence[BlockResults]) -> list[BlockResults]:
    """The same blocks without luck in wins."""
    return [
        BlockResults(block.number, tuple([_in_coins(match) for match in block.results])) for block in blocks
    ]


def _in_coins(match: ResultLine) -> ResultLine:
    assert match.luck is not None, "it was measured"
    return replace(match, luck=MatchLuck(match.luck.coins, None))


def _cells(found: Adjusted) -> str:
    assert found.adjusted is not None, "luck was measured"
    return f"{_percent(found.adjusted)} | {found.reduction}"


def _percent(score: Score) -> str:
    assert score.interval is not None, "blocks differed"
    low, high = score.interval
    return f"{score.score * 100:.1f} ({low * 100:.1f}-{high * 100:.1f})"


def row(given: argparse.Namespace, seats: int, pair: str, blocks: Sequence[BlockResults]) -> str:
    """A row of the table: the plain score, and both adjusted scores with their variance reductions."""
    one, others = pair.split(":")
    by_coins, by_wins = scores(without_wins(blocks), ONE), scores(blocks, ONE)
    assert by_wins.plain is not None, "something was played"
    matches = len(blocks) * seats
    name = f"`{given.ruleset}` | {seats} | `{one}` | `{others}` | {matches:,} | {_percent(by_wins.plain)}"
    return f"| {name} | {_cells(by_coins)} | {_cells(by_wins)} |"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.variance", description=__doc__)
    parser.add_argument("--ruleset", default="base")
    parser.add_argument("--seats", nargs="+", type=int, default=[2])
    parser.add_argument("--pairs", nargs="+", default=PAIRS, metavar="ONE:OTHERS")
    parser.add_argument("--matches", type=int, default=1000, help="number of matches of each pair")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    return parser.parse_args()


def main() -> int:
    given = _arguments()
    print(f"`python -m bench.variance {shlex.join(sys.argv[1:])}`\n")
    print(
        "| ruleset | seats | one | others | matches | plain, % | by coins, % | fewer | by wins, % | fewer |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    with Pool(given.processes) as pool:
        for seats in given.seats:
            count = max(1, given.matches // seats)
            for pair in given.pairs:
                one, others = pair.split(":")
                ranges = [range(first, min(first + AT_A_TIME, count)) for first in range(0, count, AT_A_TIME)]
                tasks = [
                    VarianceTask(given.ruleset, seats, one, others, given.seed, blocks) for blocks in ranges
                ]
                found = [block for blocks in pool.imap(play, tasks) for block in blocks]
                print(row(given, seats, pair, found), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
