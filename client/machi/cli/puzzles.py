"""`machi puzzles`."""

from collections.abc import Iterable, Sequence
from itertools import islice

import click

from contract.catalogue import Card
from machi.cli.board import Board
from machi.cli.options import RULESETS
from machi.cli.reviews.printed import in_words, percent
from machi.cli.session import Session, WrongUse, service_options, session_of
from machi.cli.text import DisplayNames, cards_of
from machi.requests.reviews import Puzzle, PuzzleSolution
from machi.values import ListedPuzzle


@click.command(
    epilog="""\b
Examples:
  machi puzzles --ruleset harbor
  machi puzzles pzl_0123456789abcdef0123456789abcdef
  machi puzzles pzl_0123456789abcdef0123456789abcdef --solution
"""
)
@click.argument("puzzle_id", metavar="[PUZZLE]", required=False)
@click.option("--ruleset", type=click.Choice(RULESETS), help="List only puzzles of this ruleset.")
@click.option("--seats", type=click.IntRange(2, 5), help="List only puzzles with this number of seats.")
@click.option(
    "--limit", type=click.IntRange(1), default=20, show_default=True, help="Maximum number to list."
)
@click.option("--solution", is_flag=True, help="Show the solution, too.")
@service_options
@session_of
def puzzles(
    session: Session,
    puzzle_id: str | None,
    ruleset: str | None,
    seats: int | None,
    limit: int,
    solution: bool,
) -> None:
    """List puzzles, or show one.

    A puzzle asks for the best command in a position of a finished match.
    """
    if puzzle_id is None:
        if solution:
            raise WrongUse("--solution needs the id of a puzzle")
        with session.client() as client:
            found = islice(client.puzzles(ruleset, seats), limit)
            session.show_each(found, lambda found: _say_puzzles(session, found))
        return
    with session.client() as client:
        puzzle = client.puzzle(puzzle_id)
        solved = client.puzzle_solution(puzzle_id) if solution else None
        cards = cards_of(client, puzzle.ruleset, None)
    players = [f"seat {player.seat}" for player in puzzle.players]
    names = DisplayNames(players, {card.id: card.name for card in cards})
    session.show(puzzle, lambda puzzle: _print_puzzle(session, puzzle, cards, names))
    if solved is not None:
        session.show(solved, lambda solved: _print_solution(session, solved, names))


def _print_puzzle(session: Session, puzzle: Puzzle, cards: Sequence[Card], names: DisplayNames) -> None:
    session.out.print(Board(cards, names, [puzzle.active_seat]).cities(puzzle))
    _print_choice(session, puzzle, names)


def _say_puzzles(session: Session, found: Iterable[ListedPuzzle]) -> None:
    for one in found:
        session.say(f"{one.puzzle_id}  {one.ruleset}, {one.seats} seats, turn {one.turn}, {one.phase}")


def _print_choice(session: Session, puzzle: Puzzle, names: DisplayNames) -> None:
    if puzzle.dice is not None:
        session.say(f"\nThe roll is {puzzle.dice.total}.")
    session.say(f"\nWhat is best for {names.seat(puzzle.active_seat)}?")
    for number, command in enumerate(puzzle.commands, 1):
        session.say(f"{number:3}  {in_words(command, names)}")


def _print_solution(session: Session, solved: PuzzleSolution, names: DisplayNames) -> None:
    session.say("")
    for one in solved.candidates:
        loss, low, high = map(percent, (one.loss, one.low, one.high))
        cost = "best" if one is solved.candidates[0] else f"-{loss} (95 % interval {low} to {high})"
        mark = ", the obvious one" if one.command == solved.obvious else ""
        session.say(f"{in_words(one.command, names)}{mark}: {cost}")
    if (ends := solved.playouts) is not None:
        session.say(
            f"Played to the end {ends.matches} times from each: the best command wins {ends.best}, "
            f"the obvious one {ends.obvious}."
        )
    if solved.match_id is not None:
        session.say(f"From {solved.match_id}, after event {solved.version}.")
