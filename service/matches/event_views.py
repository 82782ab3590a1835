"""The events of a match, as pages, long polls and streams."""

from collections.abc import Iterable
from functools import cache
from typing import Any, Final
from urllib.parse import urlencode

from flask import Response, request

from contract.events import CloudEvent, EventPage, EventType, EventTypePage
from contract.problems import ProblemExtra
from domain.match.envelope import Envelope
from domain.match.events import REGISTRY, SCHEMA
from domain.match.state import is_over
from events.matches.entries import Loaded
from service.accounts.tokens import Token
from service.catalogue.views import PUBLIC
from service.context import services
from service.edge.answers import cached_answer, json_answer
from service.edge.problems import Problem, cursor_ahead
from service.live.feeds import FORMATS, NDJSON, Feed, StreamFormat, read_on
from service.live.long_polls import wait_for
from service.live.stream_requests import NOT_BUFFERED, admit, begin_after, cursor_pointer, require_fitting
from service.live.streams import LiveStream, MatchSource, finite_stream
from service.matches.access import FOREVER as FOREVER  # other views get it from here
from service.matches.access import kept_for_ever, receipt_of, visible_match
from service.matches.cloud_events import AS_BATCH, AS_CLOUD_EVENT, BATCH, MEDIA_TYPE, batch, cloud_event
from service.matches.event_schemas import STREAMED, EventQuerySchema
from service.matches.match_views import ABOUT_MATCH, NOT_MODIFIED, RECEIPT
from service.openapi.endpoints import Caller, Endpoints, Success
from service.openapi.event_types import description, standalone

blueprint = Endpoints("events", "The events of a match, in order: page by page, or as they happen.")

blueprint.answers.append(CloudEvent)  # for the document: it is the form of some answers, by `Accept`

_EXAMINED: Final = 500
"""The number of events that are read at a time to find those of the requested types."""

_LIMIT: Final = 100


@blueprint.endpoint(
    "GET",
    "/v1/matches/<match_id>/events",
    {
        200: Success(
            "The events after `after`: a page, or a stream. The `next` of a page is the `after` of the next "
            "one.",
            EventPage,
            ("Link", "Match-Head"),
            others={**STREAMED, **AS_BATCH},
        )
    },
    caller=Caller.ANYBODY,
    query=EventQuerySchema(),
    headers=("Last-Event-ID",),
    refusals=(*ABOUT_MATCH, "cursor_ahead", "too_many_streams", "streams_exhausted"),
)
def list_events(caller: Token | None, match_id: str, query: dict[str, Any], media_type: str) -> Response:
    """List the events of a match in order, page by page, or follow them as they happen.

    `Accept` chooses the form: a page of JSON or of CloudEvents, server-sent events, or lines. Parameters of
    other forms are refused: `limit` and `wait` are for pages, `follow` is for lines. Fold the events to get
    the state at any version; their hashes show that none was changed. If `after` is beyond the last event,
    the problem is `cursor_ahead`.
    """
    require_fitting(query, media_type)
    loaded = visible_match(match_id, caller)
    after = begin_after(query, media_type)
    if after > loaded.version:
        raise cursor_ahead(loaded.version, pointer=cursor_pointer(media_type))
    if media_type in FORMATS:
        return _streamed(loaded, caller, after, query, FORMATS[media_type])
    return _paged(loaded, caller, after, query, media_type)


def _streamed(
    loaded: Loaded, caller: Token | None, after: int, query: dict[str, Any], stream_format: StreamFormat
) -> Response:
    types = frozenset(query["types"]) if "types" in query else None
    feed = Feed(loaded.match_id, stream_format, types)
    body: Iterable[bytes]
    if request.method == "HEAD":
        body = iter(())  # no list: it would be counted
    elif stream_format is NDJSON and not query.get("follow"):
        matches = services().matches
        body = finite_stream(matches, feed, read_on(matches, feed, after))
    else:
        body = LiveStream(services(), request.environ, MatchSource(services(), feed), after, admit(caller))
    response = Response(body, content_type=stream_format.content_type, direct_passthrough=True)
    response.headers.update({**receipt_of(loaded), **NOT_BUFFERED})
    return response


