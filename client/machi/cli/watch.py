"""`machi watch` and `machi log`."""

import sys
from contextlib import closing

import click

from contract.events import LogLine
from machi.cli.matches import LANGUAGES
from machi.cli.session import Session, one_line, service_options, session_of
from machi.cli.text import Narrator, cards_of, names_of, result_line
from machi.cli.translations import TRANSLATIONS
from machi.events import Event


@click.command(
    epilog="""\b
Examples:
  machi watch mat_01M7WRCDNE5VV31RSBR368627A
  machi watch mat_01M7WRCDNE5VV31RSBR368627A --from 100 --json
"""
)
@click.argument("match_id")
@click.option("--from", "first", type=click.IntRange(1), default=1, help="Start at this event.")
@click.option(
    "--lang", type=click.Choice(LANGUAGES), default="en", show_default=True, help="Language of the output."
)
@click.option("--json", "as_json", is_flag=True, help="Print each event as it arrives, one per line.")
@service_options
@session_of
def watch(session: Session, match_id: str, first: int, lang: str, as_json: bool) -> None:
    """Follow a match until it ends, one line per event.

    The command reconnects when the connection breaks, and then neither repeats nor skips an event.
    """
    with session.patient_client() as client:
        match = client.match(match_id)
        names = names_of(match, cards_of(client, match.ruleset, lang))
        narrator = Narrator(client, match_id, names, lang)
        with closing(client.follow(match_id, first - 1)) as events:
            for event in events:
                line = event.raw.decode() if as_json else _event_line(event, narrator)
                sys.stdout.write(line + "\n")
                sys.stdout.flush()
        if not as_json:
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
@click.argument("match_id")
@click.option("--from", "first", type=click.IntRange(1), default=1, help="Start at this event.")
@click.option(
    "--lang", type=click.Choice(LANGUAGES), default="en", show_default=True, help="Language of the output."
)
@service_options
@session_of
def log(session: Session, match_id: str, first: int, lang: str) -> None:
    """Print the events of a match as sentences."""
    with session.client() as client:
        for line in client.log(match_id, first - 1, lang=lang):
            sys.stdout.write(_log_line(line) + "\n")


def _log_line(line: LogLine) -> str:
    time = line.time.astimezone().strftime("%H:%M:%S")
    return f"{line.sequence:5} {time} {one_line(line.text)}"
