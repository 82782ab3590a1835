"""What can be built now, with its price."""

from collections.abc import Sequence

from domain.commands import Build, PlayCommand
from domain.decide.building import price
from domain.state import MatchState


def landmarks(view: MatchState, legal: Sequence[PlayCommand]) -> list[tuple[int, Build]]:
    """The landmarks that can be built, each with its price to the seat, in catalogue order."""
    rules = view.rules
    return [
        (price(view, view.active, rules.index[command.card]), command)
        for command in legal
        if isinstance(command, Build) and rules.index[command.card] >= rules.establishments
    ]
