"""`machi ladder create`, `enter`, `withdraw` and `season`."""

import json
from collections.abc import Callable
from typing import Any, TypeVar

import click

from contract.names import declared
from contract.tournaments import ScheduleKind, Seeding
from machi.cli.options import RULESETS
from machi.cli.session import Session, WrongUse, one_line, service_options, session_of
from machi.client import Client
from machi.ladders import Ladder
from machi.values import LadderEntry

Command = TypeVar("Command", bound=Callable[..., Any])


def _of_schedule(command: Command) -> Command:
    """The options of a tournament."""
    for option in (
        click.option(
            "--seeding",
            type=click.Choice(declared(Seeding).names),
            help="Seed the field by the order of entering, or by the ratings of the season before.",
        ),
        click.option(
            "--table-blocks",
            "blocks",
            type=click.IntRange(1, 100),
            help="Blocks that the entries of a table play against each other in a round. [default: 1]",
        ),
        click.option(
            "--rounds", type=click.IntRange(1, 50), help="Number of rounds. [default: as many as it needs]"
        ),
        click.option(
            "--schedule",
            "kind",
            type=click.Choice(declared(ScheduleKind).names),
            help="Make the season a tournament of this kind.",
        ),
    ):
        command = option(command)
    return command


def _schedule(given: dict[str, int | str | None]) -> dict[str, Any]:
    """The schedule that the options give; nothing without one."""
    found = {name: value for name, value in given.items() if value is not None}
    if found and "kind" not in found:
        raise WrongUse("--rounds, --table-blocks and --seeding require --schedule")
    return {"schedule": found} if found else {}


@click.command(
    epilog="""\b
Examples:
  machi ladder create "Base for two" --ruleset base --seats 2
  machi ladder create Cup --ruleset harbor --seats 4 --config '{"luck": "off"}'
  machi ladder create Open --ruleset base --seats 2 --schedule swiss --rounds 5
"""
)
@click.argument("name")
@click.option("--ruleset", type=click.Choice(RULESETS), required=True, help="Ruleset to play.")
@click.option("--seats", type=click.IntRange(2, 5), required=True, help="Number of seats at each table.")
@click.option(
    "--config",
    metavar="JSON",
    default="{}",
    help="Further members of POST /v1/ladders, such as rating, as a JSON object.",
)
@_of_schedule
@service_options
@session_of
def create(
    session: Session, /, name: str, ruleset: str, seats: int, config: str, **schedule: int | str | None
) -> None:
    """Create a ladder and become its owner.

    With --schedule, its first season is a tournament.
    """
    session.require_account()
    members = _members(config) | _schedule(schedule)
    with session.client() as client:
        made = client.create_ladder(name, ruleset, seats, **members)
    session.show(made, lambda made: _say_created(session, made))


def _say_created(session: Session, made: Ladder) -> None:
    session.say(made.ladder_id)
    what = f"{made.name}: {made.config.ruleset}, {made.config.seats} seats"
    session.warn(f"{what}; next, enter players: machi ladder enter {made.ladder_id} ...")


def _members(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict) or {"name", "ruleset", "seats"} & found.keys():
        raise WrongUse("--config must be a JSON object without name, ruleset and seats")
    return found


@click.command(
    epilog="""\b
Examples:
  machi ladder enter LADDER greedy random expected_value
  machi ladder enter LADDER greedy --name "greedy again"
  machi ladder enter LADDER --bot-version 7            your own bot, version 7
  machi ladder enter LADDER --bot bob --bot-version 1  as the owner of the ladder
"""
)
@click.argument("ladder_id", metavar="LADDER")
@click.argument("strategies", metavar="[STRATEGY]...", nargs=-1)
@click.option("--bot", metavar="HANDLE", help="Account of the remote bot. [default: you]")
@click.option("--bot-version", metavar="VERSION", help="Enter a bot with this version.")
@click.option("--name", metavar="NAME", help="Name that tables show.")
@service_options
@session_of
def enter(
    session: Session,
    ladder_id: str,
    strategies: tuple[str, ...],
    bot: str | None,
    bot_version: str | None,
    name: str | None,
) -> None:
    """Enter built-in players or a bot in a ladder."""
    if bool(strategies) == (bot_version is not None) or (bot and bot_version is None):
        raise WrongUse("name built-in players, or use --bot-version for a bot")
    if name is not None and len(strategies) > 1:
        raise WrongUse("--name requires a single player")
    session.require_account()
    with session.client() as client:
        for strategy in strategies:
            _show_entry(session, client.enter(ladder_id, strategy=strategy, name=name))
        if bot_version is not None:
            _show_entry(session, client.enter(ladder_id, bot=bot, version=bot_version, name=name))


def _show_entry(session: Session, entry: LadderEntry) -> None:
    session.show(entry, lambda entry: session.say(f"{entry.entry_id} {entry.name}"))


@click.command()
@click.argument("ladder_id", metavar="LADDER")
@click.argument("name", metavar="ENTRY")
@service_options
@session_of
def withdraw(session: Session, ladder_id: str, name: str) -> None:
    """Remove an entry from a ladder. Its results stay.

    ENTRY is the name or the id of an entry.
    """
    session.require_account()
    with session.client() as client:
        client.withdraw(ladder_id, entry_named(client, ladder_id, name))


@click.command()
@click.argument("ladder_id", metavar="LADDER")
@_of_schedule
@click.option("--no-schedule", is_flag=True, help="Make it an ordinary season after a tournament.")
@service_options
@session_of
def season(session: Session, /, ladder_id: str, no_schedule: bool, **schedule: int | str | None) -> None:
    """Open the next season.

    From now on, results count for a new table. With --schedule, the season is a tournament; by default it is
    what the season before was.
    """
    members = _schedule(schedule)
    if no_schedule and members:
        raise WrongUse("use either --schedule or --no-schedule")
    session.require_account()
    with session.client() as client:
        opened = client.open_season(ladder_id, **({"schedule": None} if no_schedule else members))
    session.show(opened, lambda opened: session.say(f"Season {opened.season} is open: {opened.digest}"))


def entry_named(client: Client, ladder_id: str, name: str) -> str:
    """The id of the entry with that id, or of the entry with that name that still takes part.

    Raises:
        WrongUse: there is no such entry.
    """
    entries = client.ladder(ladder_id).entries
    found = [one for one in entries if name == one.entry_id]
    found = found or [one for one in entries if name == one.name and one.status != "removed"]
    if len(found) != 1:
        raise WrongUse(f"the ladder has no entry called {one_line(name)!r}")
    return found[0].entry_id
