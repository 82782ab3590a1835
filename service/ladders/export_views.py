"""What ladders give to be kept and checked: results, matches, and the history with its hashes."""

from collections.abc import Iterable
from typing import Any, Final
from urllib.parse import urlencode

from flask import Response, request
from marshmallow import Schema

from contract.ladders import LadderEvent, LadderEventPage
from contract.names import LadderLineKind
from contract.values import GREATEST, Timestamp
from domain.ladder.state import Round
from events.ladders.entries import Ladder, LadderEnvelope, envelopes
from service.edge.answers import json_answer
from service.edge.guard import Limit
from service.edge.problems import Problem, at
from service.ladders.exports import match_lines, match_rows, result_lines, result_rows
from service.ladders.ladders import ABOUT_LADDER, PUBLIC, ladder_named, season_of, test_named
from service.live.feeds import NDJSON
from service.openapi.endpoints import Answer, Endpoints
from service.openapi.fields import QueryInteger, one_of

blueprint = Endpoints("ladder exports", "Results, matches and history of ladders, to be kept and checked.")

CSV: Final = "text/csv"

_SEASON: Final = QueryInteger(
    1,
    GREATEST,
    metadata={"description": "The results of this season, such as `1`; of the open one if it is left out."},
)
_TEST: Final = QueryInteger(
    1,
    GREATEST,
    metadata={"description": "Those of a sequential test instead, by its `test_id`, such as `2`."},
)


class ResultsQuerySchema(Schema):
    """Whose results."""

    season = _SEASON
    test = _TEST


class LinesQuerySchema(ResultsQuerySchema):
    """Whose results, and which lines."""

    kind = one_of(
        LadderLineKind,
        metadata={"description": "Only the lines of this kind; all of them, which ratings need, without it."},
    )


RESULT_LINES: Final[dict[str, Any]] = {
    "type": "string",
    "description": """\
Lines of JSON, each an object with its `kind`: one `ladder` (`ladder`, `name`, `season`, `config`, \
`digest`), an `entry` (`entry`, `player`, `name`, `owner`) for each entry, and a `result` for each match \
that counts: `ladder`, `season`, `round`, `block`, `rotation`, `match_id`, `seats` (entries, by seat; empty \
for a stand-in), `winner` (a seat), `turns`, `version`, `head` (the hash of the match's last event), \
`timeouts` and `errors` (by seat), `luck` (`coins` in thousandths of a coin and `wins` in millionths of a \
win, by seat, or null). \
Whole numbers only. The order of lines means nothing.""",
}
_RESULT_COLUMNS: Final = """\
A result a line, with a line of names first: `season`, `round`, `block`, `rotation`, `match_id`, `winner`, \
`turns`, `version`, `head`, and for each seat, here 0, `entry_0`, `timeouts_0`, `errors_0`, `luck_coins_0` \
and `luck_wins_0`, which are empty where they were not measured. At the end, by seat, `name_0` and so on: \
what the entry is called, behind a `'` where a spreadsheet could take it for a formula."""
AS_CSV: Final = {CSV: {"schema": {"type": "string", "description": _RESULT_COLUMNS}}}

MATCH_LINES: Final[dict[str, Any]] = {
    "type": "string",
    "description": """\
Lines of JSON, one for each match that counts: `season`, `round`, `block`, `rotation`, `match_id`, `seats` \
(entries, by seat), `winner`, `version`, `head`, and the addresses `events` and `verification`.""",
}
_MATCH_COLUMNS: Final = """\
A match a line, with a line of names first: `season`, `round`, `block`, `rotation`, `match_id`, `winner`, \
`version`, `head`, `events`, `verification`, and by seat `entry_0` and so on, and `name_0` and so on: what \
the entry is called, behind a `'` where a spreadsheet could take it for a formula."""
MATCHES_AS_CSV: Final = {CSV: {"schema": {"type": "string", "description": _MATCH_COLUMNS}}}


class LadderEventQuerySchema(Schema):
    """Which events are given."""

    after = QueryInteger(
        0,
        GREATEST,
        load_default=0,
        metadata={"description": "The last sequence already known, such as `42`; 0 for all events."},
    )
    limit = QueryInteger(1, 500, load_default=100, metadata={"description": "The most events on the page."})


_REFUSALS = (*ABOUT_LADDER, "season_not_found", "test_not_found", "validation_failed", "not_acceptable")


