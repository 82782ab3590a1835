"""Machi Koro as an environment of PettingZoo, Gymnasium and OpenSpiel; see docs/environments.md.

Importing this package imports none of them: each module needs its own library, and the extra of that name.
"""

__all__ = ["encoding", "games", "machi_koro_v0", "openspiel", "single_seat"]
