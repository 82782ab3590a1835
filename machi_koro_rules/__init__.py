"""Machi Koro for programs in Python: play, simulate and replay matches in this process; see docs/packages.md.

    import machi_koro_rules as mk

    game = mk.new_game("harbor", seats=3, seed=1)
    game = game.apply(game.legal_commands()[0])

The modules `commands` and `events` have what a game is told and what happens in it.
"""

from domain.errors import RuleViolation
from domain.match import commands, events
from domain.match.commands import PlayCommand
from domain.match.events import Event
from domain.match.rulesets import CURRENT
from domain.match.state import MatchState
from machi_koro_rules.game import Game, Playouts, new_game
from machi_koro_rules.recorded import replay

__all__ = [
    "RULESETS",
    "Event",
    "Game",
    "MatchState",
    "PlayCommand",
    "Playouts",
    "RuleViolation",
    "commands",
    "events",
    "new_game",
    "player_names",
    "replay",
]

RULESETS = tuple(CURRENT)
"""The rulesets by name, such as `harbor`."""


def player_names() -> tuple[str, ...]:
    """The built-in players, which are those of the service; docs/players.md says how strong they are.

    Raises:
        ImportError: numpy is missing, which the extra `players` installs.
    """
    from machi_koro_rules.playing import built_in

    return tuple(built_in())
