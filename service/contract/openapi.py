"""`openapi.yaml`, written from the code: `python -m service > openapi.yaml`."""

import hashlib
import json
from collections import Counter
from itertools import chain, count
from typing import Any, Final

import flask_smorest
import yaml
from flask import Flask

from contract.problems import Problem
from domain.languages.names import LANGUAGES
from runtime.settings import RATES, Policy
from service.contract import event_types
from service.contract.conversion import answers_in, make_plugin
from service.contract.examples import Recorded, with_examples
from service.contract.operations import UNROUTED, codes_of
from service.edge.problems import MIMETYPE
from service.edge.requests import CODE

try:
    from yaml import CSafeDumper as SafeDumper  # three times as fast, and the same text
except ImportError:
    from yaml import SafeDumper  # type: ignore[assignment]  # where PyYAML came without libyaml

TITLE: Final = "Machi Koro matches"
VERSION: Final = "1.0.0"
LICENSE: Final = {"name": "Apache License 2.0", "identifier": "Apache-2.0"}

Doc = dict[str, Any]

SECTIONS: Final = ("openapi", "info", "servers", "tags", "paths", "components")
"""In the order of need."""
_SHORT: Final = 140
"""Characters that a mapping or a list may have to be written in a row, wrapped at need."""
_WORD: Final = 60

_COUNTED: Final[dict[Policy, str]] = {
    "moves": "a token: `POST /v1/matches/{match_id}/commands`. Nothing else uses it up.",
    "matches": "an account: `POST /v1/matches` and `POST /v1/matches/{match_id}/branches`.",
    "creations": "a client's address: the same of all accounts there; answers tell of it when it is used up.",
    "accounts": "a client's address: `POST /v1/accounts`.",
    "audits": "an account, or without a token a client's address: what looks at all of a match, such as "
    "`GET /v1/matches/{match_id}/verification`.",
    "requests": "a token: every other operation that looks at one.",
    "anonymous": "a client's address: what comes without a good token, operations that look at none, and "
    "what asks for an address or a method that is not there.",
}
"""Whose each quota is, and what counts against it."""
_QUOTAS: Final = "\n".join([f"- `{policy}`, {RATES[policy]} of {text}" for policy, text in _COUNTED.items()])

SUMMARY: Final = "Play, follow and check matches of Machi Koro."

