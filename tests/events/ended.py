"""Matches that are over and have commands with ids, to be archived."""

import json
from pathlib import Path
from random import Random
from typing import Any

import redis
from msgspec import Struct

from domain.match.commands import Resign
from events import Matches
from events.archive.places import Directory
from events.archive.transfer import archive
from events.store import keys
from events.store.records import Entry, Store
from tests.events.example_matches import any_command, creation
from tests.events.redis_streams import everything

CREATION = "creation"


class Ended(Struct, frozen=True):
    """A match that is over, in whatever store."""

    store: Store
    match_id: str
    entries: list[Entry]
    """As they were appended."""

    @property
    def version(self) -> int:
        return self.entries[-1].last


def ended_match(matches: Matches, decisions: int = 12, seed: int = 1, **wishes: object) -> str:
    """The id of a match that ends by a resignation. Every second command has an id, `key` and its number."""
    rng = Random(seed)
    outcome = matches.create(creation(**wishes), CREATION)
    for number in range(decisions):
        state = matches.load(outcome.match_id).state
        key = f"key{number}" if number % 2 else None
        matches.execute(outcome.match_id, any_command(state, rng), f"seat:{state.active}", key)
    seat = matches.load(outcome.match_id).state.active
    matches.execute(outcome.match_id, Resign(seat), f"seat:{seat}", "resign")
    return outcome.match_id


def archived_match(matches: Matches, admin: redis.Redis, directory: Path, decisions: int = 12) -> Ended:
    """A match that was played in the store and archived, with a store's entries of before."""
    match_id = ended_match(matches, decisions)
    entries = matches.store.read(match_id)
    archive(admin, Directory(directory), match_id)
    return Ended(matches.store, match_id, entries)


def file_of(directory: Path, match_id: str) -> Path:
    (path,) = directory.glob(f"*/{match_id}.ndjson.zst")
    return path


def beside(admin: redis.Redis, match_id: str) -> dict[bytes, Any]:
    """All but what archiving takes and leaves."""
    own = {keys.match(match_id).encode(), keys.commands(match_id).encode(), keys.ARCHIVED.encode()}
    return {key: value for key, value in everything(admin).items() if key not in own}


def tombstone(admin: redis.Redis, match_id: str) -> dict[str, Any]:
    return json.loads(admin.hget(keys.ARCHIVED, match_id) or b"null")


def assert_archived(matches: Matches, admin: redis.Redis, match_id: str, entries: list[Any]) -> None:
    assert not admin.exists(keys.match(match_id), keys.commands(match_id))
    assert matches.store.read(match_id) == entries
