"""Luck: how many coins each throw was worth to every seat before it fell, and how many it brought.

See docs/luck.md for the definition. Dice count as fair, wherever they come from.
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
