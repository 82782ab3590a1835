"""Who chooses when nobody wants to: `machi play --auto`."""

import random
from collections.abc import Collection, Sequence

from domain.match.commands import Build
from machi.commands import Command


def choose(commands: Sequence[Command], landmarks: Collection[str]) -> Command:
    """A landmark if one can be built, else anything."""
    wanted = [one for one in commands if isinstance(one, Build) and one.card in landmarks]
    return random.choice(wanted or commands)
