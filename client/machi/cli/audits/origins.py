"""Branches and the matches that they branched off from, both from files."""

from msgspec.structs import replace

from domain.audit.evidence import Evidence
from domain.audit.files import Unreadable, read_exports
from domain.audit.order import check_chain, check_sequence, read_events
from domain.audit.origin import FindOrigin
from domain.audit.recorded_state import folded
from domain.audit.report import Findings, Report
from domain.match.state import MatchState
from machi.cli.audits.exports import unpacked


def finder(origin: bytes) -> FindOrigin:
    """A function that finds the state of the match in the packed lines; `b""` stands for no match."""

    def find(match_id: str, version: int) -> tuple[MatchState, str] | None:
        if not origin:
            return None
        try:
            # A forged line could begin a second match; only the first one counts.
            evidence = next(read_exports(unpacked(origin)))
        except Unreadable:
            return None
        return state_at(evidence, version) if evidence.match_id == match_id else None

    return find


def state_at(evidence: Evidence, version: int) -> tuple[MatchState, str] | None:
    """The state after that event, and its hash; None if the events up to there are inconsistent."""
    findings = Findings()
    # The manifest describes all events, not only those up to the version.
    first = replace(evidence, manifest=None, events=evidence.events[:version])
    events = read_events(first, findings)
    check_sequence(first, events, findings)
    check_chain(first, events, findings)
    if len(events) != version or findings.has_failed("schema", "sequence", "chain"):
        return None
    state = folded(None, events)
    return (state, events[-1].envelope.hash) if state is not None else None


def missing_origin(evidence: Evidence, report: Report) -> str:
    """The match that a branch could not be compared with; empty if none is missing."""
    if not any(check.name == "origin" and check.status == "pending" for check in report.checks):
        return ""
    return str(evidence.events[0]["data"]["origin"]["match_id"])
