"""Rollouts: estimates of the chances of winning after commands, and comparisons of commands.

After a command the kernel plays on for some turns, many times over, by a quick policy of the network, and the
network rates the positions that this leads to. If the match is a small race, the chances are exact instead.
Equal arguments give equal digits, whether the kernel is compiled or not.
"""

from players.rollouts.comparing import CLOSE, MOST, Comparison, Rollouts, closest
from players.rollouts.estimates import Estimate

__all__ = ["CLOSE", "MOST", "Comparison", "Estimate", "Rollouts", "closest"]
