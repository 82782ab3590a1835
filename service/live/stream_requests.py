"""What requests for streams have in common: their parameters, and the limits on open streams."""

from collections.abc import Mapping
from typing import Any, Final

from service.accounts.tokens import Token
from service.context import services
from service.edge.guard import token_digest
from service.edge.problems import Problem, problem_at
from service.edge.requests import client_address, last_event_id
from service.live.feeds import FORMATS, NDJSON
from service.live.streams import Ticket

NOT_BUFFERED: Final = {"X-Accel-Buffering": "no"}
"""Asks a proxy to pass on each part of the body at once."""

_LATER: Final = {"Retry-After": "10"}
_NOT_IN: Final = {
    "limit": ({*FORMATS}, "only pages have a limit"),
    "wait": ({*FORMATS}, "only pages can wait; streams always do"),
}
_ONLY_LINES: Final = "follow: only lines can be followed; pages end, and server-sent events always continue"
"""Parameters that some media types do not have, and the details of the problems for these."""


def require_fitting(query: Mapping[str, Any], media_type: str) -> None:
    """Refuse parameters of other forms than the one that the client has chosen.

    Raises:
        Problem: `invalid_parameter`.
    """
    for name in query.keys() & _NOT_IN.keys():
        streams, why = _NOT_IN[name]
        if media_type in streams:
            raise problem_at(f"/{name}", f"{name}: {why}", "invalid_parameter")
    if "follow" in query and media_type != NDJSON.media_type:
        raise problem_at("/follow", _ONLY_LINES, "invalid_parameter")


def begin_after(query: Mapping[str, Any], media_type: str) -> int:
    """The sequence to begin after; of streams, `Last-Event-ID` overrides the parameter.

    Raises:
        Problem: `invalid_parameter`.
    """
    resumed = last_event_id()
    return int(query["after"]) if resumed is None or media_type not in FORMATS else resumed


def cursor_pointer(media_type: str) -> str:
    """The pointer to what `begin_after` has read."""
    is_resumed = media_type in FORMATS and last_event_id() is not None
    return "/Last-Event-ID" if is_resumed else "/after"


def admit(caller: Token | None) -> Ticket:
    """Admit a stream within the limits of this process and of the caller.

    Raises:
        Problem: `streams_exhausted` or `too_many_streams`.
    """
    if not services().shared_feeds.has_room():
        raise Problem("streams_exhausted", headers=_LATER)
    slots = services().slots
    slot = slots.take(caller.account_id if caller else client_address())
    if slot is None:
        owner = "account" if caller else "address"
        detail = f"this {owner} has {slots.quota} open streams: close one"
        raise Problem("too_many_streams", detail, headers=_LATER)
    return Ticket(token_digest() if caller else "", slot)
