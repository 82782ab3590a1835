"""The log of a match: its events in sentences, made from the events anew for whoever asks."""

from collections.abc import Iterator

from msgspec import Struct

from domain.languages.narrate import narrate, seat_of
from domain.match.events import type_name
from domain.match.evolve import apply
from domain.match.state import initial_state
from events.matches.envelope import rfc3339
from events.matches.replay import entries_of
from events.store.loading import Loaded
from events.store.records import Store


class Line(Struct, frozen=True, gc=False):
    """One event as the log tells it."""

    sequence: int
    type: str
    time: str
    seat: int | None
    text: str


def lines(store: Store, loaded: Loaded, after: int, language: str) -> Iterator[Line]:
    """The lines of the events after the version `after`, up to the head of the loaded match.

    Whatever is told, all events are gone through from the first: who sits where, and what the turn is about,
    stands in them.

    Raises:
        StreamCorrupt, StoreUnavailable.
    """
    state = initial_state()
    for entry, events in entries_of(store, loaded):
        time = rfc3339(entry.time_ms)
        for event in events:
            if state.version >= after:
                sentence = narrate(event, state, language)
                yield Line(state.version + 1, type_name(event), time, seat_of(event, state), sentence)
            apply(state, event)
