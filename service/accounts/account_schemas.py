"""Accounts and tokens."""

from typing import Final

from marshmallow import Schema, ValidationError, fields, validate, validates

from service.accounts.handles import is_reserved
from service.accounts.seating import DEFAULT, MOST_LISTED
from service.contract.fields import instant, list_of, matching, nested, one_of, prose
from service.contract.names import SCOPE, SEATING

HANDLE: Final = r"[A-Za-z0-9_-]{3,32}"

_SCOPES = list_of(one_of(SCOPE), 1, len(SCOPE.names), required=True)


class NewAccountSchema(Schema):
    """An account to be made."""

    handle = matching(
        HANDLE,
        required=True,
        metadata={
            "description": "Not one that begins with acc_, and none that could be taken for the service, its "
            "people or a built-in player, such as `admin`."
        },
    )
    seating = one_of(SEATING, load_default=DEFAULT)

    @validates("handle")
    def _means_no_other(self, value: str, **options: object) -> None:
        """Where a player is named, a handle must not be taken for something else."""
        if is_reserved(value):
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
    seating = one_of(SEATING, required=True)
    token = nested(TokenSchema(), required=True)


class ChangedAccountSchema(Schema):
    """What of the account is to change; what is left out stays."""

    seating = one_of(SEATING)


class ListedAccountSchema(Schema):
    """An account on a list."""

    account_id = fields.String(required=True)
    handle = fields.String(required=True)


class AccountListSchema(Schema):
    """All accounts on a list."""

    items = list_of(nested(ListedAccountSchema()), 0, MOST_LISTED, required=True)
    next = fields.String(required=True, allow_none=True)


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
