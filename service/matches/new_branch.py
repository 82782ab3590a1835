"""The command of a new branch, from the body of `POST /v1/matches/{match_id}/branches`."""

from typing import Final

from contract.problems import ProblemExtra
from domain.canonical import hash_text
from domain.match.branches import branch_command
from domain.match.commands import CreateMatch, SeatPlan
from domain.match.events import Origin
from domain.match.state import is_over
from events.matches.entries import Loaded
from events.matches.history import CommandResult
from service.accounts.accounts import Accounts
from service.accounts.tokens import Token
from service.context import services
from service.edge.problems import Problem, problem_at
from service.matches.new_match import Body, clock_of, seat_plans, throws_of

_MOST_OPEN_FIRST: Final = ("public", "unlisted", "private")


def branch_of(body: Body, caller: Token, loaded: Loaded, accounts: Accounts) -> CreateMatch:
    """The command for the validated body; `loaded` is the origin, which the caller may see.

    Raises:
        Problem: the origin has no such version, is over at that version, or its dice are not available; a
            seat names an unknown player, an account that the caller may not seat, or a seed although the dice
            are the same; the branch would be more visible than its origin.
        RuleViolation: the origin had not started, or has another number of seats.
        StreamCorrupt, StoreUnavailable.
    """
    command = _command_at(loaded, body["from_version"])
    origin = Origin(loaded.match_id, command.last, hash_text(command.head_hash), body["dice"])
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


def _command_at(loaded: Loaded, version: int) -> CommandResult:
    """The command that produced the version; the branch begins after its last event.

    No decision is due between the events of one command.
    """
    if version > loaded.version:
        detail = f"the match is at version {loaded.version}"
        extra = ProblemExtra(max_version=loaded.version)
        raise problem_at("/from_version", detail, "version_not_found", extra=extra)
    command = services().matches.history.command_at(loaded.match_id, version)
    if is_over(command.state) and command.state.coins:
        detail = f"the last version with a decision is {command.first - 1}"
        raise Problem("match_finished", detail)
    return command


def _require_seed(body: Body, loaded: Loaded) -> None:
    """Refuse dice that are still secret or whose master key is lost, and seeds that would change them."""
    created = loaded.state.created
    if not is_over(loaded.state):
        raise Problem("seed_unavailable", "the origin reveals its seed when it is over")
    if not services().matches.seeds.has_key(created.dice.key_id):
        raise Problem("seed_unavailable", "the service no longer has the master key of the origin's seed")
    for index, seat in enumerate(body["seats"] or ()):
        if "seed" in seat:
            raise problem_at(f"/seats/{index}/seed", "with the same dice, each seat keeps its seed")


def _seats(body: Body, caller: Token, loaded: Loaded, accounts: Accounts) -> tuple[SeatPlan, ...]:
    """The plan of each seat; by default, the caller plays all seats."""
    seats = body["seats"]
    if seats is None:
        seats = [{"kind": "me"}] * len(loaded.state.controllers)
    plans = seat_plans(seats, caller, accounts)
    for index, plan in enumerate(plans):
        if plan.kind == "reserved":  # a branch begins at once and cannot wait for an account to accept
            member = "bot" if seats[index]["kind"] == "bot" else "handle"
            detail = f"{plan.name} must first allow you to seat it, because a branch begins at once"
            raise problem_at(f"/seats/{index}/{member}", detail, "seating_refused")
    return plans


def _visibility(body: Body, loaded: Loaded) -> str:
    """The visibility of the branch; not more open than the origin, because the branch reveals its origin."""
    created = loaded.state.created
    wanted = body["visibility"] or created.visibility
    if _MOST_OPEN_FIRST.index(wanted) < _MOST_OPEN_FIRST.index(created.visibility):
        raise problem_at("/visibility", f"the origin is {created.visibility}")
    return str(wanted)
