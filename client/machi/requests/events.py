"""Requests about the events of a match, past and future."""

from collections.abc import Generator, Iterator, Sequence

from machi.answers import RawPage, decoded
from machi.events import Event, EventPage, decode_page
from machi.requests.subject import RequestGroup, match_path
from machi.streams import SILENCE_S, stream_events
from machi.transport import Query
from machi.values import LogLine, Luck


class Events(RequestGroup):
    """The events of a match: by page, one at a time, as a stream, and as sentences."""

    _silence_s: float = SILENCE_S
    """Seconds without a sign of life after which a stream counts as dead."""

    def events(
        self,
        match_id: str,
        after: int = 0,
        *,
        limit: int = 100,
        types: Sequence[str] | None = None,
        wait: int = 0,
    ) -> EventPage:
        """One page of events; if it would be empty, wait up to `wait` seconds (at most 30) for the next
        event.
        """
        chosen = ",".join(types) if types is not None else None
        query = {"after": after, "limit": limit, "types": chosen, "wait": wait}
        return decode_page(self._get(_events_path(match_id), query, wait))

    def event(self, match_id: str, sequence: int) -> Event:
        return decoded(Event, self._get(f"{_events_path(match_id)}/{sequence}"))

    def follow(
        self, match_id: str, after: int = 0, types: Sequence[str] | None = None
    ) -> Generator[Event, None, None]:
        """Every event after `after`, then each new one as it happens, until the match is over.

        Reconnects if the stream breaks or falls silent; no event is repeated or left out.
        """
        return stream_events(self._transport, _events_path(match_id), after, types, silence_s=self._silence_s)

    def history(self, match_id: str, after: int = 0) -> Generator[Event, None, None]:
        """Every event after `after` up to now, with the same guarantees."""
        return stream_events(
            self._transport, _events_path(match_id), after, is_live=False, silence_s=self._silence_s
        )

    def log(self, match_id: str, after: int = 0, *, lang: str | None = None) -> Iterator[LogLine]:
        """Every event after `after` up to now as a sentence, in one of `en uk ru cs it`, page by page."""
        following: str | None = str(after)
        while following is not None:
            query: Query = {"after": following, "limit": 500, "lang": lang}
            page = decoded(RawPage, self._get(f"{match_path(match_id)}/log", query))
            yield from [decoded(LogLine, item) for item in page.items]
            following = page.next

    def luck(self, match_id: str, after: int = 0) -> Luck:
        """The luck of each seat so far: the totals, and up to 500 rolls whose sequence is above `after`."""
        return decoded(Luck, self._get(f"{match_path(match_id)}/luck", {"after": after}))


def _events_path(match_id: str) -> str:
    return f"{match_path(match_id)}/events"
