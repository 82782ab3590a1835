"""Invitations to matches, and lists of accounts."""

from datetime import datetime

from msgspec import Struct

from machi.matches import Clock


class Invitation(Struct, frozen=True):
    """A seat that is reserved for the caller."""

    match_id: str
    seat: int
    seats: int
    """How many seats the match has."""
    ruleset: str
    rules_version: str
    visibility: str
    created_at: datetime
    clock: Clock | None = None
    invited_by: str | None = None
    """The handle of whoever made the match."""


class ListedAccount(Struct, frozen=True):
    """An account on a list."""

    account_id: str
    handle: str
