"""The event store as the processes of the service open it, by their settings."""

from functools import partial
from typing import NamedTuple

import redis

from events.checkpoints.notary import Notary
from events.checkpoints.signatures import SigningKeys
from events.ladders.ladders import Ladders
from events.matches.matches import Matches
from events.matches.seeds import Seeds
from events.store.client import connect_store
from events.store.damaged_streams import DamagedStreams
from events.store.durability import required_by
from events.store.outages import passed_ms
from events.store.redis_store import RedisStore
from runtime.settings import Settings


class Stores(NamedTuple):
    """One client of the event store, and what uses it."""

    client: redis.Redis
    store: RedisStore
    seeds: Seeds
    notary: Notary
    damages: DamagedStreams
    matches: Matches
    ladders: Ladders


def open_stores(settings: Settings) -> Stores:
    """The stores by these settings. This connects to nothing.

    Raises:
        ValueError: the master keys or the signing keys are invalid.
    """
    client = connect_store(settings.events_redis_url, required_by(settings))
    store, damages = RedisStore(client, settings.archive_dir), DamagedStreams(client)
    seeds = Seeds(settings.master_keys)
    notary = Notary(store, SigningKeys(settings.signing_keys))
    matches = Matches(
        store,
        seeds,
        cache_matches=settings.cache_matches,
        ai_grace_ms=settings.ai_grace_s * 1000,
        notary=notary,
        on_damage=damages.try_record,
        passed_ms=partial(passed_ms, client),
    )
    ladders = Ladders(store, on_damage=damages.try_record)
    return Stores(client, store, seeds, notary, damages, matches, ladders)
