"""The lines of the log of checkpoints as entries of its stream, `keys.CHECKPOINT_STREAM`.

A line is the command to sign a match: its id is that of the match, so no match has two lines, and the command
index tells which line it has. The events of the entry are the bytes that were signed, its hash is the text
that the next line names, and its version is the number of the line.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from msgspec.structs import replace

from domain.audit.checkpoints import Checkpoint, Head
from domain.canonical import parsed_as
from events.checkpoints.signing import base64_text
from events.store import keys
from events.store.errors import LogCorrupt, StreamCorrupt
from events.store.records import FINGERPRINT_SIZE, NO_FINGERPRINT, Entry, Store

_GREATEST: Final = 2**53
"""No number of a line is greater."""


def signed_line(head: Head, match_id: str, message: bytes, signature: bytes) -> Entry:
    """The line that makes this the head of the log."""
    command = NO_FINGERPRINT + match_id.encode()
    return Entry(head.number, message, command, "", 0, head.hash.encode(), signature)


def head_at(line: Entry | None) -> Head:
    """The head of a log that ends with that line."""
    return Head(line.last, line.hash.decode()) if line else Head()


def match_of(line: Entry) -> str:
    """The id of the line's match, whoever may see it: what is shown of a line is in the message."""
    return line.command[FINGERPRINT_SIZE:].decode()


def read_lines(store: Store, after: int, count: int) -> Sequence[Entry]:
    """The lines behind the number `after`, at most `count`.

    Raises:
        LogCorrupt, StoreUnavailable.
    """
    if after >= _GREATEST:
        return []
    with corrupt_as_log_error():
        found = store.read(keys.CHECKPOINT_STREAM, after, count)
    for number, one in enumerate(found, after + 1):
        if one.last != number:
            raise LogCorrupt(f"there is no line {number}")
    return found


def checkpoint_in(line: Entry) -> Checkpoint:
    """The checkpoint that a line holds.

    Raises:
        LogCorrupt: it is not what was written; neither hash nor signature is checked.
    """
    try:
        signed = parsed_as(line.events, Checkpoint)
        return replace(signed, hash=line.hash.decode(), signature=base64_text(line.signature))
    except ValueError:
        raise LogCorrupt(f"line {line.last} is not as it was written") from None


@contextmanager
def corrupt_as_log_error() -> Iterator[None]:
    """A damaged entry becomes `LogCorrupt`."""
    try:
        yield
    except StreamCorrupt as error:
        raise LogCorrupt(error.detail) from error
