"""Rated matches that are played over the API, and their ratings, as a worker would compute them."""

from typing import Any

from flask import Flask
from msgspec.structs import replace

from domain.ladder.rated_matches import Board
from events import Matches, RedisStore, Seeds, Settings
from events.ladders.ladders import Ladders
from events.matches.rated_results import table_name
from events.store.client import connect_store
from events.store.durability import required_by
from events.store.keys import now_ms
from service.context import EXTENSION
from tests.service.contract import Account
from workers.ladders.context import Context, RoundLimits
from workers.ladders.rating_boards import SETTLED_MS, update
from workers.queue.client import connect

BASE_2 = Board("base", 2)
CLOCK = {"decision_ms": 60_000, "on_timeout": "default_command"}
RATED: dict[str, Any] = {
    "ruleset": "base",
    "options": {"rated": True},
    "seats": [{"kind": "me"}, {"kind": "open"}],
    "clock": CLOCK,
}
"""A rated match that waits for another account."""


def play_rated(winner: Account, loser: Account, **wishes: Any) -> str:
    """A rated match that the second account joins and resigns; its id."""
    match_id: str = winner.post("/v1/matches", {**RATED, **wishes}).json["match_id"]
    joined = loser.post(f"/v1/matches/{match_id}/seats")
    assert joined.status_code == 201, joined.text
    answer = loser.command(match_id, {"type": "resign", "seat": joined.json["seat"]})
    assert answer.status_code == 201, answer.text
    return match_id


def job_of(of: Flask | Settings) -> Context:
    """What a worker has, a while after the last match has ended."""
    settings = of if isinstance(of, Settings) else of.extensions[EXTENSION].settings
    events = connect_store(settings.events_redis_url, required_by(settings))
    store = RedisStore(events, settings.archive_dir)
    return Context(
        Matches(store, Seeds(settings.master_keys)),
        Ladders(store),
        events,
        connect(settings.queue_redis_url),
        limits=RoundLimits(fits_s=600.0),
        clock=lambda: now_ms() + SETTLED_MS + 1,
    )


def compute_ratings(of: Flask | Settings, board: Board = BASE_2, fits_s: float = 600.0) -> None:
    """One job for the board, by default one that computes its whole table."""
    job = job_of(of)
    update(replace(job, limits=RoundLimits(fits_s=fits_s)), table_name(board))
    for client in (job.events, job.queue):
        client.close()
