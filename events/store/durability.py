"""Checks whether a Redis server keeps what it acknowledges, and accepts writes at all."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

import redis
from msgspec import Struct
from msgspec.structs import replace

from events.store import keys
from runtime.connection import Cluster, memory_used, servers_of
from runtime.settings import Settings, StoreFsync

_Config = Mapping[str, str]

_FSYNCS: Final[Mapping[StoreFsync, tuple[str, ...]]] = {
    "always": ("always",),
    "everysec": ("always", "everysec"),
}
"""The accepted values of `appendfsync`, by the operator's setting."""
_READ: Final = ("appendfsync", "no-appendfsync-on-rewrite")


class Requirements(Struct, frozen=True):
    """What the operator requires of the event store."""

    fsync: StoreFsync = "always"
    is_replicated: bool = False
    """Whether a replica must have a write before it is acknowledged."""
    partitions: int = 1
    """Into how many partitions the store is divided."""


LOCAL: Final = Requirements()


def required_by(settings: Settings) -> Requirements:
    """What these settings require of the event store."""
    return Requirements(settings.store_fsync, settings.durability == "replicated", settings.partitions)


def durability_problems(client: redis.Redis, required: Requirements = LOCAL) -> list[str]:
    """The reasons why this server could lose or refuse an event, one line each; empty if it is suitable.

    The lines may be shown to anybody: they contain no address and no password.
    """
    try:
        problem = partition_problem(client, required.partitions)
        return _found(client, required, problems_of) + ([problem] if problem else [])
    except redis.RedisError as error:
        return [f"the event store does not respond as expected: {type(error).__name__}"]


def weaknesses(client: redis.Redis, required: Requirements) -> list[str]:
    """The reasons why this server could lose what it acknowledges, but for its partitions.

    Raises:
        redis.RedisError: the server does not answer.
    """
    return _found(client, required, _weaknesses_of)


def _found(
    client: redis.Redis,
    required: Requirements,
    problems_in: Callable[[Mapping[str, Any], _Config | None, Requirements], list[str]],
) -> list[str]:
    """What is found on the server, or on the primaries of a cluster."""
    if not isinstance(client, Cluster):
        return problems_in(*_read_config(client, required.fsync), required)
    # Without one of its primaries, or without a replica of it, a cluster goes on with the others. Only writes
    # that are not confirmed fail.
    required = replace(required, is_replicated=False)
    found: list[str] = []
    for asks_anew in (False, True):  # the primaries may be others by now
        found = []
        for server in servers_of(client, asks_anew):
            with suppress(redis.ConnectionError, redis.TimeoutError):
                found += problems_in(*_read_config(server, required.fsync), required)
        if not found:
            break
    return [*dict.fromkeys(found)]


BEING_MOVED: Final = 0
"""In place of the number of partitions: `events.move` has not copied everything yet."""


def partition_problem(client: redis.Redis, count: int) -> str:
    """Why a store cannot be used as one of so many partitions, as text for everybody; empty if it can.

    Raises:
        redis.RedisError.
    """
    found = client.get(keys.PARTITIONS)
    there = int(found) if isinstance(found, bytes) else 1
    if there == count or (found is None and not client.exists(keys.LOG)):
        return ""
    if there == BEING_MOVED:
        return "the event store is not complete: events.move has not come to its end"
    return f"the event store has {there} partitions, and PARTITIONS is {count}"


def problems_of(info: Mapping[str, Any], config: _Config | None, required: Requirements = LOCAL) -> list[str]:
    """As `durability_problems`, from the answers to INFO and CONFIG GET; None if the latter was refused."""
    return _weaknesses_of(info, config, required) + [text for is_so, text in _CONDITIONS if is_so(info)]


def write_problem(client: redis.Redis, key: str) -> str | None:
    """The reason why the server accepts no writes, as text for everybody; None if it accepts them."""
    try:
        client.set(key, 1)
    except redis.RedisError as error:
        code = getattr(error, "status_code", None) or str(error).partition(" ")[0]
        return _REFUSALS.get(code, type(error).__name__)
    return None


_REFUSALS: Final[Mapping[str, str]] = {
    "OOM": "its memory is full",
    "MISCONF": "it cannot write to its disk",
    "NOREPLICAS": "it has too few replicas",
    "READONLY": "it is a replica",
    "LOADING": "it is still loading its data",
    "NOPERM": "its user may not write",
}


def _read_config(client: redis.Redis, fsync: StoreFsync) -> tuple[Mapping[str, Any], _Config | None]:
    info = dict(client.info())
    if fsync == "unchecked":
        return info, None
    try:
        found = dict(client.config_get(*_READ))
    except redis.ResponseError:  # managed services refuse CONFIG
        return info, None
    return info, {_text(name): _text(value) for name, value in found.items()}


def _text(value: object) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _weaknesses_of(info: Mapping[str, Any], config: _Config | None, required: Requirements) -> list[str]:
    problems = []
    policy = str(info.get("maxmemory_policy", "noeviction"))
    if policy != "noeviction":
        problems.append(f"maxmemory-policy of the event store is {policy!r}, not 'noeviction'")
    version = str(info.get("redis_version", "0"))
    if int(version.partition(".")[0]) < 7:
        problems.append(f"the event store is a server of version {version}, below 7.0")
    if required.is_replicated and not _has_replica(info):
        problems.append("the event store has no replica that is up to date")
    if required.fsync != "unchecked":
        problems += _fsync_weaknesses(info, config, _FSYNCS[required.fsync])
    return problems


def _has_replica(info: Mapping[str, Any]) -> bool:
    replicas = [info.get(f"slave{number}", {}) for number in range(int(info.get("connected_slaves", 0)))]
    return any(replica.get("state") == "online" for replica in replicas)


def _fsync_weaknesses(info: Mapping[str, Any], config: _Config | None, fsyncs: Sequence[str]) -> list[str]:
    """The reasons why acknowledged writes may not be on the server's disk."""
    if not info.get("aof_enabled"):
        return ["appendonly of the event store is 'no', not 'yes'"]
    if config is None:
        return [
            "the event store does not reveal its appendfsync; if it is durable, set STORE_FSYNC=unchecked"
        ]
    problems = []
    found = config.get("appendfsync")
    if found not in fsyncs:
        problems.append(f"appendfsync of the event store is {found!r}, not {fsyncs[-1]!r}")
    if config.get("no-appendfsync-on-rewrite") == "yes":
        problems.append("no-appendfsync-on-rewrite of the event store is 'yes', not 'no'")
    return problems


def _is_full(info: Mapping[str, Any]) -> bool:
    return 0 < int(info.get("maxmemory", 0)) <= memory_used(info)


_CONDITIONS: Final[tuple[tuple[Callable[[Mapping[str, Any]], bool], str], ...]] = (
    (lambda info: info.get("role") != "master", "the event store is a replica: it takes no writes"),
    (lambda info: bool(info.get("loading")), "the event store is still loading its data"),
    (
        lambda info: info.get("aof_last_write_status", "ok") != "ok",
        "the event store could not write its append-only file",
    ),
    (_is_full, "the memory of the event store is full"),
)
