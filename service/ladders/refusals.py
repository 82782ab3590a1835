"""Counting and keeping the commands that a remote bot should not have sent, in matches of ladders.

A command that comes too late is none of them: the clock may have moved the match on, and counts by itself.
"""

import re
from typing import Final

from flask import g, request
from redis.exceptions import RedisError

from contract.problems import KINDS
from events.matches import refusals
from events.store.clock import now_ms
from events.store.loading import Loaded
from service.context import services
from service.edge.auth import identify, seats_of
from service.edge.problems import Problem
from service.ladders.ladders import is_ladder_id

_COMMANDS: Final = re.compile(r"/v1/matches/[^/]+/commands")
_WRONG: Final = frozenset(
    {"malformed_json", *[code for code, kind in KINDS.items() if kind.status == 422]}
) - {"idempotency_key_reused"}


def note_refusal(problem: Problem) -> None:
    """Count the refusal of the request, if it is one of a command in a ladder's match; never fails."""
    if request.method != "POST" or problem.code not in _WRONG or not _COMMANDS.fullmatch(request.path):
        return
    loaded: Loaded | None = g.get("loaded")
    if loaded is None or request.args.get("validate_only") == "true" or not _is_of_ladder(loaded):
        return
    try:
        _count(loaded, problem)
    except (Problem, RedisError):
        return  # a count that is lost costs nobody anything


def _is_of_ladder(loaded: Loaded) -> bool:
    created = loaded.state.created
    return created is not None and any(is_ladder_id(tag) for tag in created.tags)


def _count(loaded: Loaded, problem: Problem) -> None:
    caller = identify(services().accounts)
    mine = seats_of(loaded.state, caller) if caller else []
    if mine:
        seat = loaded.state.active if loaded.state.active in mine else mine[0]
        pointer = problem.faults[0].pointer if problem.faults else ""
        refusal = refusals.Refusal(now_ms(), problem.code, pointer, loaded.version)
        refusals.note(services().brief_redis, loaded.match_id, seat, refusal)
