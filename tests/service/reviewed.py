"""Computing the reviews that a service was asked for, as a worker would."""

from flask import Flask

from events import Matches, RedisStore, Seeds, Settings
from events.ladders.ladders import Ladders
from events.matches.reviews import Reviews
from events.store.client import connect_store
from events.store.durability import required_by
from service.context import EXTENSION
from workers.ladders.context import Context
from workers.queue.client import connect
from workers.reviews.job import compute

LONG_S = 600.0


def compute_reviews(of: Flask | Settings, seconds: float = LONG_S) -> None:
    """One job for each pending review, by default one that computes it to the end."""
    settings = of if isinstance(of, Settings) else of.extensions[EXTENSION].settings
    events = connect_store(settings.events_redis_url, required_by(settings))
    queue = connect(settings.queue_redis_url)
    store = RedisStore(events, settings.archive_dir)
    job = Context(Matches(store, Seeds(settings.master_keys)), Ladders(store), events, queue)
    for review_id in Reviews(events).pending(100):
        compute(job, review_id, seconds)
    for client in (events, queue):
        client.close()
