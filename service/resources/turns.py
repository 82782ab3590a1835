"""What waits for the caller: with `POST .../commands`, the whole protocol of a remote bot."""

import time
from typing import Any, Final

from flask import Response

from events.listing import list_matches
from events.loading import Loaded
from service.access import deadline
from service.accounts import Token
from service.answers import json_answer
from service.auth import seats_of
from service.context import services
from service.endpoints import Answer, Caller, Endpoints
from service.schemas.events import MyTurnsSchema, WaitQuerySchema
from service.shapes import Shape, legal_shape, state_shape

blueprint = Endpoints("turns", "What waits for the caller")

MOST_MATCHES: Final = 100
"""As many running matches of one account are looked at, the newest first."""

_LOOK_AGAIN_S: Final = 1.0
"""A new match, or one of several, may wake nobody: look by oneself after this time."""


@blueprint.endpoint(
    "GET",
    "/v1/me/turns",
    {200: Answer("The decisions that wait for the caller, one for each match.", MyTurnsSchema())},
    caller=Caller.ACCOUNT,
    scope="play",
    query=WaitQuerySchema(),
)
def list_my_turns(caller: Token, query: dict[str, Any]) -> Response:
    """List every decision that waits for the caller; with `wait`, wait for the first."""
    end = time.monotonic() + query["wait"]
    while True:
        running = _running(caller)
        due = [_turn(loaded) for loaded in running if loaded.state.active in seats_of(loaded.state, caller)]
        left = end - time.monotonic()
        if due or left <= 0:
            return json_answer({"items": due})
        _watch(running, min(left, _LOOK_AGAIN_S))


def _running(caller: Token) -> list[Loaded]:
    """The running matches in which the caller sits."""
    matches = services().matches
    page = list_matches(
        matches.store,
        status="running",
        player=caller.account_id,
        viewer=caller.account_id,
        limit=MOST_MATCHES,
    )
    loaded = matches.load_many([item.match_id for item in page.items])
    return [one for one in loaded if isinstance(one, Loaded) and one.state.status == "running"]


def _turn(loaded: Loaded) -> Shape:
    state = loaded.state
    due = deadline(loaded)
    return {
        "match_id": loaded.match_id,
        "seat": state.active,
        "version": loaded.version,
        "deadline": due,
        "state": state_shape(loaded.match_id, state, due),
        "legal_commands": legal_shape(state),
    }


def _watch(running: list[Loaded], timeout_s: float) -> None:
    match_id, version = (running[0].match_id, running[0].version) if running else ("none", 0)
    services().watcher.wait(match_id, version, timeout_s)