DESCRIPTION: Final = f"""\
Matches of Machi Koro, of its Harbor expansion and of Machi Koro 2, for people, programs and built-in \
players.

Every roll, payment and build is an event. A match's version is the number of its events, and its `ETag`.

## Begin

`POST /v1/accounts` gives a token; send it as `Authorization: Bearer mk_...`. `POST /v1/matches` makes a \
match, `GET /v1/matches/{{match_id}}/legal-commands` lists what can be done, ready to be posted, and `POST \
/v1/matches/{{match_id}}/commands` does it. A command that is refused appends nothing.

A bot needs two requests: `GET /v1/me/turns?wait=25` answers as soon as a decision waits for it, with the \
state and the legal commands, and a command answers that. Nothing has to be remembered: whoever comes back \
after a crash is told where each match stands.

## Repeat

Send an `Idempotency-Key` with any POST, and repeat the request under it at will: it is carried out once, \
and each repetition gets the answer of the first time, with `Idempotency-Replayed: true`. Repeat what got \
no answer, 429, 502, 503 or 504; wait as long as `Retry-After` says. The key is looked at before \
`If-Match`. With `If-Match: "42"` a command is carried out on that version only; else 412 `stale_version` \
brings the events that were missed. `GET /v1/matches/{{match_id}}/commands/{{idempotency_key}}` says \
whether a command arrived.

## Follow

`GET /v1/matches/{{match_id}}/events` is a page, a long poll (`wait`), server-sent events (`Accept: \
text/event-stream`) or lines (`Accept: application/x-ndjson`, with `follow=true` for ever new ones). All \
begin behind a sequence: `after`, or `Last-Event-ID`. A stream gives a sign of life every 10 seconds, and \
says `stream_end` behind the last event of a match. One that ends without it was cut: go on from the last \
sequence that you have. An account, or an address without one, has 50 streams at a time where the operator \
has not chosen otherwise. New types of events may come; `GET /v1/event-types` has the JSON Schema of each.

`GET /v1/matches/{{match_id}}/log` tells the same in sentences, in one of five languages.

## Look back

`GET /v1/matches/{{match_id}}/states/{{version}}` is the state after any event, `.../replay` gives all of \
them in lines, `.../diff` what lies between two. None of these ever changes, and they may be kept for ever. \
`GET /v1/matches/{{match_id}}/fairness` shows what the dice were made of.

## Ladders

`POST /v1/ladders` makes a ladder: one ruleset, one number of seats, and rules of rating that are frozen \
with each season. Built-in players and bots are entered, `POST /v1/ladders/{{ladder_id}}/rounds` has workers \
play blocks, each one table in all its seat rotations, and `GET /v1/jobs/{{job_id}}` tells how far they are. \
Each match is an ordinary one. `.../results` is all that `.../standings` follows from: anybody can compute \
the same table from it, to the last digit.

## Errors

They are `application/problem+json` with a stable `code`; `errors` points at what is wrong. Members and \
query parameters that are not described here are refused, and so is a parameter that stands twice. A body \
has at most {{body_limit}} bytes; a longer one is answered 413 `body_too_large`. What \
cannot be read as a request reaches no operation: it is answered 400 `malformed_request`, 408 \
`request_timeout`, 414 `uri_too_long`, 417 `expectation_failed`, 431 `headers_too_large` or 501 \
`unsupported_transfer_coding`, and the connection ends.

## Limits

Each request counts against a quota, before its body is read and whatever becomes of it. \
`RateLimit-Policy` says how large that is, `RateLimit` what is left of it. Over the quota the answer is \
429 `rate_limited` with `Retry-After`, and nothing is done. Operations whose answers carry no such headers \
are free. These are the quotas, and how large they are where the operator has not chosen otherwise:

{_QUOTAS}

An IPv6 address stands for its /64.

## This document

Examples of answers are recorded, each with the request that it answers. Ids, times and tokens in them are \
made up, the same wherever they stand; hashes are computed from these, and hold. Later versions may add \
operations, members of answers, codes and types of events: ignore what you do not know. What is here keeps \
its meaning.

Every address answers `OPTIONS` with 204 and `Allow`. Scripts of pages of other origins may \
read; those of origins that the operator has named may write, too.
"""

IDEMPOTENCY_KEY: Final = """\
Any name for this request. Under one key it is carried out once: a repetition with the same body gets the \
same answer, with `Idempotency-Replayed: true`, whatever has happened since; another body is refused as \
`idempotency_key_reused`. A request that is refused is not kept, and its repetition is judged anew.

What other accounts send, or what is sent to other paths, is not under the same key. The answer to a new \
account is kept for 24 hours, for the client's network address, and its key has 22 characters at least; \
that to a new token, match, branch or ladder is kept for 30 days; one about a match or a ladder that is \
there already for its life. A key is taken as it stands, quotes and all; two header lines are one key, with \
a comma in between.
"""

TOKEN: Final[Doc] = {
    "type": "http",
    "scheme": "bearer",
    "bearerFormat": "mk_...",
    "description": "`POST /v1/accounts` gives the first token of an account, `POST /v1/me/tokens` more.",
}

