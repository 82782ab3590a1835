"""A ladder of two quick players."""

import pytest

from tests.workers.kit import Place
from tests.workers.ladder_kit import Ladder


@pytest.fixture
def ladder(place: Place) -> Ladder:
    found = Ladder(place)
    found.enter("random", "landmark_first", "greedy")
    return found
