"""Entries of ladders: enter, withdraw, probe, and list faults."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from flask import Response
from marshmallow import Schema

from contract.ladders import EntryFaults, Job, LadderEntry
from contract.values import CARD
from domain.errors import RuleViolation
from domain.ladder import decide
from domain.ladder.events import Event
from domain.ladder.state import EntryState, LadderState
from events.store.keys import new_id
from service.accounts.account_schemas import HANDLE
from service.accounts.tokens import Token
from service.edge.answers import empty_answer, json_answer, replay_mark
from service.edge.guard import Limit
from service.ladders.entries import (
    player_of,
    present_entry,
    require_consent,
    require_may_enter,
    require_may_speak_for,
)
from service.ladders.faults import present_faults
from service.ladders.job_views import NOTHING, NothingSchema, accepted
from service.ladders.ladders import (
    ABOUT_LADDER,
    OPERATES,
    PUBLIC,
    as_it_was,
    changed,
    ladder_named,
    path_of,
)
from service.ladders.new_ladder_schemas import LONGEST_NAME
from service.ladders.rounds import probes
from service.openapi.endpoints import Answer, Caller, Endpoints
from service.openapi.fields import Union, exactly, label, matching

blueprint = Endpoints("ladder entries", "The entries of a ladder: built-in players and remote bots.")

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
    name = label(LONGEST_NAME, metadata={"description": "The name in tables, by default the player's name."})


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
    name = label(LONGEST_NAME, metadata={"description": "The name in tables, by default handle and version."})


class NewEntrySchema(Union):
    """A new entry."""

    tag = "kind"
    members: Mapping[str, Schema] = {"strategy": StrategyEntrySchema(), "bot": BotEntrySchema()}


@blueprint.endpoint(
    "POST",
    "/v1/ladders/<ladder_id>/entries",
    {201: Answer("The entry.", LadderEntry, ("Location", "Idempotency-Replayed"))},
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
    player, name, owner = player_of(body, caller)

    def enter(state: LadderState) -> Sequence[Event]:
        require_may_enter(state, caller, player)
        require_consent(caller, player)
        decide.require_consent(state, player, caller.account_id)
        return decide.add_entry(state, new_id("ent"), player, name, owner)

    outcome = changed(ladder_id, caller, "entries", enter)
    headers = {"Location": path_of(ladder_id), **replay_mark(outcome.replayed)}
    return json_answer(present_entry(ladder_id, as_it_was(outcome).state.entries[-1]), 201, headers)


@blueprint.endpoint(
    "DELETE",
    "/v1/ladders/<ladder_id>/entries/<entry_id>",
    {204: Answer("The entry is no longer seated.")},
    caller=Caller.ACCOUNT,
    refusals=(*OPERATES, "scope_missing", "entry_not_found"),
)
def withdraw_entry(caller: Token, ladder_id: str, entry_id: str) -> Response:
    """Withdraw an entry; only for the owner of the ladder and the bot itself.

    Its results remain and count. Its blocks that have begun are played to the end and count; its other blocks
    are abandoned. If a bot withdraws itself, only the bot can enter again.
    """

    def withdraw(state: LadderState) -> Sequence[Event]:
        require_may_speak_for(state, caller, _entry(state, entry_id))
        return decide.withdraw(state, entry_id, caller.account_id)

    changed(ladder_id, caller, f"withdraw {entry_id}", withdraw)
    return empty_answer(204)


def _entry(state: LadderState, entry_id: str) -> EntryState:
    entry = state.entry(entry_id)
    if entry is None:
        raise RuleViolation("entry_not_found", f"the ladder has no entry {entry_id!r}")
    return entry


@blueprint.endpoint(
    "POST",
    "/v1/ladders/<ladder_id>/entries/<entry_id>/probes",
    {202: Answer("The job that plays the matches.", Job, ("Location", "Idempotency-Replayed"))},
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
        require_may_speak_for(state, caller, entry)
        return probes(state, entry)

    return accepted(changed(ladder_id, caller, f"probes {entry_id}", probe))


@blueprint.endpoint(
    "GET",
    "/v1/ladders/<ladder_id>/entries/<entry_id>/faults",
    {200: Answer("The last matches with a fault.", EntryFaults)},
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
