"""The errors of the store; each has what its handler needs for a response."""

from collections.abc import Sequence

from domain.match.envelope import Envelope


class StoreError(Exception):
    """The base of all errors of the store."""


class StoreUnavailable(StoreError):
    """Redis did not answer as expected. Whether a write arrived is unknown: repeat it under its id."""


class MatchNotFound(StoreError):
    """No match has that id."""

    def __init__(self, match_id: str) -> None:
        super().__init__(f"no match {match_id!r}")
        self.match_id = match_id


class LadderNotFound(StoreError):
    """No ladder has that id."""

    def __init__(self, ladder_id: str) -> None:
        super().__init__(f"no ladder {ladder_id!r}")
        self.ladder_id = ladder_id


class VersionNotFound(StoreError):
    """The match has not reached that version."""

    def __init__(self, match_id: str, version: int, max_version: int) -> None:
        super().__init__(f"match {match_id!r} has no version {version}, only up to {max_version}")
        self.match_id = match_id
        self.version = version
        self.max_version = max_version


class RulesChanged(StoreError):
    """The card tables of the match's rules have changed since it was created: it cannot continue."""

    def __init__(self, match_id: str, rules_version: str) -> None:
        super().__init__(f"match {match_id!r} was made with other tables of {rules_version!r}")
        self.match_id = match_id
        self.rules_version = rules_version


class StaleVersion(StoreError):
    """The match is beyond the version that the command was decided on."""

    def __init__(
        self,
        match_id: str,
        expected: int,
        current: int,
        missed: Sequence[Envelope] = (),
        if_match: int | None = None,
    ) -> None:
        super().__init__(f"match {match_id!r} is at version {current}, not {expected}")
        self.match_id = match_id
        self.expected = expected
        self.current = current
        self.missed = tuple(missed)
        """The first events after `expected`, at most 50."""
        self.if_match = if_match
        """The version that the client required; None if it required none and only lost a race."""


class CommandReused(StoreError):
    """The command id was used before for something else."""

    def __init__(self, match_id: str, command_id: str) -> None:
        super().__init__(f"command id {command_id!r} was used for another command of match {match_id!r}")
        self.match_id = match_id
        self.command_id = command_id


class StreamCorrupt(StoreError):
    """The stored events are not what was written."""

    def __init__(self, match_id: str, sequence: int, detail: str) -> None:
        super().__init__(f"match {match_id!r}, event {sequence}: {detail}")
        self.match_id = match_id
        self.sequence = sequence
        """The first event that cannot be trusted; 0 if the stream as a whole is damaged."""
        self.detail = detail


class LogCorrupt(StoreError):
    """The checkpoint log, or its index or keys, are not what was written; no line can be added."""

    def __init__(self, detail: str) -> None:
        super().__init__(f"the checkpoint log: {detail}")


class SigningKeyReused(StoreError):
    """The key id already stands for another key, which has signed lines under it."""

    def __init__(self, key_id: str) -> None:
        super().__init__(
            f"the id {key_id!r} was used for another signing key before; give the new one a new id"
        )
        self.key_id = key_id


class NotMoved(StoreError):
    """The match stays where it is: it could not be archived or restored."""

    def __init__(self, match_id: str, reason: str) -> None:
        super().__init__(f"match {match_id!r}: {reason}")
        self.match_id = match_id
        self.reason = reason
