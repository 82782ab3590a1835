"""Invitations: seats that are reserved for accounts which have to be asked, and codes of private matches."""

import base64
from collections.abc import Iterator
from contextlib import suppress
from secrets import compare_digest
from typing import Final

from contract.matches import Invitation
from contract.values import Timestamp
from domain.errors import RuleViolation
from domain.match.commands import CreateMatch, EndReservation
from domain.match.state import OPEN, MatchState
from events.matches.entries import Loaded
from events.matches.projections import invited_index, inviting_index
from events.store import keys
from events.store.errors import StaleVersion
from service.accounts.tokens import Token
from service.context import services
from service.edge.problems import Problem, at
from service.matches.presentation import present_clock

MOST_INVITED: Final = 200
"""As many matches may wait for one account."""
MOST_INVITING: Final = 50
"""As many matches of one account may wait for others. Parallel requests may get a few beyond both limits."""

_CODE_BYTES: Final = 10
"""Of an invitation code: 80 bits, 16 letters and digits."""


def require_room(command: CreateMatch) -> CreateMatch:
    """The command, unless too many invitations wait already.

    Raises:
        Problem: `too_many_invitations`.
    """
    store = services().matches.store
    reserved = {plan.id: seat for seat, plan in enumerate(command.seats) if plan.kind == "reserved"}
    if reserved and store.count_members(keys.index(inviting_index(command.creator))) >= MOST_INVITING:
        detail = f"{MOST_INVITING} of your matches wait for guests: wait for answers, or call some off"
        raise Problem("too_many_invitations", detail)
    for account_id, seat in reserved.items():
        if store.count_members(keys.index(invited_index(account_id))) >= MOST_INVITED:
            raise at(f"/seats/{seat}", "as many invitations as allowed wait there", "too_many_invitations")
    return command


def reserved_seats(state: MatchState, account_id: str) -> list[int]:
    """The seats that wait for the account."""
    return sorted(seat for seat, one in state.reservations.items() if one.id == account_id)


def reserved_seat(state: MatchState, account_id: str, seat: int | None) -> int:
    """The first seat that waits for the account, or the one that is named.

    Raises:
        RuleViolation: `invitation_not_found`.
    """
    found = reserved_seats(state, account_id)
    if seat is None and found:
        return found[0]
    if seat is None or seat not in found:
        raise RuleViolation("invitation_not_found", "no such seat waits for you", "/seat")
    return seat


def waiting_for(caller: Token) -> list[Invitation]:
    """The invitations of the account, the newest match first, but for those of accounts that it blocks."""
    matches, accounts = services().matches, services().accounts
    match_ids = matches.store.members(keys.index(invited_index(caller.account_id)), None, MOST_INVITED)
    loaded = [one for one in matches.load_many(match_ids) if isinstance(one, Loaded)]
    creators = accounts.handles(_creator(one) for one in loaded)
    blocked = accounts.guests.blocked(caller.account_id, creators)
    welcome = [one for one in loaded if _creator(one) not in blocked]
    return [shape for one in welcome for shape in _shapes(one, caller, creators.get(_creator(one)))]


def _creator(loaded: Loaded) -> str:
    return loaded.state.created.creator


def _shapes(loaded: Loaded, caller: Token, invited_by: str | None) -> Iterator[Invitation]:
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
            invited_by=invited_by,
            created_at=Timestamp.at(loaded.created_at_ms),
        )


def decline_all(caller: Token, creator: str) -> None:
    """Decline all invitations of one account that wait; one that cannot be now stays, and is not shown."""
    matches = services().matches
    match_ids = matches.store.members(keys.index(invited_index(caller.account_id)), None, MOST_INVITED)
    for loaded in matches.load_many(match_ids):
        if isinstance(loaded, Loaded) and _creator(loaded) == creator:
            for seat in reserved_seats(loaded.state, caller.account_id):
                with suppress(RuleViolation, StaleVersion):
                    command = EndReservation(seat, caller.account_id)
                    matches.execute(loaded.match_id, command, f"account:{caller.account_id}")


def code_of(match_id: str, state: MatchState) -> str | None:
    """What lets whoever holds it join the private match, as long as that is open; None for all other matches,
    and where the master key is gone. It is stored nowhere."""
    created = state.created
    if created.visibility != "private" or state.status != OPEN:
        return None
    try:
        secret = services().matches.seeds.secret_for(created.dice.key_id, f"invitation:{match_id}")
    except LookupError:
        return None
    return base64.b32encode(secret[:_CODE_BYTES]).decode()


def opens(match_id: str, state: MatchState, code: str) -> bool:
    """Whether the code is that of the match; capital and small letters are the same."""
    real = code_of(match_id, state)
    return real is not None and compare_digest(real.encode(), code.upper().encode())


def code_for(caller: Token | None, match_id: str, state: MatchState) -> str | None:
    """The code, for the creator of the match alone."""
    created = state.created
    if caller is None or created.creator != caller.account_id:
        return None
    return code_of(match_id, state)
