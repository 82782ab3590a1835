"""The dictionary that stored events are compressed with: `python -m training.dictionary FILE`.

It is trained on the entries of matches of all rulesets, which quick built-in players play with fixed dice.
Two runs with the same rules, players and version of zstd make the same file. A dictionary that something was
stored with is never made anew: another one gets a file and a format of its own, see
`events.store.fields`.
"""

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
from workers.players import PLAYERS

SIZE: Final = 16 << 10
"""Bytes of the dictionary."""
_MATCHES: Final = 120
_QUICK: Final = ("random", "landmark_first", "furniture", "greedy")


def samples() -> Iterator[bytes]:
    """The events of each command of some matches, as they are stored."""
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


def trained(size: int = SIZE) -> bytes:
    """The dictionary that follows from the samples."""
    return zstandard.train_dictionary(size, list(samples())).as_bytes()


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("usage: python -m training.dictionary FILE", file=sys.stderr)
        return 2
    Path(arguments[0]).write_bytes(trained())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
