"""The rules alone: complete matches of four random players on one core.

Creating an event and folding it into the state is one step (`Draft.emit`). The players choose uniformly among
the legal commands, and the dice are plain random numbers: nothing is stored, hashed or derived from a seed.
The figure with committed dice derives every die from a seed and folds all events again, as an audit does.
"""

import random
import time
from collections.abc import Callable, Iterator, Sequence

from bench.figures import Figure, loops_per_second
from bench.matches import committed, new_match, play_out
from domain import advance, create, fold, legal_commands
from domain.match.events import Dice
from domain.match.state import RUNNING, MatchState

GOAL = {"base": ">= 1,000"}
RULESETS = ("base", "harbor", "machi_koro_2")


class RandomChance:
    """Dice and draws from a plain random generator."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def throw(self, state: MatchState, purpose: str, dice: int) -> tuple[int, ...]:
        return tuple([int(self._rng.random() * 6) + 1 for _ in range(dice)])

    def draw(self, state: MatchState, row: int, number: int, weights: Sequence[int]) -> int:
        return self._rng.choices(range(len(weights)), weights)[0]

    def first_seat(self, state: MatchState) -> int:
        return self._rng.randrange(len(state.controllers))

    def reveal(self) -> tuple[str, str]:
        return "", ""


def measure(seconds: float = 4.0, label: str = "") -> Iterator[Figure]:
    """Matches and turns per second for every ruleset, and for `base` with committed dice."""
    for ruleset in RULESETS:
        yield _figure(f"rules {ruleset} 4 seats{label}", GOAL.get(ruleset, ""), ruleset, _plain, seconds)
    yield _figure(f"rules base, committed dice, folded twice{label}", "", "base", _committed, seconds)


def _figure(name: str, goal: str, ruleset: str, one: Callable[[str, int], int], seconds: float) -> Figure:
    before = loops_per_second(0.5)
    matches, turns = _rates(lambda number: one(ruleset, number), seconds)
    loops = (before + loops_per_second(0.5)) / 2
    return Figure(name, matches, "matches/s", goal, loops, "plain loops/s", f"{turns:,.0f} turns/s")


def rates(ruleset: str, seconds: float) -> tuple[float, float]:
    """Matches and turns per second of the ruleset."""
    return _rates(lambda number: _plain(ruleset, number), seconds)


def _rates(one: Callable[[int], int], seconds: float) -> tuple[float, float]:
    matches, turns, start = 0, 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        turns += one(matches)
        matches += 1
    took = time.perf_counter() - start
    return matches / took, turns / took


def _plain(ruleset: str, number: int) -> int:
    rng = random.Random(number)
    chance = RandomChance(rng)
    state, events = create(new_match(ruleset, ("random",) * 4, Dice("committed")), chance)
    while state.status == RUNNING:
        legal = legal_commands(state)
        events += advance(state, legal[int(rng.random() * len(legal))], chance)
    assert state.version == len(events)
    return state.turn


def _committed(ruleset: str, number: int) -> int:
    chance, dice = committed(number)
    create = new_match(ruleset, ("random",) * 4, dice)
    state, events = play_out(create, chance, random.Random(number))
    again = fold(None, events)
    assert again.version == state.version
    return again.turn
