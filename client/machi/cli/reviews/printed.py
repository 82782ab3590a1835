"""A review as text: who was how likely to win, luck and skill by seat, and the dearest mistakes."""

from collections import Counter
from itertools import groupby
from typing import Final

from rich.table import Table

from contract.reviews import MILLIONTHS, Chances, ReviewedDecision
from contract.states import Command
from domain.languages.names import card_name
from domain.match import commands as cmd
from domain.match.rulesets import VERSIONS
from machi.cli.session import Session, bare_table, one_line
from machi.cli.text import DisplayNames
from machi.requests.reviews import Review

LEVELS: Final = "▁▂▃▄▅▆▇█"
"""From no chance to certainty."""
_TURNS_WIDE: Final = 60
"""The most columns of a line of chances; with more turns, one column stands for several."""
_VERDICTS: Final = ("inaccuracy", "mistake", "blunder")


def print_review(session: Session, review: Review) -> None:
    """Print a review to standard output."""
    names = _names(review)
    winner = review.result.index(max(review.result))
    session.say(f"{review.match_id}, {review.ruleset}: {names.seat(winner)} won.", "bold")
    _print_chances(session, review, names)
    session.wide.print(_seats(review, names))
    if review.turning_point is not None:
        turn = next(step.turn for step in review.steps if step.version == review.turning_point)
        session.say(f"From turn {turn} on, {names.seat(winner)} was always the most likely to win.")
    _print_mistakes(session, review, names)


def _names(review: Review) -> DisplayNames:
    ruleset = VERSIONS[review.rules_version]
    cards = [card.id for card in (*ruleset.establishments, *ruleset.landmarks)]
    seats = [one_line(seat.name) for seat in review.seats]
    return DisplayNames(seats, {card: card_name(ruleset, card, "en").name for card in cards})


def _print_chances(session: Session, review: Review, names: DisplayNames) -> None:
    """One line for each seat, with a column for each turn: the chance of winning at its end."""
    curve = chances_by_turn(review)
    width = max(len(names.seat(seat.seat)) for seat in review.seats)
    for seat in range(len(review.seats)):
        line = "".join([LEVELS[min(7, 8 * chances[seat] // MILLIONTHS)] for chances in curve])
        session.say(f"{names.seat(seat):{width}} {percent(review.start[seat]):>6} {line}")


def chances_by_turn(review: Review, most: int = _TURNS_WIDE) -> list[Chances]:
    """The chances after each turn, or after every few turns if there are more than `most`."""
    ends = [[*steps][-1].chances for _, steps in groupby(review.steps, key=lambda step: step.turn)]
    each = -(-len(ends) // most)
    return [ends[min(last, len(ends)) - 1] for last in range(each, len(ends) + each, each)] if ends else []


def _seats(review: Review, names: DisplayNames) -> Table:
    table = bare_table()
    table.add_column("seat", overflow="fold")
    for title in ("start", "luck", "skill", "others", "result", "adjusted", "accuracy", "?!", "?", "??"):
        table.add_column(title, justify="right")
    for seat in review.seats:
        verdicts = Counter([one.verdict for one in review.decisions if one.seat == seat.seat])
        table.add_row(
            names.seat(seat.seat),
            percent(seat.start),
            *[_signed(part) for part in (seat.luck, seat.skill, seat.others)],
            *[percent(part) for part in (seat.result, seat.adjusted)],
            "" if seat.accuracy is None else f"{seat.accuracy} %",
            *[str(verdicts[name]) for name in _VERDICTS],
        )
    return table


def _print_mistakes(session: Session, review: Review, names: DisplayNames) -> None:
    found = [one for one in review.decisions if one.version in review.mistakes]
    found.sort(key=lambda one: review.mistakes.index(one.version))
    if found:
        session.say("")
    for one in found:
        session.say(_mistake(one, names))
        session.say_indented(f"better: {in_words(one.best, names)}")


def _mistake(one: ReviewedDecision, names: DisplayNames) -> str:
    interval = f"95 % interval {percent(one.low)} to {percent(one.high)}"
    what = in_words(one.command, names)
    return (
        f"turn {one.turn}, {names.seat(one.seat)}: {what}: {one.verdict}, -{percent(one.loss)} ({interval})"
    )


def in_words(command: Command, names: DisplayNames) -> str:
    """What a command does."""
    match command:
        case cmd.RollDice(dice=dice):
            return "roll one die" if dice == 1 else "roll two dice"
        case cmd.RerollDice():
            return "roll again"
        case cmd.KeepDice():
            return "keep the dice"
        case cmd.AddTwo():
            return "add 2 to the roll"
        case cmd.KeepTotal():
            return "add nothing to the roll"
        case cmd.TakeCoins(from_seat=seat):
            return f"take coins from {names.seat(seat)}"
        case cmd.SwapEstablishments(give=give, with_seat=seat, take=take):
            return f"give {names.card(give)} to {names.seat(seat)} for {names.card(take)}"
        case cmd.DeclineSwap():
            return "trade nothing"
        case cmd.GiveEstablishment(card=card):
            return f"give away {names.card(card)}"
        case cmd.Demolish(card=card):
            return f"demolish {names.card(card)}"
        case cmd.MoveEstablishment(card=card, to_seat=seat):
            return f"give {names.card(card)} to {names.seat(seat)}"
        case cmd.Renovate(card=card):
            return f"close {names.card(card)}"
        case cmd.Build(card=card):
            return f"build {names.card(card)}"
        case cmd.Pass():
            return "build nothing"
    return command.type.replace("_", " ")


def percent(millionths: int) -> str:
    """A probability or a loss in percentage points."""
    return f"{100 * millionths / MILLIONTHS:.1f}"


def _signed(millionths: int) -> str:
    return f"{100 * millionths / MILLIONTHS:+.1f}"
