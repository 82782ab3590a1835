"""From the body of `POST /v1/matches/{match_id}/branches` to the command that makes the branch."""

from typing import Final

from domain.match.branches import branch_command
from domain.match.commands import CreateMatch, SeatPlan
from domain.match.events import Origin
from domain.match.state import is_over
from events.matches.entries import Loaded
from events.matches.history import Outcome
from service.accounts.accounts import Accounts
from service.accounts.tokens import Token
from service.context import services
from service.edge.problems import Problem, at
from service.matches.new_match import Body, clock_of, seat_plans, throws_of

_MOST_OPEN_FIRST: Final = ("public", "unlisted", "private")


def branch_of(body: Body, caller: Token, loaded: Loaded, accounts: Accounts) -> CreateMatch:
    """The command that the checked body asks for; `loaded` is the origin as the caller was found to see it.

    Raises:
        Problem: the origin has no such version, was over with it, or has dice that are not to be had; a seat
            names nobody, or an account that the caller may not seat, or brings a seed where it cannot; the
            branch would be more open than its origin.
        RuleViolation: the origin had not started, or has another number of seats.
        StreamCorrupt, StoreUnavailable.
    """
    command = _command_at(loaded, body["from_version"])
    origin = Origin(loaded.match_id, command.last, f"sha-256:{command.head_hash.hex()}", body["dice"])
    if origin.dice == "same":
        _require_seed(body, loaded)
    return branch_command(
        command.state,
        origin,
        _seats(body, caller, loaded, accounts),
        caller.account_id,
        throws_of(body),
        clock_of(body),
        _visibility(body, loaded),
        tuple(body["tags"]),
    )


def _command_at(loaded: Loaded, version: int) -> Outcome:
    """What led to the decision that the branch begins with.

    Between the events of one command nobody decides: the branch stands behind all of them.
    """
    if version > loaded.version:
        detail = f"the match is at version {loaded.version}"
        raise Problem("version_not_found", detail, max_version=loaded.version)
    command = services().matches.history.command_at(loaded.match_id, version)
    if is_over(command.state) and command.state.coins:
        detail = f"the last version with a decision to make is {command.first - 1}"
        raise Problem("match_finished", detail)
    return command


def _require_seed(body: Body, loaded: Loaded) -> None:
    """Refuse dice that are still secret, or whose master key is gone; and seeds that would change them."""
    created = loaded.state.created
    if not is_over(loaded.state):
        raise Problem("seed_unavailable", "the seed of the origin is revealed when that match is over")
    if not services().matches.seeds.has_key(created.dice.key_id):
        raise Problem("seed_unavailable", "the service has no master key for the origin's seed any more")
    for index, seat in enumerate(body["seats"] or ()):
        if "seed" in seat:
            raise at(f"/seats/{index}/seed", "with the same dice each seat keeps its seed")


def _seats(body: Body, caller: Token, loaded: Loaded, accounts: Accounts) -> tuple[SeatPlan, ...]:
    """Who is to sit where: the caller on every seat, if nobody is named."""
    seats = body["seats"]
    if seats is None:
        seats = [{"kind": "me"}] * len(loaded.state.controllers)
    plans = seat_plans(seats, caller, accounts)
    for index, plan in enumerate(plans):
        if plan.kind == "reserved":  # a branch begins at once, and cannot wait for an answer
            member = "bot" if seats[index]["kind"] == "bot" else "handle"
            detail = f"{plan.name} has to allow you first: a branch begins at once"
            raise at(f"/seats/{index}/{member}", detail, "seating_refused")
    return plans


def _visibility(body: Body, loaded: Loaded) -> str:
    """As wished, but not more open than the origin, which the branch names and tells of."""
    created = loaded.state.created
    wished = body["visibility"] or created.visibility
    if _MOST_OPEN_FIRST.index(wished) < _MOST_OPEN_FIRST.index(created.visibility):
        raise at("/visibility", f"the origin is {created.visibility}")
    return str(wished)
