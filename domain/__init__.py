"""The rules of Machi Koro: entirely functional, free of input, output, clocks and hidden randomness.

`decide` turns a command into events, `evolve` turns events into state, `legal_commands` lists what `decide`
accepts.
"""

from domain.decide import advance, decide
from domain.errors import RuleViolation
from domain.evolve import evolve, fold
from domain.legal import legal_commands
from domain.state import MatchState, initial_state
from domain.view import view

__all__ = [
    "MatchState",
    "RuleViolation",
    "advance",
    "decide",
    "evolve",
    "fold",
    "initial_state",
    "legal_commands",
    "view",
]
