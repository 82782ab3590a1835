"""Running a Python function as a bot for a long time: `machi bot run`."""

from machi.bots.runner import BotFailed, BotRunner, OnError
from machi.bots.statistics import Statistics

__all__ = ["BotFailed", "BotRunner", "OnError", "Statistics"]
