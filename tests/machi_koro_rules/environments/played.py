"""Matches that tests of the environments play: by the rules alone, and by agents."""

import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from domain import create, legal_commands
from domain.match.commands import PlayCommand
from domain.match.decide import advance_turn
from domain.match.rulesets import CURRENT
from domain.match.state import RUNNING, MatchState
from kernel.compare import CASES, Case, creation_of
from kernel.convert import TwinChance
from machi_koro_rules.environments.spaces import Observation

NO_BOX = "ignore:Observation space for each agent probably should be"
NO_ARRAY = "ignore:Observation is not a NumPy array"
"""PettingZoo warns so of every environment with an action mask, except those that it knows by name."""

RULESETS = tuple(CURRENT)


def named(case: Case) -> str:
    chosen = [f"{name}={value}" for name, value in case.options.items() if value]
    return " ".join([case.ruleset, str(case.seats), *chosen])


def decisions(case: Case, number: int, most: int = 3000) -> Iterator[tuple[MatchState, list[PlayCommand]]]:
    """The decisions of a random match that seldom passes; taking the next one changes the state."""
    rng, chance = random.Random(number), TwinChance(number)
    state, _ = create(creation_of(case), chance)
    for _ in range(most):
        if state.status != RUNNING:
            return
        legal = legal_commands(state)
        yield state, legal
        advance_turn(state, rng.choice(legal[1:] or legal), chance)


def choose_last(observation: Observation) -> int:
    """An agent: the last of the legal actions, so rather a trade or a costly building than a pass."""
    return int(np.flatnonzero(observation["action_mask"])[-1])


def play(env: Any, agent: Any = choose_last, seed: int | None = 3) -> dict[str, float]:
    """Play a match of a PettingZoo environment to its end; the rewards by agent."""
    env.reset(seed=seed)
    found = {}
    for name in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        if terminated or truncated:
            found[name] = reward
        env.step(None if terminated or truncated else agent(observation))
    return found


__all__ = ["CASES", "NO_ARRAY", "NO_BOX", "RULESETS", "choose_last", "decisions", "named", "play"]
