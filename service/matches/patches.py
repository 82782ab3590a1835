"""Differences between two states as JSON Patch (RFC 6902)."""

from typing import Final

import msgspec
from jsonpatch import JsonPatch

from contract.events import PatchOperation
from contract.states import State
from contract.values import encode

Json = dict[str, object]

_sorted: Final = msgspec.json.Encoder(order="sorted").encode


def plain(state: State) -> Json:
    """The state as it is read from JSON, members sorted by name: patches then come in one order alone."""
    read: Json = msgspec.json.decode(_sorted(msgspec.json.decode(encode(state))))
    return read


def patch(before: Json, after: Json) -> list[PatchOperation]:
    """The operations that make `after` of `before`, both plain; none if they are equal."""
    # The library looks at every number; most members are as they were.
    same = {name for name in before.keys() & after.keys() if _sorted(before[name]) == _sorted(after[name])}
    # No search for moves: there are few to be found in states, and without them every value can be seen.
    found = JsonPatch.from_diff(_without(before, same), _without(after, same), optimization=False)
    return [msgspec.convert(operation, PatchOperation) for operation in found.patch]


def _without(state: Json, names: set[str]) -> Json:
    return {name: value for name, value in state.items() if name not in names}
