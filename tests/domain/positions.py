"""Matches that start from a given table."""

from collections.abc import Sequence
from typing import Any

from domain.match import events as ev
from domain.match.events import Position, PositionPlayer, PositionRow
from tests.domain.kit import A, Scene, creation


def start(
    ruleset: str,
    *players: PositionPlayer,
    active: int = A,
    phase: str = "roll",
    rows: Sequence[PositionRow] | None = None,
    seats: int | None = None,
    **options: Any,
) -> Scene:
    """What comes of asking for the table; it may be refused."""
    position = Position(active, phase, players, None if rows is None else tuple(rows))
    command = creation(ruleset, seats or len(players), position=position, options=options)
    return Scene(None).when(command)


def started(scene: Scene) -> ev.MatchStarted:
    return next(event for event in scene.events if isinstance(event, ev.MatchStarted))
