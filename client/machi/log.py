"""The log of a match: its events in sentences, as the service tells them."""

from datetime import datetime

from msgspec import Struct


class LogLine(Struct, frozen=True):
    """One event in a sentence."""

    sequence: int
    type: str
    time: datetime
    text: str
    seat: int | None = None
    """Who throws, pays, builds or wins; None where it is about the table."""


class LogPage(Struct, frozen=True):
    """Some lines in their order."""

    items: tuple[LogLine, ...]
    language: str
    next: str | None = None
    """The `after` of the next page; None at the head of the match."""
