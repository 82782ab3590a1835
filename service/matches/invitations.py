"""Invitations: seats reserved for accounts, and the invitation codes of private matches."""

import base64
from collections.abc import Iterator
from contextlib import suppress
from secrets import compare_digest
from typing import Final

from contract.matches import Invitation
from contract.values import Timestamp
from domain.errors import RuleViolation
from domain.match.commands import CreateMatch, EndReservation
from domain.match.rated import counts_for_ratings
from domain.match.state import OPEN, MatchState
from events.matches.entries import Loaded
from events.matches.projections import invited_index, inviting_index
from events.store import keys
from events.store.errors import StaleVersion
from service.accounts.tokens import Token
from service.context import services
from service.edge.problems import Problem, problem_at
from service.matches.presentation import present_clock

MOST_INVITED: Final = 200
"""The most matches with pending invitations to one account."""
MOST_INVITING: Final = 50
"""The most matches with pending invitations from one account. Concurrent requests can exceed both limits by a
few."""

_CODE_BYTES: Final = 10
"""The length of an invitation code: 80 bits, 16 letters and digits."""


def require_room(command: CreateMatch) -> CreateMatch:
    """Return the command, unless too many invitations are pending.

    Raises:
        Problem: `too_many_invitations`.
    """
    reserved = {plan.id: seat for seat, plan in enumerate(command.seats) if plan.kind == "reserved"}
    if not reserved:
        return command
    indexes = [inviting_index(command.creator), *[invited_index(account_id) for account_id in reserved]]
    inviting, *invited = services().matches.store.count_members([keys.index(name) for name in indexes])
    if inviting >= MOST_INVITING:
        detail = f"{MOST_INVITING} of your matches have pending invitations: wait for answers, or abort some"
        raise Problem("too_many_invitations", detail)
    for seat, invitations in zip(reserved.values(), invited, strict=True):
        if invitations >= MOST_INVITED:
            detail = "the account has reached its limit of pending invitations"
            raise problem_at(f"/seats/{seat}", detail, "too_many_invitations")
    return command


def reserved_seats(state: MatchState, account_id: str) -> list[int]:
    """The seats that are reserved for the account."""
    return sorted(seat for seat, one in state.reservations.items() if one.id == account_id)


def reserved_seat(state: MatchState, account_id: str, seat: int | None) -> int:
    """The given seat, or the first one that is reserved for the account.

    Raises:
        RuleViolation: `invitation_not_found`.
    """
    found = reserved_seats(state, account_id)
    if seat is None and found:
        return found[0]
    if seat is None or seat not in found:
        raise RuleViolation("invitation_not_found", "no such seat is reserved for you", "/seat")
    return seat


def pending_invitations(caller: Token) -> list[Invitation]:
    """The account's invitations, newest match first, without those from accounts that it blocks."""
    matches, accounts = services().matches, services().accounts
    match_ids = matches.store.members(keys.index(invited_index(caller.account_id)), None, MOST_INVITED)
    loaded = [one for one in matches.load_many(match_ids) if isinstance(one, Loaded)]
    creators = accounts.handles(_creator(one) for one in loaded)
    blocked = accounts.guests.blocked(caller.account_id, creators)
    welcome = [one for one in loaded if _creator(one) not in blocked]
    return [found for one in welcome for found in _present(one, caller, creators.get(_creator(one)))]


def _creator(loaded: Loaded) -> str:
    return loaded.state.created.creator


def _present(loaded: Loaded, caller: Token, invited_by: str | None) -> Iterator[Invitation]:
    created = loaded.state.created
    for seat in reserved_seats(loaded.state, caller.account_id):
        yield Invitation(
            match_id=loaded.match_id,
            seat=seat,
            seats=created.seats,
            ruleset=created.ruleset,
            rules_version=created.rules_version,
            clock=present_clock(created.clock),
            visibility=created.visibility,
            rated=counts_for_ratings(loaded.state),
            invited_by=invited_by,
            created_at=Timestamp.at(loaded.created_at_ms),
        )


def decline_all(caller: Token, creator: str) -> None:
    """Decline all pending invitations from one account; those that fail stay pending, but are not listed."""
    matches = services().matches
    match_ids = matches.store.members(keys.index(invited_index(caller.account_id)), None, MOST_INVITED)
    for loaded in matches.load_many(match_ids):
        if isinstance(loaded, Loaded) and _creator(loaded) == creator:
            for seat in reserved_seats(loaded.state, caller.account_id):
                with suppress(RuleViolation, StaleVersion):
                    command = EndReservation(seat, caller.account_id)
                    matches.execute(loaded.match_id, command, f"account:{caller.account_id}")


def code_of(match_id: str, state: MatchState) -> str | None:
    """The code with which anybody can join the private match while it is open. It is not stored.

    None for all other matches, and if the master key is lost.
    """
    created = state.created
    if created.visibility != "private" or state.status != OPEN:
        return None
    try:
        secret = services().matches.seeds.secret_for(created.dice.key_id, f"invitation:{match_id}")
    except LookupError:
        return None
    return base64.b32encode(secret[:_CODE_BYTES]).decode()


def opens(match_id: str, state: MatchState, code: str) -> bool:
    """Whether the code is that of the match, in upper or lower case."""
    real = code_of(match_id, state)
    return real is not None and compare_digest(real.encode(), code.upper().encode())


def code_for(caller: Token | None, match_id: str, state: MatchState) -> str | None:
    """The code, if the caller is the creator of the match."""
    created = state.created
    if caller is None or created.creator != caller.account_id:
        return None
    return code_of(match_id, state)
