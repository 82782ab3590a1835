"""From JSON to typed values; members that this version does not know are left out."""

from typing import Any, TypeVar

import msgspec

from machi.errors import UnusableAnswer

T = TypeVar("T")


def decoded(kind: type[T], raw: bytes | msgspec.Raw) -> T:
    """The JSON as a value of that kind. Raises: UnusableAnswer."""
    try:
        return msgspec.json.decode(raw, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UnusableAnswer(f"the answer is not what this API gives: {error}") from None


def converted(kind: type[T], members: Any) -> T:
    """The decoded JSON as a value of that kind. Raises: UnusableAnswer."""
    try:
        return msgspec.convert(members, kind)
    except msgspec.MsgspecError as error:
        raise UnusableAnswer(f"the answer is not what this API gives: {error}") from None


def with_raw(kind: type[T], raw: bytes | msgspec.Raw) -> T:
    """The same for a kind that keeps the JSON as it came in its member `raw`."""
    members = decoded(dict[str, Any], raw)
    return converted(kind, {**members, "raw": bytes(raw)})
