"""The value function with which luck is told in wins: the network of the player `learned`."""

from collections.abc import Sequence

from domain.state import MatchState
from workers.ladders.luck import Floats
from workers.players import valuing


class Network:
    """The shipped weights of one ruleset; see `workers.ladders.luck.ValueFunction`."""

    def __init__(self, ruleset: str) -> None:
        self.digest = valuing.digest(ruleset)

    def values(self, states: Sequence[MatchState]) -> Floats:
        return valuing.values(states)


def value_function(ruleset: str) -> Network:
    """The value function of a ruleset."""
    return Network(ruleset)
