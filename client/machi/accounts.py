"""Accounts and their tokens. A secret is never part of a repr."""

from dataclasses import dataclass, field
from datetime import datetime

from msgspec import Struct


@dataclass(frozen=True, slots=True)
class Account:
    """A new account."""

    account_id: str
    handle: str
    token: str = field(repr=False)
    """Its first token: the service tells it this once."""


class Token(Struct, frozen=True):
    """A token without its secret."""

    token_id: str
    name: str
    scopes: tuple[str, ...]
    """Some of `play`, `match:create`, `ladder:operate`, `account:write`, `admin`."""
    created_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class NewToken:
    """A new token."""

    token_id: str
    name: str
    scopes: tuple[str, ...]
    created_at: datetime
    expires_at: datetime
    token: str = field(repr=False)
    """The secret: the service tells it this once."""


class Me(Struct, frozen=True):
    """The account of the caller, and the token that speaks for it."""

    account_id: str
    handle: str
    created_at: datetime
    token: Token
    seating: str = "anybody"
    """Who may seat it in matches: `nobody`, `allowed` or `anybody`, as with services that do not tell."""
