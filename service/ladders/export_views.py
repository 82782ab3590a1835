"""Exports of ladders: results and matches as lines of JSON and as CSV, in chunks, and the event stream."""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final
from urllib.parse import urlencode

import msgspec
from flask import Response, request
from marshmallow import Schema

from contract.ladders import LadderEvent, LadderEventPage
from contract.names import LadderLineKind
from contract.values import GREATEST, Timestamp
from domain.ladder.results import EntryLine, LadderLine, Line, ResultLine, lines, lines_of_test, write
from events.ladders.ladders import Ladder, LadderEnvelope, envelopes
from service.edge.answers import json_answer
from service.edge.guard import Limit
from service.edge.problems import cursor_ahead, problem_at
from service.ladders.ladders import ABOUT_LADDER, PUBLIC, ladder_named, season_of, test_named
from service.ladders.table_views import SeasonQuerySchema
from service.live.feeds import NDJSON
from service.openapi.endpoints import Endpoints, Success
from service.openapi.fields import QueryInteger, one_of, query_after

blueprint = Endpoints(
    "ladder exports", "The results, matches and events of a ladder, for archiving and checks."
)

CSV: Final = "text/csv"
Cells = list[str | int | None]
"""A row of CSV."""

KINDS: Final = {"ladder": LadderLine, "entry": EntryLine, "result": ResultLine}
"""The lines of results, by their `kind`."""
_AT_ONCE: Final = 200
"""The number of lines per chunk."""
_RESULT: Final = ("season", "round", "block", "rotation", "match_id", "winner", "turns", "version", "head")
_OF_SEAT: Final = ("entry", "timeouts", "errors", "luck_coins", "luck_wins")

_encode: Final = msgspec.json.Encoder().encode


class MatchLine(msgspec.Struct, frozen=True):
    """A match that counts, with the addresses of its events and its verification."""

    season: int
    round: int
    block: int
    rotation: int
    match_id: str
    winner: int
    version: int
    head: str
    """The hash of its last event."""
    seats: tuple[str, ...]
    """Entries, by seat; empty for a stand-in."""
    events: str
    verification: str


_MATCH: Final = tuple([name for name in MatchLine.__struct_fields__ if name != "seats"])


class ResultsQuerySchema(SeasonQuerySchema):
    """The season or the test of an export."""

    test = QueryInteger(
        1,
        GREATEST,
        metadata={"description": "A sequential test instead of the season, by its `test_id`, such as `2`."},
    )


