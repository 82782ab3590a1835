"""Replays a match from its first event to the version that was loaded.

Its entries are read page by page, so even a long match needs little memory.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from domain.match.envelope import Envelope
from domain.match.events import Event
from domain.match.evolve import fold
from domain.match.state import MatchState
from events.matches.entries import CODEC, Loaded
from events.store.chain import NO_HASH
from events.store.errors import StreamCorrupt
from events.store.records import Entry, Store

_PAGE: Final = 200
"""The number of entries that are read at a time."""


class Moment(NamedTuple):
    """The match after one of its events."""

    state: MatchState
    """The next moment changes it: read it before, or `copy()` it."""
    at_ms: int
    """When the event was recorded, in ms since 1970."""
    ends_command: bool
    """Whether it is the last event of its command. Otherwise no decision is due, whatever the state says."""


def recorded_events(store: Store, loaded: Loaded) -> Iterator[Event]:
    """All events of the match.

    Raises:
        StreamCorrupt, StoreUnavailable.
    """
    for _, events in entries_of(store, loaded):
        yield from events


def moments(store: Store, loaded: Loaded, last: int) -> Iterator[Moment]:
    """The match after each event, from the first to the one with the sequence `last`.

    Raises:
        StreamCorrupt, StoreUnavailable.
    """
    state: MatchState | None = None
    for entry, events in entries_of(store, loaded):
        for moment in _moments(state, entry, events, last):
            state = moment.state
            yield moment
        if entry.last >= last:
            return


def moment_at(store: Store, loaded: Loaded, version: int) -> Moment:
    """The match after the event with the sequence `version`, from 1 to the version of the loaded match.

    Raises:
        StreamCorrupt, StoreUnavailable.
    """
    if version == loaded.version:
        return Moment(loaded.state, loaded.last_at_ms, ends_command=True)
    (moment,) = deque(moments(store, loaded, version), maxlen=1)
    return moment


def moments_with_events(
    store: Store, loaded: Loaded, first: int, last: int
) -> Iterator[tuple[Envelope | None, Moment]]:
    """As `moments`, each with its event as the API shows it; None for those before the sequence `first`.

    Raises:
        StreamCorrupt, StoreUnavailable.
    """
    state: MatchState | None = None
    head_hash = NO_HASH
    for entry, events in entries_of(store, loaded):
        before = state.version if state else 0
        envelopes: list[Envelope] = []
        if entry.last >= first:
            rules_version = loaded.state.created.rules_version
            envelopes = CODEC.envelopes_of(loaded.match_id, rules_version, entry, before, head_hash)
        for moment in _moments(state, entry, events, last):
            state = moment.state
            yield envelopes[state.version - before - 1] if state.version >= first else None, moment
        if entry.last >= last:
            return
        head_hash = entry.hash


def _moments(state: MatchState | None, entry: Entry, events: Sequence[Event], last: int) -> Iterator[Moment]:
    """The moments of one entry, which is applied to the state."""
    before = state.version if state else 0
    for event in events[: last - before]:
        state = fold(state, (event,))
        yield Moment(state, entry.time_ms, state.version == entry.last)


def entries_of(store: Store, loaded: Loaded) -> Iterator[tuple[Entry, tuple[Event, ...]]]:
    """The entries of the loaded match, each checked against the hash chain, with its events.

    Raises:
        StreamCorrupt: an entry is not what was written, or the entries do not lead to the loaded match.
        StoreUnavailable.
    """
    reader = CODEC.reader(loaded.match_id)
    while reader.version < loaded.version:
        page = store.read(loaded.match_id, reader.version, _PAGE)
        if not page:
            raise StreamCorrupt(loaded.match_id, reader.version + 1, "no entry")
        for entry in page:
            if reader.version >= loaded.version:
                return
            events = reader.events(entry)
            if reader.version == loaded.version and reader.head_hash != loaded.head_hash:
                raise StreamCorrupt(loaded.match_id, reader.version, "it is not the event that was loaded")
            yield entry, events
