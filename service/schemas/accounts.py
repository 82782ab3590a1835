"""Accounts and tokens."""

from typing import Final

from marshmallow import Schema, ValidationError, fields, validate, validates

from events.strategies import STRATEGIES
from service.schemas.fields import instant, list_of, matching, nested, one_of, prose
from service.schemas.names import SCOPE

HANDLE: Final = r"[A-Za-z0-9_-]{3,32}"

_SCOPES = list_of(one_of(SCOPE), 1, len(SCOPE.names), required=True)


class NewAccountSchema(Schema):
    """An account to be made."""

    handle = matching(
        HANDLE,
        required=True,
        metadata={"description": "Not one that begins with acc_, and not the name of a built-in player."},
    )

    @validates("handle")
    def _means_no_other(self, value: str, **options: object) -> None:
        """Where a player is named, a handle must not be taken for something else."""
        if value.lower().startswith("acc_") or value.lower() in STRATEGIES:
            raise ValidationError("the handle is reserved")


class AccountWithTokenSchema(Schema):
    """A new account and its first token."""

    account_id = fields.String(required=True)
    handle = fields.String(required=True)
    token = fields.String(required=True)


class TokenSchema(Schema):
    """A token without its secret."""

    token_id = fields.String(required=True)
    name = fields.String(required=True)
    scopes = _SCOPES
    created_at = instant(required=True)
    expires_at = instant(required=True)


class MeSchema(Schema):
    """The account of the caller, and the token that speaks for it."""

    account_id = fields.String(required=True)
    handle = fields.String(required=True)
    created_at = instant(required=True)
    token = nested(TokenSchema(), required=True)


class NewTokenSchema(Schema):
    """A token to be made. Without `expires_at` it holds for 90 days."""

    name = prose(64, 1, required=True)
    scopes = list_of(one_of(SCOPE), 1, len(SCOPE.names), required=True)
    expires_at = fields.String(
        load_default=None,
        allow_none=True,
        validate=validate.Length(max=40),
        metadata={
            "format": "date-time",
            "description": "RFC 3339 with a time zone; at most 366 days ahead.",
        },
    )


class TokenWithSecretSchema(TokenSchema):
    """A new token with its secret."""

    token = fields.String(required=True)


class TokenPageSchema(Schema):
    """The tokens of an account."""

    items = list_of(nested(TokenSchema()), required=True)
    next = fields.String(required=True, allow_none=True)
