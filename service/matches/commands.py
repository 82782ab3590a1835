"""From the body of a command to what is asked of the rules: whose seat, and under which id."""

import base64
import hashlib
from collections.abc import Callable
from typing import Any

import msgspec

from domain.errors import RuleViolation
from domain.match.commands import PLAY_COMMANDS, Command
from domain.match.decide.draft import require_running
from domain.match.state import MatchState
from events.matches.outcome import Outcome
from events.store.errors import MatchNotFound, StaleVersion
from service.accounts.accounts import Token
from service.context import services
from service.edge.auth import may_see, seats_of
from service.edge.requests import idempotency_key
from service.matches.access import commanded, require_match_id

Choice = tuple[str, Command]
"""The actor and the command."""


def command_id(caller: Token, key: str, kind: str = "") -> str:
    """The id of the command that the caller sends under the key; nobody else's key can give the same.

    `kind` tells apart what is sent to other addresses than the commands.
    """
    words = (caller.account_id, key, kind) if kind else (caller.account_id, key)
    digest = hashlib.sha256("\n".join(words).encode()).digest()
    return "cmd_" + base64.urlsafe_b64encode(digest[:15]).decode()


def canonical(caller: Token, kind: str, body: dict[str, Any]) -> bytes:
    """What makes two requests under one key the same."""
    text = msgspec.json.encode(body, order="sorted")
    return b"%b\n%b\n%b" % (caller.account_id.encode(), kind.encode(), text)


def executed(
    caller: Token,
    match_id: str,
    kind: str,
    body: dict[str, Any],
    choose: Callable[[MatchState], Choice],
    code: str = "",
) -> Outcome:
    """What the request does to the match, once under its Idempotency-Key.

    `kind` tells its keys apart from those of other requests; `code` is the invitation code that it carries.

    Raises:
        Problem, StoreError: see `commanded` and `Matches.execute_chosen`.
    """
    require_match_id(match_id)
    key = idempotency_key()
    with commanded(match_id, caller, code=code):
        return services().matches.execute_chosen(
            match_id, choose, canonical(caller, kind, body), command_id(caller, key, kind) if key else None
        )


def chooser(caller: Token, body: dict[str, Any]) -> Callable[[MatchState], Choice]:
    """What gives the command of the checked body on the state at hand.

    It raises `MatchNotFound` for a private match of others, and `RuleViolation` where the seat cannot act.
    """
    members = {name: value for name, value in body.items() if name not in ("type", "seat")}
    command_type = PLAY_COMMANDS[body["type"]]
    leaves = body["type"] == "resign"

    def choose(state: MatchState) -> Choice:
        seat = _acting_seat(state, caller, body.get("seat"), leaves)
        return f"seat:{seat}", command_type(seat=seat, **members)

    return choose


def at_version(
    match_id: str, version: int | None, choose: Callable[[MatchState], Choice]
) -> Callable[[MatchState], Choice]:
    """What chooses only on a state of that version, if one is given, before it looks at anything else.

    It raises `StaleVersion`.
    """

    def choose_there(state: MatchState) -> Choice:
        if version is not None and version != state.version:
            raise StaleVersion(match_id, version, state.version)
        return choose(state)

    return choose_there


def _acting_seat(state: MatchState, caller: Token, named: int | None, leaves: bool) -> int:
    mine = seats_of(state, caller)
    if not mine:
        if not may_see(state, caller):
            raise MatchNotFound("of others")
        raise RuleViolation("not_your_seat", "you have no seat in this match")
    require_running(state)
    if named is not None:
        return _named_seat(state, mine, named, leaves)
    if state.active in mine:
        return state.active
    if leaves:
        return next((seat for seat in mine if not state.resigned[seat]), mine[0])
    raise RuleViolation("not_your_turn", f"seat {state.active} is to act")


def _named_seat(state: MatchState, mine: list[int], named: int, leaves: bool) -> int:
    if named >= len(state.controllers):
        raise RuleViolation("validation_failed", f"no seat {named}", "/seat")
    if named not in mine:
        raise RuleViolation("not_your_seat", f"seat {named} is not yours", "/seat")
    if named != state.active and not leaves:
        raise RuleViolation("not_your_turn", f"seat {state.active} is to act", "/seat")
    return named
