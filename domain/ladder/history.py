"""What verifications of ladders read: the exported history, and the matches behind its results."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias, cast

import msgspec

from domain.audit.envelopes import hash_of
from domain.audit.evidence import Members
from domain.audit.report import Findings
from domain.ladder.events import REGISTRY, EntryPlayer, Event, MatchResult

_FIRST_HASH: Final = "sha-256:" + "0" * 64

Matches: TypeAlias = Mapping[str, Sequence[Members]]
"""By match id: events in the form of the API."""


class NothingToVerify(Exception):
    """A sound history does not have what is to be verified; the message says what."""


def checked_events(history: Sequence[Members], findings: Findings) -> Iterator[tuple[int, Event]]:
    """The events with their sequences, up to the first that is invalid or has a wrong hash: that is a finding
    of the check `chain`."""
    previous, ladder_id = _FIRST_HASH, None
    for sequence, members in enumerate(history, 1):
        ladder_id = ladder_id or members.get("ladder_id")
        place = (members.get("ladder_id"), members.get("sequence"), members.get("previous_hash"))
        if place != (ladder_id, sequence, previous):
            findings.fail("chain", sequence, "it does not follow on the event before")
            return
        previous = hash_of(members)
        if previous != members.get("hash"):
            findings.fail("chain", sequence, "its hash is not that of its members")
            return
        try:
            event = _event(members)
        except (msgspec.ValidationError, KeyError, TypeError) as error:
            findings.fail("chain", sequence, f"it is no event of a ladder: {error}")
            return
        yield sequence, event


def _event(members: Members) -> Event:
    cls = REGISTRY[members["type"]]
    data: Mapping[str, Any] = members["data"]
    names = [member.name for member in msgspec.structs.fields(cls)][: len(data)]
    # Events recorded before a member was added lack it; new members are always last.
    if data.keys() != set(names):
        raise msgspec.ValidationError(f"{members['type']} has other members")
    return cast(Event, msgspec.convert([members["type"], *[data[name] for name in names]], cls))


def result_faults(
    events: Sequence[Members], result: MatchResult, players: Sequence[EntryPlayer | None]
) -> Iterator[str]:
    """What contradicts a result in the events of its match; `players` are by seat, None for a stand-in.

    Raises:
        IndexError, KeyError, TypeError: the events cannot be read.
    """
    first = events[0]
    if (first["type"], first["match_id"]) != ("match_created", result.match_id):
        yield "its first event makes no match of that id"
    if hash_of(events[-1]) != result.head:
        yield "its last event is not the one of the result"
    taken = [event["data"] for event in events if event["type"] == "seat_taken"]
    if [one["seat"] for one in taken] != [*range(len(players))]:
        yield "its seats were not taken in order"
    for one, player in zip(taken, players, strict=False):
        if player is not None and not _is_of(one, player):
            yield f"seat {one['seat']} has another player than the round laid down"
    won = [event["data"]["winner"] for event in events if event["type"] == "match_finished"]
    if won != [result.winner]:
        yield "its winner is not that of the result"


def _is_of(taken: Members, player: EntryPlayer) -> bool:
    if player.kind == "bot":
        return (taken["kind"], taken["id"]) == ("account", player.account)
    return (taken["kind"], taken["id"], taken["version"]) == ("strategy", player.name, player.version)
