"""The pending decisions of the caller."""

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
from service.openapi.endpoints import Caller, Endpoints, Success

blueprint = Endpoints(
    "turns", "The pending decisions of the caller. With commands, this is the whole protocol of a remote bot."
)

MOST_TURNS: Final = 500
"""The most decisions in a response; others are listed once these are made."""

_PAGE: Final = 100
"""The number of matches that are loaded at a time."""


@blueprint.endpoint(
    "GET",
    "/v1/me/turns",
    {
        200: Success(
            f"The pending decisions, one per match, longest pending first, at most {MOST_TURNS}.",
            MyTurns,
        )
    },
    caller=Caller.ACCOUNT,
    scope="play",
    query=WaitQuerySchema(),
)
def list_my_turns(caller: Token, query: dict[str, Any]) -> Response:
    """List the pending decisions of the caller, or wait for the first one.

    A bot needs nothing else: for each decision, it posts one of the `legal_commands` to the match, with the
    `version` as `If-Match`, and repeats this request. With `wait`, the response comes as soon as a decision
    is due, or without items when the time is over. A decision is listed until it is made.
    """
    subscription = services().watcher.turns_of(caller.account_id)
    found = wait_for(subscription, query["wait"], lambda: _turns(caller) or None)
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
    """Whether it is still the caller's turn: the match may have moved on since it was listed."""
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
