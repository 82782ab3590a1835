"""Tables for the tests of the value network and of its training."""

import random
from typing import Any

from bench.matches import committed, new_match
from domain import decide, fold, legal_commands
from domain.match.decide import advance
from domain.match.state import RUNNING, MatchState


def tables_on_the_way(ruleset: str, seats: int, count: int, **options: Any) -> list[MatchState]:
    """Tables at the beginning of turns, from matches of random players."""
    found: list[MatchState] = []
    number = 0
    while len(found) < count:
        number += 1
        chance, dice = committed(number)
        state = fold(None, decide(None, new_match(ruleset, ("random",) * seats, dice, **options), chance))
        rng = random.Random(number)
        while state.status == RUNNING:
            if state.phase == "roll":
                found.append(state.copy())
            legal = legal_commands(state)
            advance(state, legal[int(rng.random() * len(legal))], chance)
    return random.Random(seats).sample(found, count)
