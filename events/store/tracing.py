"""Traces of appends, if traces are on: each turn of a built-in player that an append begins."""

from collections.abc import Callable
from typing import Any

from wrapt import wrap_function_wrapper

from events.store import keys
from events.store.records import Append, Appended, Reply
from runtime import tracing


def trace_appends() -> None:
    """Trace the appends of this process."""
    wrap_function_wrapper("events.store.redis_store", "RedisStore._parsed", _noted)


def _noted(
    parsed: Callable[..., Reply], store: object, given: tuple[Append, Any], also: dict[str, Any]
) -> Reply:
    reply = parsed(*given, **also)
    append = given[0]
    if isinstance(reply, Appended) and any(
        write.key == keys.LOG and "ai" in write.arguments for write in append.writes
    ):
        tracing.note_turn((append.stream_id, reply.last))
    return reply
