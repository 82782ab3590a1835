"""The whole service on ports and data directories of its own."""

import sys
from collections.abc import Iterator

import pytest

from tests.e2e.stack import Stack, running


@pytest.fixture(scope="session")
def shared_stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A service for tests that leave it running."""
    _require_linux()
    with running(tmp_path_factory.mktemp("shared stack") / "var") as stack:
        yield stack


@pytest.fixture
def own_stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A service that a test may end and start again."""
    _require_linux()
    with running(tmp_path_factory.mktemp("own stack") / "var") as stack:
        yield stack


def _require_linux() -> None:
    if sys.platform != "linux":
        pytest.skip("processes are found in /proc")
