"""`machi ladder tournament`: the rounds of a tournament, and how the entries stand."""

import click
from rich.table import Table

from contract.tournaments import TournamentPlayer, TournamentRound, TournamentTable
from machi.cli.ladders.tables import NO_SEASON, SEASON, plain_table, print_table
from machi.cli.session import Session, one_line, service_options, session_of
from machi.ladders import Tournament

LEGEND = (
    "points: 1 for each opponent with fewer wins at the table, a half for as many; Buchholz: the points of "
    "all opponents; SB: of those it was ahead of, and half of its equals'; wins: matches"
)


@click.command()
@click.argument("ladder_id", metavar="LADDER")
@SEASON
@service_options
@session_of
def tournament(session: Session, ladder_id: str, season: int | None) -> None:
    """Show a tournament: its rounds and its places."""
    with session.client() as client:
        session.show(client.tournament(ladder_id, season), lambda found: _print(session, found))


def _print(session: Session, found: Tournament) -> None:
    kind = found.schedule.kind.replace("_", " ")
    season = f"season {found.season}: {found.status.replace('_', ' ')}" if found.season else NO_SEASON
    session.say(f"{kind}, {season}")
    for round in found.rounds:
        session.say(_title(round, found))
        for table in round.tables:
            session.say_indented(_told(table, is_final=round.number == found.planned))
        for bye in round.byes:
            session.say_indented(f"{one_line(bye.name)} has a bye")
    is_scored = found.schedule.kind != "knock_out"
    print_table(session, _standings(found, is_scored), "It has not started yet.")
    if is_scored and found.items:
        session.warn(LEGEND, "dim")


def _title(round: TournamentRound, found: Tournament) -> str:
    name = "stage" if found.schedule.kind == "knock_out" else "round"
    again = f", tie break {round.replay}" if round.replay else ""
    return (
        f"{name} {round.number} of {found.planned}{again}: {round.status} (round {round.round} of the ladder)"
    )


def _told(table: TournamentTable, is_final: bool) -> str:
    names = " - ".join([_name(player, is_final) for player in table.players])
    wins = ":".join([str(player.wins) for player in table.players])
    given_up = f", {table.given_up} of {table.blocks} blocks given up" if table.given_up else ""
    return f"{names}  {wins}{given_up}"


def _name(player: TournamentPlayer, is_final: bool) -> str:
    mark = " (wins)" if is_final else " (advances)"
    return f"{one_line(player.name)}{mark if player.advances else ''}"


def _standings(found: Tournament, is_scored: bool) -> Table:
    scores = ("points", "Buchholz", "SB") if is_scored else ()
    shown = plain_table("place", "name", "seed", *scores, "wins", "tables", "byes")
    for one in found.items:
        numbers = [one.points, one.buchholz, one.sonneborn_berger] if is_scored else []
        shown.add_row(
            "" if one.place is None else str(one.place),
            one_line(one.name),
            str(one.seed),
            *[f"{number:g}" for number in numbers if number is not None],
            str(one.wins),
            str(one.meetings),
            str(one.byes or ""),
        )
    return shown
