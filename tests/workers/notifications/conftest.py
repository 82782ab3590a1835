"""The office of an empty place, and a receiver."""

from collections.abc import Iterator

import pytest

from tests.receiver import Receiver, receiving
from tests.workers.kit import Place
from tests.workers.notifications.kit import Office


@pytest.fixture
def office(place: Place) -> Office:
    return Office(place)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as found:
        yield found
