"""The command `machi`."""

from machi.cli.main import main, run

__all__ = ["main", "run"]
