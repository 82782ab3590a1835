"""The operations of `openapi.yaml`: their inputs, their responses, and their problems."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from marshmallow import Schema

from contract.problems import KINDS
from service.edge.problems import MIMETYPE
from service.openapi.structs import AnswerSchemas, reference

Doc = dict[str, Any]

_WITH_PROBLEM: Final[Mapping[int, tuple[str, ...]]] = {
    401: ("WWW-Authenticate",),
    405: ("Allow",),
    429: ("Retry-After",),
    503: ("Retry-After",),
}
"""Headers of problems, by status."""
_VARIABLE: Final = re.compile(r"<(?:[^<>]+:)?(\w+)>")
_CODES: Final = re.compile(r"`(\w+)`: ")
"""The codes in the description of a problem."""
_REFERRING: Final = AnswerSchemas()
"""A converter for references: the components are added elsewhere."""
_QUOTA: Final = ("RateLimit", "RateLimit-Policy")
"""The headers of all responses to requests that count against a quota."""
_ALWAYS_COUNTED: Final = (["not_found"], ["rate_limited"])
"""Codes of responses from outside of operations, which count even if the operation is free."""
_IN_PATHS: Final[Mapping[str, str]] = {
    "match_id": "The `match_id` in the response to `POST /v1/matches`, or in a list.",
    "sequence": "The number of the event in its match, from 1, without leading zeros.",
    "number": "The number of the line in the checkpoint log, from 1, without leading zeros.",
    "version": "The version: the number of events up to it, from 1, without leading zeros.",
    "idempotency_key": "The `Idempotency-Key` of the command. Percent-encode characters that are reserved in "
    "URLs, such as `/` (`%2F`), `?` (`%3F`), `#` (`%23`) and `%` (`%25`).",
    "puzzle_id": "The id of the puzzle.",
    "review_id": "The `review_id` in the response that named the review.",
    "ladder_id": "The `ladder_id` in the response to `POST /v1/ladders`, or in a list.",
    "entry_id": "The `entry_id` of an entry of the ladder.",
    "test_id": "The number of the test's round.",
    "round_id": "The number of the round, from 1.",
    "job_id": "The `job_id` in the response that named the job.",
    "ruleset": "The `id` of a ruleset in `GET /v1/rulesets`.",
    "handle": "The handle of an account, in upper or lower case.",
    "seat": "The number of the seat, from 0.",
    "token_id": "The `token_id` in `GET /v1/me/tokens`, not the secret.",
    "webhook_id": "The `webhook_id` in the response to `POST /v1/me/webhooks`, or in the list.",
    "delivery_id": "The `delivery_id` in a list of deliveries, which is the `webhook-id` of the message.",
    "name": "The name of one of these files.",
}
"""The descriptions of path parameters."""


@dataclass(frozen=True, slots=True)
class Success:
    """A successful response of an endpoint."""

    description: str
    schema: Any = None
    """A type of `contract`, or JSON Schema."""
    headers: tuple[str, ...] = ()
    media_type: str = "application/json"
    others: Mapping[str, Doc] = field(default_factory=dict)
    """Further media types of the response, each with its documentation."""


def documented_path(rule: str) -> str:
    """The path of a rule in the document, such as `/v1/matches/{match_id}`."""
    return _VARIABLE.sub(r"{\1}", rule)


def path_parameters(rule: str) -> list[Doc]:
    """The path parameters of a rule, without the schemas, which flask-smorest derives from the rule."""
    return [{"in": "path", "name": name, "description": _IN_PATHS[name]} for name in _VARIABLE.findall(rule)]


def operation(
    name: str,
    answers: Mapping[int, Success],
    codes: set[str],
    security: list[dict[str, list[str]]],
    is_limited: bool,
) -> Doc:
    """The documentation of an operation, with all its problem codes."""
    responses = {str(status): _answer(answer, is_limited) for status, answer in answers.items()}
    doc: Doc = {"operationId": name, "responses": responses | _problems(codes, is_limited)}
    return doc | ({"security": security} if security else {})


def _answer(answer: Success, is_limited: bool) -> Doc:
    names = (*answer.headers, *(_QUOTA if is_limited else ()))
    doc: Doc = {"description": answer.description, "headers": _headers(names)}
    if answer.schema is not None:
        schema = answer.schema if isinstance(answer.schema, dict) else _REFERRING.schema_of(answer.schema)
        doc["content"] = {answer.media_type: {"schema": schema}, **answer.others}
    return doc


def _headers(names: Iterable[str]) -> Doc:
    return {
        name.removesuffix("-if-known"): {"$ref": f"#/components/headers/{name}"}
        for name in (*names, "X-Request-Id")
    }


def _problems(codes: set[str], is_limited: bool) -> Doc:
    """The problem responses by status, each with its codes in this operation."""
    by_status: dict[int, list[str]] = {}
    for code in KINDS:
        if code in codes:
            by_status.setdefault(KINDS[code].status, []).append(code)
    return {
        str(status): _problem(status, listed, is_limited or listed in _ALWAYS_COUNTED)
        for status, listed in sorted(by_status.items())
    }


def _problem(status: int, codes: list[str], is_limited: bool = True) -> Doc:
    names = (*_WITH_PROBLEM.get(status, ()), *((*_QUOTA, "Match-Head-if-known") if is_limited else ()))
    return {
        "description": "; ".join(f"`{code}`: {KINDS[code].title}" for code in codes),
        "headers": _headers(names),
        "content": {MIMETYPE: {"schema": reference("Problem")}},
    }


def codes_of(response: Doc) -> list[str]:
    """The problem codes that the description of a response lists; none if it is no problem."""
    return _CODES.findall(response["description"]) if MIMETYPE in response.get("content", {}) else []


UNROUTED: Final[dict[str, Doc]] = {
    "NotFound": _problem(404, ["not_found"]),
    "MethodNotAllowed": _problem(405, ["method_not_allowed"]),
    "TooManyRequests": _problem(429, ["rate_limited"]),
}
"""Responses to requests that reach no operation, by component."""


def inputs(
    query: Schema | None,
    body: Schema | None,
    optional_body: bool,
    examples: Mapping[str, Any] | None,
    headers: list[str],
) -> Doc:
    """The documentation of an operation's inputs. `headers` are names of its request headers."""
    doc: Doc = {}
    parameters: list[Doc | str] = [{"in": "query", "schema": query}] if query and query.fields else []
    parameters += headers
    if parameters:
        doc["parameters"] = parameters
    if body is not None:
        content: Doc = {"schema": body}
        if examples:
            content["examples"] = dict(examples)
        doc["requestBody"] = {"required": not optional_body, "content": {"application/json": content}}
    return doc
