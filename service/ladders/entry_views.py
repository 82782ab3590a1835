"""Entries of ladders: who may enter, withdraw and probe them, and their faults."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from flask import Response
from marshmallow import Schema

from contract import ladders as contract
from contract.values import CARD
from domain.errors import RuleViolation
from domain.ladder import decide
from domain.ladder.events import EntryPlayer, Event, MatchFaults
from domain.ladder.state import SUSPENDED, EntryState, LadderState
from events.store.keys import new_id, now_ms
from runtime.strategies import OFFERED
from service.accounts.account_schemas import HANDLE
from service.accounts.seating import Consent
from service.accounts.tokens import Token
from service.context import services
from service.edge.answers import empty_answer, json_answer, replay_mark
from service.edge.guard import Limit, require_token
from service.edge.problems import problem_at
from service.ladders.faults import present_faults
from service.ladders.job_views import accepted
from service.ladders.ladders import (
    ABOUT_LADDER,
    OPERATES,
    PUBLIC,
    as_it_was,
    changed,
    ladder_named,
    path_of,
    require_owner,
    without_outdated,
)
from service.ladders.new_ladder import LONGEST_NAME, NAME
from service.openapi.endpoints import Caller, Endpoints, Success
from service.openapi.fields import NOTHING, NothingSchema, Union, exactly, label, matching

blueprint = Endpoints("ladder entries", "The entries of a ladder: built-in players and remote bots.")

OWNED_BY_SERVICE: Final = "service"
ENTRY_EXAMPLES: Final = {
    "strategy": {
        "summary": "A built-in player",
        "value": {"kind": "strategy", "strategy": "greedy"},
    },
    "bot": {
        "summary": "The caller's bot, in its third version",
        "value": {"kind": "bot", "version": "3", "name": "bakers"},
    },
}


class StrategyEntrySchema(Schema):
    """A new entry of a built-in player, which only the owner of the ladder can add."""

    kind = exactly("strategy")
    strategy = matching(CARD, required=True, metadata={"description": "See `GET /v1/strategies`."})
    name = label(
        LONGEST_NAME,
        metadata={"component": NAME, "description": "The name in tables, by default the player's name."},
    )


class BotEntrySchema(Schema):
    """A new entry of a remote bot, which replaces the bot's previous version."""

    kind = exactly("bot")
    bot = matching(
        HANDLE, metadata={"description": "The handle of the bot's account, by default the caller's."}
    )
    version = matching(
        r"[A-Za-z0-9_.+-]{1,32}",
        required=True,
        metadata={"description": "Change it if the bot may play differently: it is then rated anew."},
    )
    name = label(
        LONGEST_NAME,
        metadata={"component": NAME, "description": "The name in tables, by default handle and version."},
    )


class NewEntrySchema(Union):
    """A new entry."""

    tag = "kind"
    members: Mapping[str, Schema] = {"strategy": StrategyEntrySchema(), "bot": BotEntrySchema()}


@blueprint.endpoint(
    "POST",
    "/v1/ladders/<ladder_id>/entries",
    {201: Success("The entry.", contract.LadderEntry, ("Location", "Idempotency-Replayed"))},
    caller=Caller.ACCOUNT,
    body=NewEntrySchema(),
    examples=ENTRY_EXAMPLES,
    headers=("Idempotency-Key",),
    refusals=(
        *OPERATES,
        "scope_missing",
        "already_entered",
        "entry_not_active",
        "too_many_entries",
        "seating_refused",
    ),
)
def enter_ladder(caller: Token, ladder_id: str, body: dict[str, Any]) -> Response:
    """Add an entry to a ladder.

    The owner of the ladder can enter built-in players and bots (scope `ladder:operate`), but bots of others
    only if they allow the owner to seat them: their `seating` is `anybody`, or the owner is on their list. A
    bot can enter itself (scope `play`). Each version of a bot is rated by itself: a new version is a new
    entry and replaces the previous one. The results of both remain. If a bot has withdrawn, only the bot can
    enter again (`entry_not_active`).
    """
    player, name, owner = _player_of(body, caller)

    def enter(state: LadderState) -> Sequence[Event]:
        _require_may_speak_for(state, caller, player)
        _require_consent(caller, player)
        decide.require_consent(state, player, caller.account_id)
        return decide.add_entry(state, new_id("ent"), player, name, owner)

    decision = enter if body["kind"] == "bot" else without_outdated(enter)
    outcome = changed(ladder_id, caller, "entries", decision)
    headers = {"Location": path_of(ladder_id), **replay_mark(outcome.replayed)}
    return json_answer(present_entry(ladder_id, as_it_was(outcome).state.entries[-1]), 201, headers)


