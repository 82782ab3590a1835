"""The audit of stored matches: the checks of `domain.audit`, and those that need the store and the log."""

from collections.abc import Sequence
from typing import Any, Protocol

import msgspec

from domain.audit.checkpoints import NO_HASH, Checkpoint
from domain.audit.evidence import Evidence, Receipt
from domain.audit.report import Check, Report, verdict_of
from domain.audit.verify import verify
from domain.canonical import hash_text
from domain.match.state import MatchState
from events.matches.entries import from_entries
from events.matches.evidence import recorded_events
from events.store.errors import LogCorrupt, MatchNotFound, RulesChanged, StreamCorrupt
from events.store.records import Store


class Log(Protocol):
    """The log of all matches that ended, as far as an audit needs it.

    Every method raises `StoreUnavailable` if the store does not answer.
    """

    def of_match(self, match_id: str) -> Checkpoint | None:
        """The line of a match; None if it is not in the log. May raise `LogCorrupt`, as may `line`."""

    def line(self, number: int) -> Checkpoint | None:
        """The line of that number; None if the log is not so long."""

    def is_good(self, key_id: str, message: bytes, signature: str) -> bool:
        """Whether a signature is by the published key of that id."""


class Auditor:
    """Audits matches of a store against the log."""

    def __init__(self, store: Store, log: Log) -> None:
        self._store = store
        self._log = log

    def audit(self, match_id: str, receipt: Receipt | None = None) -> Report:
        """Check all that is known of a match, whatever is wrong with it.

        Raises:
            MatchNotFound: there is nothing of such a match, neither events nor a line of the log.
            StoreUnavailable.
        """
        try:
            line = self._log.of_match(match_id)
        except LogCorrupt as error:
            return _report(match_id, Check("log", "failed", None, str(error)))
        self._store.forget(match_id)
        try:
            entries = self._store.read(match_id)
        except StreamCorrupt as error:
            return _report(match_id, Check("schema", "failed", max(error.sequence, 1), error.detail))
        if not entries:
            if line is None:
                raise MatchNotFound(match_id)
            detail = f"line {line.number} of the log is of this match, and its events are gone"
            return _report(match_id, Check("log", "failed", 1, detail))
        checkpoint = msgspec.to_builtins(line) if line else None
        evidence = Evidence(
            match_id=match_id, events=recorded_events(match_id, entries), checkpoint=checkpoint
        )
        report = verify(evidence, self._log.is_good, receipt, self._origin)
        return _with(report, [self._removals(evidence), *([self._neighbours(line)] if line else [])])

    def _origin(self, match_id: str, version: int) -> tuple[MatchState, str] | None:
        """The state of a branch's origin and the hash of its last event there; None if that is not there, or
        the events up to there do not hold together."""
        try:
            entries = [entry for entry in self._store.read(match_id) if entry.last <= version]
            loaded = from_entries(match_id, entries)
        except (MatchNotFound, RulesChanged, StreamCorrupt):
            return None
        return (loaded.state, hash_text(loaded.head_hash)) if loaded.version == version else None

    def _removals(self, evidence: Evidence) -> Check:
        """Whether the stream says itself that entries were taken out of it."""
        detail = self._store.removals(evidence.match_id)
        if not detail:
            return Check("stream", "passed")
        return Check("stream", "failed", _first_missing(evidence.events), detail)

    def _neighbours(self, line: Checkpoint) -> Check:
        """Whether the log holds together around the line of the match."""
        try:
            before, after = self._log.line(line.number - 1), self._log.line(line.number + 1)
        except LogCorrupt as error:
            return Check("log", "failed", None, str(error))
        hash_before = before.hash if before else NO_HASH
        if (line.number > 1 and before is None) or line.previous_hash != hash_before:
            return Check("log", "failed", None, f"line {line.number} does not follow the line before it")
        if after is not None and after.previous_hash != line.hash:
            return Check("log", "failed", None, f"line {after.number} does not follow line {line.number}")
        return Check("log", "passed")


def _first_missing(events: Sequence[Any]) -> int:
    """The first sequence that is not in its place."""
    for place, event in enumerate(events, 1):
        if event.get("sequence") != place:
            return place
    return len(events) + 1


def _report(match_id: str, *checks: Check) -> Report:
    return Report(verdict_of(checks), checks, match_id, 0)


def _with(report: Report, checks: Sequence[Check]) -> Report:
    together = (*report.checks, *checks)
    return Report(verdict_of(together), together, report.match_id, report.version)
