"""Matches folded from their stored entries, each checked against the hash chain."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from domain.match.envelope import Envelope
from domain.match.events import REGISTRY, Event, MatchCreated
from domain.match.evolve import fold
from domain.match.state import MatchState
from domain.match.upcast import STEPS
from events.store import aggregates
from events.store.chain import NO_HASH, ChainReader, Codec
from events.store.errors import MatchNotFound, RulesChanged, StreamCorrupt
from events.store.records import Entry


def _rules_version(event: Event) -> str:
    return event.rules_version if isinstance(event, MatchCreated) else ""


CODEC: Final[Codec[Event, Envelope]] = Codec(
    "match_id", tuple[Event, ...], REGISTRY, Envelope, STEPS, _rules_version
)


class Loaded(aggregates.Loaded[MatchState], frozen=True, eq=False):
    """A match as of one version. The state is shared: only read it, or `copy()` it."""

    @property
    def match_id(self) -> str:
        """The id of the match."""
        return self.id


def from_entries(match_id: str, entries: Sequence[Entry]) -> Loaded:
    """The match folded from all its entries.

    Raises:
        MatchNotFound: there are none.
        RulesChanged: the card tables were edited after the match was created; they may only change with a new
            rules version.
        StreamCorrupt: see `extended`.
    """
    if not entries:
        raise MatchNotFound(match_id)
    empty = Loaded(match_id, 0, None, NO_HASH, entries[0].time_ms, 0)
    return _with_its_rules(extended(empty, entries))


def as_stored(match_id: str, entries: Sequence[Entry]) -> Loaded:
    """As `from_entries`, but without comparing hashes, to show a record even if it is damaged.

    Raises:
        MatchNotFound, RulesChanged: see `from_entries`.
        StreamCorrupt: the entries cannot be folded.
    """
    if not entries:
        raise MatchNotFound(match_id)
    state: MatchState | None = None
    for entry in entries:
        version = state.version if state else 0
        state = _folded(match_id, state, CODEC.events_of(match_id, version, entry))
    tail = entries[-1]
    return _with_its_rules(Loaded(match_id, tail.last, state, tail.hash, entries[0].time_ms, tail.time_ms))


def _with_its_rules(loaded: Loaded) -> Loaded:
    created = loaded.state.created
    if created.digest != loaded.state.rules.digest:
        raise RulesChanged(loaded.id, created.rules_version)
    return loaded


def extended(loaded: Loaded, entries: Sequence[Entry]) -> Loaded:
    """The match with further entries.

    Raises:
        StreamCorrupt: an entry is not what was written, or not the next one.
    """
    if not entries:
        return loaded
    state = loaded.folded.copy() if loaded.folded else None
    rules_version = state.created.rules_version if state else ""
    reader = CODEC.reader(loaded.id, loaded.version, loaded.head_hash, rules_version)
    for entry in entries:
        state = fold_entry(reader, state, entry)
    tail = entries[-1]
    return Loaded(loaded.id, tail.last, state, tail.hash, loaded.created_at_ms, tail.time_ms)


def checked(match_id: str, entries: Iterable[Entry]) -> Iterator[tuple[Entry, tuple[Event, ...]]]:
    """All entries of a match from the first one, each with its events.

    Raises:
        StreamCorrupt: see `ChainReader.events`.
    """
    return CODEC.reader(match_id).checked(entries)


def fold_entry(reader: ChainReader[Event, Any], state: MatchState | None, entry: Entry) -> MatchState:
    """Apply the events of the reader's next entry to the state, and return it.

    Raises:
        StreamCorrupt: see `ChainReader.events`; also if an event cannot follow from the events before it.
    """
    return _folded(reader.stream_id, state, reader.events(entry))


def _folded(match_id: str, state: MatchState | None, events: Iterable[Event]) -> MatchState:
    try:
        return fold(state, events)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        detail = f"it does not follow from the events before: {error!r}"
        raise StreamCorrupt(match_id, state.version + 1 if state else 1, detail) from error
