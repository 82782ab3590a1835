"""Schemas of requests about accounts and tokens."""

from typing import Final

from marshmallow import Schema, ValidationError, fields, validates

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
"""Handles that nobody can have, since they suggest the service or its staff."""

_LOOK_ALIKE: Final = str.maketrans("01345789l", "oieastbgi", "_-")
"""Replaces characters by those that they resemble, and removes separators."""


def _likeness(handle: str) -> str:
    """A normal form that is equal for handles that look alike."""
    return handle.lower().translate(_LOOK_ALIKE).replace("vv", "w").replace("rn", "m")


_RESERVED: Final = frozenset(map(_likeness, [*_RESERVED_WORDS, *STRATEGIES]))


def _is_reserved(handle: str) -> bool:
    """Whether the handle is reserved or looks like a reserved one."""
    return handle.lower().startswith("acc_") or _likeness(handle) in _RESERVED


class NewAccountSchema(Schema):
    """A new account."""

    handle = matching(
        HANDLE,
        required=True,
        metadata={
            "description": "It must not begin with `acc_`, nor resemble a name of the service, its staff or "
            "a built-in player, such as `admin`."
        },
    )
    seating = one_of(SeatingPolicy, load_default=DEFAULT)

    @validates("handle")
    def _is_not_reserved(self, value: str, **options: object) -> None:
        """Refuse a handle that could be taken for another name of a player."""
        if _is_reserved(value):
            raise ValidationError("the handle is reserved")


class ChangedAccountSchema(Schema):
    """Changes of an account; members that are left out stay the same."""

    seating = one_of(SeatingPolicy)


class DeletionQuerySchema(Schema):
    """The confirmation that an account is to be deleted."""

    handle = fields.String(
        required=True, metadata={"description": "The handle of the account, as confirmation."}
    )


class NewTokenSchema(Schema):
    """A new token. Without `expires_at`, it is valid for 90 days."""

    name = prose(64, 1, required=True)
    scopes = list_of(one_of(Scope), 1, len(declared(Scope).names), required=True)
    expires_at = prose(
        40,
        load_default=None,
        allow_none=True,
        metadata={
            "format": "date-time",
            "description": "RFC 3339 with a time zone; at most 366 days ahead.",
        },
    )
