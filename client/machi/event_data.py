"""What each type of event says, in the words of the rules: the classes of `domain.match.events`."""

from itertools import takewhile
from typing import Any

from msgspec import Struct

from domain.match.events import *  # noqa: F403  # the names of the API
from domain.match.events import Event as Recorded
from domain.match.upcast import MEMBERS, event_of


class OtherData(Struct, frozen=True):
    """What an event says whose type, or the number of whose form, this version does not know."""

    members: dict[str, Any]


def data_of(type: str, schema: int, members: dict[str, Any]) -> Recorded | OtherData:
    """What an event says, old forms made new.

    Raises:
        msgspec.ValidationError: a member is missing, or is not what it should be.
    """
    names = MEMBERS.get((type, schema))
    if names is None:
        return OtherData(members)
    # What was recorded before a member was added ends before it.
    return event_of(type, schema, [members[name] for name in takewhile(members.__contains__, names)])
