"""The whole service on a port and in a data directory of its own."""

import sys
from collections.abc import Iterator

import pytest

from tests.e2e.stack import Stack, running


@pytest.fixture(scope="session")
def shared_stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A service that many tests use: each may kill, end and start it, and leaves it ready."""
    _require_linux()
    with running(tmp_path_factory.mktemp("shared stack") / "var") as stack:
        yield stack


@pytest.fixture
def own_stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A service without anybody else's matches."""
    _require_linux()
    with running(tmp_path_factory.mktemp("own stack") / "var") as stack:
        yield stack


def _require_linux() -> None:
    if sys.platform != "linux":
        pytest.skip("processes are found in /proc")
