"""The form that all tables of names have."""

from typing import Final

from msgspec import Struct

FIRST: Final = "first_game"
SECOND: Final = "second_game"


class Names(Struct, frozen=True):
    """The names of one language: by game, then by card id. A card stands in one of the two tables."""

    printed: dict[str, dict[str, str]]
    """As the game is printed in that language."""
    ours: dict[str, dict[str, str]]
    """Chosen for this project where no printed name is known; that of the other game, where it has one."""