def _player_of(body: Mapping[str, Any], caller: Token) -> tuple[EntryPlayer, str, str]:
    """The player that the validated body names, the name for tables, and the owner.

    Raises:
        Problem: no such player exists.
    """
    if body["kind"] == "strategy":
        strategy = OFFERED.get(body["strategy"])
        if strategy is None:
            raise problem_at("/strategy", f"must be one of: {', '.join(OFFERED)}")
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
        raise problem_at("/bot", f"no account has the handle {handle!r}", of_fault="account_not_found")
    return account.handle, account.account_id


def _require_consent(caller: Token, player: EntryPlayer) -> None:
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
        raise problem_at("/bot", detail, "seating_refused")


def _require_may_speak_for(state: LadderState, caller: Token, player: EntryPlayer) -> None:
    """Refuse a caller that is neither the bot itself nor the owner of the ladder.

    Raises:
        Problem: `not_ladder_owner`, `scope_missing`.
    """
    if player.account == caller.account_id and "play" in caller.scopes:
        return
    require_owner(state, caller)
    require_token(caller, "ladder:operate")


@blueprint.endpoint(
    "DELETE",
    "/v1/ladders/<ladder_id>/entries/<entry_id>",
    {204: Success("The entry is no longer seated.", headers=("Idempotency-Replayed",))},
    caller=Caller.ACCOUNT,
    headers=("Idempotency-Key",),
    refusals=(*OPERATES, "scope_missing", "entry_not_found"),
)
def withdraw_entry(caller: Token, ladder_id: str, entry_id: str) -> Response:
    """Withdraw an entry; only for the owner of the ladder and the bot itself.

    Its results remain and count. Its blocks that have begun are played to the end and count; its other blocks
    are abandoned. If a bot withdraws itself, only the bot can enter again.
    """

    def withdraw(state: LadderState) -> Sequence[Event]:
        _require_may_speak_for(state, caller, _entry(state, entry_id).player)
        return decide.withdraw(state, entry_id, caller.account_id)

    outcome = changed(ladder_id, caller, f"withdraw {entry_id}", withdraw)
    return empty_answer(204, replay_mark(outcome.replayed))


def _entry(state: LadderState, entry_id: str) -> EntryState:
    entry = state.entry(entry_id)
    if entry is None:
        raise RuleViolation("entry_not_found", f"the ladder has no entry {entry_id!r}")
    return entry


@blueprint.endpoint(
    "POST",
    "/v1/ladders/<ladder_id>/entries/<entry_id>/probes",
    {202: Success("The job that plays the matches.", contract.Job, ("Location", "Idempotency-Replayed"))},
    caller=Caller.ACCOUNT,
    body=NothingSchema(),
    optional_body=True,
    examples=NOTHING,
    headers=("Idempotency-Key",),
    refusals=(*OPERATES, "scope_missing", "entry_not_found", "entry_not_active", "round_running"),
)
def probe_entry(caller: Token, ladder_id: str, entry_id: str, body: dict[str, Any]) -> Response:
    """Start unrated matches of a suspended bot; only for the owner of the ladder and the bot itself.

    Enough matches without a time-out or a refused command reinstate the bot. A ladder probes one bot at a
    time.
    """

    def probe(state: LadderState) -> Sequence[Event]:
        entry = _entry(state, entry_id)
        _require_may_speak_for(state, caller, entry.player)
        if entry.status != SUSPENDED:
            raise RuleViolation("entry_not_active", f"the entry is {entry.status}, not suspended")
        tables = decide.probe_tables(state, entry.number)
        return decide.open_round(state, "probe", tables, now_ms(), new_id("job"))

    return accepted(changed(ladder_id, caller, f"probes {entry_id}", probe))


@blueprint.endpoint(
    "GET",
    "/v1/ladders/<ladder_id>/entries/<entry_id>/faults",
    {200: Success("The last matches with a fault.", contract.EntryFaults)},
    refusals=(*ABOUT_LADDER, "entry_not_found"),
    limit=Limit.AUDITS,
)
def list_entry_faults(ladder_id: str, entry_id: str) -> Response:
    """List the matches in which an entry timed out or sent invalid commands.

    The counts and the time-outs are part of the events of the ladder and its matches. The refused commands
    themselves, the first 20 per match, are kept for a week at most and can be lost earlier. A match is listed
    when its block is over.
    """
    ladder = ladder_named(ladder_id)
    return json_answer(present_faults(ladder, _entry(ladder.state, entry_id)), 200, PUBLIC)


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
        matches=entry.examined,
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
