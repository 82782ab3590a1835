"""Problems (RFC 9457): their codes, statuses and titles, and the body of a problem."""

from typing import Annotated, Final, NamedTuple

from msgspec import UNSET, UnsetType

from contract.names import names
from contract.values import Address, Answer, Count, Event, integer


class Kind(NamedTuple):
    """The status and the title of a problem code."""

    status: int
    title: str


KINDS: Final[dict[str, Kind]] = {
    "malformed_json": Kind(400, "The body is not a JSON object"),
    "malformed_request": Kind(400, "The request cannot be parsed"),
    "invalid_parameter": Kind(400, "A query parameter or header is invalid"),
    "cursor_ahead": Kind(400, "The cursor is ahead of the stream"),
    "token_missing": Kind(401, "A bearer token is required"),
    "token_invalid": Kind(401, "The token is unknown or revoked"),
    "token_expired": Kind(401, "The token has expired"),
    "seating_refused": Kind(403, "The account does not allow you to seat it"),
    "scope_missing": Kind(403, "The token lacks a required scope"),
    "not_your_seat": Kind(403, "The seat belongs to someone else"),
    "not_ladder_owner": Kind(403, "Only the owner of the ladder can do this"),
    "not_creator": Kind(403, "Only the creator of the match can do this"),
    "not_found": Kind(404, "Nothing exists at this address"),
    "ruleset_not_found": Kind(404, "The ruleset does not exist"),
    "match_not_found": Kind(404, "The match does not exist"),
    "event_not_found": Kind(404, "The match has no such event"),
    "version_not_found": Kind(404, "The match has no such version"),
    "checkpoint_not_found": Kind(404, "The checkpoint does not exist"),
    "ladder_not_found": Kind(404, "The ladder does not exist"),
    "entry_not_found": Kind(404, "The ladder has no such entry"),
    "season_not_found": Kind(404, "The ladder has no such season"),
    "test_not_found": Kind(404, "The ladder has no such test"),
    "tournament_not_found": Kind(404, "The season is not a tournament"),
    "round_not_found": Kind(404, "The ladder has no such round"),
    "job_not_found": Kind(404, "The job does not exist"),
    "command_not_found": Kind(404, "No command was received under this key"),
    "review_not_found": Kind(404, "The match has no review, or not this one"),
    "puzzle_not_found": Kind(404, "The puzzle does not exist"),
    "account_not_found": Kind(404, "No account has this handle"),
    "invitation_not_found": Kind(404, "The invitation does not exist"),
    "token_not_found": Kind(404, "The token does not exist"),
    "webhook_not_found": Kind(404, "The webhook does not exist"),
    "delivery_not_found": Kind(404, "The webhook has no such delivery"),
    "method_not_allowed": Kind(405, "The address does not support this method"),
    "not_acceptable": Kind(406, "The response is not available in a media type that you accept"),
    "request_timeout": Kind(408, "The request took too long to arrive"),
    "handle_taken": Kind(409, "The handle is already taken"),
    "not_your_turn": Kind(409, "It is another seat's turn"),
    "wrong_phase": Kind(409, "The command is not possible in this phase"),
    "match_not_started": Kind(409, "The match has not started"),
    "match_finished": Kind(409, "The match is over"),
    "match_running": Kind(409, "The match is not over"),
    "match_aborted": Kind(409, "The match was aborted"),
    "commentary_off": Kind(409, "The match allows no commentary before it is over"),
    "seed_unavailable": Kind(409, "The seed of the dice is not available"),
    "seat_seed_not_due": Kind(409, "The seat has no seed to commit to or open now"),
    "seat_taken": Kind(409, "The seat is already taken"),
    "already_seated": Kind(409, "The account already has a seat in this rated match"),
    "seat_reserved": Kind(409, "The seat is reserved for another account"),
    "match_full": Kind(409, "The match has no open seat"),
    "too_many_tokens": Kind(409, "The account has reached its limit of tokens"),
    "too_many_webhooks": Kind(409, "The account has reached its limit of webhooks"),
    "webhook_disabled": Kind(409, "The webhook is disabled"),
    "too_many_listed": Kind(409, "The list has reached its maximum length"),
    "too_many_invitations": Kind(409, "The account has reached its limit of pending invitations"),
    "too_many_ladders": Kind(409, "The account has reached its limit of ladders"),
    "already_entered": Kind(409, "The player is already entered in the ladder"),
    "too_many_entries": Kind(409, "The ladder has reached its limit of entries"),
    "too_few_entries": Kind(409, "The ladder has too few active entries"),
    "entries_alike": Kind(409, "Entries of one owner or strategy could meet at a table"),
    "tournament_finished": Kind(409, "The tournament of this season is over"),
    "entry_not_active": Kind(409, "The entry's status does not allow this"),
    "round_running": Kind(409, "A round is still running"),
    "job_finished": Kind(409, "The job has already finished"),
    "no_value_awaited": Kind(409, "The round is not waiting for this public value"),
    "value_too_early": Kind(409, "The public value is not due yet"),
    "stale_version": Kind(412, "The match has changed since that version"),
    "body_too_large": Kind(413, "The body is too large"),
    "uri_too_long": Kind(414, "The address is too long"),
    "unsupported_media_type": Kind(415, "The body must be application/json"),
    "expectation_failed": Kind(417, "The expectation in the Expect header cannot be met"),
    "validation_failed": Kind(422, "A value in the request is invalid"),
    "unknown_field": Kind(422, "The request has an unknown member"),
    "not_ratable": Kind(422, "A rated match does not allow this"),
    "unknown_card": Kind(422, "The card does not exist in this match"),
    "two_dice_need_station": Kind(422, "Rolling two dice requires the Train Station"),
    "insufficient_coins": Kind(422, "The seat has too few coins"),
    "card_not_available": Kind(422, "The card is not available to build"),
    "major_already_owned": Kind(422, "A city can have only one of this card"),
    "copy_limit_reached": Kind(422, "The city has reached the copy limit of this card"),
    "landmark_already_built": Kind(422, "The landmark is already built"),
    "loan_office_condition": Kind(422, "The conditions to build the Loan Office are not met"),
    "card_not_owned": Kind(422, "The city does not have this card"),
    "card_not_tradable": Kind(422, "The card cannot be traded"),
    "invalid_target": Kind(422, "The seat cannot be chosen"),
    "seat_seed_mismatch": Kind(422, "The seed does not match the seat's commitment"),
    "dice_tape_exhausted": Kind(422, "The scripted dice are used up"),
    "dice_tape_mismatch": Kind(422, "The next scripted roll has a different number of dice"),
    "idempotency_key_reused": Kind(422, "The Idempotency-Key was already used for a different request"),
    "too_many_matches": Kind(429, "The limit of unfinished matches is reached"),
    "too_many_reviews": Kind(429, "The limit of pending reviews is reached"),
    "too_many_streams": Kind(429, "The limit of open streams is reached"),
    "rate_limited": Kind(429, "The rate limit is exceeded"),
    "headers_too_large": Kind(431, "The request headers are too large"),
    "internal_error": Kind(500, "An internal error occurred"),
    "stream_corrupt": Kind(500, "The stored events are corrupt"),
    "rules_changed": Kind(500, "The match was created with rules that this service does not have"),
    "unsupported_transfer_coding": Kind(501, "Only the chunked transfer coding is supported"),
    "not_ready": Kind(503, "The service is not ready to play matches"),
    "overloaded": Kind(503, "The service is overloaded"),
    "streams_exhausted": Kind(503, "The service has reached its limit of streams"),
    "store_unavailable": Kind(503, "The event store is unavailable"),
    "too_busy": Kind(503, "There are too many concurrent changes to the match or ladder"),
}
"""All problem codes; `openapi.yaml` lists the same."""


