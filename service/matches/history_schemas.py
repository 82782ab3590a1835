"""The past of a match: its states, and what lies between two of them."""

from typing import Final

from marshmallow import Schema

from contract.names import ReplayStates
from contract.values import GREATEST
from service.openapi.fields import QueryInteger, QueryList, one_of


class PastQuerySchema(Schema):
    """What comes with a state."""

    embed = QueryList(
        ("legal_commands", "event"),
        metadata={
            "description": "Parts that the answer is to hold too, comma-separated, such as "
            "`legal_commands,event`: what the seat to act could do at that version, and the event that led "
            "to it."
        },
    )


def _version(what: str, **options: object) -> QueryInteger:
    return QueryInteger(1, GREATEST, metadata={"description": what}, **options)


ReplayQuerySchema = Schema.from_dict(
    {
        "from": _version("The sequence of the first event, such as `1`.", load_default=1),
        "to": _version("The sequence of the last event, such as `42`; left out, that of the match so far."),
        "states": one_of(
            ReplayStates,
            load_default="full",
            metadata={"description": "How the states are told, such as `patch`."},
        ),
    },
    name="ReplayQuerySchema",
)

DiffQuerySchema = Schema.from_dict(
    {
        "from": _version("The version that the patch is for, such as `5`.", required=True),
        "to": _version(
            "The version that the patch leads to, such as `42`; may be the earlier.", required=True
        ),
    },
    name="DiffQuerySchema",
)


_LINES: Final = """\
An event a line, from `from` to `to`, each with the state after it: `{"event": ..., "state": ...}`, as \
`Event` and `State` have them. With `states=patch` it is `{"event": ..., "patch": [...]}`: the JSON Patch \
(RFC 6902) that makes this state from that of the line before, in operations as `PatchOperation` has them. \
The patch of the first line puts in the whole state, at the path `""`. A body that ends before `to` was \
cut."""

REPLAYED: Final = {"type": "string", "description": _LINES}
"""What the document says of a replay."""
