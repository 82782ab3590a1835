"""Rounds of ladders and sequential tests: what workers are to play."""

from collections.abc import Callable, Sequence
from typing import Any

from flask import Response

from contract.ladders import Job, LadderRound
from contract.tables import SequentialTest
from domain.ladder import decide
from domain.ladder.events import Event, PublicValue
from domain.ladder.state import LadderState
from events.ladders import tables as ladder_tables
from events.ladders.tables import PublishedTable
from events.store.clock import now_ms
from service.accounts.accounts import Token
from service.catalogue.views import NOT_MODIFIED
from service.context import services
from service.contract.endpoints import Answer, Caller, Endpoints
from service.edge.admission import require_memory
from service.edge.answers import cached_answer, json_answer
from service.edge.idempotency import replay_mark
from service.edge.problems import at
from service.edge.requests import milliseconds
from service.ladders.entry_views import begun
from service.ladders.ladder_views import ABOUT_LADDER, OPERATES, PUBLIC
from service.ladders.ladders import as_it_was, changed_by_owner, ladder_named, numbered, test_named
from service.ladders.new_ladder_schemas import (
    ROUND_EXAMPLES,
    TEST_EXAMPLES,
    VALUE_EXAMPLES,
    NewRoundSchema,
    NewTestSchema,
    RecordedValueSchema,
)
from service.ladders.rounds import rated_round, sequential_test
from service.ladders.shapes import present_round
from service.ladders.standings import present_test

blueprint = Endpoints(
    "ladder rounds", "What the workers play for a ladder: rounds, and tests of two entries."
)

_BEGUN = {202: Answer("The job that plays.", Job, ("Location", "Idempotency-Replayed"))}


@blueprint.endpoint(
    "POST",
    "/v1/ladders/<ladder_id>/rounds",
    _BEGUN,
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
    return begun(changed_by_owner(ladder_id, caller, "rounds", rated_round(body["blocks"], published, bound)))


def _bound(ladder_id: str, wish: dict[str, str] | None) -> Callable[[int], PublicValue | None]:
    """What a round of the ladder is bound to, by its number.

    Raises:
        Problem: the time is none.
    """
    if wish is None:
        return lambda number: None
    at_ms = milliseconds(wish["at"], "/public_value/at")
    seeds = services().matches.seeds
    return lambda number: seeds.public_value(ladder_id, number, wish["source"], at_ms)


@blueprint.endpoint(
    "POST",
    "/v1/ladders/<ladder_id>/rounds/<round_id>/public-value",
    {200: Answer("The round, which is played now.", LadderRound, ("Idempotency-Replayed",))},
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
    _BEGUN,
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
    return begun(changed_by_owner(ladder_id, caller, "tests", lambda state: sequential_test(state, body)))


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
