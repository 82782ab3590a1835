"""The events of a stored match in the form of the API, however damaged the record is.

All other modules refuse a damaged record, but an audit has to find the damage.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from domain.canonical import hash_text, parsed
from events.matches.entries import CODEC
from events.store.chain import NO_HASH, EntryMetadata
from events.store.recorded import Recorded
from events.store.records import Entry


def recorded_events(match_id: str, entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """The events of all entries, in the form of the API.

    Each has the sequence that its entry claims. The last event of an entry has the stored hash; the others
    have computed hashes. An entry that cannot be decoded gives an object with a `fault`.
    """
    found: list[dict[str, Any]] = []
    rules_version, version, head_hash = "", 0, NO_HASH
    for entry in entries:
        try:
            parsed(entry.events)  # refuses JSON that other readers could read as different events
            events = CODEC.decode_recorded(entry.events)
            rules_version = rules_version or _rules_version(events)
            command_id = entry.command_id(match_id, version + 1)
            metadata = EntryMetadata(match_id, rules_version, entry.actor, command_id, entry.time_ms)
            found += _shown(metadata, entry, events, head_hash)
        except (
            msgspec.MsgspecError,
            OverflowError,
            ValueError,
        ) as error:  # for example, a year beyond the calendar
            found.append({"sequence": version + 1, "fault": str(error)})
        version, head_hash = entry.last, entry.hash
    return found


def _shown(
    metadata: EntryMetadata, entry: Entry, events: list[Recorded], head_hash: bytes
) -> list[dict[str, Any]]:
    first = entry.last - len(events) + 1
    shown = CODEC.envelopes(metadata, first, events, head_hash)
    members = [msgspec.structs.asdict(one) for one in shown]
    if members:
        members[-1]["hash"] = hash_text(entry.hash)
    return members


def _rules_version(events: Sequence[Recorded]) -> str:
    version = events[0].data.get("rules_version") if events else None
    return version if isinstance(version, str) else ""
