"""Checkpoints and the keys that sign them."""

from typing import Final

from marshmallow import Schema, fields

from domain.audit.checkpoints import TYPE
from service.contract.fields import (
    GREATEST,
    HASH,
    QueryInteger,
    exactly,
    instant,
    integer,
    list_of,
    matching,
    nested,
    one_of,
)
from service.contract.names import MATCH_END

_KEY_ID: Final = r"[A-Za-z0-9_-]{1,32}"
_SIGNATURE: Final = r"[A-Za-z0-9+/]{86}=="
_PUBLIC_KEY: Final = r"[A-Za-z0-9+/]{43}="


class CheckpointSchema(Schema):
    """The end of a match, signed: a line of the log of all matches that ended.

    All members but `hash` and `signature` are what is signed, as canonical JSON (RFC 8785).
    """

    type = exactly(TYPE)
    number = integer(1, required=True, metadata={"description": "The line of the log: from 1, without gaps."})
    match_id = fields.String(
        required=True, allow_none=True, metadata={"description": "Null unless the match is public."}
    )
    match_digest = matching(HASH, required=True, metadata={"description": "The SHA-256 of the match id."})
    rules_version = fields.String(required=True)
    status = one_of(MATCH_END, required=True)
    version = integer(1, required=True, metadata={"description": "The number of the match's events."})
    head_hash = matching(HASH, required=True, metadata={"description": "The hash of the last of them."})
    time = instant(required=True, metadata={"description": "When that one was recorded."})
    key_id = matching(_KEY_ID, required=True, metadata={"description": "The key that signed it."})
    previous_hash = matching(
        HASH,
        required=True,
        metadata={"description": "The `hash` of the line before; of the first line 64 zeros."},
    )
    hash = matching(HASH, required=True, metadata={"description": "The SHA-256 of what is signed."})
    signature = matching(
        _SIGNATURE, required=True, metadata={"description": "Ed25519, over what is signed, in base64."}
    )


class CheckpointPageSchema(Schema):
    """One page of the log, in the order of numbers."""

    items = list_of(nested(CheckpointSchema()), required=True)
    next = fields.String(required=True, allow_none=True)


class CheckpointQuerySchema(Schema):
    """Which lines are given."""

    after = QueryInteger(
        0,
        GREATEST,
        load_default=0,
        metadata={"description": "The last number already known, such as `42`; 0 for all lines."},
    )
    limit = QueryInteger(
        1,
        500,
        metadata={"description": "Of a page alone: the most checkpoints in it; 100 if it is not given."},
    )


class SigningKeySchema(Schema):
    """A public key that signs checkpoints, or has signed some."""

    key_id = matching(_KEY_ID, required=True)
    algorithm = exactly("Ed25519")
    public_key = matching(
        _PUBLIC_KEY, required=True, metadata={"description": "Its 32 bytes (RFC 8032) in base64."}
    )
    is_current = fields.Boolean(required=True, metadata={"description": "Whether it signs now."})


class SigningKeyPageSchema(Schema):
    """All keys, the current one first."""

    items = list_of(nested(SigningKeySchema()), required=True)
    next = fields.String(required=True, allow_none=True)


_LINES: Final = (
    "A checkpoint a line, in the order of numbers, up to the last one there was when the request came."
)

AS_LINES: Final = {"application/x-ndjson": {"schema": {"type": "string", "description": _LINES}}}
"""The log in one piece, as the document describes it."""
