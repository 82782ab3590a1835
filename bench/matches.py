"""Complete matches, in memory or stored: creation commands, dice and play to the end."""

import random
from collections.abc import Sequence
from typing import Any

from domain import create, legal_commands, view
from domain.match.chance import Chance, SeededChance, commitment
from domain.match.commands import CreateMatch, SeatPlan
from domain.match.decide import advance
from domain.match.events import Dice, Event
from domain.match.rulesets import CURRENT, resolve_options
from domain.match.state import RUNNING, MatchState
from events import Matches
from players import PLAYERS
from runtime.strategies import STRATEGIES
from workers.turns import decisions


def new_match(
    ruleset: str, strategies: Sequence[str], dice: Dice, first_seat: int | None = None, **options: Any
) -> CreateMatch:
    """The command that creates a match of built-in players; `options` are those of `resolve_options`."""
    rules = CURRENT[ruleset]
    seats = tuple(SeatPlan("strategy", name, name, STRATEGIES[name].version) for name in strategies)
    resolved = resolve_options(rules, len(strategies), **options)
    return CreateMatch(rules.version, resolved, seats, dice, "acc_bench", first_seat)


def played_by_workers(matches: Matches, ruleset: str = "base") -> str:
    """The id of a stored match of four `random`, played to its end as workers do."""
    outcome = matches.create(new_match(ruleset, ("random",) * 4, Dice("committed")))
    decisions.play(matches, [(outcome.match_id, outcome.last)], decisions.TurnLimits(seconds=60))
    return outcome.match_id


def committed(number: int) -> tuple[SeededChance, Dice]:
    """The chance and the dice of match `number`, which determines its seed."""
    seed = number.to_bytes(32, "big")
    return SeededChance(seed, "bench"), Dice("committed", "bench", commitment(seed))


def play_out(creation: CreateMatch, chance: Chance, rng: random.Random) -> tuple[MatchState, list[Event]]:
    """Play the match to its end; returns the final state and all events."""
    players = [PLAYERS[seat.id] for seat in creation.seats]
    state, events = create(creation, chance)
    while state.status == RUNNING:
        legal = legal_commands(state)
        command = legal[0] if len(legal) == 1 else players[state.active](view(state), legal, rng)
        events += advance(state, command, chance)
    return state, events
