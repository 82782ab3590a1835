"""The size of a turn in Redis (events, hashes, command index and share of the log) and in an archive file."""

import random
from collections.abc import Iterator
from typing import Final, cast

import redis

from bench.figures import Figure
from bench.matches import new_match, played_by_workers
from bench.processes import servers
from domain import legal_commands, view
from domain.match.events import Dice
from domain.match.state import RUNNING
from events import Matches
from events.archive.files import encode
from events.store import keys
from events.store.fields import pointer_in
from events.store.keys import new_id
from players import PLAYERS

MATCHES: Final = 8
_JSON: Final = "the events' JSON"
_BUILT_IN_GOAL, _CLIENTS_GOAL, _ARCHIVED_GOAL = "< 250", "< 400", "< 40"


def measure() -> Iterator[Figure]:
    """The sizes of matches of built-in players, and of matches with command ids of clients."""
    with servers() as where, redis.Redis.from_url(where.events.admin_url) as admin:
        matches = where.matches()
        for ruleset in ("base", "harbor", "machi_koro_2"):
            played = [played_by_workers(matches, ruleset) for _ in range(MATCHES)]
            yield _figure(admin, matches, f"storage {ruleset}, built-in players", played, _BUILT_IN_GOAL)
            yield _archived(matches, f"archived {ruleset}, built-in players", played, _ARCHIVED_GOAL)
        played = [_by_clients(matches, number) for number in range(MATCHES)]
        yield _figure(admin, matches, "storage base, client command ids", played, _CLIENTS_GOAL)
        yield _archived(matches, "archived base, client command ids", played)


def _by_clients(matches: Matches, number: int) -> str:
    outcome = matches.create(new_match("base", ("random",) * 4, Dice("committed")), new_id("cmd"))
    rng = random.Random(number)
    state = outcome.state
    while state.status == RUNNING:
        command = PLAYERS["random"](view(state), legal_commands(state), rng)
        state = matches.execute(outcome.match_id, command, f"seat:{state.active}", new_id("cmd")).state
    return outcome.match_id


def _archived(matches: Matches, name: str, played: list[str], goal: str = "") -> Figure:
    sizes = [len(encode(match_id, matches.store.read(match_id))) for match_id in played]
    turns = _turns(matches, played)
    note = f"{sum(sizes) / len(played):,.0f} bytes a file"
    return Figure(
        name, sum(sizes) / turns, "bytes/turn", goal, _json_bytes(matches, played) / turns, _JSON, note
    )


def _figure(admin: redis.Redis, matches: Matches, name: str, played: list[str], goal: str) -> Figure:
    turns = _turns(matches, played)
    used = sum([_bytes(admin, match_id) for match_id in played])
    note = f"{used / len(played):,.0f} bytes a match of {turns / len(played):.0f} turns"
    return Figure(name, used / turns, "bytes/turn", goal, _json_bytes(matches, played) / turns, _JSON, note)


def _turns(matches: Matches, played: list[str]) -> int:
    return sum([matches.load(match_id).state.turn for match_id in played])


def _json_bytes(matches: Matches, played: list[str]) -> int:
    return sum([len(entry.events) for match_id in played for entry in matches.store.read(match_id)])


def _bytes(admin: redis.Redis, match_id: str) -> float:
    log_lines = [line for line in _log(admin) if pointer_in(*line).match_id == match_id]
    share = len(log_lines) / admin.xlen(keys.LOG)
    own = (keys.match(match_id), keys.commands(match_id), keys.summary(match_id))
    return sum([admin.memory_usage(key, samples=0) or 0 for key in own]) + share * (
        admin.memory_usage(keys.LOG, samples=0) or 0
    )


def _log(admin: redis.Redis) -> list[tuple[bytes, dict[bytes, bytes]]]:
    return cast("list[tuple[bytes, dict[bytes, bytes]]]", admin.xrange(keys.LOG))
