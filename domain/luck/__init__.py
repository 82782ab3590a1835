"""Luck: the expected coins of each roll for every seat, and the coins that it brought.

docs/luck.md has the definition. All dice count as fair, including scripted ones.
"""

from domain.luck.records import UNIT, Luck, Relative, Throw, Totals, in_coins
from domain.luck.tracker import Tracker, Unexplained, luck_of

__all__ = [
    "UNIT",
    "Luck",
    "Relative",
    "Throw",
    "Totals",
    "Tracker",
    "Unexplained",
    "in_coins",
    "luck_of",
]
