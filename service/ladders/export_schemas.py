"""What is given of ladders to be kept: results, matches and the history."""

from typing import Any, Final

from marshmallow import Schema

from contract.names import LadderLineKind
from contract.values import GREATEST
from service.contract.fields import QueryInteger, one_of

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