ProblemCode = Annotated[str, names("ProblemCode", "The code of the problem: stable, for programs.", *KINDS)]


class Fault(Answer, frozen=True):
    """A fault in a request."""

    pointer: str
    """A JSON pointer into the body; for a query parameter or header, `/` and its name."""
    code: ProblemCode
    detail: str


class ProblemExtra(Answer, frozen=True, kw_only=True):
    """The additional members of problems with some codes."""

    expected: Count | UnsetType = UNSET
    """With stale_version: the version in If-Match."""
    current: Count | UnsetType = UNSET
    """With stale_version: the version of the match."""
    events: tuple[Event, ...] | UnsetType = UNSET
    """With stale_version: the missed events, at most 50."""
    max_version: Count | UnsetType = UNSET
    """With cursor_ahead, event_not_found and version_not_found: the last event."""
    max_number: Count | UnsetType = UNSET
    """With cursor_ahead and checkpoint_not_found: the last checkpoint."""
    missing: tuple[str, ...] | UnsetType = UNSET
    """With not_ready: what is missing before a match can be played."""


class Problem(ProblemExtra, frozen=True):
    """An RFC 9457 problem."""

    type: Address
    title: str
    status: Annotated[int, integer(400, 599)]
    detail: str
    code: ProblemCode
    request_id: str
    errors: tuple[Fault, ...]
