"""What a command did, or did when it came the first time."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from domain.match.envelope import Envelope
from domain.match.state import MatchState
from events.matches.history import entry_envelopes, state_at
from events.matches.waiting import deadline_ms
from events.store.chain import NO_HASH
from events.store.records import Entry


@dataclass(frozen=True)
class Outcome:
    """The answer to a command; the same for its first coming and for each repetition."""

    match_id: str
    entry: Entry
    version_before: int
    hash_before: bytes
    state: MatchState
    """The state after the command, even if the match has moved on since. Shared: read it, or `copy()` it."""
    replayed: bool
    """The command had been carried out before; nothing was added."""

    @property
    def first(self) -> int:
        """The sequence of the command's first event."""
        return self.version_before + 1

    @property
    def last(self) -> int:
        """The sequence of the command's last event: the version it led to."""
        return self.entry.last

    @property
    def command_id(self) -> str:
        """The id the command was given or came with."""
        return self.entry.command_id(self.match_id, self.first)

    @property
    def head_hash(self) -> bytes:
        """The hash of the command's last event."""
        return self.entry.hash

    @property
    def at_ms(self) -> int:
        """When the command was carried out."""
        return self.entry.time_ms

    @property
    def deadline_ms(self) -> int | None:
        """When the clock of the next decision runs out; None without a clock."""
        return deadline_ms(self.state, self.entry.time_ms)

    @cached_property
    def events(self) -> list[Envelope]:
        """What the command caused."""
        created = self.state.created
        return entry_envelopes(
            self.match_id,
            created.rules_version,
            self.entry,
            self.version_before,
            self.hash_before,
            verify=False,
        )


def outcome_of(match_id: str, entries: Sequence[Entry], last: int, replayed: bool) -> Outcome:
    """The outcome of the command that led to the version `last`, given all entries up to there or further."""
    i = next(i for i, entry in enumerate(entries) if entry.last == last)
    before, head_hash = (entries[i - 1].last, entries[i - 1].hash) if i else (0, NO_HASH)
    state = state_at(match_id, entries, last)
    return Outcome(match_id, entries[i], before, head_hash, state, replayed)
