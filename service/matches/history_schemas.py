"""Query parameters of past states, replays and diffs, and the format of a replay."""

from typing import Final

from marshmallow import Schema

from contract.names import ReplayStates
from contract.values import GREATEST
from service.openapi.fields import QueryInteger, QueryList, one_of


class PastQuerySchema(Schema):
    """Parts of a past state."""

    embed = QueryList(
        ("legal_commands", "event"),
        metadata={
            "description": "Parts to include in the response, comma-separated, such as "
            "`legal_commands,event`: the legal commands at that version, and the event that led to it."
        },
    )


def _version(what: str, **options: object) -> QueryInteger:
    return QueryInteger(1, GREATEST, metadata={"description": what}, **options)


ReplayQuerySchema = Schema.from_dict(
    {
        "from": _version("The sequence of the first event, such as `1`.", load_default=1),
        "to": _version("The sequence of the last event, such as `42`; by default, the match's last event."),
        "states": one_of(
            ReplayStates,
            load_default="full",
            metadata={"description": "The form of the states, such as `patch`."},
        ),
    },
    name="ReplayQuerySchema",
)

DiffQuerySchema = Schema.from_dict(
    {
        "from": _version("The version that the patch applies to, such as `5`.", required=True),
        "to": _version(
            "The version that the patch leads to, such as `42`; it can be the earlier one.", required=True
        ),
    },
    name="DiffQuerySchema",
)


_LINES: Final = """\
One event per line, from `from` to `to`, with the state after it: `{"event": ..., "state": ...}`, an `Event` \
and a `State`. With `states=patch`, a line is `{"event": ..., "patch": [...]}`: the JSON Patch (RFC 6902) \
from the state of the previous line to this one, a list of `PatchOperation`. The first patch adds the \
complete state at the path `""`. If the body ends before `to`, it was cut."""

REPLAYED: Final = {"type": "string", "description": _LINES}
"""The schema of a replay."""
