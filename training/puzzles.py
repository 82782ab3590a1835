"""`python -m training.puzzles`: the puzzles that every service begins with.

The command plays matches of `expected_value` on all seats, reviews them, and writes their puzzles to
`events/matches/puzzles.ndjson.gz`, until each ruleset has the wanted number for each number of seats. The
same seed gives the same puzzles as long as the players and the judge are the same. It needs up to half an
hour, and days without numba.
"""

import argparse
import random
import sys
from collections.abc import Iterator
from itertools import count, islice, product
from typing import Final

from bench.matches import committed, new_match, play_out
from domain.match.state import FINISHED
from events.matches.puzzles import Puzzle, write_shipped
from kernel.engine import Engine, engine
from review.reviewer import Reviewer
from runtime.strategies import VALUE_FUNCTIONS
from workers.reviews.job import puzzle_record

PLAYER: Final = "expected_value"
SEATS: Final = (2, 3, 4, 5)
_MATCHES: Final = 1_000_000
"""The numbers of the matches with one more seat begin this much higher."""


def puzzles(kernel: Engine, ruleset: str, seats: int, seed: int) -> Iterator[Puzzle]:
    """Different puzzles of a ruleset and a number of seats, without end."""
    seen: set[str] = set()
    for number in count(seats * _MATCHES):
        chance, dice = committed(seed + number)
        creation = new_match(ruleset, (PLAYER,) * seats, dice)
        state, events = play_out(creation, chance, random.Random(number))
        assert state.status == FINISHED
        # The hash of the last event seeds the rollouts; these matches have none.
        reviewer = Reviewer(f"{ruleset} {seed + number}", events, f"{ruleset} {seed + number}", kernel)
        while reviewer.done < reviewer.total:
            reviewer.advance()
        for puzzle in map(puzzle_record, reviewer.puzzles()):
            if puzzle.puzzle_id not in seen:
                seen.add(puzzle.puzzle_id)
                yield puzzle


def main(arguments: list[str]) -> int:
    """Run the command; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m training.puzzles", description=__doc__)
    parser.add_argument(
        "--puzzles", type=int, default=5, help="puzzles of each ruleset and number of seats [default: 5]"
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the first match [default: 1]")
    args = parser.parse_args(arguments)
    kernel, found = engine(), list[Puzzle]()
    for ruleset, seats in product(VALUE_FUNCTIONS, SEATS):
        of_table = islice(puzzles(kernel, ruleset, seats, args.seed), args.puzzles)
        for number, puzzle in enumerate(of_table, 1):
            found.append(puzzle)
            print(f"{ruleset}, {seats} seats: {number} of {args.puzzles}", file=sys.stderr, flush=True)
    write_shipped(found)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
