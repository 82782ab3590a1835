"""The description of the API as a whole in `openapi.yaml`."""

from typing import Any, Final

from runtime.settings import RATES, Policy

TITLE: Final = "Machi Koro matches"
VERSION: Final = "1.0.0"
LICENSE: Final = {"name": "Apache License 2.0", "identifier": "Apache-2.0"}
CONTACT: Final = {"name": "The operator of this service"}

_COUNTED: Final[dict[Policy, str]] = {
    "moves": "a token: `POST /v1/matches/{match_id}/commands`, and nothing else.",
    "matches": "an account: `POST /v1/matches` and `POST /v1/matches/{match_id}/branches`.",
    "creations": "a client's address: the same requests, of all accounts there. Responses show this quota "
    "only when it is used up.",
    "accounts": "a client's address: `POST /v1/accounts`.",
    "audits": "an account, or a client's address without a token: requests that read a whole match or "
    "ladder, such as `GET /v1/matches/{match_id}/verification`.",
    "requests": "a token: all other operations that use one.",
    "anonymous": "a client's address: requests without a valid token, operations that use none, and requests "
    "to unknown addresses or with unknown methods.",
}
"""The owner of each quota, and the requests that count against it."""
_QUOTAS: Final = "\n".join([f"- `{policy}`, {RATES[policy]} of {text}" for policy, text in _COUNTED.items()])

SUMMARY: Final = "Play, follow and verify matches of Machi Koro."

DESCRIPTION: Final = f"""\
Matches of Machi Koro with its expansions, and of Machi Koro 2, for people, programs and built-in players.

Every roll, payment and build is an event. The version of a match is its number of events, and its `ETag`.

## Getting started

`POST /v1/accounts` returns a token; send it as `Authorization: Bearer mk_...`. `POST /v1/matches` creates \
a match, `GET /v1/matches/{{match_id}}/legal-commands` lists the legal commands, ready to be posted, and \
`POST /v1/matches/{{match_id}}/commands` executes one. A rejected command appends nothing.

A bot needs two requests: `GET /v1/me/turns?wait=25` responds as soon as a decision is due, with the state \
and the legal commands, and the bot posts one of them. It needs no memory: after a crash, the same request \
shows where each match stands.

## Retries

Send an `Idempotency-Key` with every POST, and retry under it as often as you like: the request is \
executed once, and each retry gets the response of the first time, with `Idempotency-Replayed: true`. \
Retry after 429, 502, 503, 504 or no response, and wait as long as `Retry-After` says. The key is checked \
before `If-Match`. With `If-Match: "42"`, a command is executed only on that version; otherwise 412 \
`stale_version` has the events that you missed. `GET \
/v1/matches/{{match_id}}/commands/{{idempotency_key}}` says whether a command arrived.

## Events

`GET /v1/matches/{{match_id}}/events` is a page, a long poll (`wait`), a stream of server-sent events \
(`Accept: text/event-stream`) or of lines (`Accept: application/x-ndjson`, with `follow=true` for future \
events). Each starts after a sequence: `after` or `Last-Event-ID`. A stream sends a heartbeat every 10 \
seconds, and `stream_end` after the last event of a match. If it ends without that, it was cut: resume \
after the last sequence that you have. An account, or an address without one, can have 50 open streams \
unless the operator has set another limit. New event types may be added; `GET /v1/event-types` has the \
JSON Schema of each.

`GET /v1/matches/{{match_id}}/log` returns the same events as sentences, in one of five languages.

## History

`GET /v1/matches/{{match_id}}/states/{{version}}` is the state after any event, `.../replay` streams all \
of them as lines, and `.../diff` compares two. These never change and can be cached forever. `GET \
/v1/matches/{{match_id}}/fairness` shows how the dice were computed.

## Reviews

`POST /v1/matches/{{match_id}}/reviews` has workers compute who was how likely to win after every event of a \
finished match, what of that was luck and what was skill, and which command would have been best. `GET \
.../reviews/{{review_id}}` shows the progress and then the review. `.../chances` has the chances alone, at \
once. `GET /v1/puzzles` lists decisions of finished matches to be found: the best command is certain, and is \
not the obvious one.

## Ladders

`POST /v1/ladders` creates a ladder: one ruleset, one number of seats, and rating rules that are fixed for \
each season. Its entries are built-in players and bots. `POST /v1/ladders/{{ladder_id}}/rounds` has \
workers play blocks, each of them one table in all its seat rotations, and `GET /v1/jobs/{{job_id}}` shows \
the progress. Each match is an ordinary match. `.../standings` follows from `.../results` alone, so anyone \
can recompute it to the last digit.

## Errors

Errors are `application/problem+json` with a stable `code`; `errors` points at the invalid parts of the \
request. Members and query parameters that are not documented here are refused, and so are repeated \
parameters. Integers are written in digits alone: `2.0` and `2e0` are refused. A body has at most \
{{body_limit}} bytes; a longer one gets 413 `body_too_large`. A request that cannot be parsed reaches no \
operation: it gets 400 `malformed_request`, 408 `request_timeout`, 414 \
`uri_too_long`, 417 `expectation_failed`, 431 `headers_too_large` or 501 `unsupported_transfer_coding`, \
and the connection closes.

## Limits

Each request counts against a quota before its body is read, even if it is refused. `RateLimit-Policy` is \
the size of the quota, `RateLimit` what is left of it. Above the quota, the response is 429 `rate_limited` \
with `Retry-After`, and nothing is executed. Operations whose responses have no such headers are free. The \
quotas, with their sizes unless the operator has set others:

{_QUOTAS}

An IPv6 address counts as its /64.

## Compression

Responses to GET of 1 kB or more are compressed with gzip for clients that send `Accept-Encoding: gzip`. \
They have `Vary: Accept-Encoding`, and their `ETag` is weak. Responses whose `ETag` is a version and event \
streams are never compressed.

## This document

It is at `/openapi.yaml` and `/openapi.json`. Example responses are recorded, each with its request. Ids, \
times and tokens in them are invented, the same everywhere; hashes are computed from these and are \
correct. Later versions may add operations, members of responses, codes and event types: ignore what you \
do not know. So the schemas of responses allow members that they do not name. What is documented here keeps \
its meaning.

Every address answers `OPTIONS` with 204 and `Allow`. Scripts from other origins may read; those from \
origins that the operator has named may also write.
"""


def info(body_limit: int) -> dict[str, Any]:
    """The `info` of the document, except title and version; `body_limit` is in bytes."""
    description = DESCRIPTION.replace("{body_limit}", f"{body_limit:,}")
    return {"summary": SUMMARY, "description": description, "contact": CONTACT, "license": LICENSE}
