"""Setting up and running the service on one machine; knows nothing of the game.

`ops.setup` must run on a bare Python, so nothing is imported here.
"""

__all__ = [
    "child",
    "compiled",
    "console",
    "lifetime",
    "ready",
    "redis_conf",
    "run",
    "servers",
    "setup",
    "supervisor",
]
