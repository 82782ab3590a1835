"""`machi watch`."""

import sys
from contextlib import closing

import click

from machi.cli.lists import LANGUAGES
from machi.cli.session import Session, service_options, session_of
from machi.cli.tongues import TONGUES
from machi.cli.words import Teller, cards_of, names_of, result_line
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
    """Follow a match, one line for each event, until it is over.

    When the connection is cut, it is taken up again; no event is told twice or left out.
    """
    with session.patient_client() as client:
        match = client.match(match_id)
        names = names_of(match, cards_of(client, match.ruleset, lang))
        teller = Teller(client, match_id, names, lang)
        with closing(client.follow(match_id, first - 1)) as events:
            for event in events:
                line = event.raw.decode() if as_json else _line(event, teller)
                sys.stdout.write(line + "\n")
                sys.stdout.flush()
        if not as_json:
            session.say(result_line(client.match(match_id), names, TONGUES[lang]), "bold")


def _line(event: Event, teller: Teller) -> str:
    time = event.time.astimezone().strftime("%H:%M:%S")
    return f"{event.sequence:5} {time} {teller.sentence(event)}"
