"""A ladder to play rounds on."""

import pytest

from tests.service.contract import Account
from tests.service.ladder_kit import (
    Operated,
)


@pytest.fixture
def ladder(ada: Account) -> Operated:
    """A ladder of three built-in players."""
    made = Operated(ada)
    for name in ("greedy", "random", "landmark_first"):
        made.enter(name)
    return made
