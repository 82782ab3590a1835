"""`python -m training.puzzles`: the puzzles that every service begins with.

The command plays matches of `expected_value` on all seats, reviews them, and writes their puzzles to
`events/matches/puzzles.ndjson.gz`, until each ruleset has the wanted number. The same seed gives the same
puzzles as long as the players and the judge are the same. It needs minutes, and hours without numba.
"""

import argparse
import random
import sys
from collections.abc import Iterator
from itertools import count
from typing import Final

from bench.matches import committed, new_match, play_out
from domain.match.rulesets import CURRENT
from domain.match.state import FINISHED
from events.matches.puzzles import Puzzle, write_shipped
from kernel.engine import Engine, engine
from review.reviewer import Reviewer
from workers.reviews.job import puzzle_record

PLAYER: Final = "expected_value"
SEATS: Final = (2, 3, 4)


def puzzles(kernel: Engine, ruleset: str, seed: int) -> Iterator[Puzzle]:
    """Puzzles of a ruleset without end, of tables with two, three and four seats in turn."""
    for number in count():
        seats = SEATS[number % len(SEATS)]
        chance, dice = committed(seed + number)
        creation = new_match(ruleset, (PLAYER,) * seats, dice)
        state, events = play_out(creation, chance, random.Random(number))
        assert state.status == FINISHED
        # The hash of the last event seeds the rollouts; these matches have none.
        reviewer = Reviewer(f"{ruleset} {seed + number}", events, f"{ruleset} {seed + number}", kernel)
        while reviewer.done < reviewer.total:
            reviewer.advance()
        for found in reviewer.puzzles():
            yield puzzle_record(found)


def main(arguments: list[str]) -> int:
    """Run the command; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m training.puzzles", description=__doc__)
    parser.add_argument("--puzzles", type=int, default=16, help="puzzles of each ruleset [default: 16]")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first match [default: 1]")
    asked = parser.parse_args(arguments)
    kernel, found = engine(), dict[str, Puzzle]()
    for ruleset in CURRENT:
        of_ruleset: dict[str, Puzzle] = {}
        for puzzle in puzzles(kernel, ruleset, asked.seed):
            of_ruleset[puzzle.puzzle_id] = puzzle
            print(f"{ruleset}: {len(of_ruleset)} of {asked.puzzles}", file=sys.stderr, flush=True)
            if len(of_ruleset) == asked.puzzles:
                break
        found |= of_ruleset
    write_shipped(list(found.values()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
