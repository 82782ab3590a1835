"""Accounts and tokens."""

from typing import Final

from marshmallow import Schema, ValidationError, fields, validate, validates

from contract.names import Scope, SeatingPolicy, declared
from runtime.strategies import STRATEGIES
from service.accounts.seating import DEFAULT
from service.openapi.fields import list_of, matching, one_of, prose

HANDLE: Final = r"[A-Za-z0-9_-]{3,32}"

_RESERVED_WORDS: Final = (
    *("admin", "administrator", "root", "superuser", "sysadmin", "system", "service", "server"),
    *("support", "help", "security", "moderator", "mod", "staff", "team", "owner", "operator", "official"),
    *("referee", "host", "machi", "machikoro", "api", "account", "bot", "strategy", "me", "you", "nobody"),
    *("none", "null", "undefined", "anonymous", "unknown", "deleted", "anybody", "anyone", "everybody"),
    *("everyone", "all"),
)
"""Handles that nobody may have: they would be taken for the service or its people."""

_LOOK_ALIKE: Final = str.maketrans("01345789l", "oieastbgi", "_-")
"""Which characters are easily taken for which; those that join words count for nothing."""


def _likeness(handle: str) -> str:
    """What handles that look like each other have in common."""
    return handle.lower().translate(_LOOK_ALIKE).replace("vv", "w").replace("rn", "m")


_RESERVED: Final = frozenset(map(_likeness, [*_RESERVED_WORDS, *STRATEGIES]))


def _is_reserved(handle: str) -> bool:
    """Whether a new account cannot have the handle; also for what looks like a reserved one."""
    return handle.lower().startswith("acc_") or _likeness(handle) in _RESERVED


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
        if _is_reserved(value):
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
