"""Traces of the relay and the workers, if traces are on: how turns reach a worker, and how it plays them."""

import os
from collections.abc import Callable
from typing import Any

from wrapt import wrap_function_wrapper

from events.store.tracing import trace_appends
from runtime import tracing


def trace_work(process: str) -> None:
    """Trace what this process, `relay` or `worker`, does for turns of built-in players."""
    tracing.start(f"machi-{process}")
    trace_appends()
    if process == "relay":
        wrap_function_wrapper("workers.turns.dispatch", "enqueue_turns", _dispatched)
    else:
        main = os.getpid()
        wrap_function_wrapper("workers.jobs", "hand_back", _handed_back)
        wrap_function_wrapper(
            "workers.jobs",
            "play_turns",
            lambda play, _, given, also: _played(play, given, also, main),
        )


def _dispatched(enqueue: Callable[..., str], _: object, given: tuple[Any, ...], also: dict[str, Any]) -> str:
    with tracing.spans("dispatch", given[1]):
        return enqueue(*given, **also)


def _played(play: Callable[..., None], given: tuple[Any, ...], also: dict[str, Any], main: int) -> None:
    try:
        with tracing.spans("play", given[1]):
            play(*given, **also)
    finally:
        if os.getpid() != main:
            tracing.flush()


def _handed_back(
    hand_back: Callable[..., None], _: object, given: tuple[Any, ...], also: dict[str, Any]
) -> None:
    hand_back(*given, **also)
    for match_id, version, _precedence in given[1]:
        tracing.note_turn((match_id, version))
