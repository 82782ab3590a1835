"""The log of a match: its events as sentences."""

from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import chain, islice
from typing import Any, Final
from urllib.parse import urlencode

from flask import Response, request
from marshmallow import Schema

from contract.events import LogLine, LogPage
from contract.names import Language
from contract.values import Timestamp, encode
from domain.languages.narrate import narrate, seat_of
from domain.match.events import type_name
from domain.match.evolve import begin, fold
from domain.match.state import MatchState
from events.matches.entries import Loaded
from events.matches.replay import entries_of
from events.store.records import Store
from service.accounts.tokens import Token
from service.context import services
from service.edge.answers import cached_answer
from service.edge.guard import Limit
from service.edge.languages import (
    LANGUAGE_HEADERS,
    LANGUAGE_REQUEST_HEADER,
    NOT_MODIFIED_HEADERS,
    chosen_language,
    language_headers,
)
from service.edge.problems import cursor_ahead, problem_at
from service.matches.access import receipt_of, visible_match
from service.matches.match_views import ABOUT_MATCH
from service.openapi.endpoints import Caller, Endpoints, Success
from service.openapi.fields import QueryInteger, one_of, query_after

blueprint = Endpoints("log", "The events of a match as sentences, in one of five languages.")


class LogQuerySchema(Schema):
    """Range and language of a log."""

    after = query_after()
    limit = QueryInteger(
        1, 500, metadata={"description": "For pages only: the most lines per page; 100 by default."}
    )
    lang = one_of(
        Language,
        metadata={"description": "The language of the sentences, such as `uk`; overrides `Accept-Language`."},
    )


AS_TEXT: Final = {
    "text/plain": {
        "schema": {"type": "string", "description": "All sentences after `after`, one per line, in UTF-8."},
    },
}
"""The log as text, in the document."""


_LIMIT: Final = 100

_PART: Final = 500
"""The number of lines in each part of a text."""

_CHOSEN_BY: Final = {"Vary": f"Accept, {LANGUAGE_REQUEST_HEADER}"}


@blueprint.endpoint(
    "GET",
    "/v1/matches/<match_id>/log",
    {
        200: Success(
            "The events after `after`: a page, or all as text. The `next` of a page is the `after` of the "
            "next one.",
            LogPage,
            ("ETag", "Link", "Match-Head", *LANGUAGE_HEADERS),
            others=AS_TEXT,
        ),
        304: Success("The client's copy is current.", headers=("ETag", "Match-Head", *NOT_MODIFIED_HEADERS)),
    },
    caller=Caller.ANYBODY,
    query=LogQuerySchema(),
    headers=("If-None-Match", LANGUAGE_REQUEST_HEADER),
    refusals=(*ABOUT_MATCH, "cursor_ahead"),
    limit=Limit.AUDITS,
)
def show_log(caller: Token | None, match_id: str, query: dict[str, Any], media_type: str) -> Response:
    """Narrate a match, with one sentence per event.

    `Accept` chooses the form: a page of JSON, or plain text up to the last event, for which `limit` is
    refused. Seats are numbered from 0, as everywhere, and distinguish players of the same name. The wording
    can change with the version of the service; programs should use the events. If `after` is beyond the last
    event, the problem is `cursor_ahead`.
    """
    if media_type != "application/json" and "limit" in query:
        raise problem_at("/limit", "limit: only pages have a limit", "invalid_parameter")
    loaded = visible_match(match_id, caller)
    after, language = query["after"], chosen_language(query.get("lang"))
    if after > loaded.version:
        raise cursor_ahead(loaded.version)
    told = lines(services().matches.store, loaded, after, language)
    headers = {**receipt_of(loaded), **language_headers(language), **_CHOSEN_BY}
    if media_type != "application/json":
        return _as_text(told, headers)
    return _page(loaded, [*islice(told, query.get("limit", _LIMIT))], language, headers)


def _page(loaded: Loaded, told: list[LogLine], language: str, headers: dict[str, str]) -> Response:
    is_whole = not told or told[-1].sequence == loaded.version
    following = None if is_whole else str(told[-1].sequence)
    page = LogPage(items=tuple(told), next=following, language=language)
    # Not the version: the wording of a sentence can change.
    answer = cached_answer(page, sha256(encode(page)).hexdigest()[:16], headers)
    if following is not None and answer.status_code == 200:
        query = {**request.args.to_dict(), "after": following}
        answer.headers["Link"] = f'<{request.path}?{urlencode(query)}>; rel="next"'
    return answer


def _as_text(told: Iterator[LogLine], headers: dict[str, str]) -> Response:
    body: Iterable[bytes] = iter(())
    if request.method != "HEAD":
        parts = _parts(told)
        # The first part is made before the response begins, so that a corrupt match can still be reported.
        body = chain([next(parts, b"")], parts)
    return Response(body, 200, headers, content_type="text/plain; charset=utf-8", direct_passthrough=True)


def _parts(told: Iterator[LogLine]) -> Iterator[bytes]:
    while part := [line.text for line in islice(told, _PART)]:
        yield ("\n".join(part) + "\n").encode()


def lines(store: Store, loaded: Loaded, after: int, language: str) -> Iterator[LogLine]:
    """The lines of the events after the version `after`, up to the head of the loaded match.

    All events are folded from the first, because the sentences need the state before each event.

    Raises:
        StreamCorrupt, StoreUnavailable.
    """
    state: MatchState | None = None
    for entry, events in entries_of(store, loaded):
        time = Timestamp.at(entry.time_ms)
        for sequence, event in enumerate(events, entry.last - len(events) + 1):
            before = state if state is not None else begin(event)
            if sequence > after:
                yield LogLine(
                    sequence=sequence,
                    type=type_name(event),
                    time=time,
                    seat=seat_of(event, before),
                    text=narrate(event, before, language),
                )
            state = fold(state, (event,))
