"""Requests about what has happened in a match, and what happens in it now."""

from collections.abc import Generator, Iterator, Sequence

from contract.events import LogLine, LogPage
from machi.decoding import decoded
from machi.events import Event, EventPage, decode_page
from machi.following import SILENCE_S, stream_events
from machi.requests.sending import Requests, match_path
from machi.transport import Query


class Events(Requests):
    """The events of a match: by page, one by one, as a stream, and in sentences."""

    _silence_s: float = SILENCE_S
    """Seconds between signs of life of a stream, at most."""

    def events(
        self,
        match_id: str,
        after: int = 0,
        *,
        limit: int = 100,
        types: Sequence[str] | None = None,
        wait: int = 0,
    ) -> EventPage:
        """One page of events; if there is none yet, wait up to 30 seconds for the next one."""
        chosen = ",".join(types) if types is not None else None
        query = {"after": after, "limit": limit, "types": chosen, "wait": wait}
        return decode_page(self._get(_events_path(match_id), query, wait))

    def event(self, match_id: str, sequence: int) -> Event:
        return decoded(Event, self._get(f"{_events_path(match_id)}/{sequence}"))

    def follow(
        self, match_id: str, after: int = 0, types: Sequence[str] | None = None
    ) -> Generator[Event, None, None]:
        """Every event behind `after`, then each new one as it happens, until the match is over.

        Takes itself up again when it is cut or silent; no event comes twice, none is left out.
        """
        return stream_events(self._transport, _events_path(match_id), after, types, silence_s=self._silence_s)

    def history(self, match_id: str, after: int = 0) -> Generator[Event, None, None]:
        """Every event behind `after` up to now, with the same promises."""
        return stream_events(
            self._transport, _events_path(match_id), after, is_live=False, silence_s=self._silence_s
        )

    def log(self, match_id: str, after: int = 0, *, lang: str | None = None) -> Iterator[LogLine]:
        """Every event behind `after` up to now in a sentence, in one of `en uk ru cs it`; page by page."""
        following: str | None = str(after)
        while following is not None:
            query: Query = {"after": following, "limit": 500, "lang": lang}
            page = decoded(LogPage, self._get(f"{match_path(match_id)}/log", query))
            yield from page.items
            following = page.next


def _events_path(match_id: str) -> str:
    return f"{match_path(match_id)}/events"