HEADERS: Final[dict[str, Doc]] = {
    "ETag": {
        "description": "The version of the match, or another mark of this very content. Send it as "
        "`If-None-Match` with the next GET, or as `If-Match` with a command.",
        "schema": {"type": "string"},
        "example": '"42"',
    },
    "Content-Language": {
        "description": "The language of the answer.",
        "schema": {"type": "string", "enum": [*LANGUAGES]},
        "required": True,
        "example": "uk",
    },
    "Vary": {
        "description": "The request headers that choose among forms of the answer.",
        "schema": {"type": "string"},
        "required": True,
        "example": "Accept-Language",
    },
    "Location": {
        "description": "Where the new resource is.",
        "schema": {"type": "string", "format": "uri-reference"},
        "example": "/v1/matches/mat_01M7WD7YKSS6TZ90RECWJ67GZH",
    },
    "Link": {
        "description": 'The next page, as rel="next"; absent on the last.',
        "schema": {"type": "string"},
        "example": '</v1/matches?limit=50&cursor=mat_01M7WD7YKSS6TZ90RECWJ67GZH>; rel="next"',
    },
    "X-Request-Id": {
        "description": "Names this request in the service's log.",
        "schema": {"type": "string"},
        "required": True,
        "example": "5f0e8b3c9a2d4716b1c0e7f2",
    },
    "Match-Head": {
        "description": "The receipt of the match: its version and the hash of its last event.",
        "schema": {"type": "string", "pattern": '^v=[0-9]+; h="sha-256:[0-9a-f]{64}"$'},
        "required": True,
        "example": 'v=42; h="sha-256:' + "0" * 64 + '"',
    },
    "Match-Head-if-known": {
        "description": "The receipt of the match; absent where the record is damaged or gone.",
        "schema": {"type": "string", "pattern": '^v=[0-9]+; h="sha-256:[0-9a-f]{64}"$'},
        "example": 'v=42; h="sha-256:' + "0" * 64 + '"',
    },
    "Match-Head-of-Problem": {
        "description": "The receipt of the match; absent where there is none that the caller may see.",
        "schema": {"type": "string", "pattern": '^v=[0-9]+; h="sha-256:[0-9a-f]{64}"$'},
        "example": 'v=42; h="sha-256:' + "0" * 64 + '"',
    },
    "Allow": {
        "description": "The methods that the address takes.",
        "schema": {"type": "string"},
        "example": "GET, HEAD, OPTIONS",
    },
    "Idempotency-Replayed": {
        "description": "`true` where the request had been carried out before; else absent. The answer, its "
        "`ETag` and its `Match-Head` are then those of the first time: the match may have moved on since.",
        "schema": {"type": "string", "enum": ["true"]},
        "example": "true",
    },
    "WWW-Authenticate": {
        "description": "How to authenticate, and what is wrong with the token that was sent.",
        "schema": {"type": "string"},
        "example": 'Bearer realm="machi"',
    },
    "Retry-After": {
        "description": "Seconds to wait before the next try.",
        "schema": {"type": "string"},
        "example": "10",
    },
    "RateLimit-Policy": {
        "description": "The quota that the request counts against: its name, and `q` requests in a window of "
        "`w` seconds.",
        "schema": {"type": "string", "pattern": '^"[a-z]+";q=[0-9]+;w=[0-9]+$'},
        "required": True,
        "example": '"moves";q=12000;w=60',
    },
    "RateLimit": {
        "description": "What is left of it: `r` requests, until the window ends in `t` seconds. Several "
        "processes answer, and one may know of less than another.",
        "schema": {"type": "string", "pattern": '^"[a-z]+";r=[0-9]+;t=[0-9]+$'},
        "required": True,
        "example": '"moves";r=11999;t=42',
    },
}

