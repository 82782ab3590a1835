"""The verification of a match, and its export for verification without the service."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from flask import Response, request

from contract.audit import AuditCheck, Verification
from contract.values import encode
from domain.audit.evidence import Receipt
from domain.audit.files import event_line, manifest_line, reveal_line, ruleset_line, signature_line
from domain.audit.report import Check, Report
from domain.canonical import hash_text
from domain.match import events as ev
from events.checkpoints.signatures import base64_text
from events.matches.entries import CODEC, Loaded, as_stored
from events.matches.evidence import recorded_events
from events.matches.lists import is_for
from events.store.errors import LogCorrupt, MatchNotFound
from events.store.records import Entry
from service.accounts.tokens import Token
from service.audit.schemas import EXPORT_LINES, VerificationQuerySchema
from service.context import services
from service.edge.answers import json_answer
from service.edge.guard import Limit
from service.edge.requests import accepted_type
from service.live.feeds import NDJSON
from service.matches.access import account_of, may_see, receipt_of, record_receipt, require_match_id
from service.matches.match_views import ABOUT_MATCH
from service.openapi.endpoints import Caller, Endpoints, Success

blueprint = Endpoints("audit", "The verification of a match, from its first event to its last.")

_RECEIPT: Final = re.compile(r'v=(\d+); *h="(sha-256:[0-9a-f]{64})"', re.ASCII)
_PAGE: Final = 200


@blueprint.endpoint(
    "GET",
    "/v1/matches/<match_id>/verification",
    {200: Success("The checks and their results.", Verification, ("Match-Head-if-known",))},
    caller=Caller.ANYBODY,
    query=VerificationQuerySchema(),
    refusals=("match_not_found",),
    limit=Limit.AUDITS,
)
def verify_match(caller: Token | None, match_id: str, query: dict[str, Any]) -> Response:
    """Verify a match: its hash chain, every decision, die, draw and coin, its result and its signature.

    The service replays the match from its record. The status is 200 whatever the result: `verdict` reports
    failures, and `first_failed_sequence` locates them. A running match is `incomplete`, because its dice can
    only be checked once their seed is revealed. If a match was deleted after its end, its checkpoint shows
    that.
    """
    headers = record_receipt(match_id, caller)
    receipt = _receipt(query["receipt"]) if "receipt" in query else None
    return json_answer(_verification(services().auditor.audit(match_id, receipt)), 200, headers)


def _receipt(text: str) -> Receipt:
    found = _RECEIPT.fullmatch(text)
    assert found is not None, "the query was checked"
    return Receipt(int(found[1]), found[2])


def _verification(report: Report) -> Verification:
    return Verification(
        match_id=report.match_id,
        version=report.version,
        verdict=report.verdict,
        first_failed_sequence=report.first_failed_sequence,
        checks=tuple([_check(check) for check in report.checks]),
    )


def _check(check: Check) -> AuditCheck:
    return AuditCheck(
        name=check.name,
        status=check.status,
        first_failed_sequence=check.first_failed_sequence,
        detail=check.detail,
    )


@blueprint.endpoint(
    "GET",
    "/v1/matches/<match_id>/export",
    {
        200: Success(
            "The file, up to the last event.",
            EXPORT_LINES,
            ("Match-Head",),
            media_type=NDJSON.media_type,
        )
    },
    caller=Caller.ANYBODY,
    refusals=(*ABOUT_MATCH, "not_acceptable"),
    limit=Limit.AUDITS,
)
def export_match(caller: Token | None, match_id: str) -> Response:
    """Export a match as a file with everything that a verification without the service needs.

    `machi verify FILE` makes the checks of `/verification` from the file, on a machine without a network.
    docs/verifying.md specifies how to write such a program. The file of a running match is complete up to
    `Match-Head`. The file contains the record as it is stored, even if it is damaged and all other operations
    refuse it, so that the checks can find the damage.
    """
    require_match_id(match_id)
    signed = _checkpoint(match_id)
    store = services().matches.store
    entries = store.read(match_id)  # after the checkpoint, so that they include the signed events
    loaded = as_stored(match_id, entries)
    # A damaged record may claim any visibility; the summary of the match is stored separately.
    if not (may_see(loaded.state, caller) and is_for(store, match_id, account_of(caller))):
        raise MatchNotFound(match_id)
    accepted_type((NDJSON.media_type,))
    body = iter(()) if request.method == "HEAD" else _export(loaded, entries, signed)
    response = Response(body, content_type=NDJSON.content_type, direct_passthrough=True)
    name = f'attachment; filename="{match_id}.ndjson"'
    response.headers.update({**receipt_of(loaded), "Content-Disposition": name})
    return response


def _checkpoint(match_id: str) -> dict[str, Any] | None:
    """The line with the checkpoint of the match; None if there is none, or the log cannot be read."""
    notary = services().notary
    try:
        checkpoint = notary.of_match(match_id)
    except LogCorrupt:
        return None
    if checkpoint is None:
        return None
    return signature_line(checkpoint, base64_text(notary.public_keys()[checkpoint.key_id]))


def _export(loaded: Loaded, entries: Sequence[Entry], signed: dict[str, Any] | None) -> Iterator[bytes]:
    """The lines of the file, with the events as stored, even if they are damaged."""
    head = manifest_line(loaded.match_id, loaded.state, hash_text(loaded.head_hash))
    yield _lines([head, ruleset_line(loaded.state.created.rules_version)])
    events = recorded_events(loaded.match_id, entries)
    for first in range(0, len(events), _PAGE):
        yield _lines([event_line(event) for event in events[first : first + _PAGE]])
    revealed = CODEC.decode(entries[-1].events)[-1]
    if isinstance(revealed, ev.DiceRevealed):
        yield _lines([reveal_line(loaded.state, revealed)])
    if signed is not None:
        yield _lines([signed])


def _lines(members: list[dict[str, Any]]) -> bytes:
    return b"".join([encode(one) + b"\n" for one in members])
