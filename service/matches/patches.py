"""Differences between two states as JSON Patch (RFC 6902)."""

from typing import Any, Final

import msgspec
from jsonpatch import JsonPatch

from service.matches.shapes import Shape

_sorted: Final = msgspec.json.Encoder(order="sorted").encode


def plain(shape: Shape) -> Shape:
    """The shape as it is read from JSON, members sorted by name: patches then come in one order alone."""
    read: Shape = msgspec.json.decode(_sorted(shape))
    return read


def patch(before: Shape, after: Shape) -> list[dict[str, Any]]:
    """The operations that make `after` of `before`, both plain; none if they are equal."""
    # The library looks at every number; most members are as they were.
    same = {name for name in before.keys() & after.keys() if _sorted(before[name]) == _sorted(after[name])}
    # No search for moves: there are few to be found in states, and without them every value can be seen.
    return JsonPatch.from_diff(_without(before, same), _without(after, same), optimization=False).patch


def _without(shape: Shape, names: set[str]) -> Shape:
    return {name: value for name, value in shape.items() if name not in names}
