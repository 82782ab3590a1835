"""The data of each type of event: the classes of `domain.match.events`."""

from itertools import takewhile
from typing import Any

from msgspec import Struct

from domain.match.events import *  # noqa: F403  # the names of the API
from domain.match.events import Event as Recorded
from domain.match.upcast import MEMBERS, event_of


class OtherData(Struct, frozen=True):
    """The data of an event whose type or schema this version does not know."""

    members: dict[str, Any]


def data_of(type: str, schema: int, members: dict[str, Any]) -> Recorded | OtherData:
    """The data of an event; old schemas are converted to the current one.

    Raises:
        msgspec.ValidationError: a member is missing or invalid.
    """
    names = MEMBERS.get((type, schema))
    if names is None:
        return OtherData(members)
    # Data that was recorded before a member was added ends before that member.
    return event_of(type, schema, [members[name] for name in takewhile(members.__contains__, names)])
