"""Rounds of ladders and sequential tests: what workers are to play."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from flask import Response
from marshmallow import Schema, fields, validate

from contract import ladders as contract
from contract.tables import SequentialTest
from contract.values import ENTRY, Timestamp
from domain.ladder import decide
from domain.ladder.decide import MOST_BLOCKS
from domain.ladder.events import Event, PublicValue
from domain.ladder.state import RUNNING, LadderState, Round
from events.ladders import tables as ladder_tables
from events.ladders.tables import PublishedTable
from events.store.streams import now_ms
from service.accounts.tokens import Token
from service.catalogue.views import NOT_MODIFIED
from service.context import services
from service.edge.admission import require_memory
from service.edge.answers import cached_answer, json_answer, replay_mark
from service.edge.problems import at
from service.edge.requests import milliseconds
from service.ladders.job_views import accepted
from service.ladders.ladders import (
    ABOUT_LADDER,
    OPERATES,
    PUBLIC,
    as_it_was,
    changed_by_owner,
    ladder_named,
    numbered,
    test_named,
)
from service.ladders.rounds import rated_round, sequential_test
from service.ladders.table_views import present_test
from service.openapi.endpoints import Answer, Caller, Endpoints
from service.openapi.fields import Hundredths, integer, label, matching, nested

blueprint = Endpoints(
    "ladder rounds", "What the workers play for a ladder: rounds, and tests of two entries."
)

ROUND_EXAMPLES: Final = {
    "small": {"value": {"blocks": 2}},
    "bound": {
        "summary": "With a public value that nobody knows yet",
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
        "summary": "Is A better by 50 points, or not at all?",
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

_ACCEPTED = {202: Answer("The job that plays.", contract.Job, ("Location", "Idempotency-Replayed"))}


class NewPublicValueSchema(Schema):
    """A value to come, from where nobody can choose it."""

    source = label(
        200,
        required=True,
        metadata={
            "description": "Where exactly it will be published, such as `drand quicknet, round 12345678: "
            "randomness`. Anybody has to find one value by it, and no other."
        },
    )
    at = fields.String(
        required=True,
        validate=validate.Length(max=40),
        metadata={
            "format": "date-time",
            "description": "When it will be published: RFC 3339 with a time zone, 60 seconds to 30 days "
            "ahead.",
        },
    )


class NewRoundSchema(Schema):
    """Blocks to be played; a block is one table in all its seat rotations."""

    blocks = integer(1, MOST_BLOCKS, required=True)
    public_value = nested(
        NewPublicValueSchema(),
        load_default=None,
        allow_none=True,
        metadata={
            "description": "The dice of the round follow from a seed that is committed to now, and from "
            "this. Nothing is begun before it is recorded."
        },
    )


class RecordedValueSchema(Schema):
    """The public value of a round, now that it is published."""

    value = matching(
        r"[ -~]{1,1024}",
        required=True,
        metadata={"description": "As it was published, letter by letter; printable ASCII."},
    )


class NewTestSchema(Schema):
    """A sequential test to be played: is A better than B?"""

    a = matching(ENTRY, required=True, metadata={"description": "The entry that is to be better."})
    b = matching(ENTRY, required=True)
    elo0 = integer(
        -1000,
        1000,
        load_default=0,
        metadata={"description": "The difference in rating if A is not better, in points."},
    )
    elo1 = integer(
        -1000,
        1000,
        load_default=50,
        metadata={"description": "The difference in rating if A is better; more than `elo0`."},
    )
    alpha = Hundredths(
        load_default=0.01,
        metadata={"description": "The chance to call A better that is not, in hundredths."},
    )
    beta = Hundredths(
        load_default=0.01,
        metadata={"description": "The chance to miss an A that is better, in hundredths."},
    )
    most_blocks = integer(
        1,
        MOST_BLOCKS,
        load_default=1000,
        metadata={"description": "After as many blocks it ends undecided."},
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
    refusals=(*OPERATES, "round_running", "too_few_entries", "overloaded"),
)
def open_round(caller: Token, ladder_id: str, body: dict[str, Any]) -> Response:
    """Have a round of blocks played; for the owner of the ladder.

    A block is one table in all its seat rotations, so it has as many matches as seats. Who meets whom is
    drawn from the ladder's seed and recorded now: first every pair meets equally often, then pairing refines
    by the ratings; `refined_by` in `round_opened` names the table. `GET /v1/jobs/{job_id}` tells how far it
    is. With a `public_value` the round commits to a seed and waits: nothing is begun before the value is
    recorded, and the dice follow from both. One rated round is played at a time. Of many entries a round
    has fewer blocks: with two seats, blocks times the square of entries are 400,000 at most, with more
    seats 55,000.
    """

    require_memory()

    def published(season: int) -> PublishedTable | None:
        return ladder_tables.load(services().events_redis, ladder_id, season)

    bound = _bound(ladder_id, body["public_value"])
    return accepted(
        changed_by_owner(ladder_id, caller, "rounds", rated_round(body["blocks"], published, bound))
    )


def _bound(ladder_id: str, value: dict[str, str] | None) -> Callable[[int], PublicValue | None]:
    """What a round of the ladder is bound to, by its number.

    Raises:
        Problem: the time is none.
    """
    if value is None:
        return lambda number: None
    at_ms = milliseconds(value["at"], "/public_value/at")
    seeds = services().matches.seeds
    return lambda number: seeds.public_value(ladder_id, number, value["source"], at_ms)


@blueprint.endpoint(
    "POST",
    "/v1/ladders/<ladder_id>/rounds/<round_id>/public-value",
    {200: Answer("The round, which is played now.", contract.LadderRound, ("Idempotency-Replayed",))},
    caller=Caller.ACCOUNT,
    scope="ladder:operate",
    body=RecordedValueSchema(),
    examples=VALUE_EXAMPLES,
    headers=("Idempotency-Key",),
    refusals=(*OPERATES, "round_not_found", "no_value_awaited", "value_too_early"),
)
def record_public_value(caller: Token, ladder_id: str, round_id: str, body: dict[str, Any]) -> Response:
    """Record the public value that a round waits for, now that it is published; for the owner of the ladder.

    From then on its blocks are played. It is refused before the time that the round has named
    (`value_too_early`). It cannot be changed: the same value again changes nothing, another one is refused
    (`no_value_awaited`). Anybody can compare it with what its source has published.
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
    """Have two entries compared until it is decided which is better; for the owner of the ladder.

    What is asked is laid down before the first match. Its matches do not count for the ratings. The test ends
    with the first block after which the log-likelihood ratio is at one of its bounds. At tables of three and
    more, stand-ins have the other seats. One test is played at a time.
    """
    require_memory()
    if body["elo1"] <= body["elo0"]:
        raise at("/elo1", "elo1 is more than elo0")
    if body["a"] == body["b"]:
        raise at("/b", "an entry is not compared with itself")
    return accepted(changed_by_owner(ladder_id, caller, "tests", lambda state: sequential_test(state, body)))


@blueprint.endpoint(
    "GET",
    "/v1/ladders/<ladder_id>/tests/<test_id>",
    {200: Answer("The test, as far as it is.", SequentialTest, ("ETag",)), 304: NOT_MODIFIED},
    headers=("If-None-Match",),
    refusals=(*ABOUT_LADDER, "test_not_found"),
)
def show_test(ladder_id: str, test_id: str) -> Response:
    """Show a sequential test as far as it is.

    Workers count it after every block, and stop at its decision.
    """
    ladder = ladder_named(ladder_id)
    test = present_test(ladder, test_named(ladder, test_id))
    # Workers count after the ladder has the results: the same version is shown with other counts.
    return cached_answer(test, f"{ladder.version}-{test.blocks}-{test.llr}", PUBLIC)


def present_round(round: Round) -> contract.LadderRound:
    """The round and how far it is, in blocks."""
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
