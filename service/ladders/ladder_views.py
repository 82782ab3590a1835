"""Ladders: create, list and show them with their rounds, and open seasons."""

from typing import Any, Final

import msgspec
from flask import Response
from marshmallow import Schema

from contract import ladders as contract
from contract.values import LADDER, Timestamp
from domain.canonical import hash_text
from domain.ladder import decide
from domain.ladder.config import LadderConfig, digest
from domain.ladder.state import RUNNING, STOPPED, LadderState, Round
from domain.ladder.tournament.schedule import schedule_of
from events.ladders.ladders import Ladder
from events.store.errors import LadderNotFound, StreamCorrupt
from service.accounts.tokens import Token
from service.catalogue.views import NOT_MODIFIED
from service.context import services
from service.edge.answers import cached_answer, json_answer, paged, replay_mark
from service.edge.idempotency import keyed_request
from service.ladders.entry_views import present_entry
from service.ladders.ladders import (
    ABOUT_LADDER,
    OPERATES,
    PUBLIC,
    as_it_was,
    changed_by_owner,
    ladder_named,
    path_of,
)
from service.ladders.new_ladder import (
    EXAMPLES,
    SEASON_EXAMPLES,
    NewLadderSchema,
    NewSeasonSchema,
    create_once,
    next_config,
)
from service.openapi.endpoints import Caller, Endpoints, Success
from service.openapi.fields import QueryInteger, matching

blueprint = Endpoints("ladders", "Ladders: create and show them, and open their seasons.")

SHOWN_ROUNDS: Final = 100
"""The number of rounds that are shown with a ladder."""


class LadderListQuerySchema(Schema):
    """Page of the list of ladders."""

    limit = QueryInteger(1, 500, load_default=50, metadata={"description": "The most ladders per page."})
    cursor = matching(
        LADDER, metadata={"description": "The `next` of the previous page; omit it for the first page."}
    )


@blueprint.endpoint(
    "POST",
    "/v1/ladders",
    {201: Success("The ladder.", contract.Ladder, ("Location", "ETag", "Idempotency-Replayed"))},
    caller=Caller.ACCOUNT,
    scope="ladder:operate",
    body=NewLadderSchema(),
    examples=EXAMPLES,
    headers=("Idempotency-Key",),
    refusals=("unknown_card", "too_many_ladders", "idempotency_key_reused", "stream_corrupt"),
)
def create_ladder(caller: Token, body: dict[str, Any]) -> Response:
    """Create a ladder, which the caller operates.

    A ladder has one ruleset and one number of seats. Enter players, then open rounds: workers play them and
    update the table. An account can have 100 ladders. For 30 days, the same Idempotency-Key returns the same
    response.
    """
    outcome = create_once(body, caller, keyed_request("ladders", caller.account_id))
    headers = {"Location": path_of(outcome.ladder.id), "ETag": f'"{outcome.last}"'}
    return json_answer(present_ladder(as_it_was(outcome)), 201, {**headers, **replay_mark(outcome.replayed)})


@blueprint.endpoint(
    "GET",
    "/v1/ladders",
    {200: Success("One page, newest first.", contract.LadderPage, ("Link",))},
    query=LadderListQuerySchema(),
)
def list_ladders(query: dict[str, Any]) -> Response:
    """List all ladders except corrupt ones, whose own addresses report the damage."""
    ladders = services().ladders
    found = ladders.page(query.get("cursor"), query["limit"] + 1)
    shown = found[: query["limit"]]
    following = shown[-1] if len(found) > len(shown) else None
    items = tuple([one for ladder_id in shown for one in _listed(ladder_id)])
    return paged(contract.LadderPage(items=items, next=following))


def _listed(ladder_id: str) -> list[contract.ListedLadder]:
    """The ladder in a list, if it can be read."""
    try:
        return [present_summary(services().ladders.load(ladder_id))]
    except (LadderNotFound, StreamCorrupt):
        return []


@blueprint.endpoint(
    "GET",
    "/v1/ladders/<ladder_id>",
    {200: Success("The ladder.", contract.Ladder, ("ETag",)), 304: NOT_MODIFIED},
    headers=("If-None-Match",),
    refusals=ABOUT_LADDER,
)
def show_ladder(ladder_id: str) -> Response:
    """Show a ladder: its configuration, its entries and its last rounds."""
    ladder = ladder_named(ladder_id)
    return cached_answer(present_ladder(ladder), str(ladder.version), PUBLIC)


