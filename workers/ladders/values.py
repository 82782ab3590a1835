"""The value function with which luck is told in wins: the network of the player `learned`."""

import numpy as np
from numpy.typing import NDArray

from domain.match.rules import Rules
from workers.players import valuing
from workers.players.tables import Tables


class Network:
    """The shipped weights of one ruleset; see `workers.ladders.luck.ValueFunction`."""

    def __init__(self, ruleset: str) -> None:
        self.digest = valuing.digest(ruleset)

    def chances(self, rules: Rules, tables: Tables) -> NDArray[np.floating]:
        return valuing.chances_of(rules, tables)


def value_function(ruleset: str) -> Network:
    """The value function of a ruleset."""
    return Network(ruleset)
