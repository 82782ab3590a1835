"""`machi matches`."""

from collections.abc import Iterable
from itertools import islice

import click

from machi.cli.options import RULESETS
from machi.cli.session import Session, WrongUse, bare_table, one_line, service_options, session_of
from machi.matches import ListedMatch

STATUSES = ("open", "running", "finished", "aborted")


@click.command(
    epilog="""\b
Examples:
  machi matches --status running
  machi matches --mine --limit 5
  machi matches --player greedy --json | jq -r .match_id
"""
)
@click.option("--status", type=click.Choice(STATUSES), help="Show only matches of this status.")
@click.option("--ruleset", type=click.Choice(RULESETS), help="Show only matches of this ruleset.")
@click.option("--player", metavar="NAME", help="Show only matches of this account or built-in player.")
@click.option("--tag", metavar="TAG", help="Show only matches with this tag.")
@click.option("--rated", is_flag=True, help="Show only rated matches.")
@click.option("--mine", is_flag=True, help="Show only your own matches.")
@click.option(
    "--limit", type=click.IntRange(1), default=20, show_default=True, help="Maximum number to show."
)
@service_options
@session_of
def matches(
    session: Session,
    status: str | None,
    ruleset: str | None,
    player: str | None,
    tag: str | None,
    rated: bool,
    mine: bool,
    limit: int,
) -> None:
    """List matches, the newest first."""
    if mine and player:
        raise WrongUse("--mine and --player exclude each other")
    if mine:
        session.require_account()
    with session.client() as client:
        who = client.me().account_id if mine else player
        listed = client.matches(
            status=status,
            ruleset=ruleset,
            player=who,
            tag=tag,
            rated=rated or None,
            page_size=min(limit, 500),
        )
        session.show_each(islice(listed, limit), lambda found: _print_table(session, found))


def _print_table(session: Session, found: Iterable[ListedMatch]) -> None:
    table = bare_table()
    table.add_column("match", no_wrap=True)
    table.add_column("status")
    table.add_column("ruleset")
    table.add_column("seats", overflow="fold")
    for match in found:
        table.add_row(match.match_id, match.status, match.ruleset, _seats(match))
    if table.row_count:
        session.out.print(table)
    else:
        session.out.print("No matches found.")


def _seats(match: ListedMatch) -> str:
    """The players by seat; an asterisk marks the winner."""
    return ", ".join(
        f"{'*' if seat.seat == match.winner else ''}{one_line(seat.name or 'open')}" for seat in match.seats
    )
