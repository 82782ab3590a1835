"""`machi strategies`."""

from collections.abc import Iterable

import click

from machi.cli.matches import RULESETS
from machi.cli.session import Session, bare_table, service_options, session_of
from machi.values import Strategy


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
@service_options
@session_of
def strategies(session: Session, ruleset: str) -> None:
    """List the built-in players with their level and ratings.

    On the scale of the ratings, expected_value has 1500 with each number of seats.
    """
    with session.client() as client:
        found = client.strategies()
    session.show_each(found, lambda found: _print_strategies(session, found, ruleset))


def _print_strategies(session: Session, found: Iterable[Strategy], ruleset: str) -> None:
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