PARAMETERS: Final[dict[str, Doc]] = {
    "If-Match": {
        "description": "The version that the command was decided on; 412 if the match has moved on.",
        "schema": {"type": "string", "pattern": r'^(\*|(W/)?"[0-9]{1,9}")$'},
        "example": '"42"',
    },
    "If-None-Match": {
        "description": "The ETag of what the client holds; 304 if it is still current.",
        "schema": {"type": "string"},
        "example": '"42"',
    },
    "Last-Event-ID": {
        "description": "Of streams: the last sequence already known; it wins over `after`.",
        "schema": {"type": "string", "pattern": "^[0-9]{1,9}$"},
        "example": "42",
    },
    "Accept-Language": {
        "description": "The languages that the reader likes, best first or with weights. Where none of "
        "ours is among them, the answer is in English.",
        "schema": {"type": "string"},
        "example": "uk-UA, uk;q=0.9, en;q=0.5",
    },
    "Invitation-Code": {
        "description": "The `invitation_code` of a private match, from its creator.",
        "schema": {"type": "string", "pattern": f"^{CODE}$"},
        "example": "MZXW6YTBOI2DKNRX",
    },
    "Idempotency-Key": {
        "description": IDEMPOTENCY_KEY,
        "schema": {"type": "string", "pattern": "^[!-~]{1,255}$"},
        "example": "3f0c2a52-9d1e-4b5a-8a63-0c7d1f2e4b90",
    },
}


class Api(flask_smorest.Api):  # type: ignore[misc]  # flask-smorest has no types
    """Registers and documents blueprints; errors are left to `service.edge.problems`."""

    def _register_error_handlers(self) -> None:
        pass

    def _register_responses(self) -> None:
        pass

    def _register_pagination_header(self) -> None:
        pass

    def _register_etag_headers(self) -> None:
        pass


def _documented(app: Flask) -> Api:
    plugin = make_plugin()
    api = Api(
        app,
        spec_kwargs={
            "title": TITLE,
            "version": VERSION,
            "openapi_version": "3.1.0",
            "marshmallow_plugin": plugin,
            "info": {"summary": SUMMARY, "description": _description(app), "license": LICENSE},
            "servers": [{"url": "/", "description": "The service that gave you this document."}],
        },
    )
    _add_components(api.spec, app)
    for blueprint in app.iter_blueprints():
        blueprint.register_views_in_doc(api, app, api.spec, name=blueprint.name, parameters=None)  # type: ignore[attr-defined]
        api.spec.tag({"name": blueprint.name, "description": blueprint.description})  # type: ignore[attr-defined]
    return api


def _description(app: Flask) -> str:
    return DESCRIPTION.replace("{body_limit}", f"{app.config['MAX_CONTENT_LENGTH']:,}")


def _add_components(spec: Any, app: Flask) -> None:
    spec.components.security_scheme("token", TOKEN)
    for name, header in HEADERS.items():
        spec.components.header(name, header)
    for name, parameter in PARAMETERS.items():
        spec.components.parameter(name, "header", {"name": name, "required": False, **parameter})
    for name, schema in event_types.components().items():
        spec.components.schema(name, schema)
    answers = answers_in(spec)
    for kind in (Problem, *[one for blueprint in app.iter_blueprints() for one in blueprint.answers]):  # type: ignore[attr-defined]
        answers.of(kind)
    for name, response in UNROUTED.items():
        spec.components.response(name, response)


def document(app: Flask) -> str:
    """The app's document as YAML, the same for the same code. It takes a second or two to write."""
    shown = with_shared_parameters(with_shared_responses(with_examples(_documented(app).spec.to_dict())))
    whole = Recorded((name, shown[name]) for name in SECTIONS)
    return str(yaml.dump(whole, Dumper=_Dumper, allow_unicode=True, width=120))


def with_shared_responses(document: Doc) -> Doc:
    """The document with each response that several operations have among the components, once."""
    answers = [
        operation["responses"]
        for item in document["paths"].values()
        for operation in item.values()
        if "responses" in operation
    ]
    counts = Counter([_text(response) for responses in answers for response in responses.values()])
    for responses in answers:
        for status, response in responses.items():
            if counts[_text(response)] > 1:
                name = _response_name(status, response)
                document["components"]["responses"][name] = response
                responses[status] = {"$ref": f"#/components/responses/{name}"}
    return document


