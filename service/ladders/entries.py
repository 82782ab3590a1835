"""Entries of ladders: their players, the permission to enter them, and their presentation."""

from collections.abc import Mapping
from typing import Any

from contract import ladders as contract
from domain.ladder.events import EntryPlayer, MatchFaults
from domain.ladder.state import EntryState, LadderState
from runtime.strategies import STRATEGIES
from service.accounts.seating import Consent
from service.accounts.tokens import Token
from service.context import services
from service.edge.guard import require_token
from service.edge.problems import at
from service.ladders.ladders import path_of, require_owner

OWNED_BY_SERVICE = "service"


def player_of(body: Mapping[str, Any], caller: Token) -> tuple[EntryPlayer, str, str]:
    """The player that the validated body names, the name for tables, and the owner.

    Raises:
        Problem: no such player exists.
    """
    if body["kind"] == "strategy":
        strategy = STRATEGIES.get(body["strategy"])
        if strategy is None:
            raise at("/strategy", f"must be one of: {', '.join(STRATEGIES)}")
        player = EntryPlayer("strategy", strategy.name, strategy.version)
        return player, body.get("name", strategy.name), OWNED_BY_SERVICE
    handle, account_id = _account(body.get("bot"), caller)
    name = body.get("name", f"{handle} {body['version']}")
    return EntryPlayer("bot", handle, body["version"], account_id), name, account_id


def _account(handle: str | None, caller: Token) -> tuple[str, str]:
    if handle is None:
        return caller.handle, caller.account_id
    account = services().accounts.by_handle(handle)
    if account is None:
        raise at("/bot", f"no account has the handle {handle!r}")
    return account.handle, account.account_id


def require_consent(caller: Token, player: EntryPlayer) -> None:
    """Refuse a bot whose account does not allow the caller to seat it; there are no invitations to ladders.

    Raises:
        Problem: `seating_refused`.
    """
    if player.kind != "bot":
        return
    accounts = services().accounts
    account = accounts.get(player.account)
    if account is None or accounts.consent(account, caller.account_id) is not Consent.GIVEN:
        detail = f"{player.name} must first allow you to enter it"
        raise at("/bot", detail, "seating_refused")


def require_may_enter(state: LadderState, caller: Token, player: EntryPlayer) -> None:
    """Refuse a caller that is neither the bot itself nor the owner of the ladder.

    Raises:
        Problem: `not_ladder_owner`, `scope_missing`.
    """
    if player.account == caller.account_id and "play" in caller.scopes:
        return
    require_owner(state, caller)
    require_token(caller, "ladder:operate")


def require_may_speak_for(state: LadderState, caller: Token, entry: EntryState) -> None:
    """Refuse a caller that is neither the bot of the entry nor the owner of the ladder.

    Raises:
        Problem: see `require_may_enter`.
    """
    require_may_enter(state, caller, entry.player)


def present_entry(ladder_id: str, entry: EntryState) -> contract.LadderEntry:
    """The entry, with the evidence for a suspension."""
    return contract.LadderEntry(
        entry_id=entry.id,
        player=_player(entry),
        name=entry.name,
        owner=entry.owner,
        status=entry.status,
        removed_for=entry.removed_for or None,
        evidence=_evidence(ladder_id, entry) if entry.evidence else None,
        good_probes=tuple(entry.good_probes),
    )


def _player(entry: EntryState) -> contract.LadderPlayer:
    player = entry.player
    if entry.is_bot:
        return contract.LadderBot(handle=player.name, account=player.account, version=player.version)
    return contract.LadderStrategy(name=player.name, version=player.version)


def _evidence(ladder_id: str, entry: EntryState) -> contract.SuspensionEvidence:
    return contract.SuspensionEvidence(
        matches=len(entry.recent),
        faults=tuple([_faulted(fault) for fault in entry.evidence]),
        details=f"{path_of(ladder_id)}/entries/{entry.id}/faults",
    )


def _faulted(fault: MatchFaults) -> contract.FaultedMatch:
    return contract.FaultedMatch(
        match_id=fault.match_id,
        timeouts=fault.timeouts,
        errors=fault.errors,
        events=f"/v1/matches/{fault.match_id}/events",
    )