@blueprint.endpoint(
    "POST",
    "/v1/ladders/<ladder_id>/seasons",
    {
        201: Success(
            "The ladder, in its new season.", contract.Ladder, ("Location", "ETag", "Idempotency-Replayed")
        )
    },
    caller=Caller.ACCOUNT,
    scope="ladder:operate",
    body=NewSeasonSchema(),
    optional_body=True,
    examples=SEASON_EXAMPLES,
    headers=("Idempotency-Key",),
    refusals=(*OPERATES, "round_running"),
)
def open_season(caller: Token, ladder_id: str, body: dict[str, Any]) -> Response:
    """Open the next season, whose results count for a new table.

    The configuration of the season is frozen under its digest. The first season opens by itself with the
    first round. No season can open while a round is running. Opening a season ends all stopped rounds.
    """
    outcome = changed_by_owner(
        ladder_id,
        caller,
        "seasons",
        lambda state: decide.open_season(state, next_config(state.config, body), _seeds(ladder_id, state)),
    )
    headers = {"Location": path_of(ladder_id), "ETag": f'"{outcome.last}"'}
    return json_answer(present_ladder(as_it_was(outcome)), 201, {**headers, **replay_mark(outcome.replayed)})


def _seeds(ladder_id: str, state: LadderState) -> dict[int, str]:
    """The seeds that the stopped rounds reveal, since they end with their season; by number of the round."""
    seeds = services().matches.seeds
    return {
        round.number: seeds.seed_to_reveal(ladder_id, round)
        for round in state.rounds
        if round.status == STOPPED
    }


def present_ladder(ladder: Ladder) -> contract.Ladder:
    """The ladder with all its entries and its last rounds, newest first."""
    state = ladder.state
    return contract.Ladder(
        ladder_id=ladder.id,
        name=state.name,
        owner=state.owner,
        created_at=Timestamp.at(ladder.created_at_ms),
        version=ladder.version,
        head=hash_text(ladder.head_hash),
        season=state.season,
        config=_config(state.config),
        digest=digest(state.config),
        entries=tuple([present_entry(ladder.id, entry) for entry in state.entries]),
        rounds=tuple([present_round(round) for round in state.rounds[: -SHOWN_ROUNDS - 1 : -1]]),
    )


def present_round(round: Round) -> contract.LadderRound:
    """The round and its progress in blocks."""
    return contract.LadderRound(
        round=round.number,
        season=round.season,
        purpose=round.purpose,
        status="awaiting_value" if round.status == RUNNING and round.awaits_value else round.status,
        stopped_for=round.stopped_for or None,
        opened_at=Timestamp.at(round.opened_at_ms),
        blocks=len(round.blocks),
        finished=round.finished_blocks,
        given_up=sum([block.is_given_up for block in round.blocks]),
        job_id=round.job,
        public_value=_public_value(round),
    )


def _public_value(round: Round) -> contract.PublicValue | None:
    bound = round.public_value
    if bound is None:
        return None
    return contract.PublicValue(
        source=bound.source,
        at=Timestamp.at(bound.at_ms),
        commitment=bound.commitment,
        key_id=bound.key_id,
        value=round.value or None,
        seed=round.seed or None,
    )


def _config(config: LadderConfig) -> contract.LadderConfig:
    """The stored configuration, which has the same members."""
    return msgspec.convert(msgspec.to_builtins(config), contract.LadderConfig)


def present_summary(ladder: Ladder) -> contract.ListedLadder:
    """The ladder in a list."""
    state = ladder.state
    schedule = schedule_of(state.config)
    return contract.ListedLadder(
        ladder_id=ladder.id,
        name=state.name,
        owner=state.owner,
        created_at=Timestamp.at(ladder.created_at_ms),
        ruleset=state.config.ruleset,
        seats=state.config.seats,
        season=state.season,
        entries=sum([entry.status != "removed" for entry in state.entries]),
        is_playing=any(round.status == RUNNING for round in state.rounds),
        tournament=schedule.kind if schedule else None,
    )
