"""Ladders for tests: made over the API, and rounds that are over without their matches being played."""

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple, TypeAlias

import msgspec
import redis
from flask import Flask
from werkzeug.test import TestResponse

from domain.ladder import decide
from domain.ladder.events import MatchResult
from domain.ladder.results import results_of
from domain.ladder.standings import crosstable, standings
from domain.ladder.state import Block, LadderState
from events.ladders import tables as ladder_tables
from events.ladders.ladders import Ladders
from events.ladders.tables import PublishedTable
from events.store.keys import new_id
from service.context import EXTENSION, Services
from tests.service.contract import Account

QUICK = {"replicates": 20, "anchor": "greedy"}
"""Rules of rating that cost little."""

LADDERS = "/v1/ladders"


class Stores(NamedTuple):
    """The ladders of a service that runs elsewhere."""

    ladders: Ladders
    events_redis: redis.Redis


Place: TypeAlias = Flask | Stores
"""An app in this process, or the stores of another one."""


def services_of(place: Place) -> Services | Stores:
    """What has the ladders."""
    return place if isinstance(place, Stores) else _services(place)


def _services(app: Flask) -> Services:
    found: Services = app.extensions[EXTENSION]
    return found


class Operated:
    """A ladder and the account that operates it."""

    def __init__(self, owner: Account, **wishes: Any) -> None:
        self.owner = owner
        body = {"name": "Base for two", "ruleset": "base", "seats": 2, "rating": QUICK, **wishes}
        made = owner.post(LADDERS, body)
        assert made.status_code == 201, made.text
        self.id: str = made.json["ladder_id"]
        self.path = f"{LADDERS}/{self.id}"

    def shown(self) -> Any:
        return self.owner.client.get(self.path).json

    def enter(self, strategy: str, **more: Any) -> str:
        """A built-in player that takes part; the id of its entry."""
        body = {"kind": "strategy", "strategy": strategy, **more}
        made = self.owner.post(f"{self.path}/entries", body)
        assert made.status_code == 201, made.text
        return str(made.json["entry_id"])

    def open_round(self, blocks: int = 1, **headers: str) -> TestResponse:
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.owner.post(f"{self.path}/rounds", {"blocks": blocks}, given)

    def open_bound(self, blocks: int = 1, wait_s: float = 3600.0) -> TestResponse:
        """A round with a public value that is to come in so many seconds."""
        return self.owner.post(f"{self.path}/rounds", bound(blocks, wait_s))

    def open_due(self, app: Flask, blocks: int = 1) -> LadderState:
        """A round whose public value came a minute ago."""
        at_ms = time.time_ns() // 1_000_000 - 120_000

        def due(state: LadderState) -> Any:
            number = len(state.rounds) + 1
            value = _services(app).matches.seeds.public_value(self.id, number, "drand", at_ms + 60_000)
            job = new_id("job")
            return decide.open_round(state, "rated", [(0, 1)] * blocks, at_ms, job, public_value=value)

        return changed(app, self.id, due)

    def job(self, answer: TestResponse) -> Any:
        return self.owner.client.get(answer.headers["Location"]).json


def bound(blocks: int, wait_s: float) -> dict[str, Any]:
    """What asks for a round with a public value that is to come in so many seconds."""
    at = datetime.fromtimestamp(time.time() + wait_s, UTC).isoformat()
    return {"blocks": blocks, "public_value": {"source": "drand round 7", "at": at}}


def changed(app: Place, ladder_id: str, decided: Callable[[LadderState], Any]) -> LadderState:
    """The ladder after what a worker would do to it."""
    return services_of(app).ladders.execute(ladder_id, decided, "service").ladder.state


def finish_blocks(
    app: Place,
    ladder_id: str,
    most: int = 10_000,
    *,
    timeouts: tuple[int, ...] | None = None,
    matches: Sequence[str] = (),
) -> None:
    """So many open blocks get results: the entry of the smaller number wins, but for every third match.

    `timeouts` are those of every match, by seat; `matches` are ids for the first ones.
    """
    ids = iter(matches)
    state = services_of(app).ladders.load(ladder_id).state
    left = [block for round in state.rounds for block in round.blocks if block.is_open]
    for block in left[:most]:
        found = [_result(block, rotation, ids, timeouts) for rotation in range(len(block.table))]
        changed(app, ladder_id, lambda state, b=block, r=found: decide.finish_block(state, b.number, 1, r))


def _result(block: Block, rotation: int, ids: Iterator[str], timeouts: tuple[int, ...] | None) -> MatchResult:
    seats = block.seats(rotation)
    best = seats.index(max(seats) if (block.number + rotation) % 3 == 0 else min(seats))
    nothing = (0,) * len(seats)
    return MatchResult(
        match_id=next(ids, "") or new_id("mat"),
        winner=best,
        turns=30 + block.number,
        version=200,
        head="sha-256:" + hashlib.sha256(b"%d %d" % (block.number, rotation)).hexdigest(),
        timeouts=timeouts or nothing,
        errors=nothing,
        luck_coins=(750, -750) if len(seats) == 2 else None,
    )


def finish_round(app: Place, ladder_id: str, number: int = 1, decision: str = "") -> None:
    """The round is over."""
    seeds = _services(app).matches.seeds if isinstance(app, Flask) else None

    def finish(state: LadderState) -> Any:
        seed = seeds.seed_to_reveal(ladder_id, state.rounds[number - 1]) if seeds else ""
        return decide.finish_round(state, number, decision, seed)

    changed(app, ladder_id, finish)


def publish(app: Place, ladder_id: str, **more: Any) -> PublishedTable:
    """The tables of all results so far are saved, as a worker saves them."""
    ladder = services_of(app).ladders.load(ladder_id)
    results = results_of(ladder_id, ladder.state, ladder.state.season)
    published = PublishedTable(
        season=ladder.state.season,
        version=ladder.version,
        blocks=len(results.blocks),
        computed_at_ms=1_700_000_000_000,
        table=msgspec.to_builtins(standings(results)),
        crosstable=[msgspec.to_builtins(cell) for cell in crosstable(results)],
        **more,
    )
    ladder_tables.save(services_of(app).events_redis, ladder_id, published)
    return published


def state_of(app: Flask, ladder: Operated) -> LadderState:
    return services_of(app).ladders.load(ladder.id).state


def entries_of(ladder: Operated) -> list[str]:
    return [entry["entry_id"] for entry in ladder.shown()["entries"]]