class LinesQuerySchema(ResultsQuerySchema):
    """The season or the test of an export, and the kind of lines."""

    kind = one_of(
        LadderLineKind,
        metadata={"description": "Only lines of this kind; by default all lines, which ratings need."},
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
All numbers are integers. The order of the lines has no meaning.""",
}
_RESULT_COLUMNS: Final = """\
A header line, and one line per result: `season`, `round`, `block`, `rotation`, `match_id`, `winner`, \
`turns`, `version`, `head`, and for each seat, here 0, `entry_0`, `timeouts_0`, `errors_0`, `luck_coins_0` \
and `luck_wins_0`; luck is empty if it was not measured. The last columns are the names of the entries by \
seat, `name_0` and so on, preceded by a `'` if a spreadsheet could take the name for a formula."""
AS_CSV: Final = {CSV: {"schema": {"type": "string", "description": _RESULT_COLUMNS}}}

MATCH_LINES: Final[dict[str, Any]] = {
    "type": "string",
    "description": """\
Lines of JSON, one for each match that counts: `season`, `round`, `block`, `rotation`, `match_id`, `seats` \
(entries, by seat), `winner`, `version`, `head`, and the addresses `events` and `verification`.""",
}
_MATCH_COLUMNS: Final = """\
A header line, and one line per match: `season`, `round`, `block`, `rotation`, `match_id`, `winner`, \
`version`, `head`, `events`, `verification`, and by seat `entry_0` and so on, and the names `name_0` and so \
on, preceded by a `'` if a spreadsheet could take the name for a formula."""
MATCHES_AS_CSV: Final = {CSV: {"schema": {"type": "string", "description": _MATCH_COLUMNS}}}


class LadderEventQuerySchema(Schema):
    """Range of events."""

    after = query_after()
    limit = QueryInteger(1, 500, load_default=100, metadata={"description": "The most events per page."})


_REFUSALS = (*ABOUT_LADDER, "season_not_found", "test_not_found", "validation_failed", "not_acceptable")


@blueprint.endpoint(
    "GET",
    "/v1/ladders/<ladder_id>/results",
    {200: Success("The results so far.", RESULT_LINES, ("Vary",), NDJSON.media_type, AS_CSV)},
    query=LinesQuerySchema(),
    refusals=_REFUSALS,
    limit=Limit.AUDITS,
)
def list_results(ladder_id: str, query: dict[str, Any], media_type: str) -> Response:
    """Export the results of a season, from which its ratings are computed.

    `Accept` chooses lines of JSON or CSV. From the saved lines, `machi ladder rate FILE` computes the table
    on any machine, to the last digit. Results are only ever added. Blocks are complete and in the order of
    their numbers. There are no results before the first round. With `kind`, all lines have the same members.
    """
    ladder, kind = ladder_named(ladder_id), query.get("kind")
    found = _wanted(ladder, query)
    if media_type != CSV:
        chosen = (line for line in found if kind is None or isinstance(line, KINDS[kind]))
        return _download(ladder, _joined(write([line]) for line in chosen), media_type, "results")
    if kind not in (None, "result"):
        raise problem_at("/kind", "kind: CSV has only results")
    head = [*_RESULT, *[f"{name}_{seat}" for seat in range(ladder.state.config.seats) for name in _OF_SEAT]]
    return _download(ladder, _as_csv(ladder, head, found, _result_row), media_type, "results")


def _wanted(ladder: Ladder, query: dict[str, Any]) -> Iterator[Line]:
    """The lines from which the season's ratings, or the test, are computed; none before the first season.

    Raises:
        Problem: the season or the test does not exist, or the test belongs to another season.
    """
    season = season_of(ladder.state, query)
    if "test" not in query:
        return lines(ladder.id, ladder.state, season) if season else iter(())
    test = test_named(ladder, str(query["test"]))
    if query.get("season", test.season) != test.season:
        raise problem_at("/test", f"test {test.number} belongs to season {test.season}")
    return lines_of_test(ladder.id, ladder.state, test)


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
    {200: Success("The matches so far.", MATCH_LINES, ("Vary",), NDJSON.media_type, MATCHES_AS_CSV)},
    query=ResultsQuerySchema(),
    refusals=_REFUSALS,
    limit=Limit.AUDITS,
)
def list_ladder_matches(ladder_id: str, query: dict[str, Any], media_type: str) -> Response:
    """Export the matches of a season that count, each with the hash of its last event.

    Each is an ordinary match: read its events or its verification, and compare the last hash with `head`.
    `Accept` chooses lines of JSON or CSV.
    """
    ladder = ladder_named(ladder_id)
    found = _wanted(ladder, query)
    if media_type != CSV:
        matches = (_match(line) for line in found if isinstance(line, ResultLine))
        return _download(ladder, _joined(_encode(match) + b"\n" for match in matches), media_type, "matches")
    head = [*_MATCH, *[f"entry_{seat}" for seat in range(ladder.state.config.seats)]]
    return _download(ladder, _as_csv(ladder, head, found, _match_row), media_type, "matches")


@blueprint.endpoint(
    "GET",
    "/v1/ladders/<ladder_id>/events",
    {200: Success("The events after `after`.", LadderEventPage, ("Link",))},
    query=LadderEventQuerySchema(),
    refusals=(*ABOUT_LADDER, "cursor_ahead"),
)
def list_ladder_events(ladder_id: str, query: dict[str, Any]) -> Response:
    """List the events of a ladder in order.

    Each event contains the hash of the previous one, so none can be changed or removed without changing all
    that follow. `next` is the `after` of the next page. If `after` is beyond the last event, the problem is
    `cursor_ahead`.
    """
    ladder, after = ladder_named(ladder_id), query["after"]
    if after > ladder.version:
        raise cursor_ahead(ladder.version)
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


def _result_row(result: ResultLine) -> Cells:
    row: Cells = [getattr(result, name) for name in _RESULT]
    coins = result.luck.coins if result.luck else None
    wins = result.luck.wins if result.luck else None
    for seat, entry in enumerate(result.seats):
        luck = [one[seat] if one else None for one in (coins, wins)]
        row += [entry, result.timeouts[seat], result.errors[seat], *luck]
    return row


def _match(result: ResultLine) -> MatchLine:
    path = f"/v1/matches/{result.match_id}"
    return MatchLine(
        season=result.season,
        round=result.round,
        block=result.block,
        rotation=result.rotation,
        match_id=result.match_id,
        winner=result.winner,
        version=result.version,
        head=result.head,
        seats=result.seats,
        events=f"{path}/events",
        verification=f"{path}/verification",
    )


def _match_row(result: ResultLine) -> Cells:
    match = _match(result)
    return [*[getattr(match, name) for name in _MATCH], *match.seats]


def _as_csv(
    ladder: Ladder, head: Sequence[str], found: Iterable[Line], cells: Callable[[ResultLine], Cells]
) -> Iterator[bytes]:
    """The results as CSV (RFC 4180), followed by the names of the entries by seat; empty for a stand-in."""
    names = {entry.id: _no_formula(entry.name) for entry in ladder.state.entries}
    yield _row([*head, *[f"name_{seat}" for seat in range(ladder.state.config.seats)]])
    results = (line for line in found if isinstance(line, ResultLine))
    yield from _joined(_row([*cells(one), *[names.get(entry, "") for entry in one.seats]]) for one in results)


def _no_formula(name: str) -> str:
    """The name, escaped so that a spreadsheet does not take it for a formula."""
    return f"'{name}" if name.startswith(("=", "+", "-", "@")) else name


def _row(values: Sequence[object]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerow(values)
    return text.getvalue().encode()


def _joined(texts: Iterable[bytes]) -> Iterator[bytes]:
    rest = iter(texts)
    while chunk := b"".join([*islice(rest, _AT_ONCE)]):
        yield chunk
