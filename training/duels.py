"""Matches of built-in players from seeds, by the kernel or by `domain`.

Both play the same matches.
"""

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from domain import create, legal_commands, view
from domain.match.commands import CreateMatch, SeatPlan
from domain.match.decide import advance_turn
from domain.match.events import Dice
from domain.match.rules import rules_for
from domain.match.rulesets import CURRENT, resolve_options
from domain.match.state import RUNNING
from kernel.convert import TwinChance, TwinRandom
from kernel.engine import Engine
from kernel.layout import POLICIES
from kernel.play import Simulator
from players import PLAYERS
from players.weight_files import has_weights, weights_for


class Duel(NamedTuple):
    """How a match ended."""

    winner: int
    """The winning seat, negative for none."""
    turns: int


def has_players(kernel: Engine, names: Sequence[str]) -> bool:
    """Whether the kernel is compiled and has all of the players."""
    return kernel.is_compiled and {*names} <= {*POLICIES}


def by_kernel(
    kernel: Engine, ruleset: str, names: Sequence[str], options: dict[str, Any], seed: int, matches: int
) -> list[Duel]:
    """The matches of the seeds from `seed` on; seat 0 begins."""
    creation = _creation(ruleset, names, options)
    rules = rules_for(creation.rules_version, creation.options, len(names))
    if not has_weights(ruleset):
        # The player does the same.
        names = ["expected_value" if name == "learned" else name for name in names]
    weights = weights_for(ruleset, len(names)) if "learned" in names else None
    found = Simulator(kernel, rules, weights).play(names, seed, matches, first_seat=0)
    return [Duel(result.winner, result.turn) for result in found]


def by_domain(
    ruleset: str, names: Sequence[str], options: dict[str, Any], seed: int, times: dict[str, list[int]]
) -> Duel:
    """The match of the seed; appends how long decisions between several commands took, in nanoseconds."""
    chance = TwinChance(seed)
    rng = TwinRandom(chance.luck)
    state, _ = create(_creation(ruleset, names, options), chance)
    while state.status == RUNNING:
        legal = legal_commands(state)
        command = legal[0]
        if len(legal) > 1:
            start = time.perf_counter_ns()
            command = PLAYERS[names[state.active]](view(state), legal, rng)
            times[names[state.active]].append(time.perf_counter_ns() - start)
        advance_turn(state, command, chance)
    return Duel(state.winner, state.turn)


def _creation(ruleset: str, names: Sequence[str], options: dict[str, Any]) -> CreateMatch:
    game = CURRENT[ruleset]
    seats = tuple([SeatPlan("strategy", name, name, "1") for name in names])
    resolved = resolve_options(game, len(names), **options)
    return CreateMatch(game.version, resolved, seats, Dice("committed"), "acc_training", 0)
