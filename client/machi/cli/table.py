"""`machi state`, `turns` and `luck`: what is on the table, who has to decide, and who was lucky."""

from collections.abc import Iterable, Iterator
from fractions import Fraction

import click

from contract.luck import ThrowLuck
from machi.cli.board import Board
from machi.cli.ladders.tables import plain_table
from machi.cli.options import language_option, match_argument
from machi.cli.session import Session, bare_table, one_line, service_options, session_of
from machi.cli.text import DisplayNames, cards_of, names_of, result_line, sum_of_dice
from machi.cli.translations import TRANSLATIONS
from machi.client import Client
from machi.play_loop import LONGEST_WAIT_S
from machi.table import State, Turn
from machi.values import Luck


@click.command(
    epilog="""\b
Examples:
  machi state mat_01M7WRCDNE5VV31RSBR368627A
  machi state mat_01M7WRCDNE5VV31RSBR368627A --at 42 --lang it
  machi state mat_01M7WRCDNE5VV31RSBR368627A --json | jq '.players[].coins'
"""
)
@match_argument
@click.option("--at", type=click.IntRange(1), metavar="EVENT", help="Show the table after this event.")
@language_option
@service_options
@session_of
def state(session: Session, match_id: str, at: int | None, lang: str) -> None:
    """Show the table of a match: cities, coins, dice and market.

    `>` marks the player who has to act.
    """
    with session.client() as client:
        found = client.state(match_id) if at is None else client.state_after(match_id, at)
        session.show(found, lambda found: _print_state(session, client, found, lang))


def _print_state(session: Session, client: Client, state: State, lang: str) -> None:
    translation = TRANSLATIONS[lang]
    match = client.match(state.match_id)
    cards = cards_of(client, state.ruleset, lang)
    names = names_of(match, cards)
    board = Board(cards, names, (), translation)
    session.say(translation.title.format(ruleset=state.ruleset, match=state.match_id), "bold")
    session.out.print(board.cities(state))
    session.out.print()
    session.out.print(board.supply(state))
    session.say(board.summary(state))
    if state.version == match.version:
        session.say(result_line(match, names, translation))
    else:
        status = translation.statuses.get(state.status, state.status)
        session.say(translation.stands.format(status=status, turn=state.turn, event=state.version))


@click.command(
    epilog="""\b
Examples:
  machi turns
  machi turns --wait && machi play "$(machi turns --json | head -1 | jq -r .match_id)"
"""
)
@click.option("--wait", is_flag=True, help="Wait until there is a decision to make.")
@service_options
@session_of
def turns(session: Session, wait: bool) -> None:
    """List your open decisions, the longest waiting first.

    To make one, run `machi play MATCH_ID`.
    """
    session.require_account()
    with session.patient_client() as client:
        found = client.turns()
        while wait and not found:
            found = client.turns(LONGEST_WAIT_S)
    session.show_each(found, lambda found: _say_turns(session, found))


def _say_turns(session: Session, found: Iterable[Turn]) -> None:
    lines = [_turn(one) for one in found]
    for line in lines or ["You have no decision to make."]:
        session.say(line)


def _turn(one: Turn) -> str:
    commands = "1 command" if len(one.commands) == 1 else f"{len(one.commands)} commands"
    until = f", until {one.deadline.astimezone():%Y-%m-%d %H:%M:%S}" if one.deadline else ""
    what = f"{one.state.ruleset}, turn {one.state.turn}, {one.legal_commands.phase}"
    return f"{one.match_id}  seat {one.seat}, {what}: {commands}{until}"


@click.command(
    epilog="""\b
Examples:
  machi luck mat_01M7WRCDNE5VV31RSBR368627A
  machi luck mat_01M7WRCDNE5VV31RSBR368627A --rolls
"""
)
@match_argument
@click.option("--rolls", is_flag=True, help="Also show the luck of every roll.")
@service_options
@session_of
def luck(session: Session, match_id: str, rolls: bool) -> None:
    """Show how lucky each player was with the dice, in coins.

    Coins count relative to the mean of the other players. The columns add up: expected + luck - error =
    realised. `expected` is what fair dice bring on average with the best choices, `error` what worse choices
    about the rolls cost. With --json, a match with more than 500 rolls has several objects.
    """
    with session.client() as client:
        session.show_each(_pages(client, match_id), lambda pages: _print_luck(session, client, pages, rolls))


def _pages(client: Client, match_id: str) -> Iterator[Luck]:
    page = client.luck(match_id)
    yield page
    while page.next is not None:
        page = client.luck(match_id, int(page.next))
        yield page


def _print_luck(session: Session, client: Client, pages: Iterable[Luck], rolls: bool) -> None:
    found = list(pages)
    names = names_of(client.match(found[0].match_id), ())
    table = bare_table()
    table.add_column("seat", overflow="fold")
    for title in ("expected", "luck", "error", "realised"):
        table.add_column(title, justify="right")
    for seat in found[-1].totals:
        of = seat.decimals
        numbers = (of.expected, of.luck, of.error, of.realised)
        table.add_row(one_line(names.seat(seat.seat)), *[f"{number:+.2f}" for number in numbers])
    session.out.print(table)
    if rolls:
        _print_rolls(session, [throw for page in found for throw in page.throws], names)


def _print_rolls(session: Session, throws: Iterable[ThrowLuck], names: DisplayNames) -> None:
    """A line for each roll: who threw what, and its luck for that player."""
    table = plain_table("event", "turn", "player", "dice", "luck")
    for throw in throws:
        dice = sum_of_dice(throw.values, sum(throw.values))
        (own,) = [one for one in throw.seats if one.seat == throw.seat]
        lucky = f"{float(Fraction(own.luck)):+.2f}"
        table.add_row(str(throw.sequence), str(throw.turn), one_line(names.seat(throw.seat)), dice, lucky)
    session.out.print()
    session.wide.print(table)
