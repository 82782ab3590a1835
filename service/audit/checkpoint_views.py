"""The checkpoint log, with a signed line for each match that ended, and its signing keys."""

from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import urlencode

from flask import Response, g, request
from msgspec.structs import asdict

from contract import audit as contract
from contract.problems import ProblemExtra
from contract.values import encode
from domain.audit.checkpoints import Checkpoint
from domain.canonical import canonical, sha256
from domain.match.state import is_over
from events.checkpoints.notary import Notary
from events.checkpoints.signatures import base64_text
from events.matches.entries import Loaded
from service.accounts.tokens import Token
from service.audit.schemas import AS_LINES, CheckpointQuerySchema
from service.catalogue.views import NOT_MODIFIED
from service.context import services
from service.edge.answers import cached_answer, json_answer
from service.edge.guard import Limit
from service.edge.problems import Problem, problem_at
from service.live.feeds import NDJSON
from service.matches.access import record_receipt, visible_match
from service.matches.event_views import FOREVER
from service.matches.match_views import ABOUT_MATCH
from service.matches.match_views import NOT_MODIFIED as NOT_MODIFIED_MATCH
from service.openapi.endpoints import Caller, Endpoints, Success

blueprint = Endpoints("checkpoints", "The signed ends of all matches, in one append-only log.")

_LIMIT: Final = 100
_READ_AT_ONCE: Final = 500
"""The number of lines that are in memory at a time."""


@blueprint.endpoint(
    "GET",
    "/v1/checkpoints",
    {
        200: Success(
            "The checkpoints after `after`: a page, or all. The `next` of a page is the `after` of the next "
            "one.",
            contract.CheckpointPage,
            ("Link",),
            others=AS_LINES,
        )
    },
    query=CheckpointQuerySchema(),
    refusals=("cursor_ahead",),
    limit=Limit.AUDITS,
)
def list_checkpoints(query: dict[str, Any], media_type: str) -> Response:
    """List the checkpoints of all matches in the order of their signatures.

    `Accept` chooses the form: a page of JSON, or all checkpoints as lines. Each contains the hash of the
    previous one, so none can be changed, removed or inserted without changing all that follow: keep the last
    one that you have seen. If `after` is beyond the last one, the problem is `cursor_ahead`, because lines
    are never removed.
    """
    if media_type == NDJSON.media_type and "limit" in query:
        raise problem_at("/limit", "limit: only pages have a limit", "invalid_parameter")
    notary, after = services().notary, int(query["after"])
    last = notary.last_number()
    if after > last:
        detail = f"the last checkpoint is {last}"
        raise problem_at("/after", detail, "cursor_ahead", extra=ProblemExtra(max_number=last))
    if media_type == NDJSON.media_type:
        return _in_lines(notary, after, last)
    found = notary.lines(after, query.get("limit", _LIMIT))
    following = str(found[-1].number) if found and found[-1].number < last else None
    answer = json_answer(
        contract.CheckpointPage(items=tuple([_present(one) for one in found]), next=following)
    )
    if following is not None:
        address = urlencode({**request.args.to_dict(), "after": following})
        answer.headers["Link"] = f'<{request.path}?{address}>; rel="next"'
    return answer


def _in_lines(notary: Notary, after: int, last: int) -> Response:
    first = _next_lines(notary, after, last)  # before the response begins, so that errors can be reported
    body = iter(()) if request.method == "HEAD" else _lines(notary, first, last)
    return Response(body, content_type=NDJSON.content_type, direct_passthrough=True)


def _lines(notary: Notary, found: list[Checkpoint], last: int) -> Iterator[bytes]:
    """These lines and all that follow, up to the number `last`."""
    while found:
        yield b"".join([encode(_present(line)) + b"\n" for line in found])
        found = _next_lines(notary, found[-1].number, last)


