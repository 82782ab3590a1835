"""Access to matches: who may see one, commands to it, and the headers of every answer about it."""

import base64
import hashlib
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeAlias

import msgspec
from flask import g, request

from contract.problems import ProblemExtra
from contract.values import Timestamp
from domain import RuleViolation
from domain.match.commands import Command
from domain.match.state import MatchState
from events.matches.entries import Loaded
from events.matches.history import CommandResult
from events.matches.lists import is_for
from events.matches.projections import deadline_ms
from events.store.errors import CommandReused, MatchNotFound, RulesChanged, StaleVersion, StreamCorrupt
from events.store.records import MISSED_LIMIT
from service.accounts.tokens import Token
from service.context import services
from service.edge.answers import replay_mark
from service.edge.middleware import MATCH_ID
from service.edge.problems import Problem
from service.edge.requests import idempotency_key
from service.matches.invitations import opens

Choice: TypeAlias = tuple[str, Command]
"""The actor and the command."""

FOREVER: Final = "max-age=31536000, immutable"
"""What `Cache-Control` says of what never changes."""

_MATCH_ID: Final = re.compile(r"mat_[0-9A-Z]{26}", re.ASCII)


def may_see(state: MatchState, caller: Token | None) -> bool:
    """Whether the caller may see the match.

    A private match is visible to its creator, to accounts that ever had a seat in it, and to invited ones.
    """
    created = state.created
    if created.visibility != "private":
        return True
    if caller is None:
        return False
    own = caller.account_id
    invited = [one.id for one in state.reservations.values()]
    return own == created.creator or own in state.accounts or own in invited


def seats_of(state: MatchState, caller: Token) -> list[int]:
    """The seats that the caller plays."""
    account_id = caller.account_id
    return [
        seat
        for seat, taken in enumerate(state.controllers)
        if taken is not None and taken.kind == "account" and taken.id == account_id
    ]


def visible_match(match_id: str, caller: Token | None, code: str = "") -> Loaded:
    """The match as of now, if the caller may see it, or `code` is its invitation code; a refusal of the
    request will carry its receipt.

    Raises:
        Problem: `match_not_found`, also for a private match of others.
        StreamCorrupt, StoreUnavailable.
    """
    require_match_id(match_id)
    loaded = services().matches.load(match_id)
    if not may_see(loaded.state, caller) and not opens(match_id, loaded.state, code):
        raise MatchNotFound(match_id)
    g.loaded = loaded
    return loaded


def record_receipt(match_id: str, caller: Token | None) -> dict[str, str]:
    """The receipt of a match, or nothing if its record is damaged or gone.

    Raises:
        MatchNotFound: there is no such match, or it is a private one of others.
    """
    require_match_id(match_id)
    try:
        return receipt_of(visible_match(match_id, caller))
    except (MatchNotFound, RulesChanged, StreamCorrupt):
        if not is_for(services().matches.store, match_id, account_of(caller)):
            raise MatchNotFound(match_id) from None
        return {}


def require_match_id(match_id: str) -> None:
    """Refuse what cannot be the id of a match; what can be one is named in the log.

    Raises:
        MatchNotFound.
    """
    if not _MATCH_ID.fullmatch(match_id):
        raise MatchNotFound(match_id)
    request.environ[MATCH_ID] = match_id


def account_of(caller: Token | None) -> str | None:
    """The account that asks; None without a token."""
    return caller.account_id if caller else None


def _receipt(version: int, head_hash: bytes) -> dict[str, str]:
    """The `Match-Head` header."""
    return {"Match-Head": f'v={version}; h="sha-256:{head_hash.hex()}"'}


def receipt_of(loaded: Loaded) -> dict[str, str]:
    return _receipt(loaded.version, loaded.head_hash)


def receipt_after(outcome: CommandResult) -> dict[str, str]:
    """The receipt of the match after a command, with the mark of a replay."""
    return {**_receipt(outcome.last, outcome.head_hash), **replay_mark(outcome.replayed)}


def kept_for_ever(loaded: Loaded) -> dict[str, str]:
    """The receipt, and that the answer never changes; caches of many may have it unless it is private."""
    created = loaded.state.created
    whose = "private" if created.visibility == "private" else "public"
    return {**receipt_of(loaded), "Cache-Control": f"{whose}, {FOREVER}"}


def deadline(loaded: Loaded) -> Timestamp | None:
    """When the clock of the decision that is due runs out, as far as is known now: an outage moves it."""
    due_ms = deadline_ms(loaded.state, loaded.last_at_ms)
    if due_ms is None:
        return None
    return instant(services().outages.deadline_ms(loaded.last_at_ms, due_ms - loaded.last_at_ms))


def instant(time_ms: int | None) -> Timestamp | None:
    return None if time_ms is None else Timestamp.at(time_ms)


@contextmanager
def commanded(match_id: str, caller: Token, expected: int | None = None, code: str = "") -> Iterator[None]:
    """What refuses a command hides a match that the caller may not see.

    Others may have been faster than the command: only who `expected` a version is told that it is stale.
    """
    try:
        yield
    except (RuleViolation, Problem, StaleVersion, CommandReused) as refusal:
        loaded = visible_match(match_id, caller, code)
        if expected is None or not isinstance(refusal, StaleVersion):
            raise
        raise _stale(loaded, expected) from None


def _stale(loaded: Loaded, expected: int) -> Problem:
    current = loaded.version
    limit = min(MISSED_LIMIT, current - expected)
    missed = services().matches.history.events(loaded.match_id, expected, limit) if limit > 0 else []
    detail = f"the match is at version {current}, not {expected}"
    return Problem(
        "stale_version", detail, extra=ProblemExtra(expected=expected, current=current, events=tuple(missed))
    )


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
) -> CommandResult:
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
