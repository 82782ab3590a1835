"""The log of a match: what happened, in sentences."""

from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import chain, islice
from typing import Any, Final
from urllib.parse import urlencode

from flask import Response, request
from marshmallow import Schema

from contract.events import LogLine, LogPage
from contract.names import Language
from contract.values import GREATEST, Timestamp, encode
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
from service.edge.languages import ASKED, HELD, TOLD, chosen_language, language_headers
from service.edge.problems import Problem, at
from service.matches.access import receipt_of, visible_match
from service.matches.match_views import ABOUT_MATCH
from service.openapi.endpoints import Answer, Caller, Endpoints
from service.openapi.fields import QueryInteger, one_of

blueprint = Endpoints("log", "A match in sentences, in one of five languages.")


class LogQuerySchema(Schema):
    """Which events are told, and how."""

    after = QueryInteger(
        0,
        GREATEST,
        load_default=0,
        metadata={"description": "The last sequence already known, such as `42`; 0 for all events."},
    )
    limit = QueryInteger(
        1, 500, metadata={"description": "Of a page alone: the most lines in it; 100 if it is not given."}
    )
    lang = one_of(
        Language,
        metadata={
            "description": "The language of the sentences, such as `uk`; goes before `Accept-Language`."
        },
    )


AS_TEXT: Final = {
    "text/plain": {
        "schema": {"type": "string", "description": "All sentences behind `after`, one a line, in UTF-8."},
    },
}
"""The other form of a log, as the document describes it."""


_LIMIT: Final = 100

_PART: Final = 500
"""Text goes out in parts of as many lines."""

_CHOSEN_BY: Final = {"Vary": f"Accept, {ASKED}"}


@blueprint.endpoint(
    "GET",
    "/v1/matches/<match_id>/log",
    {
        200: Answer(
            "The events behind `after`: a page, whose `next` is the `after` of the next one, or all as text.",
            LogPage,
            ("ETag", "Link", "Match-Head", *TOLD),
            others=AS_TEXT,
        ),
        304: Answer("The client holds it already.", headers=("ETag", "Match-Head", *HELD)),
    },
    caller=Caller.ANYBODY,
    query=LogQuerySchema(),
    headers=("If-None-Match", ASKED),
    refusals=(*ABOUT_MATCH, "cursor_ahead"),
    limit=Limit.AUDITS,
)
def show_log(caller: Token | None, match_id: str, query: dict[str, Any], media_type: str) -> Response:
    """Tell what happened, one sentence for each event.

    `Accept` chooses the form: a page of JSON, or plain text to the last event, for which `limit` is refused.
    Seats are numbered from 0, as everywhere; players of one name are told apart by them. The wording may
    change with the service: what a program needs stands in the events. `after` beyond the last event is
    refused as `cursor_ahead`.
    """
    if media_type != "application/json" and "limit" in query:
        raise at("/limit", "limit: a page has a limit, text has none", "invalid_parameter")
    loaded = visible_match(match_id, caller)
    after, language = query["after"], chosen_language(query.get("lang"))
    if after > loaded.version:
        detail = f"the last event is {loaded.version}"
        raise Problem("cursor_ahead", detail, max_version=loaded.version)
    told = lines(services().matches.store, loaded, after, language)
    headers = {**receipt_of(loaded), **language_headers(language), **_CHOSEN_BY}
    if media_type != "application/json":
        return _as_text(told, headers)
    return _page(loaded, [*islice(told, query.get("limit", _LIMIT))], language, headers)


def _page(loaded: Loaded, told: list[LogLine], language: str, headers: dict[str, str]) -> Response:
    is_whole = not told or told[-1].sequence == loaded.version
    following = None if is_whole else str(told[-1].sequence)
    page = LogPage(items=tuple(told), next=following, language=language)
    # Not the version: a sentence may be put in other words one day.
    answer = cached_answer(page, sha256(encode(page)).hexdigest()[:16], headers)
    if following is not None and answer.status_code == 200:
        query = {**request.args.to_dict(), "after": following}
        answer.headers["Link"] = f'<{request.path}?{urlencode(query)}>; rel="next"'
    return answer


def _as_text(told: Iterator[LogLine], headers: dict[str, str]) -> Response:
    body: Iterable[bytes] = ()
    if request.method != "HEAD":
        parts = _parts(told)
        # The first is made before the answer begins: what is wrong with the match can still be told.
        body = chain([next(parts, b"")], parts)
    return Response(body, 200, headers, content_type="text/plain; charset=utf-8", direct_passthrough=True)


def _parts(told: Iterator[LogLine]) -> Iterator[bytes]:
    while part := [line.text for line in islice(told, _PART)]:
        yield ("\n".join(part) + "\n").encode()


def lines(store: Store, loaded: Loaded, after: int, language: str) -> Iterator[LogLine]:
    """The lines of the events after the version `after`, up to the head of the loaded match.

    Whatever is told, all events are gone through from the first: who sits where, and what the turn is about,
    stands in them.

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
