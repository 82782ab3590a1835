"""Every refusal as an RFC 9457 problem: one table of codes, statuses and titles, and one shape.

Nothing else in the service names the status of an error. What errors become: `service.edge.failures`.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

import msgspec
from flask import Response, request

from domain import RuleViolation
from service.edge.middleware import CODE, REQUEST_ID

MIMETYPE: Final = "application/problem+json"

TYPE_PREFIX: Final = "urn:machi-koro:problem:"
"""Of a problem's `type`; the code follows."""


class Kind(NamedTuple):
    """What all problems of one code share."""

    status: int
    title: str


KINDS: Final[dict[str, Kind]] = {
    "malformed_json": Kind(400, "The body is not a JSON object"),
    "malformed_request": Kind(400, "The request cannot be understood"),
    "invalid_parameter": Kind(400, "A query parameter or header has a wrong value"),
    "cursor_ahead": Kind(400, "There is nothing yet from where to go on"),
    "token_missing": Kind(401, "A token is needed"),
    "token_invalid": Kind(401, "The token is not known"),
    "token_expired": Kind(401, "The token has expired"),
    "seating_refused": Kind(403, "The account does not let the caller seat it"),
    "scope_missing": Kind(403, "The token does not allow this"),
    "not_your_seat": Kind(403, "The seat is not yours"),
    "not_ladder_owner": Kind(403, "Only the owner of the ladder may do this"),
    "not_creator": Kind(403, "Only the creator of the match may do this"),
    "not_found": Kind(404, "There is nothing at this address"),
    "ruleset_not_found": Kind(404, "There is no such ruleset"),
    "match_not_found": Kind(404, "There is no such match"),
    "event_not_found": Kind(404, "The match has no such event"),
    "version_not_found": Kind(404, "The match has no such version"),
    "checkpoint_not_found": Kind(404, "There is no such checkpoint"),
    "ladder_not_found": Kind(404, "There is no such ladder"),
    "entry_not_found": Kind(404, "The ladder has no such entry"),
    "season_not_found": Kind(404, "The ladder has no such season"),
    "test_not_found": Kind(404, "The ladder has no such test"),
    "round_not_found": Kind(404, "The ladder has no such round"),
    "job_not_found": Kind(404, "There is no such job"),
    "command_not_found": Kind(404, "No such command arrived"),
    "account_not_found": Kind(404, "Nobody has that handle"),
    "invitation_not_found": Kind(404, "There is no such invitation"),
    "token_not_found": Kind(404, "There is no such token"),
    "method_not_allowed": Kind(405, "The address does not take this method"),
    "not_acceptable": Kind(406, "The answer does not come in that form"),
    "request_timeout": Kind(408, "The request did not come in whole in time"),
    "handle_taken": Kind(409, "The handle is taken"),
    "not_your_turn": Kind(409, "Another seat is to act"),
    "wrong_phase": Kind(409, "The command does not fit the phase"),
    "match_not_started": Kind(409, "The match has not started"),
    "match_finished": Kind(409, "The match is over"),
    "seed_unavailable": Kind(409, "The seed of the dice is not to be had"),
    "seat_seed_not_due": Kind(409, "The seat has no seed to commit to or to open now"),
    "seat_taken": Kind(409, "The seat is taken"),
    "seat_reserved": Kind(409, "The seat is kept for somebody else"),
    "match_full": Kind(409, "No seat is open"),
    "too_many_tokens": Kind(409, "The account has as many tokens as allowed"),
    "too_many_listed": Kind(409, "The list is as long as allowed"),
    "too_many_invitations": Kind(409, "As many invitations wait as may"),
    "too_many_ladders": Kind(409, "The account has as many ladders as allowed"),
    "already_entered": Kind(409, "The player takes part already"),
    "too_many_entries": Kind(409, "As many take part as may"),
    "too_few_entries": Kind(409, "Too few take part to fill a table"),
    "entry_not_active": Kind(409, "The entry cannot be seated so"),
    "round_running": Kind(409, "A round is not finished"),
    "job_finished": Kind(409, "The job is finished"),
    "no_value_awaited": Kind(409, "The round waits for no value, or has another one"),
    "value_too_early": Kind(409, "The time of the public value has not come"),
    "stale_version": Kind(412, "The match has moved on"),
    "body_too_large": Kind(413, "The body is too large"),
    "uri_too_long": Kind(414, "The address is too long"),
    "unsupported_media_type": Kind(415, "The body must be application/json"),
    "expectation_failed": Kind(417, "The service does not do what Expect asks for"),
    "validation_failed": Kind(422, "A member of the request is wrong"),
    "unknown_field": Kind(422, "The request has a member that is not known"),
    "unknown_card": Kind(422, "There is no such card in this match"),
    "two_dice_need_station": Kind(422, "Two dice need the Train Station"),
    "insufficient_coins": Kind(422, "The purse does not hold enough"),
    "card_not_available": Kind(422, "The card is not for sale"),
    "major_already_owned": Kind(422, "A city holds one of this card at most"),
    "copy_limit_reached": Kind(422, "The city holds as many of this card as allowed"),
    "landmark_already_built": Kind(422, "The landmark is built already"),
    "loan_office_condition": Kind(422, "The Loan Office cannot be built now"),
    "card_not_owned": Kind(422, "The card is not there to be given"),
    "card_not_tradable": Kind(422, "The card cannot be traded"),
    "invalid_target": Kind(422, "The seat cannot be chosen"),
    "seat_seed_mismatch": Kind(422, "The seat committed to another seed"),
    "dice_tape_exhausted": Kind(422, "The scripted dice are used up"),
    "dice_tape_mismatch": Kind(422, "The next scripted throw has another number of dice"),
    "idempotency_key_reused": Kind(422, "The Idempotency-Key came before with another request"),
    "too_many_matches": Kind(429, "As many matches are not over as may be"),
    "too_many_streams": Kind(429, "As many streams are open as may be"),
    "rate_limited": Kind(429, "The quota is used up for now"),
    "headers_too_large": Kind(431, "The header lines are too many or too long"),
    "internal_error": Kind(500, "The service failed"),
    "match_corrupt": Kind(500, "The record of the match is damaged"),
    "ladder_corrupt": Kind(500, "The record of the ladder is damaged"),
    "rules_changed": Kind(500, "The rules here are not those that the match was made with"),
    "unsupported_transfer_coding": Kind(501, "The body may come chunked, and in no other transfer coding"),
    "not_ready": Kind(503, "No match can be played now"),
    "overloaded": Kind(503, "The service has as much to do as it can"),
    "streams_exhausted": Kind(503, "The service sends as many streams as it can"),
    "store_unavailable": Kind(503, "The event store does not answer"),
    "too_busy": Kind(503, "The match or the ladder is changing too quickly"),
}
"""Every code that an answer can carry; `openapi.yaml` lists the same."""

