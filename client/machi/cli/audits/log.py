"""The log of ended matches, read line by line: its hash chain, its signatures, and that it only grows."""

from collections.abc import Iterator
from typing import Final

import msgspec

from domain.audit.checkpoints import NO_HASH, Checkpoint, checkpoint_of, digest_of_match, fault_of
from domain.canonical import parsed
from machi.cli.audits.state import AuditState
from machi.cli.audits.trust import Keys
from machi.client import Client
from machi.errors import ApiError

PAGE: Final = 500


class LogFault(Exception):
    """The log is invalid, or is not the log that was seen before; `number` is the line."""

    def __init__(self, number: int, detail: str) -> None:
        super().__init__(detail)
        self.number = number
        self.detail = detail


def pages_after(client: Client, state: AuditState) -> Iterator[list[Checkpoint]]:
    """The lines after the last one seen, page by page, each checked.

    Raises:
        LogFault.
    """
    _require_last_seen(client, state)
    yield from _pages(client, state.number, state.hash, Keys(state.keys))


def pages_up_to(client: Client, state: AuditState) -> Iterator[list[Checkpoint]]:
    """All lines from the first to the last one seen, page by page, each checked.

    Raises:
        LogFault.
    """
    _require_last_seen(client, state)
    for page in _pages(client, 0, NO_HASH, Keys(state.keys)):
        seen = [line for line in page if line.number <= state.number]
        if seen:
            yield seen
        if len(seen) < len(page) or seen[-1].number == state.number:
            return


def _pages(client: Client, number: int, before: str, keys: Keys) -> Iterator[list[Checkpoint]]:
    while page := _page(client, number, PAGE):
        found = []
        for raw in page:
            number += 1
            line = _line(raw, number)
            _require_next(line, number, before, keys)
            before = line.hash
            found.append(line)
        yield found


def _require_last_seen(client: Client, state: AuditState) -> None:
    """Compare the last line that was seen. A rewritten or truncated log has another line there, or none."""
    if not state.number:
        return
    page = _page(client, state.number - 1, 1)
    if not page:
        raise LogFault(state.number, "the log was truncated: this line was there before and is missing now")
    if _line(page[0], state.number).hash != state.hash:
        raise LogFault(state.number, "the log was rewritten: this line was different before")


def _page(client: Client, after: int, limit: int) -> tuple[bytes, ...]:
    """The lines after that one; none if the log is shorter."""
    try:
        return client.checkpoints(after, limit)
    except ApiError as error:
        if error.code == "cursor_ahead":
            return ()
        raise


def _line(raw: bytes, number: int) -> Checkpoint:
    try:
        return checkpoint_of(parsed(raw))
    except (msgspec.ValidationError, AttributeError, ValueError) as error:
        raise LogFault(number, f"not a checkpoint: {error}") from None


def _require_next(line: Checkpoint, number: int, before: str, keys: Keys) -> None:
    """Raises: LogFault unless the line is the valid next one."""
    if line.number != number:
        raise LogFault(number, f"line {line.number} is in its place")
    if line.previous_hash != before:
        raise LogFault(number, "it does not name the hash of the line before")
    fault = fault_of(line, keys)
    if fault:
        raise LogFault(number, fault)
    if line.match_id is not None and line.match_digest != digest_of_match(line.match_id):
        raise LogFault(number, f"its digest is not that of {line.match_id}")