def _next_lines(notary: Notary, after: int, last: int) -> list[Checkpoint]:
    count = min(_READ_AT_ONCE, last - after)
    return notary.lines(after, count) if count else []


@blueprint.endpoint(
    "GET",
    "/v1/checkpoints/<int:number>",
    {200: Success("The checkpoint, which never changes.", contract.Checkpoint, ("ETag",)), 304: NOT_MODIFIED},
    headers=("If-None-Match",),
    refusals=("checkpoint_not_found", "not_found"),
)
def show_checkpoint(number: int) -> Response:
    """Show one line of the checkpoint log.

    It never changes and can be cached forever.
    """
    if not request.path.endswith(f"/{number}"):
        # Each line has one address: `01` and digits of other scripts do not count.
        raise Problem("not_found")
    found = services().notary.line(number)
    if found is None:
        last = services().notary.last_number()
        detail = f"the log has checkpoints 1 to {last}" if last else "the log has no checkpoints yet"
        raise Problem("checkpoint_not_found", detail, extra=ProblemExtra(max_number=last))
    return _kept(found, {"Cache-Control": f"public, {FOREVER}"})


@blueprint.endpoint(
    "GET",
    "/v1/matches/<match_id>/checkpoint",
    {
        200: Success(
            "The checkpoint, which never changes.", contract.Checkpoint, ("ETag", "Match-Head-if-known")
        ),
        304: NOT_MODIFIED_MATCH,
    },
    caller=Caller.ANYBODY,
    headers=("If-None-Match",),
    refusals=(*ABOUT_MATCH, "checkpoint_not_found"),
)
def show_checkpoint_of_match(caller: Token | None, match_id: str) -> Response:
    """Show the checkpoint of a match: its signed end.

    It exists as soon as the match is over and never changes, even if the record of the match is damaged or
    lost. Its `match_id` is null unless the match is public; with the id, anybody can check its
    `match_digest`.
    """
    headers = record_receipt(match_id, caller)
    found = services().notary.of_match(match_id)
    if found is None:
        # If the match cannot be loaded, that is the problem.
        raise Problem("checkpoint_not_found", _why_not(visible_match(match_id, caller)))
    return _kept(found, {**headers, "Cache-Control": f"{_cacheability()}, {FOREVER}"})


def _cacheability() -> str:
    """`public` or `private` for `Cache-Control`; `private` if the match cannot be loaded."""
    created = g.loaded.state.created if "loaded" in g else None
    return "private" if created is None or created.visibility == "private" else "public"


def _why_not(loaded: Loaded) -> str:
    if is_over(loaded.state):
        return "the match is over, but not signed yet: try again"
    return "the match is not over"


def _kept(found: Checkpoint, headers: dict[str, str]) -> Response:
    return cached_answer(_present(found), found.hash.removeprefix("sha-256:"), headers)


def _present(found: Checkpoint) -> contract.Checkpoint:
    return contract.Checkpoint(**asdict(found))


@blueprint.endpoint(
    "GET",
    "/v1/signing-keys",
    {200: Success("All keys, the current one first.", contract.SigningKeyPage, ("ETag",)), 304: NOT_MODIFIED},
    headers=("If-None-Match",),
)
def list_signing_keys() -> Response:
    """List the public keys of all checkpoints, current and former.

    A key that has signed a checkpoint stays in the list forever. Compare the list with an earlier copy, or
    with somebody else's: anybody who could change both the log and the keys could sign anything.
    """
    notary = services().notary
    items = [
        contract.SigningKey(
            key_id=key_id,
            algorithm="Ed25519",
            public_key=base64_text(public_key),
            is_current=key_id == notary.current_key,
        )
        for key_id, public_key in notary.public_keys().items()
    ]
    mark = sha256(canonical(items)).removeprefix("sha-256:")[:16]
    page = contract.SigningKeyPage(items=tuple(items), next=None)
    return cached_answer(page, mark, {"Cache-Control": "public, no-cache"})