def with_shared_parameters(document: Doc) -> Doc:
    """The document with each parameter that stands several times among the components, once."""
    listed = [
        part["parameters"]
        for item in document["paths"].values()
        for part in [item, *[operation for name, operation in item.items() if name != "parameters"]]
        if "parameters" in part
    ]
    counts = Counter([_text(parameter) for parameters in listed for parameter in parameters])
    shared: dict[str, str] = {}
    for parameters in listed:
        for place, parameter in enumerate(parameters):
            text = _text(parameter)
            if "$ref" in parameter or counts[text] == 1:
                continue
            if text not in shared:
                shared[text] = _free_name(parameter["name"], document["components"]["parameters"])
                document["components"]["parameters"][shared[text]] = parameter
            parameters[place] = {"$ref": f"#/components/parameters/{shared[text]}"}
    return document


def _free_name(name: str, taken: Doc) -> str:
    names = chain([name], (f"{name}_{number}" for number in count(2)))
    return next(found for found in names if found not in taken)


def _text(response: Doc) -> str:
    return json.dumps(response, sort_keys=True)


def _response_name(status: str, response: Doc) -> str:
    """The status, the codes of a problem, and what tells responses apart that differ in something else."""
    content = response.get("content", {}).get(MIMETYPE)
    codes = codes_of(content["schema"]) if content else []
    digest = hashlib.sha256(_text(response).encode()).hexdigest()[:4]
    return "_".join(["answer", status, *codes[:3], digest])


class _Dumper(SafeDumper):
    """Keeps the members of recorded answers in their order, and writes out what stands in several places.

    Not every reader follows an alias. What is short stands in one line.
    """

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def represent_str(self, data: str) -> yaml.ScalarNode:
        """A text of several lines as it stands."""
        style = "|" if "\n" in data else None
        return self.represent_scalar("tag:yaml.org,2002:str", data, style)

    def represent_mapping(self, tag: Any, mapping: Any, flow_style: bool | None = None) -> yaml.MappingNode:
        node = super().represent_mapping(tag, mapping, flow_style)
        node.flow_style = _is_short(node) or all(_is_reference(value) for _, value in node.value)
        return node

    def represent_sequence(
        self, tag: Any, sequence: Any, flow_style: bool | None = None
    ) -> yaml.SequenceNode:
        node = super().represent_sequence(tag, sequence, flow_style)
        node.flow_style = _is_short(node) or all(map(_is_word, node.value))
        return node


def _is_short(node: yaml.Node) -> bool:
    """Whether all of it may stand in a row."""
    return bool(node.value) and sum(map(_length, _parts(node))) <= _SHORT


def _is_reference(node: yaml.Node) -> bool:
    return isinstance(node, yaml.MappingNode) and [name.value for name, _ in node.value] == ["$ref"]


def _is_word(node: yaml.Node) -> bool:
    """Whether it is a name or a number: a list of these is wrapped, not written one in a line."""
    return isinstance(node, yaml.ScalarNode) and len(node.value) < _WORD and " " not in node.value


def _parts(node: yaml.Node) -> list[yaml.Node]:
    """The members of a mapping, names and values in turn, or of a list."""
    if isinstance(node, yaml.MappingNode):
        return [part for pair in node.value for part in pair]
    return list(node.value)


def _length(node: yaml.Node) -> int:
    """How many characters it takes in one line, or more than it may."""
    if isinstance(node, yaml.ScalarNode):
        return len(node.value) + 3 if "\n" not in node.value else _SHORT + 1
    if node.value and not getattr(node, "flow_style", False):
        return _SHORT + 1
    return 2 + sum(map(_length, _parts(node)))


def _recorded(dumper: _Dumper, value: Recorded) -> yaml.Node:
    node = dumper.represent_mapping("tag:yaml.org,2002:map", value.items())
    for name, part in node.value:
        if name.value == "value" and isinstance(part, yaml.CollectionNode):
            part.flow_style = True  # of an example, wrapped as needed
    return node


_Dumper.add_representer(str, _Dumper.represent_str)
_Dumper.add_representer(Recorded, _recorded)
