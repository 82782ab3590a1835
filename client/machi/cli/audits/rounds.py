"""Verifying a ladder round with a public value: its history and all its matches."""

from collections.abc import Sequence
from pathlib import Path

from domain.audit.evidence import Members
from domain.audit.files import Unreadable, read_exports
from domain.canonical import parsed
from domain.ladder.verification import RoundReport, matches_of_round, verify_round
from machi.cli.audits.exports import Group
from machi.cli.audits.reporter import EXIT_CODES, Reporter
from machi.cli.audits.trust import pinned_keys
from machi.cli.audits.verification import Terms, verified
from machi.cli.session import Session, Unusable
from machi.client import Client

_STYLES = {"failed": "red", "incomplete": "yellow"}


def verify_of_service(session: Session, ladder_id: str, number: int, keys: Path | None) -> int:
    """Verify the round as the service shows it, print the results and return the exit code.

    Raises:
        Unusable: the history is not JSON that this project accepts.
    """
    terms = Terms(pinned_keys(keys) if keys is not None else None)
    reporter = Reporter(session, verbose=False)
    with session.patient_client() as client:
        report = _report(client, ladder_id, number, terms, reporter)
    session.show(report, lambda report: _tell(session, report))
    if report.matches:
        reporter.print_summary(is_pinned=keys is not None)
    codes = {EXIT_CODES[report.verdict], reporter.exit_code}
    return next((code for code in EXIT_CODES.values() if code in codes), 0)


def _report(client: Client, ladder_id: str, number: int, terms: Terms, reporter: Reporter) -> RoundReport:
    """The report of the round; the reporter gets its matches."""
    try:
        history = [parsed(event) for event in client.ladder_events(ladder_id)]
    except ValueError as error:
        raise Unusable(f"the history of {ladder_id} cannot be read: {error}") from None
    events: dict[str, Sequence[Members]] = {}
    for match_id in matches_of_round(history, number):
        found = _verified(match_id, client.export(match_id), terms, reporter)
        if found is not None:
            events[match_id] = found
    return verify_round(history, number, events)


def _verified(match_id: str, exported: bytes, terms: Terms, reporter: Reporter) -> Sequence[Members] | None:
    """Verify and report a match, and return its events; None if they cannot be read."""
    lines = tuple(exported.splitlines(keepends=True))
    for outcome in verified([Group(match_id, 1, match_id, lines)], terms):
        reporter.report(outcome)
    try:
        return next((evidence.events for evidence in read_exports(lines)), None)
    except Unreadable:
        return None


def _tell(session: Session, report: RoundReport) -> None:
    session.say(f"round {report.verdict}", _STYLES.get(report.verdict, ""))
    for check in report.checks:
        at = f" at event {check.first_failed_sequence}" if check.first_failed_sequence else ""
        session.say_indented(f"{check.name} {check.status}{at}{f': {check.detail}' if check.detail else ''}")
    if report.public_value is None:
        return
    if report.voided:
        session.say(f"{report.voided} times a block was voided: see the ladder's events")
    session.say(f"source: {report.public_value.source}")
    session.say(f"value:  {report.value or 'not recorded yet'}")
    session.say(f"bound by event {report.opened}: {report.head}")
    session.warn(
        "Look the value up at its source: this command does not know what was published. The service wrote "
        "the times itself: only someone who kept that hash from before the publication can tell that the "
        "round was bound before the value was known.",
        "yellow",
    )
