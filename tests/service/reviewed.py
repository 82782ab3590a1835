"""Computing the reviews that an app was asked for, as a worker would."""

from flask import Flask

from service.context import EXTENSION, Services
from workers.ladders.context import Context
from workers.queue.client import connect
from workers.reviews.job import compute

LONG_S = 600.0


def compute_reviews(app: Flask, seconds: float = LONG_S) -> None:
    """One job for each pending review, by default one that computes it to the end."""
    services: Services = app.extensions[EXTENSION]
    queue = connect(services.settings.queue_redis_url)
    job = Context(services.matches, services.ladders, services.events_redis, queue)
    for review_id in services.reviews.pending(100):
        compute(job, review_id, seconds)
    queue.close()
