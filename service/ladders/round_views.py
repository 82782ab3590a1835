"""Rounds of ladders, their public values, and sequential tests."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from flask import Response
from marshmallow import Schema

from contract import ladders as contract
from contract import standings
from contract.values import ENTRY
from domain.errors import RuleViolation
from domain.ladder import decide
from domain.ladder.decide import MOST_BLOCKS
from domain.ladder.events import STAND_IN, Event, SequentialTest, Table
from domain.ladder.state import ACTIVE, LadderState
from domain.ladder.tournament.schedule import schedule_of
from events.store.keys import new_id, now_ms
from service.accounts.tokens import Token
from service.catalogue.views import NOT_MODIFIED
from service.edge.admission import require_memory
from service.edge.answers import cached_answer, json_answer, replay_mark
from service.edge.problems import problem_at
from service.ladders.job_views import accepted
from service.ladders.ladder_views import present_round
from service.ladders.ladders import (
    ABOUT_LADDER,
    OPERATES,
    PUBLIC,
    as_it_was,
    changed_by_owner,
    ladder_named,
    numbered,
    test_named,
    without_outdated,
)
from service.ladders.new_round import bound_to, rated_round, tournament
from service.ladders.table_views import present_test
from service.openapi.endpoints import Caller, Endpoints, Success
from service.openapi.fields import Hundredths, integer, label, matching, nested, prose

blueprint = Endpoints("ladder rounds", "The rounds and the sequential tests of a ladder, which workers play.")

ROUND_EXAMPLES: Final = {
    "small": {"value": {"blocks": 2}},
    "tournament": {"summary": "The start of a tournament", "value": {}},
    "bound": {
        "summary": "With a future public value",
        "value": {
            "blocks": 2,
            "public_value": {
                "source": "drand quicknet, round 12345678: randomness",
                "at": "2026-09-29T12:00:00Z",
            },
        },
    },
}
VALUE_EXAMPLES: Final = {
    "drand": {"value": {"value": "5f3c9a07d1e2b4c6880917a6b5c4d3e2f10f9e8d7c6b5a493827160514233241"}}
}
TEST_EXAMPLES: Final = {
    "better": {
        "summary": "Whether A is better by 50 points, or not better",
        "value": {
            "a": "ent_01M7WD7YKSS6TZ90RECWJ67GZH",
            "b": "ent_01M7WD7YKSS6TZ90RECWJ67GZJ",
            "elo0": 0,
            "elo1": 50,
            "alpha": 0.05,
            "beta": 0.05,
            "most_blocks": 500,
        },
    }
}

_ACCEPTED = {
    202: Success("The job that plays the blocks.", contract.Job, ("Location", "Idempotency-Replayed"))
}


class NewPublicValueSchema(Schema):
    """A future value from a source that nobody controls."""

    source = label(
        200,
        required=True,
        metadata={
            "description": "The exact source, such as `drand quicknet, round 12345678: randomness`. It must "
            "identify a single value for everybody."
        },
    )
    at = prose(
        40,
        required=True,
        metadata={
            "format": "date-time",
            "description": "The time of publication: RFC 3339 with a time zone, 60 seconds to 30 days ahead.",
        },
    )


class NewRoundSchema(Schema):
    """A new round of blocks; a block is one table in all its seat rotations."""

    blocks = integer(
        1,
        MOST_BLOCKS,
        load_default=None,
        allow_none=True,
        metadata={"description": "Required, except in a tournament, whose schedule says it."},
    )
    public_value = nested(
        NewPublicValueSchema(),
        load_default=None,
        allow_none=True,
        metadata={
            "description": "The dice of the round derive from this value and from a seed to which the "
            "service commits now. No block is started before the value is recorded."
        },
    )


class RecordedValueSchema(Schema):
    """The published value of a round."""

    value = matching(
        r"[ -~]{1,1024}",
        required=True,
        metadata={"description": "The value exactly as published; printable ASCII."},
    )


class NewTestSchema(Schema):
    """A new sequential test of whether A is better than B."""

    a = matching(ENTRY, required=True, metadata={"description": "The entry that may be better."})
    b = matching(ENTRY, required=True)
    elo0 = integer(
        -1000,
        1000,
        load_default=0,
        metadata={"description": "The difference in rating, in points, if A is not better."},
    )
    elo1 = integer(
        -1000,
        1000,
        load_default=50,
        metadata={"description": "The difference in rating, in points, if A is better; more than `elo0`."},
    )
    alpha = Hundredths(
        load_default=0.01,
        metadata={"description": "The risk of a false `better`, in hundredths."},
    )
    beta = Hundredths(
        load_default=0.01,
        metadata={"description": "The risk of a false `not_better`, in hundredths."},
    )
    most_blocks = integer(
        1,
        MOST_BLOCKS,
        load_default=1000,
        metadata={"description": "The number of blocks after which the test ends undecided."},
    )


@blueprint.endpoint(
    "POST",
    "/v1/ladders/<ladder_id>/rounds",
    _ACCEPTED,
    caller=Caller.ACCOUNT,
    scope="ladder:operate",
    body=NewRoundSchema(),
    examples=ROUND_EXAMPLES,
    headers=("Idempotency-Key",),
    refusals=(
        *OPERATES,
        "round_running",
        "too_few_entries",
        "too_many_entries",
        "entries_alike",
        "tournament_finished",
        "overloaded",
    ),
)
def open_round(caller: Token, ladder_id: str, body: dict[str, Any]) -> Response:
    """Open a round of blocks, which workers play; only for the owner of the ladder.

    A block is one table in all its seat rotations, so it has as many matches as seats. The pairing derives
    from the ladder's seed and is recorded now: first every pair meets equally often, then the ratings refine
    the pairing; `refined_by` in `round_opened` names the table. `GET /v1/jobs/{job_id}` shows the progress.
    With a `public_value`, the service commits to a seed, and the round waits: no block is started before the
    value is recorded, and the dice derive from both. A ladder plays one rated round at a time. Built-in
    players of which the service has a newer version are removed first. The number of blocks times the square
    of the number of entries is at most 400,000 with two seats, and at most 55,000 with more seats.

    If the season is a tournament, this starts it with all active entries, and takes neither `blocks` nor a
    `public_value`. The job plays the first round; workers open the others, each when the one before is over.
    """
    require_memory()
    bound = bound_to(ladder_id, body["public_value"])
    ordinary = rated_round(ladder_id, body["blocks"], bound)

    def decided(state: LadderState) -> Sequence[Event]:
        if schedule_of(state.config) is None:
            return ordinary(state)
        return tournament(ladder_id, state, body)

    return accepted(changed_by_owner(ladder_id, caller, "rounds", without_outdated(decided)))


@blueprint.endpoint(
    "POST",
    "/v1/ladders/<ladder_id>/rounds/<round_id>/public-value",
    {200: Success("The round, which is now played.", contract.LadderRound, ("Idempotency-Replayed",))},
    caller=Caller.ACCOUNT,
    scope="ladder:operate",
    body=RecordedValueSchema(),
    examples=VALUE_EXAMPLES,
    headers=("Idempotency-Key",),
    refusals=(*OPERATES, "round_not_found", "no_value_awaited", "value_too_early"),
)
def record_public_value(caller: Token, ladder_id: str, round_id: str, body: dict[str, Any]) -> Response:
    """Record the published value that a round waits for; only for the owner of the ladder.

    From then on, the blocks of the round are played. The value is refused before its time of publication
    (`value_too_early`). It cannot be changed: the same value again has no effect, another one is refused
    (`no_value_awaited`). Anybody can compare it with the value at its source.
    """
    wanted = numbered(round_id)

    def record(state: LadderState) -> Sequence[Event]:
        return decide.record_value(state, wanted, body["value"], now_ms())

    outcome = changed_by_owner(ladder_id, caller, f"public-value {wanted}", record)
    round = present_round(as_it_was(outcome).state.rounds[wanted - 1])
    return json_answer(round, 200, replay_mark(outcome.replayed))


@blueprint.endpoint(
    "POST",
    "/v1/ladders/<ladder_id>/tests",
    _ACCEPTED,
    caller=Caller.ACCOUNT,
    scope="ladder:operate",
    body=NewTestSchema(),
    examples=TEST_EXAMPLES,
    headers=("Idempotency-Key",),
    refusals=(*OPERATES, "entry_not_found", "entry_not_active", "round_running", "overloaded"),
)
def open_test(caller: Token, ladder_id: str, body: dict[str, Any]) -> Response:
    """Open a sequential test of whether entry A is better than entry B; only for the owner of the ladder.

    The parameters are fixed before the first match. The matches do not count for the ratings. The test ends
    with the first block after which the log-likelihood ratio is at or beyond one of its bounds. At tables of
    three or more, stand-ins play the other seats. A ladder plays one test at a time.
    """
    require_memory()
    if body["elo1"] <= body["elo0"]:
        raise problem_at("/elo1", "elo1 must be more than elo0")
    if body["a"] == body["b"]:
        raise problem_at("/b", "an entry cannot be compared with itself")
    decided = without_outdated(lambda state: _sequential_test(state, body))
    return accepted(changed_by_owner(ladder_id, caller, "tests", decided))


def _sequential_test(state: LadderState, body: Mapping[str, Any]) -> Sequence[Event]:
    """The events that open a sequential test. Every table has both entries, in alternating order, and
    stand-ins.

    Raises:
        RuleViolation: `entry_not_found`, `entry_not_active`, `round_running`.
    """
    a, b = (_active(state, body[name], f"/{name}") for name in ("a", "b"))
    others = (STAND_IN,) * (state.config.seats - 2)
    orders: tuple[Table, Table] = (a, b, *others), (b, a, *others)
    test = SequentialTest(
        a,
        b,
        body["elo0"],
        body["elo1"],
        _percent(body["alpha"]),
        _percent(body["beta"]),
        body["most_blocks"],
    )
    made = [orders[block % 2] for block in range(body["most_blocks"])]
    return decide.open_round(state, "test", made, now_ms(), new_id("job"), test)


def _percent(share: float) -> int:
    return round(100 * share)


def _active(state: LadderState, entry_id: str, pointer: str) -> int:
    number = state.numbers.get(entry_id)
    if number is None:
        raise RuleViolation("entry_not_found", f"the ladder has no entry {entry_id!r}", pointer)
    status = state.entries[number].status
    if status != ACTIVE:
        raise RuleViolation("entry_not_active", f"the entry is {status}", pointer)
    return number


@blueprint.endpoint(
    "GET",
    "/v1/ladders/<ladder_id>/tests/<test_id>",
    {200: Success("The test and its progress.", standings.SequentialTest, ("ETag",)), 304: NOT_MODIFIED},
    headers=("If-None-Match",),
    refusals=(*ABOUT_LADDER, "test_not_found"),
)
def show_test(ladder_id: str, test_id: str) -> Response:
    """Show a sequential test and its progress.

    Workers update it after every block and stop at its decision.
    """
    ladder = ladder_named(ladder_id)
    test = present_test(ladder, test_named(ladder, test_id))
    # Workers count after the ladder has the results, so the counts can change without the version.
    return cached_answer(test, f"{ladder.version}-{test.blocks}-{test.llr}", PUBLIC)
