"""Parameters of tests of which only some are quick."""

from collections.abc import Container, Iterable
from typing import Any

import pytest


def long_unless(quick: Container[Any], values: Iterable[Any]) -> list[Any]:
    """The values as parameters of a test. Those that are not quick are left to the long tests."""
    return [one if one in quick else pytest.param(one, marks=pytest.mark.long) for one in values]


def long(*values: Any) -> list[Any]:
    """The values as parameters of a test, all left to the long tests."""
    return long_unless((), values)
