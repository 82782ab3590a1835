"""Entries of ladders: who takes part, who leaves, and who may come back."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from flask import Response
from marshmallow import Schema

from contract.ladders import EntryFaults, Job, LadderEntry
from contract.values import CARD
from domain.errors import RuleViolation
from domain.ladder import decide
from domain.ladder.events import Event
from domain.ladder.state import Entry, LadderState
from events.store.streams import new_id
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

blueprint = Endpoints("ladder entries", "Who takes part in a ladder: built-in players and remote bots.")

ENTRY_EXAMPLES: Final = {
    "strategy": {
        "summary": "A built-in player",
        "value": {"kind": "strategy", "strategy": "greedy"},
    },
    "bot": {
        "summary": "A bot of the caller, in its third version",
        "value": {"kind": "bot", "version": "3", "name": "bakers"},
    },
}


class StrategyEntrySchema(Schema):
    """A built-in player that is to take part; for the owner of the ladder."""

    kind = exactly("strategy")
    strategy = matching(CARD, required=True, metadata={"description": "See `GET /v1/strategies`."})
    name = label(LONGEST_NAME, metadata={"description": "As tables show it; else the player's name."})


class BotEntrySchema(Schema):
    """A remote bot that is to take part; a new version takes the place of the one before."""

    kind = exactly("bot")
    bot = matching(HANDLE, metadata={"description": "The handle of its account; else it is the caller's."})
    version = matching(
        r"[A-Za-z0-9_.+-]{1,32}",
        required=True,
        metadata={"description": "Another one whenever the bot may play otherwise: it is rated anew."},
    )
    name = label(LONGEST_NAME, metadata={"description": "As tables show it; else handle and version."})


class NewEntrySchema(Union):
    """Who is to take part."""

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
    """Let a player take part.

    The owner of the ladder enters built-in players and bots (scope `ladder:operate`), but of others' bots
    only those that let it seat them: their `seating` is `anybody`, or they allow the owner. A bot may enter
    itself (scope `play`). What is rated is one version of a bot: its next version is an entry of its own, and
    takes the place of the one before. The results of both stay. A bot that has withdrawn is entered again by
    nobody but itself (`entry_not_active`).
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
    {204: Answer("The entry is not seated any more.")},
    caller=Caller.ACCOUNT,
    refusals=(*OPERATES, "scope_missing", "entry_not_found"),
)
def withdraw_entry(caller: Token, ladder_id: str, entry_id: str) -> Response:
    """Take an entry out; for the owner of the ladder, and for the bot itself.

    Its results stay and count. Blocks with it that have begun are played to their end, and count too; those
    that have not are given up. A bot that takes itself out is entered again by nobody else.
    """

    def withdraw(state: LadderState) -> Sequence[Event]:
        require_may_speak_for(state, caller, _entry(state, entry_id))
        return decide.withdraw(state, entry_id, caller.account_id)

    changed(ladder_id, caller, f"withdraw {entry_id}", withdraw)
    return empty_answer(204)


def _entry(state: LadderState, entry_id: str) -> Entry:
    entry = state.entry(entry_id)
    if entry is None:
        raise RuleViolation("entry_not_found", f"no entry {entry_id!r}")
    return entry


@blueprint.endpoint(
    "POST",
    "/v1/ladders/<ladder_id>/entries/<entry_id>/probes",
    {202: Answer("The job that plays.", Job, ("Location", "Idempotency-Replayed"))},
    caller=Caller.ACCOUNT,
    body=NothingSchema(),
    optional_body=True,
    examples=NOTHING,
    headers=("Idempotency-Key",),
    refusals=(*OPERATES, "scope_missing", "entry_not_found", "entry_not_active", "round_running"),
)
def probe_entry(caller: Token, ladder_id: str, entry_id: str, body: dict[str, Any]) -> Response:
    """Let a suspended bot play unrated matches; for the owner of the ladder, and for the bot itself.

    Enough of them without a time-out or a refused command bring it back. One bot of a ladder is probed at a
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
    {200: Answer("Its last matches with a fault.", EntryFaults)},
    refusals=(*ABOUT_LADDER, "entry_not_found"),
    limit=Limit.AUDITS,
)
def list_entry_faults(ladder_id: str, entry_id: str) -> Response:
    """Tell in which matches an entry was late or sent a wrong command, and which.

    The counts and the time-outs are facts of the ladder and its matches, for ever. What the refused commands
    were is kept for a limited time, the first 20 of a match and for a week at most, and may be lost before.
    A match is told of when its block is over.
    """
    ladder = ladder_named(ladder_id)
    return json_answer(present_faults(ladder, _entry(ladder.state, entry_id)), 200, PUBLIC)
