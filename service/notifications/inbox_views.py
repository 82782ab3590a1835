"""The inbox of the caller: its notifications as pages, long polls and streams."""

from collections.abc import Iterable, Iterator
from typing import Any, Final
from urllib.parse import urlencode

import msgspec
from flask import Response, request

from contract.notifications import NotificationPage
from events.notifications.inbox import Numbered
from events.store.outbox import inbox_topic
from service.accounts.tokens import Token
from service.context import services
from service.edge.answers import json_answer
from service.edge.problems import cursor_ahead
from service.live.feeds import FORMATS, NDJSON
from service.live.long_polls import wait_for
from service.live.stream_requests import NOT_BUFFERED, admit, begin_after, cursor_pointer, require_fitting
from service.live.streams import LiveStream
from service.notifications.inbox_source import InboxSource, is_of
from service.notifications.notification_schemas import STREAMED, InboxQuerySchema
from service.openapi.endpoints import Caller, Endpoints, Success

blueprint = Endpoints(
    "notifications",
    "Notifications of the caller: turns, invitations, finished matches and rounds, page by page or as they "
    "happen.",
)

_LIMIT: Final = 100
_EXAMINED: Final = 500
"""The number of notifications that are read at a time to find those of the requested types."""


@blueprint.endpoint(
    "GET",
    "/v1/me/events",
    {
        200: Success(
            "The notifications after `after`: a page, or a stream. The `next` of a page is the `after` of "
            "the next one.",
            NotificationPage,
            ("Link",),
            others=STREAMED,
        )
    },
    caller=Caller.ACCOUNT,
    scope="play",
    query=InboxQuerySchema(),
    headers=("Last-Event-ID",),
    refusals=("cursor_ahead", "too_many_streams", "streams_exhausted"),
)
def list_my_events(caller: Token, query: dict[str, Any], media_type: str) -> Response:
    """List the notifications of the caller in order, page by page, or follow them as they happen.

    The first request begins the inbox: from then on, notifications are kept while the account has a webhook,
    and for seven days after each request. The last 1000 are kept, for 30 days after the newest. Sequences
    have no gaps: if the first one that you get is not the one after yours, older ones are gone. What still
    waits for you is in `GET /v1/me/turns` and `GET /v1/me/invitations`. `Accept` and the parameters are as
    for the events of a match.
    """
    require_fitting(query, media_type)
    after = begin_after(query, media_type)
    services().inbox.subscribe(caller.account_id)
    last = services().inbox.last(caller.account_id)
    if after > last:
        raise cursor_ahead(last, "notification", cursor_pointer(media_type))
    types = frozenset(query["types"]) if "types" in query else None
    if media_type in FORMATS:
        return _streamed(caller, after, query, media_type, types)
    return _paged(caller, after, query, types)


def _streamed(
    caller: Token, after: int, query: dict[str, Any], media_type: str, types: frozenset[str] | None
) -> Response:
    form = FORMATS[media_type]
    source = InboxSource(services(), caller.account_id, form, types)
    body: Iterable[bytes]
    if request.method == "HEAD":
        body = iter(())  # no list: it would be counted
    elif form is NDJSON and not query.get("follow"):
        body = _finite(source, after)
    else:
        body = LiveStream(services(), request.environ, source, after, admit(caller))
    response = Response(body, content_type=form.content_type, direct_passthrough=True)
    response.headers.update(NOT_BUFFERED)
    return response


def _finite(source: InboxSource, after: int) -> Iterator[bytes]:
    while True:
        portion = source.read(after)
        yield portion.data
        if portion.is_at_head:
            return
        after = portion.after


def _paged(caller: Token, after: int, query: dict[str, Any], types: frozenset[str] | None) -> Response:
    """A page of notifications; with `wait`, as soon as it is not empty."""
    limit, wait_s = query.get("limit", _LIMIT), query.get("wait", 0)

    def look() -> Response | None:
        examined, found = _next(caller.account_id, after, limit, types)
        return _page(found, examined, services().inbox.last(caller.account_id)) if found else None

    subscription = services().watcher.news_of(inbox_topic(caller.account_id), caller.account_id)
    return wait_for(subscription, wait_s, look) or _page([], after, after)


def _next(
    account_id: str, after: int, limit: int, types: frozenset[str] | None
) -> tuple[int, list[Numbered]]:
    """The last sequence that was examined, and the notifications found; none only at the end."""
    count = limit if types is None else _EXAMINED
    while read := services().inbox.after(account_id, after, count):
        found = [one for one in read if is_of(one, types)][:limit]
        after = found[-1].sequence if len(found) == limit else read[-1].sequence
        if found:
            return after, found
    return after, []


def _page(found: list[Numbered], examined: int, last: int) -> Response:
    following = str(examined) if examined < last else None
    items: Any = tuple([msgspec.Raw(one.document) for one in found])
    answer = json_answer(NotificationPage(items=items, next=following))
    if following is not None:
        query = {**request.args.to_dict(), "after": following}
        answer.headers["Link"] = f'<{request.path}?{urlencode(query)}>; rel="next"'
    return answer
