"""`machi ladder verify`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import click
import msgspec

from machi.cli.session import Session, Unusable, service_options, session_of
from machi.cli.verify import require_rules
from machi.client import Client

ENDS: Final = """\b
Exit codes: 0 the round and all its matches are verified, 1 any failed, 2 none
failed but something is not there yet (or wrong usage), 3 something cannot be
read, 130 interrupted.
"""


@click.command(
    epilog=f"""{ENDS}
\b
Examples:
  machi ladder verify LADDER 3
  machi ladder verify LADDER 3 --keys keys.json --json
"""
)
@click.argument("ladder_id", metavar="LADDER")
@click.argument("number", metavar="ROUND", type=click.IntRange(1))
@click.option("--keys", type=click.Path(path_type=Path), metavar="KEYS", help="Trust these keys alone.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print a JSON object for each match, then one for the round."
)
@service_options
@session_of
def verify(session: Session, ladder_id: str, number: int, keys: Path | None, as_json: bool) -> int:
    """Check a round with a public value: its seed, its value, and every match by the rules themselves.

    The value itself has to be looked up at its source; the command prints both. KEYS is a saved answer of
    GET /v1/signing-keys.
    """
    require_rules()
    from machi.cli.audits.telling import EXIT_CODES, Teller
    from machi.cli.audits.trust import pinned_keys
    from machi.cli.audits.verifying import Terms

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


def _report(client: Client, ladder_id: str, number: int, terms: Any, teller: Any) -> Any:
    """What came of the round, a `domain.ladder.verifying.RoundReport`; its matches are told of.

    Raises:
        Unusable: the history is no JSON as this project reads it.
    """
    from domain.canonical import parsed
    from domain.ladder.verifying import matches_of_round, verify_round

    try:
        history = [parsed(event) for event in client.ladder_events(ladder_id)]
    except ValueError as error:
        raise Unusable(f"the history of {ladder_id} cannot be read: {error}") from None
    events: dict[str, Sequence[Mapping[str, Any]]] = {}
    for match_id in matches_of_round(history, number):
        evidence = _verified(match_id, client.export(match_id), terms, teller)
        if evidence is not None:
            events[match_id] = evidence
    return verify_round(history, number, events)


def _verified(match_id: str, exported: bytes, terms: Any, teller: Any) -> Sequence[Mapping[str, Any]] | None:
    """The events of a match, once what came of it is told; None where they cannot be read."""
    from domain.audit.files import Unreadable, read_exports
    from machi.cli.audits.exports import Group
    from machi.cli.audits.verifying import verified

    lines = tuple(exported.splitlines(keepends=True))
    for outcome in verified([Group(match_id, 1, match_id, lines)], terms):
        teller.tell(outcome)
    try:
        return next((evidence.events for evidence in read_exports(lines)), None)
    except Unreadable:
        return None


def _tell(session: Session, report: Any) -> None:
    style = {"failed": "red", "incomplete": "yellow"}.get(report.verdict, "")
    session.say(f"round {report.verdict}", style)
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
