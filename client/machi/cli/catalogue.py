"""`machi cards` and `machi strategies`."""

from collections.abc import Iterable

import click
from rich.text import Text

from machi.cli.board import card_cells
from machi.cli.options import RULESETS, language_option, ruleset_or_base
from machi.cli.session import Session, bare_table, one_line, service_options, session_of
from machi.cli.translations import TRANSLATIONS
from machi.values import Card, Strategy


@click.command(
    epilog="""\b
Examples:
  machi cards harbor
  machi cards machi_koro_2 --lang cs
  machi cards base --json | jq -r '.name + ": " + .text'
"""
)
@click.argument("ruleset", metavar="[RULESET]", type=click.Choice(RULESETS), default="base")
@language_option
@service_options
@session_of
def cards(session: Session, ruleset: str, lang: str) -> None:
    """List the cards of a ruleset with what they do.

    RULESET is base (the default), harbor, machi_koro_2, millionaires_row or harbor_millionaires_row. The
    first column shows the dice totals that activate a card. A landmark with several prices costs less for a
    builder with fewer landmarks.
    """
    with session.client() as client:
        found = client.cards(ruleset, lang)
    session.show_each(found, lambda found: _print_cards(session, found, lang))


def _print_cards(session: Session, found: Iterable[Card], lang: str) -> None:
    translation = TRANSLATIONS[lang]
    table = bare_table()
    table.add_column("", justify="right", no_wrap=True)
    table.add_column(translation.card)
    table.add_column(translation.colour, no_wrap=True)
    table.add_column(translation.price, justify="right", no_wrap=True)
    table.add_column("", overflow="fold")
    for card in found:
        prices = card.costs or (card.cost or 0,)
        table.add_row(*card_cells(card, translation), "/".join(map(str, prices)), Text(one_line(card.text)))
    session.out.print(table)


@click.command(
    epilog="""\b
Examples:
  machi strategies
  machi strategies --ruleset harbor
  machi strategies --json | jq -r .name
"""
)
@ruleset_or_base(help="Show these ratings.")
@service_options
@session_of
def strategies(session: Session, ruleset: str) -> None:
    """List the built-in players with their level and ratings.

    On the scale of the ratings, expected_value has 1500 with each number of seats. Below them are their 95 %
    intervals.
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
    """The rating and below it its interval; empty if there is none."""
    for one in strategy.ratings:
        if (one.ruleset, one.seats) == (ruleset, seats):
            low, high = one.rating_interval
            return f"{one.rating:.0f}\n{low:.0f}..{high:.0f}"
    return ""
