"""What `openapi.yaml` says of each operation: its inputs, its answers, and the problems it can end in."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from marshmallow import Schema

from contract.problems import KINDS
from service.edge.problems import MIMETYPE
from service.openapi.structs import Answers

Doc = dict[str, Any]

_WITH_PROBLEM: Final[Mapping[int, tuple[str, ...]]] = {
    401: ("WWW-Authenticate",),
    405: ("Allow",),
    429: ("Retry-After",),
    503: ("Retry-After",),
}
"""Headers of problems, by status."""
_VARIABLE: Final = re.compile(r"<(?:[^<>]+:)?(\w+)>")
_REFERRING: Final = Answers(lambda name, component: None)
"""The document defines what these refer to in another place."""
_RECEIPT: Final[Doc] = {"Match-Head": {"$ref": "#/components/headers/Match-Head-of-Problem"}}
_QUOTA: Final[Doc] = {
    name: {"$ref": f"#/components/headers/{name}"} for name in ("RateLimit", "RateLimit-Policy")
}
"""Of every answer that counts against a quota."""
_ALWAYS_COUNTED: Final = (["not_found"], ["rate_limited"])
"""Codes of answers that come from where no operation is: they count, be the operation itself free."""
_IN_PATHS: Final[Mapping[str, str]] = {
    "match_id": "The match: the `match_id` of the answer to `POST /v1/matches`, or of a list.",
    "sequence": "The number of the event in its match, from 1, without leading zeros.",
    "number": "The number of the line in the log, from 1, without leading zeros.",
    "version": "The version: the number of events up to it, from 1, without leading zeros.",
    "idempotency_key": "The `Idempotency-Key` that the command was sent with. Percent-encode what means "
    "something in addresses, such as `/` (`%2F`), `?` (`%3F`), `#` (`%23`) and `%` (`%25`).",
    "ladder_id": "The ladder: the `ladder_id` of the answer to `POST /v1/ladders`, or of a list.",
    "entry_id": "The entry: its `entry_id`, as the ladder shows it.",
    "test_id": "The test: the number of its round.",
    "round_id": "The round: its number, from 1.",
    "job_id": "The job: the `job_id` of the answer that named it.",
    "ruleset": "The `id` of a ruleset, as `GET /v1/rulesets` lists them.",
    "handle": "The handle of an account, in any spelling.",
    "seat": "The number of the seat, from 0.",
    "token_id": "The token: its `token_id` in `GET /v1/me/tokens`, not its secret.",
    "name": "One of these files; there are no others.",
}
"""What stands in the variable parts of paths."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One way in which an endpoint answers when all is well."""

    description: str
    schema: Any = None
    """A type of `contract`, or what the document says itself."""
    headers: tuple[str, ...] = ()
    media_type: str = "application/json"
    others: Mapping[str, Doc] = field(default_factory=dict)
    """Further media types of the same answer, and what the document says of each."""


def documented_path(rule: str) -> str:
    """The path of a rule as the document has it: `/v1/matches/{match_id}`."""
    return _VARIABLE.sub(r"{\1}", rule)


def path_parameters(rule: str) -> list[Doc]:
    """The variable parts of a rule, as far as the rule itself does not tell them."""
    return [{"in": "path", "name": name, "description": _IN_PATHS[name]} for name in _VARIABLE.findall(rule)]


def operation(
    name: str,
    answers: Mapping[int, Answer],
    codes: set[str],
    security: Any,
    about_match: bool,
    is_limited: bool,
) -> Doc:
    """The operation of that name, with every problem code that it can answer with."""
    quota = _QUOTA if is_limited else {}
    responses = {str(status): _answer(answer, quota) for status, answer in answers.items()}
    return {
        "operationId": name,
        "responses": responses | _problems(codes, about_match, quota),
        "security": security,
    }


def _answer(answer: Answer, extra: Doc) -> Doc:
    doc: Doc = {"description": answer.description, "headers": {**_headers(answer.headers), **extra}}
    if answer.schema is not None:
        schema = answer.schema if isinstance(answer.schema, dict) else _REFERRING.of(answer.schema)
        doc["content"] = {answer.media_type: {"schema": schema}, **answer.others}
    return doc


def _headers(names: Iterable[str]) -> Doc:
    return {
        name.removesuffix("-if-known"): {"$ref": f"#/components/headers/{name}"}
        for name in (*names, "X-Request-Id")
    }


def _problems(codes: set[str], about_match: bool, quota: Doc) -> Doc:
    """The problem answers by status, each with the codes that it can carry here."""
    by_status: dict[int, list[str]] = {}
    for code in KINDS:
        if code in codes:
            by_status.setdefault(KINDS[code].status, []).append(code)
    receipt = _RECEIPT if about_match else {}
    return {
        str(status): _problem(status, listed, _extra(listed, quota, receipt))
        for status, listed in sorted(by_status.items())
    }


def _extra(listed: list[str], quota: Doc, receipt: Doc) -> Doc:
    """The further headers of a problem that has one of these codes."""
    return (_QUOTA if listed in _ALWAYS_COUNTED else quota) | receipt


def _problem(status: int, codes: list[str], extra: Doc) -> Doc:
    # Every problem has a code, so this always holds. With `allOf`, or with `properties` beside the reference,
    # generators of clients make a further type for each answer, or one without members. The other members are
    # allowed here in so many words, because linters take them for mistakes in the examples.
    only = {
        "properties": {"code": {"enum": codes}, "status": {"const": status}},
        "additionalProperties": True,
    }
    schema = {"$ref": "#/components/schemas/Problem", "dependentSchemas": {"code": only}}
    headers = {**_headers(_WITH_PROBLEM.get(status, ())), **extra}
    titles = "; ".join(f"`{code}`: {KINDS[code].title}" for code in codes)
    return {"description": titles, "headers": headers, "content": {MIMETYPE: {"schema": schema}}}


def codes_of(schema: Doc) -> list[str]:
    """The codes that problems of the answer with that schema can carry."""
    codes: list[str] = schema["dependentSchemas"]["code"]["properties"]["code"]["enum"]
    return codes


UNROUTED: Final[dict[str, Doc]] = {
    "NotFound": _problem(404, ["not_found"], _QUOTA | _RECEIPT),
    "MethodNotAllowed": _problem(405, ["method_not_allowed"], _QUOTA | _RECEIPT),
    "TooManyRequests": _problem(429, ["rate_limited"], _QUOTA | _RECEIPT),
}
"""Answers of addresses and methods that no operation has, by the names of their components."""


def inputs(
    query: Schema | None,
    body: Schema | None,
    optional_body: bool,
    examples: Mapping[str, Any] | None,
    headers: list[str],
) -> Doc:
    """What an operation takes. `headers` are names of its request headers."""
    doc: Doc = {}
    parameters: list[Doc | str] = [{"in": "query", "schema": query}] if query is not None else []
    parameters += headers
    if parameters:
        doc["parameters"] = parameters
    if body is not None:
        content: Doc = {"schema": body}
        if examples:
            content["examples"] = dict(examples)
        doc["requestBody"] = {"required": not optional_body, "content": {"application/json": content}}
    return doc
