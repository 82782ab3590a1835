"""Training of the compression dictionary of stored events: `python -m training.dictionary FILE`.

The samples are the entries of matches of all rulesets that fast built-in players play with fixed dice. The
result depends only on the rules, the players and the version of zstd. A dictionary in use is never replaced:
a new one gets its own file and format, see `events.store.fields`.
"""

import argparse
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import zstandard

from bench.matches import committed, new_match
from domain import legal_commands, view
from domain.match.decide import advance
from domain.match.decide import create as created
from domain.match.rulesets import CURRENT
from domain.match.state import RUNNING
from events.matches.entries import CODEC
from players import PLAYERS

SIZE: Final = 16 << 10
"""Size of the dictionary in bytes."""
_MATCHES: Final = 120
_QUICK: Final = ("random", "landmark_first", "furniture", "greedy")


def samples() -> Iterator[bytes]:
    """The encoded events of each command of some matches."""
    for number in range(_MATCHES):
        ruleset = CURRENT[sorted(CURRENT)[number % len(CURRENT)]]
        rng = random.Random(number)
        fewest, most = ruleset.seats
        strategies = rng.choices(_QUICK, k=rng.randint(fewest, most))
        market = rng.choice(sorted(ruleset.markets))
        chance, dice = committed(number)
        create = new_match(ruleset.id, strategies, dice, market=market)
        state, events = created(create, chance)
        yield CODEC.encode(events)
        while state.status == RUNNING:
            legal = legal_commands(state)
            player = PLAYERS[create.seats[state.active].id]
            command = legal[0] if len(legal) == 1 else player(view(state), legal, rng)
            yield CODEC.encode(advance(state, command, chance))


def trained() -> bytes:
    """The dictionary trained on the samples."""
    return zstandard.train_dictionary(SIZE, list(samples())).as_bytes()


def main(arguments: list[str]) -> int:
    """Run the command; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m training.dictionary", description=__doc__)
    parser.add_argument("file", type=Path, help="file to write the dictionary to")
    parser.parse_args(arguments).file.write_bytes(trained())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
