"""Jobs: rounds of ladders as something to wait for, to stop and to resume."""

from collections.abc import Callable, Sequence
from typing import Any

from flask import Response

from contract.ladders import Job
from domain.ladder import decide
from domain.ladder.events import Event
from domain.ladder.state import LadderState
from service.accounts.accounts import Token
from service.contract.endpoints import Answer, Caller, Endpoints
from service.edge.answers import json_answer
from service.edge.idempotency import replay_mark
from service.ladders.ladder_views import OPERATES
from service.ladders.ladders import as_it_was, changed_by_owner, job_named
from service.ladders.new_ladder_schemas import NOTHING, NothingSchema
from service.ladders.shapes import present_job
from service.ladders.standings import table_progress

blueprint = Endpoints("jobs", "Jobs: how far what workers play is; stopping it, and going on.")

_CHANGED = {200: Answer("The job.", Job, ("Idempotency-Replayed",))}
_REFUSALS = tuple([code for code in OPERATES if code != "ladder_not_found"])


@blueprint.endpoint(
    "GET",
    "/v1/jobs/<job_id>",
    {200: Answer("The job, as far as it is.", Job)},
    refusals=("job_not_found", "ladder_corrupt"),
)
def show_job(job_id: str) -> Response:
    """Show how far a job is.

    A rated round ends when the official table has all its results; `table` tells how far that is.
    """
    ladder, round = job_named(job_id)
    return json_answer(present_job(ladder, round, table_progress(ladder, round)))


@blueprint.endpoint(
    "POST",
    "/v1/jobs/<job_id>/stop",
    _CHANGED,
    caller=Caller.ACCOUNT,
    scope="ladder:operate",
    body=NothingSchema(),
    optional_body=True,
    examples=NOTHING,
    headers=("Idempotency-Key",),
    refusals=(*_REFUSALS, "job_not_found", "job_finished"),
)
def stop_job(caller: Token, job_id: str, body: dict[str, Any]) -> Response:
    """Stop a job: no further block is begun until it is resumed; for the owner of the ladder.

    What workers play at that moment, for about a second, is recorded, and blocks that are over then count.
    Other matches that have begun, such as those of remote bots, go on as any match does; their blocks count
    when the job is resumed, and are given up if the next season opens instead.
    """
    return _changed(caller, job_id, "stop", lambda state, number: decide.stop_round(state, number, "command"))


@blueprint.endpoint(
    "POST",
    "/v1/jobs/<job_id>/resume",
    _CHANGED,
    caller=Caller.ACCOUNT,
    scope="ladder:operate",
    body=NothingSchema(),
    optional_body=True,
    examples=NOTHING,
    headers=("Idempotency-Key",),
    refusals=(*_REFUSALS, "job_not_found", "job_finished"),
)
def resume_job(caller: Token, job_id: str, body: dict[str, Any]) -> Response:
    """Let a job go on that was stopped; for the owner of the ladder."""
    return _changed(caller, job_id, "resume", decide.resume_round)


def _changed(
    caller: Token, job_id: str, what: str, decided: Callable[[LadderState, int], Sequence[Event]]
) -> Response:
    ladder, round = job_named(job_id)
    outcome = changed_by_owner(
        ladder.id, caller, f"{what} {job_id}", lambda state: decided(state, round.number)
    )
    after = as_it_was(outcome)
    job = present_job(after, after.state.rounds[round.number - 1])
    return json_answer(job, 200, replay_mark(outcome.replayed))
