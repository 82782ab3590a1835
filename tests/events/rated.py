"""Rated matches that end at once, for tests of what becomes of their results."""

from domain.match.commands import CreateMatch, Resign, SeatPlan, TakeSeat
from domain.match.events import Clock, Dice
from domain.match.rulesets import CURRENT, resolve_options
from events import Matches


def open_rated(matches: Matches, account_id: str, seats: int = 2, first_seat: int = 0) -> str:
    """A rated match that waits for others; its id."""
    book = CURRENT["base"]
    plans = (SeatPlan("account", account_id, account_id), *[SeatPlan("open")] * (seats - 1))
    options = resolve_options(book, seats, rated=True)
    clock = Clock(60_000, "forfeit")
    creation = CreateMatch(book.version, options, plans, Dice("committed"), account_id, first_seat, clock)
    return matches.create(creation).match_id


def join(matches: Matches, match_id: str, seat: int, account_id: str) -> None:
    matches.execute(match_id, TakeSeat(seat, "account", account_id, account_id), f"account:{account_id}")


def resign(matches: Matches, match_id: str, seat: int, command_id: str | None = None) -> None:
    matches.execute(match_id, Resign(seat), f"seat:{seat}", command_id)


def rated_match(matches: Matches, winner: str, loser: str, first_seat: int = 0) -> str:
    """A rated match of two accounts that the second one resigns; its id."""
    match_id = open_rated(matches, winner, first_seat=first_seat)
    join(matches, match_id, 1, loser)
    resign(matches, match_id, 1)
    return match_id