UNDECIDED: Final = "validation_failed"
"""The code of a rule violation that the table does not name."""

RETRY_AFTER_S: Final = 1

_CHALLENGES: Final = {"token_missing": 'Bearer realm="machi"'}
_REFUSED: Final = 'Bearer realm="machi", error="invalid_token"'
"""How to authenticate, with every other 401."""


class Fault(NamedTuple):
    """One thing that is wrong with a request."""

    pointer: str
    """A JSON pointer into the body; for a query parameter or header, `/` and its name."""
    code: str
    detail: str


class Problem(Exception):
    """The request is answered with a problem. `extra` are further members of the body."""

    def __init__(
        self,
        code: str,
        detail: str = "",
        faults: tuple[Fault, ...] = (),
        headers: Mapping[str, str] | None = None,
        **extra: object,
    ) -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail or KINDS[code].title
        self.faults = faults
        self.headers = dict(headers or {})
        self.extra = extra


def at(pointer: str, detail: str, code: str = "validation_failed") -> Problem:
    """A problem with one member of the request."""
    return Problem(code, detail, (Fault(pointer, code, detail),))


def from_violation(violation: RuleViolation) -> Problem:
    """The problem that a refusal of the rules becomes."""
    code = violation.code if violation.code in KINDS else UNDECIDED
    if violation.pointer:
        return at(violation.pointer, violation.detail, code)
    return Problem(code, violation.detail)


def encoded(problem: Problem, request_id: str) -> bytes:
    """The body of the answer."""
    kind = KINDS[problem.code]
    body = {
        "type": TYPE_PREFIX + problem.code,
        "title": kind.title,
        "status": kind.status,
        "detail": problem.detail,
        "code": problem.code,
        "request_id": request_id,
        "errors": [fault._asdict() for fault in problem.faults],
        **problem.extra,
    }
    return msgspec.json.encode(body)


def answer(problem: Problem, headers: Mapping[str, str]) -> Response:
    """The response that tells the client."""
    kind = KINDS[problem.code]
    request.environ[CODE] = problem.code
    body = encoded(problem, request.environ[REQUEST_ID])
    response = Response(body, kind.status, mimetype=MIMETYPE)
    response.headers.update(headers)
    response.headers.update(problem.headers)
    if kind.status == 401:
        response.headers["WWW-Authenticate"] = _CHALLENGES.get(problem.code, _REFUSED)
    if kind.status in (429, 503):
        response.headers.setdefault("Retry-After", str(RETRY_AFTER_S))
    return response
