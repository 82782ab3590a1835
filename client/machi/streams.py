"""Event streams that reconnect: every event once and in order."""

import re
from collections.abc import Generator, Mapping, Sequence
from typing import Final

from contract.events import StreamEnd
from machi.errors import ConnectionFailed, MachiError, UnusableAnswer
from machi.events import Event, decode_line
from machi.transport import Retryable, Transport

SILENCE_S: Final = 25.0
"""A live stream sends at least an empty line every 10 seconds; after this long without one it counts as dead.
"""

_HEAD: Final = re.compile(r"v=([0-9]+)")


def stream_events(
    transport: Transport,
    path: str,
    after: int,
    types: Sequence[str] | None = None,
    is_live: bool = True,
    silence_s: float = SILENCE_S,
) -> Generator[Event, None, None]:
    """The events after `after` and, if `is_live`, each new one until the match is over.

    Raises:
        ConnectionFailed, Throttled, Unavailable: the stream cannot be opened, or not be resumed.
        UnusableAnswer: an event is missing from the stream.
        ApiError: the service refused the request.
    """
    chosen = ",".join(types) if types is not None else None
    attempts = transport.attempts()
    while True:
        was_alive = False
        failure: MachiError = ConnectionFailed("the event stream was interrupted")
        try:
            query = {"after": after, "types": chosen, "follow": is_live or None}
            with transport.stream(path, query, silence_s) as stream:
                for line in stream.lines:
                    was_alive = True
                    found = decode_line(line) if line else None
                    if isinstance(found, StreamEnd):
                        return
                    if found is not None and found.sequence > after:
                        after = _in_order(found, after, chosen is None)
                        yield found
                if not is_live and after >= _head(stream.headers, after):
                    return
        except Retryable as error:
            failure = error.failure
        if was_alive:
            attempts.begin()
        attempts.pause(failure)


def _in_order(event: Event, after: int, is_whole: bool) -> int:
    """The sequence of the event, which must follow `after` directly in a stream of all types."""
    if is_whole and event.sequence != after + 1:
        raise UnusableAnswer(f"event {after + 1} is missing from the stream")
    return event.sequence


def _head(headers: Mapping[str, str], otherwise: int) -> int:
    """The version of the match when the stream was opened."""
    named = _HEAD.match(headers.get("Match-Head", ""))
    return int(named[1]) if named else otherwise
