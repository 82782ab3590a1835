"""The rules of Machi Koro: pure functions, without input, output, clocks or hidden randomness.

`decide` turns a command into events, `evolve` turns events into state, `legal_commands` lists what `decide`
accepts.
"""

from domain.errors import RuleViolation
from domain.match.decide import advance, create, decide
from domain.match.evolve import evolve, fold
from domain.match.legal import legal_commands
from domain.match.state import MatchState, view

__all__ = [
    "MatchState",
    "RuleViolation",
    "advance",
    "create",
    "decide",
    "evolve",
    "fold",
    "legal_commands",
    "view",
]
