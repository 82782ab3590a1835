"""What is given of ladders to be kept: results, matches and the history."""

from typing import Any, Final

from marshmallow import Schema, fields

from domain.ladder.events import REGISTRY
from service.contract.fields import (
    GREATEST,
    HASH,
    Names,
    QueryInteger,
    instant,
    integer,
    list_of,
    matching,
    nested,
    one_of,
)
from service.ladders.ladder_schemas import LADDER_ID

LADDER_EVENT_TYPE: Final = Names("LadderEventTypeName", "The types of events of a ladder.", (*REGISTRY,))

CSV: Final = "text/csv"

LINE_KIND: Final = Names(
    "LadderLineKind", "The kinds of lines of a ladder's results.", ("ladder", "entry", "result")
)

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
        LINE_KIND,
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


class LadderEventSchema(Schema):
    """One fact of a ladder, for ever."""

    ladder_id = matching(LADDER_ID, required=True)
    sequence = integer(1, required=True)
    type = one_of(LADDER_EVENT_TYPE, required=True)
    schema = integer(1, required=True)
    time = instant(required=True)
    actor = fields.String(required=True, metadata={"description": "`account:` and an id, or `service`."})
    command_id = fields.String(required=True)
    data = fields.Dict(
        keys=fields.String(),
        required=True,
        metadata={"description": "The members of the event; docs/ladders.md tells of each type."},
    )
    previous_hash = matching(HASH, required=True, metadata={"description": "Of the first event 64 zeros."})
    hash = matching(
        HASH,
        required=True,
        metadata={"description": "The SHA-256 of all other members as canonical JSON (RFC 8785)."},
    )


class LadderEventPageSchema(Schema):
    """One page of the history, in its order."""

    items = list_of(nested(LadderEventSchema()), required=True)
    next = fields.String(required=True, allow_none=True)
