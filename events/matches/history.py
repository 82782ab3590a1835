"""The past of a match: its events as the API shows them, and its states."""

import itertools
from collections.abc import Sequence

import msgspec

from domain.match.envelope import Envelope
from domain.match.evolve import fold
from domain.match.state import MatchState
from events.matches.codec import decode_recorded
from events.store.chain import NO_HASH, Origin, checked, envelopes
from events.store.errors import MatchNotFound, StreamCorrupt, VersionNotFound
from events.store.loading import Loaded, rules_version_of
from events.store.records import Entry, Store


def read_envelopes(
    store: Store, match_id: str, rules_version: str, after: int, limit: int, verify: bool = True
) -> list[Envelope]:
    """The events after the version `after`, at most `limit`.

    Raises:
        StreamCorrupt: an entry cannot be what was written; without `verify` its hash is not compared.
        StoreUnavailable.
    """
    before = store.entry_at(match_id, after) if after else None
    version, head_hash = (before.last, before.hash) if before else (0, NO_HASH)
    found: list[Envelope] = []
    for entry in store.read(match_id, after, limit):
        found += entry_envelopes(match_id, rules_version, entry, version, head_hash, verify)
        version, head_hash = entry.last, entry.hash
        if version >= after + limit:
            break
    skipped = after - (before.last if before else 0)
    return found[skipped : skipped + limit]


def envelopes_up_to(store: Store, loaded: Loaded, after: int, limit: int) -> list[Envelope]:
    """The events after the version `after` that the loaded match has, at most `limit`, hashes compared.

    So the head of `loaded` is the head of the match that the answer is from, whatever is appended meanwhile.

    Raises:
        StreamCorrupt: see `read_envelopes`.
        StoreUnavailable.
    """
    limit = min(limit, loaded.version - after)
    if limit <= 0:
        return []
    return read_envelopes(store, loaded.match_id, rules_version_of(loaded.state), after, limit)


def entry_envelopes(
    match_id: str, rules_version: str, entry: Entry, version: int, head_hash: bytes, verify: bool = True
) -> list[Envelope]:
    """The events of one entry, given the version before it and the hash of that version's last event.

    Raises:
        StreamCorrupt: see `read_envelopes`.
    """
    first = version + 1
    try:
        events = decode_recorded(entry.events)
        origin = Origin(
            match_id, rules_version, entry.actor, entry.command_id(match_id, first), entry.time_ms
        )
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise StreamCorrupt(match_id, first, f"no events: {error}") from error
    if not events or entry.last != version + len(events):
        raise StreamCorrupt(match_id, first, f"a gap before version {entry.last}")
    try:
        found = envelopes(origin, first, events, head_hash)
    except (OverflowError, ValueError) as error:  # there are years beyond a calendar
        raise StreamCorrupt(match_id, first, f"no time: {error}") from error
    if verify and found[-1].hash != f"sha-256:{entry.hash.hex()}":
        raise StreamCorrupt(match_id, first, f"the hash of event {entry.last} does not match")
    return found


def state_at(match_id: str, entries: Sequence[Entry], version: int) -> MatchState:
    """The state after the first `version` events, given all entries up to there.

    Raises:
        MatchNotFound: there are no entries.
        VersionNotFound: the match has not come that far.
        StreamCorrupt: an entry up to there is not what was written.
    """
    if not entries:
        raise MatchNotFound(match_id)
    if not 1 <= version <= entries[-1].last:
        raise VersionNotFound(match_id, version, entries[-1].last)
    rest = itertools.chain.from_iterable(events for _, events in checked(match_id, entries))
    return fold(None, itertools.islice(rest, version))


def find_command(store: Store, match_id: str, command_id: str) -> Entry | None:
    """The entry of a command, by the id that it came with or was given; None if there is none.

    Raises:
        StoreUnavailable.
    """
    entry = store.find_command(match_id, command_id)
    prefix, _, version = command_id.rpartition("-")
    if entry or prefix != f"ai-{match_id}" or not (version.isascii() and version.isdigit()):
        return entry
    before = store.entry_at(match_id, int(version))
    after = store.read(match_id, int(version), 1)
    is_built_in = before is not None and before.last == int(version) and after and not after[0].command
    return after[0] if is_built_in else None
