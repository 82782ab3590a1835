"""What waits for the caller: with `POST .../commands`, the whole protocol of a remote bot."""

from typing import Any, Final

from flask import Response

from contract.events import MyTurn, MyTurns
from events.matches.entries import Loaded
from events.store import keys
from events.store.records import Scored
from service.accounts.tokens import Token
from service.context import services
from service.edge.answers import json_answer
from service.live.long_polls import wait_for
from service.matches.access import deadline, seats_of
from service.matches.event_schemas import WaitQuerySchema
from service.matches.presentation import present_legal_commands, present_state
from service.openapi.endpoints import Answer, Caller, Endpoints

blueprint = Endpoints(
    "turns", "What waits for the caller: with commands, the whole protocol of a remote bot."
)

MOST_TURNS: Final = 500
"""As many decisions are in one answer; the others follow when these are made."""

_PAGE: Final = 100
"""As many matches are loaded at a time."""


@blueprint.endpoint(
    "GET",
    "/v1/me/turns",
    {
        200: Answer(
            f"The decisions that wait for the caller, one for each match, the longest waiting first, at most "
            f"{MOST_TURNS}.",
            MyTurns,
        )
    },
    caller=Caller.ACCOUNT,
    scope="play",
    query=WaitQuerySchema(),
)
def list_my_turns(caller: Token, query: dict[str, Any]) -> Response:
    """List every decision that waits for the caller, or wait for the first.

    All that a bot needs: answer each decision by posting one of its `legal_commands` to its match, with its
    `version` as `If-Match`, and ask again. With `wait` the answer comes at once where a decision is due, else
    with the first one, and with no items when the time is over. A decision is listed until it is answered.
    """
    bell = services().watcher.turns_of(caller.account_id)
    found = wait_for(bell, query["wait"], lambda: _turns(caller) or None)
    return json_answer(MyTurns(items=tuple(found or ())))


def _turns(caller: Token) -> list[MyTurn]:
    matches = services().matches
    found: list[MyTurn] = []
    last: Scored | None = None
    while len(found) < MOST_TURNS:
        waiting = matches.store.by_score(keys.turns(caller.account_id), last, _PAGE)
        loaded = matches.load_many([one.member for one in waiting])
        found += [_turn(one) for one in loaded if isinstance(one, Loaded) and _is_to_act(one, caller)]
        if len(waiting) < _PAGE:
            break
        last = waiting[-1]
    return found[:MOST_TURNS]


def _is_to_act(loaded: Loaded, caller: Token) -> bool:
    """The match may have moved on since it was found waiting."""
    state = loaded.state
    return state.status == "running" and state.active in seats_of(state, caller)


def _turn(loaded: Loaded) -> MyTurn:
    state = loaded.state
    due = deadline(loaded)
    return MyTurn(
        match_id=loaded.match_id,
        seat=state.active,
        version=loaded.version,
        deadline=due,
        state=present_state(loaded.match_id, state, due),
        legal_commands=present_legal_commands(state),
    )
