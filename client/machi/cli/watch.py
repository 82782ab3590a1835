"""`machi watch` and `machi log`."""

from collections.abc import Iterable
from contextlib import closing

import click

from machi.cli.options import language_option, match_argument
from machi.cli.session import Session, one_line, service_options, session_of
from machi.cli.text import Narrator, cards_of, names_of, result_line
from machi.cli.translations import TRANSLATIONS
from machi.client import Client
from machi.events import Event
from machi.values import LogLine


@click.command(
    epilog="""\b
Examples:
  machi watch mat_01M7WRCDNE5VV31RSBR368627A
  machi watch mat_01M7WRCDNE5VV31RSBR368627A --from 100 --json
"""
)
@match_argument
@click.option("--from", "first", type=click.IntRange(1), default=1, help="Start at this event.")
@language_option
@service_options
@session_of
def watch(session: Session, match_id: str, first: int, lang: str) -> None:
    """Follow a match until it ends, one line per event.

    The command reconnects when the connection breaks, and then neither repeats nor skips an event.
    """
    with session.patient_client() as client, closing(client.follow(match_id, first - 1)) as events:
        session.show_each(events, lambda events: _tell(session, client, match_id, lang, events))


def _tell(session: Session, client: Client, match_id: str, lang: str, events: Iterable[Event]) -> None:
    """Print each event as it comes, and in the end the result."""
    match = client.match(match_id)
    names = names_of(match, cards_of(client, match.ruleset, lang))
    narrator = Narrator(client, match_id, names, lang)
    for event in events:
        print(_event_line(event, narrator), flush=True)
    session.say(result_line(client.match(match_id), names, TRANSLATIONS[lang]), "bold")


def _event_line(event: Event, narrator: Narrator) -> str:
    time = event.time.astimezone().strftime("%H:%M:%S")
    return f"{event.sequence:5} {time} {narrator.sentence(event)}"


@click.command(
    epilog="""\b
Examples:
  machi log mat_01M7WRCDNE5VV31RSBR368627A
  machi log mat_01M7WRCDNE5VV31RSBR368627A --lang uk --from 100
"""
)
@match_argument
@click.option("--from", "first", type=click.IntRange(1), default=1, help="Start at this event.")
@language_option
@service_options
@session_of
def log(session: Session, match_id: str, first: int, lang: str) -> None:
    """Print the events of a match as sentences."""
    with session.client() as client:
        session.show_each(client.log(match_id, first - 1, lang=lang), _print_log)


def _print_log(lines: Iterable[LogLine]) -> None:
    for line in lines:
        print(_log_line(line))


def _log_line(line: LogLine) -> str:
    time = line.time.astimezone().strftime("%H:%M:%S")
    return f"{line.sequence:5} {time} {one_line(line.text)}"
