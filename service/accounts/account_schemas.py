"""Accounts and tokens."""

from typing import Final

from marshmallow import Schema, ValidationError, fields, validate, validates

from contract.names import Scope, SeatingPolicy, declared
from service.accounts.handles import is_reserved
from service.accounts.seating import DEFAULT
from service.contract.fields import list_of, matching, one_of, prose

HANDLE: Final = r"[A-Za-z0-9_-]{3,32}"


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
    seating = one_of(SeatingPolicy, load_default=DEFAULT)

    @validates("handle")
    def _means_no_other(self, value: str, **options: object) -> None:
        """Where a player is named, a handle must not be taken for something else."""
        if is_reserved(value):
            raise ValidationError("the handle is reserved")


class ChangedAccountSchema(Schema):
    """What of the account is to change; what is left out stays."""

    seating = one_of(SeatingPolicy)


class NewTokenSchema(Schema):
    """A token to be made. Without `expires_at` it holds for 90 days."""

    name = prose(64, 1, required=True)
    scopes = list_of(one_of(Scope), 1, len(declared(Scope).names), required=True)
    expires_at = fields.String(
        load_default=None,
        allow_none=True,
        validate=validate.Length(max=40),
        metadata={
            "format": "date-time",
            "description": "RFC 3339 with a time zone; at most 366 days ahead.",
        },
    )
