"""Verifying a tournament, or a ladder round with a public value: its history and all its matches."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from domain.audit.evidence import Members
from domain.audit.files import Unreadable, read_exports
from domain.audit.report import Check, Verdict
from domain.canonical import parsed
from domain.ladder.history import NothingToVerify
from domain.ladder.tournament.verification import (
    TournamentReport,
    matches_of_tournament,
    tournament_to_verify,
    verify_tournament,
)
from domain.ladder.verification import RoundReport, matches_of_round, verify_round
from machi.cli.audits.exports import Group
from machi.cli.audits.reporter import EXIT_CODES, Reporter
from machi.cli.audits.trust import pinned_keys
from machi.cli.audits.verification import Terms, verified
from machi.cli.session import Session, Unusable, WrongUse, one_line
from machi.client import Client
from machi.ladders import Tournament

_STYLES = {"failed": "red", "incomplete": "yellow"}


def verify_of_service(session: Session, ladder_id: str, number: int, keys: Path | None) -> int:
    """Verify the round as the service shows it, print the results and return the exit code.

    Raises:
        Unusable: the history is not JSON that this project accepts.
        WrongUse: the ladder has no such round with a public value.
    """
    reporter = Reporter(session, verbose=False)
    with session.patient_client() as client:
        history = _history(ladder_id, client.ladder_events(ladder_id))
        try:
            matches = matches_of_round(history, number)
        except NothingToVerify as nothing:
            raise WrongUse(str(nothing)) from None
        events = _events(client, matches, _terms(keys), reporter)
    report = verify_round(history, number, events)
    session.show(report, lambda report: _tell(session, report))
    return _exit_code(report.verdict, len(report.matches), reporter, is_pinned=keys is not None)


def verify_tournament_of_service(
    session: Session, ladder_id: str, season: int | None, keys: Path | None
) -> int:
    """Verify the tournament of a season as the service shows it, print the results and return the exit code.

    By default, it is the last one. What the service shows as its places has to be what the history says.

    Raises:
        Unusable: the history is not JSON that this project accepts.
        WrongUse: no such tournament has started.
    """
    reporter = Reporter(session, verbose=False)
    with session.patient_client() as client:
        history = _history(ladder_id, client.ladder_events(ladder_id))
        season = _season(history, season)
        events = _events(client, matches_of_tournament(history, season), _terms(keys), reporter)
        report = verify_tournament(history, season, events)
        shown = client.tournament(ladder_id, season) if report.places else None
    session.show(report, lambda report: _tell_tournament(session, report))
    code = _exit_code(report.verdict, len(report.matches), reporter, is_pinned=keys is not None)
    if shown is not None and _shown_places(shown) != _recorded_places(report):
        session.warn("the service shows other places than its history has", "red")
        return EXIT_CODES["failed"]
    return code


def verify_tournament_in_file(session: Session, file: Path, season: int | None) -> int:
    """Verify a tournament from the saved events of its ladder alone, print the results and return the exit
    code; without the matches, the report is at best incomplete.

    Raises:
        Unusable: the file cannot be read, or is not JSON that this project accepts.
        WrongUse: no such tournament has started.
    """
    try:
        lines = file.read_bytes().splitlines()
    except OSError as error:
        raise Unusable(f"cannot read {file}: {error.strerror or error}") from None
    history = _history(str(file), [line for line in lines if line.strip()])
    report = verify_tournament(history, _season(history, season), {})
    session.show(report, lambda report: _tell_tournament(session, report))
    return EXIT_CODES[report.verdict]


def _season(history: Sequence[Members], season: int | None) -> int:
    try:
        return tournament_to_verify(history, season)
    except NothingToVerify as nothing:
        raise WrongUse(f"{nothing}; to verify a round with a public value, name the round") from None


def _terms(keys: Path | None) -> Terms:
    return Terms(pinned_keys(keys) if keys is not None else None)


def _history(name: str, events: Iterable[bytes]) -> list[Members]:
    try:
        found = [parsed(event) for event in events]
    except ValueError as error:
        raise Unusable(f"the history of {name} cannot be read: {error}") from None
    if not all(isinstance(event, dict) for event in found):
        raise Unusable(f"the history of {name} has lines that are no events")
    return found


def _events(
    client: Client, match_ids: Iterable[str], terms: Terms, reporter: Reporter
) -> dict[str, Sequence[Members]]:
    """The events of the matches that can be read; the reporter gets all."""
    found: dict[str, Sequence[Members]] = {}
    for match_id in match_ids:
        events = _verified(match_id, client.export(match_id), terms, reporter)
        if events is not None:
            found[match_id] = events
    return found


def _exit_code(verdict: Verdict, matches: int, reporter: Reporter, *, is_pinned: bool) -> int:
    if matches:
        reporter.print_summary(is_pinned=is_pinned)
    codes = {EXIT_CODES[verdict], reporter.exit_code}
    return next((code for code in EXIT_CODES.values() if code in codes), 0)


def _shown_places(shown: Tournament) -> list[tuple[int | None, str]]:
    return sorted([(one.place, one.name) for one in shown.items])


def _recorded_places(report: TournamentReport) -> list[tuple[int | None, str]]:
    return sorted([(one.place, report.names[one.entry]) for one in report.places])


def _verified(match_id: str, exported: bytes, terms: Terms, reporter: Reporter) -> Sequence[Members] | None:
    """Verify and report a match, and return its events; None if they cannot be read."""
    lines = tuple(exported.splitlines(keepends=True))
    for outcome in verified([Group(match_id, 1, match_id, lines)], terms):
        reporter.report(outcome)
    try:
        return next((evidence.events for evidence in read_exports(lines)), None)
    except Unreadable:
        return None


def _tell_tournament(session: Session, report: TournamentReport) -> None:
    season = f" of season {report.season}" if report.season else ""
    session.say(f"tournament{season} {report.verdict}", _STYLES.get(report.verdict, ""))
    _tell_checks(session, report.checks)
    for one in report.places:
        session.say(f"{one.place}. {one_line(report.names[one.entry])}")
    if report.head:
        session.warn(f"The last event is {report.head}: compare it with the copies that others keep.")


def _tell_checks(session: Session, checks: Iterable[Check]) -> None:
    for check in checks:
        at = f" at event {check.first_failed_sequence}" if check.first_failed_sequence else ""
        session.say_indented(f"{check.name} {check.status}{at}{f': {check.detail}' if check.detail else ''}")


def _tell(session: Session, report: RoundReport) -> None:
    session.say(f"round {report.verdict}", _STYLES.get(report.verdict, ""))
    _tell_checks(session, report.checks)
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
