"""The lines of the checkpoint log as entries of its stream, `keys.CHECKPOINT_STREAM`.

A line is the command to sign a match. Its command id is the id of the match, so no match has two lines, and
the command index has the number of each match's line. The events of the entry are the signed bytes, its hash
is the text that the next line contains, and its version is the number of the line.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from msgspec.structs import replace

from domain.audit.checkpoints import Checkpoint, Head
from domain.canonical import parsed_as
from events.checkpoints.signatures import base64_text
from events.store import keys
from events.store.errors import LogCorrupt, StreamCorrupt
from events.store.records import FINGERPRINT_SIZE, NO_FINGERPRINT, Entry, Store

_GREATEST: Final = 2**53
"""An upper bound of all line numbers."""


def signed_line(head: Head, match_id: str, message: bytes, signature: bytes) -> Entry:
    """The line with the number and hash of `head`."""
    command = NO_FINGERPRINT + match_id.encode()
    return Entry(head.number, message, command, "", 0, head.hash.encode(), signature)


def head_at(line: Entry | None) -> Head:
    """The head of a log that ends with that line; None stands for an empty log."""
    return Head(line.last, line.hash.decode()) if line else Head()


def match_of(line: Entry) -> str:
    """The id of the line's match, which may be private; only the message of a line may be shown."""
    return line.command[FINGERPRINT_SIZE:].decode()


def read_lines(store: Store, after: int, count: int) -> Sequence[Entry]:
    """The lines after the number `after`, at most `count`.

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
        LogCorrupt: the line is malformed; neither its hash nor its signature is checked.
    """
    try:
        signed = parsed_as(line.events, Checkpoint)
        return replace(signed, hash=line.hash.decode(), signature=base64_text(line.signature))
    except ValueError:
        raise LogCorrupt(f"line {line.last} is not as it was written") from None


@contextmanager
def corrupt_as_log_error() -> Iterator[None]:
    """Turn `StreamCorrupt` into `LogCorrupt`."""
    try:
        yield
    except StreamCorrupt as error:
        raise LogCorrupt(error.detail) from error