@blueprint.endpoint(
    "GET",
    "/v1/ladders/<ladder_id>/results",
    {200: Answer("The results so far.", RESULT_LINES, ("Vary",), NDJSON.media_type, AS_CSV)},
    query=LinesQuerySchema(),
    refusals=_REFUSALS,
    limit=Limit.AUDITS,
)
def list_results(ladder_id: str, query: dict[str, Any], media_type: str) -> Response:
    """Give the results of a season: all that its ratings follow from.

    `Accept` chooses lines of JSON or CSV. Save the lines, and `machi ladder rate FILE` computes the table on
    any machine, to the last digit. Results are only ever added; blocks come in the order of their numbers
    and whole. Before the first round there are none. With `kind` all lines have the same members.
    """
    ladder, kind = ladder_named(ladder_id), query.get("kind")
    season, test = _wanted(ladder, query)
    if media_type == CSV and kind not in (None, "result"):
        raise at("/kind", "kind: CSV has results alone")
    body = (
        result_rows(ladder, season, test) if media_type == CSV else result_lines(ladder, season, test, kind)
    )
    return _download(ladder, body, media_type, "results")


def _wanted(ladder: Ladder, query: dict[str, Any]) -> tuple[int, Round | None]:
    """The season, and the test if one is asked for.

    Raises:
        Problem: there is none, or the test is not of that season.
    """
    season = season_of(ladder.state, query)
    test = test_named(ladder, str(query["test"])) if "test" in query else None
    if test is not None and query.get("season", test.season) != test.season:
        raise at("/test", f"test {test.number} is of season {test.season}")
    return season, test


def _download(ladder: Ladder, body: Iterable[bytes], media_type: str, what: str) -> Response:
    content_type = f"{CSV}; charset=utf-8; header=present" if media_type == CSV else media_type
    shown = iter(()) if request.method == "HEAD" else body
    response = Response(shown, content_type=content_type, direct_passthrough=True)
    ending = "csv" if media_type == CSV else "ndjson"
    name = f'attachment; filename="{ladder.id}-{what}.{ending}"'
    response.headers.update({**PUBLIC, "Content-Disposition": name, "Vary": "Accept"})
    return response


@blueprint.endpoint(
    "GET",
    "/v1/ladders/<ladder_id>/matches",
    {200: Answer("The matches so far.", MATCH_LINES, ("Vary",), NDJSON.media_type, MATCHES_AS_CSV)},
    query=ResultsQuerySchema(),
    refusals=_REFUSALS,
    limit=Limit.AUDITS,
)
def list_ladder_matches(ladder_id: str, query: dict[str, Any], media_type: str) -> Response:
    """Give the matches of a season that count, each with the hash of its last event.

    Each is an ordinary match: read its events, or have it verified, and compare `head` with what you find.
    `Accept` chooses lines of JSON or CSV.
    """
    ladder = ladder_named(ladder_id)
    season, test = _wanted(ladder, query)
    made = match_rows if media_type == CSV else match_lines
    return _download(ladder, made(ladder, season, test), media_type, "matches")


@blueprint.endpoint(
    "GET",
    "/v1/ladders/<ladder_id>/events",
    {200: Answer("The events behind `after`.", LadderEventPage, ("Link",))},
    query=LadderEventQuerySchema(),
    refusals=(*ABOUT_LADDER, "cursor_ahead"),
)
def list_ladder_events(ladder_id: str, query: dict[str, Any]) -> Response:
    """List everything that happened in a ladder, in its order.

    Each event names the hash of the one before, so none can be changed or taken out without changing all
    that follow. `next` is the `after` of the next page. `after` beyond the last event is refused as
    `cursor_ahead`.
    """
    ladder, after = ladder_named(ladder_id), query["after"]
    if after > ladder.version:
        raise Problem("cursor_ahead", f"the last event is {ladder.version}", max_version=ladder.version)
    found = tuple([_event(one) for one in envelopes(ladder, after, query["limit"])])
    following = str(found[-1].sequence) if found and found[-1].sequence < ladder.version else None
    answer = json_answer(LadderEventPage(items=found, next=following))
    if following is not None:
        address = urlencode({**request.args.to_dict(), "after": following})
        answer.headers["Link"] = f'<{request.path}?{address}>; rel="next"'
    return answer


def _event(envelope: LadderEnvelope) -> LadderEvent:
    return LadderEvent(
        ladder_id=envelope.ladder_id,
        sequence=envelope.sequence,
        type=envelope.type,
        schema=envelope.schema,
        time=Timestamp.fromisoformat(envelope.time),
        actor=envelope.actor,
        command_id=envelope.command_id,
        data=envelope.data,
        previous_hash=envelope.previous_hash,
        hash=envelope.hash,
    )
