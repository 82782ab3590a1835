"""The kernel: complete matches of four players on one core, beside the same matches by the rules.

The uniform players are those of `bench.rules`. The time to compile the kernel is not part of the rate.
"""

from collections.abc import Iterator

from bench import rules
from bench.figures import Figure, rate
from domain.match.rules import rules_for
from domain.match.rulesets import CURRENT, resolve_options
from kernel.engine import Engine, engine
from kernel.play import Simulator
from players.weight_files import weights_for

GOALS = {"base": ">= 50,000", "harbor": ">= 20,000", "machi_koro_2": ">= 20,000"}
SEATS = 4


def measure(seconds: float = 4.0) -> Iterator[Figure]:
    """Matches per second by each policy, with the rate of the rules in the same run as the baseline."""
    kernel = engine()
    how = "compiled" if kernel.is_compiled else "plain: numba is missing"
    for ruleset in rules.RULESETS:
        baseline, _ = rules.rates(ruleset, seconds)
        for policy in ("uniform", "landmark_first", "greedy", "expected_value", "learned"):
            goal = GOALS[ruleset] if policy == "uniform" else ""
            found = _rate(kernel, ruleset, policy, seconds)
            name = f"kernel {ruleset} 4 {policy}"
            yield Figure(name, found, "matches/s", goal, baseline, "the rules, four uniform", how)


def _rate(kernel: Engine, ruleset: str, policy: str, seconds: float) -> float:
    game = CURRENT[ruleset]
    compiled = rules_for(game.version, resolve_options(game, SEATS), SEATS)
    weights = weights_for(ruleset, SEATS) if policy == "learned" else None
    simulator, matches = Simulator(kernel, compiled, weights), 50 if kernel.is_compiled else 1
    return rate(lambda: len(simulator.play((policy,) * SEATS, 0, matches)), seconds)
