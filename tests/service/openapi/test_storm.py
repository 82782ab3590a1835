"""The app keeps `openapi.yaml` under generated requests: no 500, no undocumented status, header or body."""

import contextlib
from typing import Any, NamedTuple

import pytest
import redis
from flask import Flask
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable

from runtime.heartbeat import beat
from tests.service.contract import Account
from tests.service.written_document import operations

OPENAPI_EXAMPLES = 2
"""Of the document itself, which takes long to check."""
AS_IT_IS = {"Accept-Encoding": "identity"}
"""The checks do not unpack answers."""

OPERATIONS = operations()


class Storm(NamedTuple):
    """What makes requests, and checks the answers."""

    operations: Any
    modes: Any
    left_out: Any


@pytest.fixture(scope="session")
def storm(served_app: Flask) -> Storm:
    # Late: it takes half a second, and every test process collects these tests.
    import schemathesis
    from schemathesis.checks import CHECKS, load_all_checks

    load_all_checks()
    # Valid by its schema is not yet legal on the table: whether a card is for sale is no matter of schemas.
    left_out = CHECKS.get_by_names(["positive_data_acceptance"])
    operations = schemathesis.openapi.from_wsgi("/openapi.yaml", served_app)
    return Storm(operations, schemathesis.GenerationMode, left_out)


@pytest.mark.parametrize(
    ("mode", "examples"),
    [
        ("positive", 4),
        pytest.param("positive", 20, marks=pytest.mark.long),
        pytest.param("negative", 20, marks=pytest.mark.long),
    ],
    ids=["few valid", "valid", "invalid"],
)
@pytest.mark.parametrize(
    ("path", "method"), OPERATIONS, ids=[f"{method} {path}" for path, method in OPERATIONS]
)
def test_every_answer_is_foreseen(
    path: str,
    method: str,
    mode: str,
    examples: int,
    storm: Storm,
    queue_redis: redis.Redis,
    ada: Account,
) -> None:
    beat(queue_redis, "relay")
    beat(queue_redis, "worker")
    match_id = ada.create(seats=[{"kind": "me"}, {"kind": "me"}])["match_id"]
    operation = storm.operations[path][method]

    @settings(
        max_examples=OPENAPI_EXAMPLES if path.startswith("/openapi.") else examples,
        phases=[Phase.generate],
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=storm.modes(mode)))
    def send(case: Any) -> None:
        if "match_id" in case.path_parameters:
            case.path_parameters["match_id"] = match_id
        if str(case.query.get("wait")).isdigit():
            case.query["wait"] = (
                0 if 0 <= int(case.query["wait"]) <= 30 else 31
            )  # waiting is tested elsewhere
        if path.endswith("/commands"):  # the document leaves out the 200 of the deprecated dry run
            case.query.pop("validate_only", None)
        # Where a request is wrong because it has no token, a token would make it right.
        is_anonymous = mode == "negative" and "Authorization" not in (case.headers or {})
        headers = AS_IT_IS if is_anonymous else AS_IT_IS | ada.authorization
        case.call_and_validate(headers=headers, excluded_checks=storm.left_out)

    with contextlib.suppress(Unsatisfiable):  # nothing can be wrong with a request that takes nothing
        send()
