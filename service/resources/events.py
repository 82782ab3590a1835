"""The events of a match, as pages that can wait for the next one."""

import time
from typing import Any, Final
from urllib.parse import urlencode

from flask import Response, request

from domain.state import is_over
from events.envelope import Envelope
from events.loading import Loaded
from service.access import receipt_of, visible_match
from service.accounts import Token
from service.answers import cached_answer, json_answer
from service.context import services
from service.endpoints import Answer, Caller, Endpoints
from service.problems import Problem
from service.resources.matches import ABOUT_MATCH, NOT_MODIFIED, RECEIPT
from service.schemas.events import EventPageSchema, EventQuerySchema

blueprint = Endpoints("events", "Everything that happened")

FOREVER = "max-age=31536000, immutable"

_EXAMINED: Final = 500
"""As many events are looked at in one go for those of the types asked for."""


@blueprint.endpoint(
    "GET",
    "/v1/matches/<match_id>/events",
    {
        200: Answer(
            "One page. `next` is the `after` of the next one.", EventPageSchema(), ("Link", "Match-Head")
        )
    },
    caller=Caller.ANYBODY,
    query=EventQuerySchema(),
    refusals=(*ABOUT_MATCH, "cursor_ahead"),
)
def list_events(caller: Token | None, match_id: str, query: dict[str, Any]) -> Response:
    """List events in their order; with `wait`, wait for the next one where there is none yet."""
    loaded = visible_match(match_id, caller)
    after, limit, types = query["after"], query["limit"], query.get("types")
    if after > loaded.version:
        detail = f"the last event is {loaded.version}"
        raise Problem("cursor_ahead", detail, max_version=loaded.version)
    deadline = time.monotonic() + query["wait"]
    while True:
        after, found = _next_events(loaded, after, limit, types)
        if found or is_over(loaded.state) or not _passes(loaded, deadline):
            return _page(loaded, found, after)
        loaded = visible_match(match_id, caller)


def _next_events(
    loaded: Loaded, after: int, limit: int, types: list[str] | None
) -> tuple[int, list[Envelope]]:
    """The last sequence that was looked at, and the events found; nothing is found only at the head."""
    found: list[Envelope] = []
    while not found and after < loaded.version:
        # Not beyond what was loaded: the receipt is of its last event.
        count = min(limit if types is None else _EXAMINED, loaded.version - after)
        events = services().matches.events(loaded.match_id, after, count)
        found = [event for event in events if types is None or event.type in types][:limit]
        after = found[-1].sequence if len(found) == limit else events[-1].sequence
    return after, found


def _passes(loaded: Loaded, deadline: float) -> bool:
    """Wait for the match to go on; whether it may have."""
    left = deadline - time.monotonic()
    return left > 0 and bool(services().watcher.wait(loaded.match_id, loaded.version, left))


def _page(loaded: Loaded, found: list[Envelope], examined: int) -> Response:
    following = str(examined) if examined < loaded.version else None
    answer = json_answer({"items": found, "next": following}, 200, receipt_of(loaded))
    if following is not None:
        query = {**request.args.to_dict(), "after": following}
        answer.headers["Link"] = f'<{request.path}?{urlencode(query)}>; rel="next"'
    return answer


@blueprint.endpoint(
    "GET",
    "/v1/matches/<match_id>/events/<int:sequence>",
    {
        200: Answer("The event, for ever the same.", {"$ref": "#/components/schemas/Event"}, RECEIPT),
        304: NOT_MODIFIED,
    },
    caller=Caller.ANYBODY,
    headers=("If-None-Match",),
    refusals=(*ABOUT_MATCH, "event_not_found", "not_found"),
)
def show_event(caller: Token | None, match_id: str, sequence: int) -> Response:
    """Show one event."""
    loaded = visible_match(match_id, caller)
    if not request.path.endswith(f"/{sequence}"):
        # One event has one address: `01`, or digits of another script, are none.
        raise Problem("not_found")
    if not 1 <= sequence <= loaded.version:
        detail = f"the events are 1 to {loaded.version}"
        raise Problem("event_not_found", detail, max_version=loaded.version)
    event = services().matches.events(match_id, sequence - 1, 1)[0]
    created = loaded.state.created
    is_private = created is not None and created.visibility == "private"
    whose = "private" if is_private else "public"
    headers = {**receipt_of(loaded), "Cache-Control": f"{whose}, {FOREVER}"}
    return cached_answer(event, event.hash.removeprefix("sha-256:"), headers)
