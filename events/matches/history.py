"""The history of a match: its events in the form of the API, its states, and the result of each command."""

import itertools
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from domain.match.envelope import Envelope
from domain.match.evolve import fold
from domain.match.state import MatchState
from events.matches.entries import CODEC, Loaded, checked, from_entries
from events.store.aggregates import Loader
from events.store.chain import NO_HASH
from events.store.errors import MatchNotFound, VersionNotFound
from events.store.records import Entry, Store


class CommandResult(Struct, frozen=True, eq=False):
    """The result of a command; a repetition of the command gives the same result."""

    match_id: str
    command_id: str
    first: int
    """The sequence of the command's first event."""
    last: int
    """The sequence of the command's last event: the version it led to."""
    head_hash: bytes
    """The hash of the last event."""
    at_ms: int
    """When the command was executed, in ms since 1970."""
    state: MatchState
    """The state after the command, even if the match has continued. It is shared: only read it, or `copy()`
    it."""
    events: list[Envelope]
    replayed: bool
    """Whether the command had been executed before; nothing was added."""


class History:
    """Reads the history of matches in a store; safe to share among threads."""

    def __init__(self, store: Store, loader: Loader[Loaded]) -> None:
        self._store: Final = store
        self._loader = loader

    def state_at(self, match_id: str, version: int) -> MatchState:
        """The state after the first `version` events; the caller can change it.

        Raises:
            MatchNotFound, VersionNotFound, StreamCorrupt, StoreUnavailable.
        """
        return state_at(match_id, self._store.read(match_id), version)

    def events(self, match_id: str, after: int = 0, limit: int = 500) -> list[Envelope]:
        """The events after the version `after`, at most `limit`.

        Raises:
            MatchNotFound: no match has that id.
            StreamCorrupt: an entry is not what was written.
            StoreUnavailable.
        """
        loaded = self._loader.cached(match_id) or self._loader.load(match_id)
        return self._read(match_id, loaded.state.created.rules_version, after, limit)

    def events_of(self, loaded: Loaded, after: int, limit: int) -> list[Envelope]:
        """The events after the version `after` up to that of the loaded match, at most `limit`.

        So a response can name the head of `loaded`, even if events are appended meanwhile.

        Raises:
            StreamCorrupt: see `events`.
            StoreUnavailable.
        """
        limit = min(limit, loaded.version - after)
        return self._read(loaded.id, loaded.state.created.rules_version, after, limit) if limit > 0 else []

    def _read(self, match_id: str, rules_version: str, after: int, limit: int) -> list[Envelope]:
        before = self._store.entry_at(match_id, after) if after else None
        version, head_hash = (before.last, before.hash) if before else (0, NO_HASH)
        skipped = after - version
        found: list[Envelope] = []
        for entry in self._store.read(match_id, after, limit):
            found += CODEC.envelopes_of(match_id, rules_version, entry, version, head_hash)
            version, head_hash = entry.last, entry.hash
            if version >= after + limit:
                break
        return found[skipped : skipped + limit]

    def find_command(self, match_id: str, command_id: str) -> CommandResult | None:
        """The result of a command, by the id that it was sent with or given; None if it never arrived.

        Raises:
            MatchNotFound, StreamCorrupt, StoreUnavailable.
        """
        self._loader.load(match_id)
        entry = _entry_of(self._store, match_id, command_id)
        return self.outcome(match_id, entry.last) if entry else None

    def command_at(self, match_id: str, sequence: int) -> CommandResult:
        """The result of the command that caused the event with that sequence.

        Raises:
            MatchNotFound, VersionNotFound, StreamCorrupt, StoreUnavailable.
        """
        entries = self._store.read(match_id)
        found = from_entries(match_id, entries)
        last = next((entry.last for entry in entries if entry.last >= sequence), None)
        if last is None or sequence < 1:
            raise VersionNotFound(match_id, sequence, found.version)
        return _outcome_of(match_id, entries, last, replayed=True)

    def outcome(self, match_id: str, last: int, replayed: bool = True) -> CommandResult:
        """The result of the command that led to the version `last`.

        Raises:
            StreamCorrupt, StoreUnavailable.
        """
        return _outcome_of(match_id, self._store.read(match_id), last, replayed)


def state_at(match_id: str, entries: Sequence[Entry], version: int) -> MatchState:
    """The state after the first `version` events, given all entries up to there.

    Raises:
        MatchNotFound: there are no entries.
        VersionNotFound: the match has not reached that version.
        StreamCorrupt: an entry up to there is not what was written.
    """
    if not entries:
        raise MatchNotFound(match_id)
    if not 1 <= version <= entries[-1].last:
        raise VersionNotFound(match_id, version, entries[-1].last)
    events = itertools.chain.from_iterable(events for _, events in checked(match_id, entries))
    return fold(None, itertools.islice(events, version))


def _outcome_of(match_id: str, entries: Sequence[Entry], last: int, replayed: bool) -> CommandResult:
    """The result of the command that led to the version `last`, given at least all entries up to there."""
    i = next(i for i, entry in enumerate(entries) if entry.last == last)
    version, head_hash = (entries[i - 1].last, entries[i - 1].hash) if i else (0, NO_HASH)
    entry, state = entries[i], state_at(match_id, entries, last)
    rules_version = state.created.rules_version
    return CommandResult(
        match_id,
        entry.command_id(match_id, version + 1),
        version + 1,
        last,
        entry.hash,
        entry.time_ms,
        state,
        CODEC.envelopes_of(match_id, rules_version, entry, version, head_hash),
        replayed,
    )


def _entry_of(store: Store, match_id: str, command_id: str) -> Entry | None:
    entry = store.find_command(match_id, command_id)
    prefix, _, version = command_id.rpartition("-")
    if entry or prefix != f"ai-{match_id}" or not (version.isascii() and version.isdigit()):
        return entry
    before = store.entry_at(match_id, int(version))
    after = store.read(match_id, int(version), 1)
    is_built_in = before is not None and before.last == int(version) and after and not after[0].command
    return after[0] if is_built_in else None
