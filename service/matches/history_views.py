"""The past states of a match: single states, replays and diffs."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, Final

import msgspec
from flask import Response, request
from jsonpatch import JsonPatch
from msgspec import UNSET, UnsetType
from msgspec.structs import asdict

from contract.events import PastState, PatchOperation
from contract.problems import ProblemExtra
from contract.states import LegalCommands, State
from contract.values import encode
from domain.match.envelope import Envelope
from domain.match.state import is_over
from events.matches.entries import Loaded
from events.matches.projections import deadline_ms
from events.matches.replay import Moment, moment_at, moments, moments_with_events
from service.accounts.tokens import Token
from service.context import services
from service.edge.answers import cached_answer, empty_answer, has_current
from service.edge.guard import Limit
from service.edge.problems import Problem, problem_at
from service.edge.requests import accepted_type
from service.live.feeds import NDJSON
from service.matches.access import instant, kept_for_ever, receipt_of, visible_match
from service.matches.history_schemas import (
    REPLAYED,
    DiffQuerySchema,
    PastQuerySchema,
    ReplayQuerySchema,
)
from service.matches.match_views import ABOUT_MATCH, NOT_MODIFIED, RECEIPT
from service.matches.presentation import no_legal_commands, present_legal_commands, present_state
from service.openapi.endpoints import Caller, Endpoints, Success

blueprint = Endpoints("history", "The past states of a match: one by one, as a replay, or compared.")

Json = dict[str, object]

JSON_PATCH: Final = "application/json-patch+json"

_ABOUT_PAST: Final = (*ABOUT_MATCH, "version_not_found")

_PART_BYTES: Final = 65_536
"""The smallest size in bytes of the parts in which a replay is sent."""

_sorted: Final = msgspec.json.Encoder(order="sorted").encode


@blueprint.endpoint(
    "GET",
    "/v1/matches/<match_id>/states/<int:version>",
    {
        200: Success("The state after that event, which never changes.", PastState, RECEIPT),
        304: NOT_MODIFIED,
    },
    caller=Caller.ANYBODY,
    query=PastQuerySchema(),
    headers=("If-None-Match",),
    refusals=(*_ABOUT_PAST, "not_found"),
)
def show_past_state(caller: Token | None, match_id: str, version: int, query: dict[str, Any]) -> Response:
    """Show the state of a match after one of its events.

    `version` is the sequence of the event. The state never changes and can be cached forever. `deadline` is
    that of the decision that was due then.

    A command can cause several events, which have the same `command_id`. Between them, no decision is due:
    the state is then intermediate, its `phase` may be one that the rest of the command passes through, and
    its `deadline` is null. Embedded `legal_commands` have no `seat`, no `phase` and no `commands`.
    """
    loaded = visible_match(match_id, caller)
    if not request.path.endswith(f"/{version}"):
        # Each state has one address: `01` and digits of other scripts do not count.
        raise Problem("not_found")
    _require_versions(loaded, version=version)
    moment = moment_at(services().matches.store, loaded, version)
    shown = _embedded(loaded, moment, query.get("embed", ()))
    return cached_answer(shown, str(version), kept_for_ever(loaded))


def _require_versions(loaded: Loaded, **versions: int) -> None:
    """Require that the match has these versions, by the names of their parameters."""
    for name, version in versions.items():
        if not 1 <= version <= loaded.version:
            detail = f"the match has versions 1 to {loaded.version}"
            extra = ProblemExtra(max_version=loaded.version)
            raise problem_at(f"/{name}", detail, "version_not_found", extra=extra)


def _state(match_id: str, moment: Moment) -> State:
    due = deadline_ms(moment.state, moment.at_ms) if moment.ends_command else None
    return present_state(match_id, moment.state, instant(due))


def _embedded(loaded: Loaded, moment: Moment, embed: Iterable[str]) -> PastState:
    legal: LegalCommands | UnsetType = UNSET
    event: Envelope | UnsetType = UNSET
    version = moment.state.version
    if "legal_commands" in embed:
        is_due = moment.ends_command
        legal = present_legal_commands(moment.state) if is_due else no_legal_commands(version)
    if "event" in embed:
        (event,) = services().matches.history.events(loaded.match_id, version - 1, 1)
    return PastState(**asdict(_state(loaded.match_id, moment)), legal_commands=legal, event=event)


@blueprint.endpoint(
    "GET",
    "/v1/matches/<match_id>/replay",
    {200: Success("The events with their states.", REPLAYED, RECEIPT, NDJSON.media_type), 304: NOT_MODIFIED},
    caller=Caller.ANYBODY,
    query=ReplayQuerySchema(),
    headers=("If-None-Match",),
    refusals=(*_ABOUT_PAST, "not_acceptable"),
    limit=Limit.AUDITS,
)
def replay_match(caller: Token | None, match_id: str, query: dict[str, Any]) -> Response:
    """Replay a match: every event with the state after it, one per line.

    `from` and `to` are included. The states are those of `GET /v1/matches/{match_id}/states/{version}`. The
    response never changes if `to` is given or the match is over. A long match has tens of megabytes of
    states; `states=patch` is much shorter. If the client takes longer than two minutes to receive a part of
    the body, the body is cut: continue after the last line that you have.
    """
    accepted_type((NDJSON.media_type,))
    loaded = visible_match(match_id, caller)
    first, last = query["from"], query.get("to", loaded.version)
    _require_versions(loaded, **{"from": first, "to": last})
    if first > last:
        raise problem_at(
            "/from", f"from: {first} is after {last}, the end of the replay", "invalid_parameter"
        )
    is_lasting = "to" in query or is_over(loaded.state)
    headers = kept_for_ever(loaded) if is_lasting else receipt_of(loaded)
    return _replayed(loaded, first, last, query["states"] == "patch", headers)


def _replayed(loaded: Loaded, first: int, last: int, in_patches: bool, headers: dict[str, str]) -> Response:
    etag = f"{first}-{last}"
    headers = {"Cache-Control": "private, no-cache", **headers, "ETag": f'"{etag}"'}
    if has_current(etag):
        return empty_answer(304, headers)
    body: Iterable[bytes] = iter(())
    if request.method != "HEAD":
        parts = _in_parts(_patched_lines(loaded, first, last) if in_patches else _lines(loaded, first, last))
        # The first part is made before the response begins, so that a corrupt match can still be reported.
        body = chain([next(parts)], parts)
    return Response(body, 200, headers, content_type=NDJSON.content_type, direct_passthrough=True)


def _lines(loaded: Loaded, first: int, last: int) -> Iterator[bytes]:
    for event, moment in moments_with_events(services().matches.store, loaded, first, last):
        if event is not None:
            yield encode({"event": event, "state": _state(loaded.match_id, moment)}) + b"\n"


def _patched_lines(loaded: Loaded, first: int, last: int) -> Iterator[bytes]:
    before: Json | None = None
    for event, moment in moments_with_events(services().matches.store, loaded, first, last):
        if event is not None:
            after = _plain(_state(loaded.match_id, moment))
            whole = [PatchOperation(op="add", path="", value=after)]
            operations = whole if before is None else _patch(before, after)
            before = after
            yield encode({"event": event, "patch": operations}) + b"\n"


def _in_parts(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Join the lines into larger parts, since each part is sent by itself."""
    part = bytearray()
    for line in lines:
        part += line
        if len(part) >= _PART_BYTES:
            yield bytes(part)
            part.clear()
    if part:
        yield bytes(part)


