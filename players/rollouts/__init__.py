"""Rollouts: estimates of the chances of winning after commands, and comparisons of commands.

After a command the kernel plays on by `expected_value` for a round or two, many times over, and the network
rates the positions that this leads to. If the match is a small race, the chances are exact instead.
Equal arguments give equal digits, whether the kernel is compiled or not.
"""

from players.rollouts.comparing import Comparison, Rollouts
from players.rollouts.estimates import Estimate

__all__ = ["Comparison", "Estimate", "Rollouts"]
