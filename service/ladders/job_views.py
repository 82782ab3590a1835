"""Jobs: show, stop and resume the rounds that workers play."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from math import ceil
from typing import Any, Final

from flask import Response

from contract.ladders import Job, JobProgress
from contract.standings import TableProgress
from contract.values import Timestamp
from domain.ladder import decide
from domain.ladder.events import BlockFinished, Event
from domain.ladder.state import COMMAND, FINISHED, RUNNING, LadderState, Round
from events.ladders.ladders import CODEC, Ladder, LadderOutcome
from events.store.keys import now_ms
from service.accounts.tokens import Token
from service.edge.answers import json_answer, replay_mark
from service.ladders.ladders import OPERATES, as_it_was, changed_by_owner, job_named, path_of
from service.ladders.table_views import table_progress
from service.openapi.endpoints import Caller, Endpoints, Success
from service.openapi.fields import NOTHING, NothingSchema

blueprint = Endpoints("jobs", "Jobs: the progress of rounds that workers play; stop and resume them.")

_QUEUED: Final = "queued"
"""The status of a running job before its first block is over."""
_KINDS: Final = {"rated": "ladder_round", "test": "sequential_test", "probe": "probe"}
"""The kinds of jobs by the purpose of their round."""
_SPEED_ENTRIES: Final = 50
"""The number of entries in the event stream from which the speed of a round is computed."""
_LEAST_MS: Final = 1000
"""The shortest time over which a speed is meaningful."""
_CHANGED = {200: Success("The job.", Job, ("Idempotency-Replayed",))}
_REFUSALS = tuple([code for code in OPERATES if code != "ladder_not_found"])


@blueprint.endpoint(
    "GET",
    "/v1/jobs/<job_id>",
    {200: Success("The job and its progress.", Job)},
    refusals=("job_not_found", "stream_corrupt"),
)
def show_job(job_id: str) -> Response:
    """Show a job and its progress.

    A rated round ends when the official table has all its results; `table` is the progress of that table.
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
    """Stop a job, so that no further block is started until it is resumed; only for the owner of the ladder.

    Workers still play for about a second; the blocks that they finish are recorded and count. Other matches
    that have begun, such as those of remote bots, continue as usual; their blocks count when the job is
    resumed, and are abandoned if the next season opens instead.
    """
    return _changed(caller, job_id, "stop", lambda state, number: decide.stop_round(state, number, COMMAND))


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
    """Resume a stopped job; only for the owner of the ladder."""
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


def accepted(outcome: LadderOutcome) -> Response:
    """The response with the job of the round that a command has opened."""
    ladder = as_it_was(outcome)
    opened = ladder.state.rounds[-1]
    headers = {"Location": f"/v1/jobs/{opened.job}", **replay_mark(outcome.replayed)}
    return json_answer(present_job(ladder, opened), 202, headers)


def present_job(ladder: Ladder, round: Round, table: TableProgress | None = None) -> Job:
    """The job of the round and its progress; `table` is the progress of the next official table."""
    done, total = len(round.blocks) - len(round.left), len(round.blocks)
    is_running = round.status == RUNNING
    speed = _matches_per_second(ladder, round) if is_running and done else None
    left = len(round.left) * ladder.state.config.seats
    percent = 100 if round.status == FINISHED else 100 * done // total
    return Job(
        job_id=round.job,
        kind=_KINDS[round.purpose],
        status=_QUEUED if is_running and not done else round.status,
        stopped_for=round.stopped_for or None,
        ladder_id=ladder.id,
        round=round.number,
        opened_at=Timestamp.at(round.opened_at_ms),
        progress=JobProgress(done=done, total=total, percent=percent),
        matches_per_second=speed,
        eta_s=ceil(left / speed) if speed else None,
        table=table,
        result=_result(ladder, round),
    )


def _result(ladder: Ladder, round: Round) -> str:
    """The address of the result."""
    path = path_of(ladder.id)
    if round.purpose == "rated":
        return f"{path}/standings?season={round.season}"
    return f"{path}/tests/{round.number}" if round.purpose == "test" else path


def _matches_per_second(ladder: Ladder, played: Round) -> float | None:
    """The speed since the first of the round's last finished blocks, with one decimal.

    None if too little is finished to measure it.
    """
    found = [(at_ms, matches) for at_ms, matches in _finished(ladder, played) if matches]
    if len(found) < 2:
        return None
    within_ms = now_ms() - found[0][0]
    # The matches of the first entry were played before the measured time.
    matches = sum([matches for _, matches in found[1:]])
    return round(1000 * matches / within_ms, 1) or None if within_ms >= _LEAST_MS else None


def _finished(ladder: Ladder, played: Round) -> Iterator[tuple[int, int]]:
    """For each of the last entries, its time in ms since 1970 and its number of matches of the round."""
    mine = range(played.first_block, played.first_block + len(played.blocks))
    last = ladder.entries[-_SPEED_ENTRIES - 1 :]
    for before, entry in pairwise(last):
        events = CODEC.events_of(ladder.id, before.last, entry)
        finished = [one for one in events if isinstance(one, BlockFinished) and one.block in mine]
        yield entry.time_ms, sum([len(one.results) for one in finished])
