"""`machi strategies`."""

import sys

import click
import msgspec

from contract.catalogue import Strategy
from machi.cli.matches import RULESETS
from machi.cli.session import Session, bare_table, service_options, session_of


@click.command(
    epilog="""\b
Examples:
  machi strategies
  machi strategies --ruleset harbor
  machi strategies --json | jq -r .name
"""
)
@click.option(
    "--ruleset", type=click.Choice(RULESETS), default="base", show_default=True, help="Show these ratings."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
@service_options
@session_of
def strategies(session: Session, ruleset: str, as_json: bool) -> None:
    """List the built-in players with their level and ratings.

    On the scale of the ratings, expected_value has 1500 with each number of seats.
    """
    with session.client() as client:
        found = client.strategies()
    if as_json:
        for strategy in found:
            sys.stdout.write(msgspec.json.encode(strategy).decode() + "\n")
        return
    table = bare_table()
    seats = (2, 3, 4, 5)
    for heading in ("player", "level"):
        table.add_column(heading, no_wrap=True)
    for count in seats:
        table.add_column(f"{count} seats", justify="right")
    for strategy in found:
        table.add_row(
            strategy.name, strategy.level or "", *[_rating(strategy, ruleset, count) for count in seats]
        )
    session.out.print(table)


def _rating(strategy: Strategy, ruleset: str, seats: int) -> str:
    """The rating and half the width of its interval; empty if there is none."""
    for one in strategy.ratings:
        if (one.ruleset, one.seats) == (ruleset, seats):
            low, high = one.rating_interval
            return f"{one.rating:.0f} ± {(high - low) / 2:.0f}"
    return ""