@blueprint.endpoint(
    "GET",
    "/v1/matches/<match_id>/diff",
    {
        200: Success("The patch, which never changes.", tuple[PatchOperation, ...], RECEIPT, JSON_PATCH),
        304: NOT_MODIFIED,
    },
    caller=Caller.ANYBODY,
    query=DiffQuerySchema(),
    headers=("If-None-Match",),
    refusals=(*_ABOUT_PAST, "not_acceptable"),
    limit=Limit.AUDITS,
)
def show_diff(caller: Token | None, match_id: str, query: dict[str, Any]) -> Response:
    """Compare two states of a match.

    The response is the JSON Patch (RFC 6902) from the state at `from` to the state at `to`, as
    `GET /v1/matches/{match_id}/states/{version}` shows them. Either can be the earlier one.
    """
    accepted_type((JSON_PATCH,))
    loaded = visible_match(match_id, caller)
    first, last = query["from"], query["to"]
    _require_versions(loaded, **{"from": first, "to": last})
    states = _states_at(loaded, {first, last})
    operations = _patch(states[first], states[last])
    return cached_answer(operations, f"{first}-{last}", kept_for_ever(loaded), JSON_PATCH)


def _states_at(loaded: Loaded, versions: set[int]) -> dict[int, Json]:
    store = services().matches.store
    return {
        moment.state.version: _plain(_state(loaded.match_id, moment))
        for moment in moments(store, loaded, max(versions))
        if moment.state.version in versions
    }


def _plain(state: State) -> Json:
    """The state as decoded JSON with sorted members, so that equal differences give equal patches."""
    read: Json = msgspec.json.decode(_sorted(msgspec.json.decode(encode(state))))
    return read


def _patch(before: Json, after: Json) -> list[PatchOperation]:
    """The operations from `before` to `after`, both plain; none if they are equal."""
    # The library examines every number, and most members are equal.
    equal = {name for name in before.keys() & after.keys() if _sorted(before[name]) == _sorted(after[name])}
    # Without `move` operations: states have few of them, and without them a patch shows every value.
    found = JsonPatch.from_diff(_without(before, equal), _without(after, equal), optimization=False)
    return [msgspec.convert(operation, PatchOperation) for operation in found.patch]


def _without(state: Json, names: set[str]) -> Json:
    return {name: value for name, value in state.items() if name not in names}