def _paged(
    loaded: Loaded, caller: Token | None, after: int, query: dict[str, Any], media_type: str
) -> Response:
    """A page of events; with `wait`, as soon as it is not empty."""
    limit, types, wait_s = query.get("limit", _LIMIT), query.get("types"), query.get("wait", 0)
    examined, found = _next_events(loaded, after, limit, types)
    if found or not wait_s or is_over(loaded.state):
        return _page(loaded, found, examined, media_type)

    def look() -> Response | None:
        now = visible_match(loaded.match_id, caller)
        last, events = _next_events(now, examined, limit, types)
        return _page(now, events, last, media_type) if events or is_over(now.state) else None

    subscription = services().watcher.news_of(loaded.match_id, caller.account_id if caller else "")
    return wait_for(subscription, wait_s, look) or _page(
        visible_match(loaded.match_id, caller), [], examined, media_type
    )


def _next_events(
    loaded: Loaded, after: int, limit: int, types: list[str] | None
) -> tuple[int, list[Envelope]]:
    """The last sequence that was examined, and the events found; none only at the head."""
    found: list[Envelope] = []
    while not found and after < loaded.version:
        # Not beyond the loaded version: the receipt names its last event.
        count = min(limit if types is None else _EXAMINED, loaded.version - after)
        events = services().matches.history.events(loaded.match_id, after, count)
        found = [event for event in events if types is None or event.type in types][:limit]
        after = found[-1].sequence if len(found) == limit else events[-1].sequence
    return after, found


def _page(loaded: Loaded, found: list[Envelope], examined: int, media_type: str) -> Response:
    following = str(examined) if examined < loaded.version else None
    body = batch(found) if media_type == BATCH else EventPage(items=tuple(found), next=following)
    answer = json_answer(body, 200, receipt_of(loaded), media_type)
    if following is not None:
        query = {**request.args.to_dict(), "after": following}
        answer.headers["Link"] = f'<{request.path}?{urlencode(query)}>; rel="next"'
    return answer


@blueprint.endpoint(
    "GET",
    "/v1/matches/<match_id>/events/<int:sequence>",
    {
        200: Success(
            "The event, which never changes.",
            {"$ref": "#/components/schemas/Event"},
            (*RECEIPT, "Vary"),
            others=AS_CLOUD_EVENT,
        ),
        304: Success(NOT_MODIFIED.description, headers=(*RECEIPT, "Vary")),
    },
    caller=Caller.ANYBODY,
    headers=("If-None-Match",),
    refusals=(*ABOUT_MATCH, "event_not_found", "not_found"),
)
def show_event(caller: Token | None, match_id: str, sequence: int, media_type: str) -> Response:
    """Show one event, also as a CloudEvent.

    Events never change and can be cached forever. `Accept` chooses the form.
    """
    loaded = visible_match(match_id, caller)
    if not request.path.endswith(f"/{sequence}"):
        # Each event has one address: `01` and digits of other scripts do not count.
        raise Problem("not_found")
    if not 1 <= sequence <= loaded.version:
        detail = f"the match has events 1 to {loaded.version}"
        raise Problem("event_not_found", detail, extra=ProblemExtra(max_version=loaded.version))
    event = services().matches.history.events(match_id, sequence - 1, 1)[0]
    etag, headers = event.hash.removeprefix("sha-256:"), {**kept_for_ever(loaded), "Vary": "Accept"}
    if media_type == MEDIA_TYPE:
        return cached_answer(cloud_event(event), f"{etag}-cloud", headers, media_type)
    return cached_answer(event, etag, headers)


@blueprint.endpoint(
    "GET",
    "/v1/event-types",
    {200: Success("All event types, in the order of their occurrence in a match.", EventTypePage)},
)
def list_event_types() -> Response:
    """List the event types, each with its JSON Schema (draft 2020-12)."""
    return json_answer(EventTypePage(items=_event_types(), next=None), 200, PUBLIC)


@cache
def _event_types() -> tuple[EventType, ...]:
    return tuple(
        [
            EventType(type=tag, schema=SCHEMA[tag], description=description(tag), json_schema=standalone(tag))
            for tag in REGISTRY
        ]
    )
