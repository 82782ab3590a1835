"""`machi log`."""

import sys

import click

from contract.events import LogLine
from machi.cli.lists import LANGUAGES
from machi.cli.session import Session, one_line, service_options, session_of


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
    """Tell what has happened in a match, one sentence for each event."""
    with session.client() as client:
        for line in client.log(match_id, first - 1, lang=lang):
            sys.stdout.write(_told(line) + "\n")


def _told(line: LogLine) -> str:
    time = line.time.astimezone().strftime("%H:%M:%S")
    return f"{line.sequence:5} {time} {one_line(line.text)}"
