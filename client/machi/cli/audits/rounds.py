"""Verifying a round of a ladder with a public value: its history, and every match of it."""

from collections.abc import Sequence
from pathlib import Path

import click
import msgspec

from domain.audit.evidence import Members
from domain.audit.files import Unreadable, read_exports
from domain.canonical import parsed
from domain.ladder.verification import RoundReport, matches_of_round, verify_round
from machi.cli.audits.exports import Group
from machi.cli.audits.telling import EXIT_CODES, Teller
from machi.cli.audits.trust import pinned_keys
from machi.cli.audits.verifying import Terms, verified
from machi.cli.session import Session, Unusable
from machi.client import Client

_STYLES = {"failed": "red", "incomplete": "yellow"}


def verify_of_service(session: Session, ladder_id: str, number: int, keys: Path | None, as_json: bool) -> int:
    """Verify the round as the service shows it, and tell what came of it; the exit code.

    Raises:
        Unusable: the history is no JSON as this project reads it.
    """
    terms = Terms(pinned_keys(keys) if keys is not None else None)
    teller = Teller(session, verbose=False, as_json=as_json)
    with session.patient_client() as client:
        report = _report(client, ladder_id, number, terms, teller)
    if as_json:
        click.echo(msgspec.json.encode(report).decode())
    else:
        _tell(session, report)
    if report.matches:
        teller.sum_up(is_pinned=keys is not None)
    codes = {EXIT_CODES[report.verdict], teller.exit_code}
    return next((code for code in EXIT_CODES.values() if code in codes), 0)


def _report(client: Client, ladder_id: str, number: int, terms: Terms, teller: Teller) -> RoundReport:
    """What came of the round; its matches are told of."""
    try:
        history = [parsed(event) for event in client.ladder_events(ladder_id)]
    except ValueError as error:
        raise Unusable(f"the history of {ladder_id} cannot be read: {error}") from None
    events: dict[str, Sequence[Members]] = {}
    for match_id in matches_of_round(history, number):
        found = _verified(match_id, client.export(match_id), terms, teller)
        if found is not None:
            events[match_id] = found
    return verify_round(history, number, events)


def _verified(match_id: str, exported: bytes, terms: Terms, teller: Teller) -> Sequence[Members] | None:
    """The events of a match, once what came of it is told; None where they cannot be read."""
    lines = tuple(exported.splitlines(keepends=True))
    for outcome in verified([Group(match_id, 1, match_id, lines)], terms):
        teller.tell(outcome)
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
        session.say(f"{report.voided} times a block was begun again or given up: see the ladder's events")
    session.say(f"source: {report.public_value.source}")
    session.say(f"value:  {report.value or 'not recorded yet'}")
    session.say(f"bound by event {report.opened}: {report.head}")
    session.warn(
        "Look the value up at its source: nothing here knows what was published. The times are those that "
        "the service has written: that the round was bound before the value was known, only who kept that "
        "hash before can tell.",
        "yellow",
    )
