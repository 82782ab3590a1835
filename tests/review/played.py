"""Finished matches to review."""

from functools import cache
from random import Random
from typing import Any

from bench.matches import committed, new_match, play_out
from domain.match.events import Event

HEAD = "sha-256:" + 32 * "5a"
"""The hash of the last event of these matches."""


@cache
def played(ruleset: str, *strategies: str, number: int = 5, market: str = "") -> tuple[Event, ...]:
    """The events of a finished match of built-in players."""
    chance, dice = committed(number)
    options: dict[str, Any] = {"market": market} if market else {}
    return tuple(play_out(new_match(ruleset, strategies, dice, **options), chance, Random(1))[1])
