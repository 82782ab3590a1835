"""The app factory. Nothing connects to Redis before the first request, so that workers may fork first."""

import threading
import time
from functools import partial

from flask import Flask
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.routing import BaseConverter

from events.checkpoints.audit import Auditor
from events.ladders.ladders import Ladders
from events.matches.matches import Matches
from events.matches.puzzles import Puzzles
from events.matches.reviews import Reviews
from events.notifications.deliveries import Deliveries
from events.notifications.inbox import Inbox
from events.notifications.webhooks import Webhooks
from events.store.high_water import HighWater
from events.store.keys import Partitions, divided
from events.store.outages import RecentOutages
from events.store.watch import LogWatcher
from events.stores import open_stores
from runtime.connection import connect, connect_blocking
from runtime.settings import Policy, Settings
from service.accounts.accounts import Accounts
from service.accounts.tokens import TRUSTED_S, Tokens
from service.blueprints import BLUEPRINTS
from service.context import EXTENSION, Services
from service.edge import answers, failures, guard, middleware
from service.edge.rate_limits import Clock, Counters, Quota
from service.live.shared_feeds import SharedFeeds
from service.live.stream_slots import StreamSlots
from service.matches.chances import ChanceCache
from service.matches.luck import LuckCache
from service.matches.match_permits import MatchPermits
from service.operations.readiness import Readiness

BODY_LIMIT = 65_536
"""The longest body in bytes that is read."""

LONG_POLLS = 3000
"""The number of requests that can wait in one process at a time; further ones are answered at once."""

_BRIEF_S = 0.25
"""The timeout of the queue's Redis for requests that can do without it."""


class _Key(BaseConverter):
    """An Idempotency-Key, or any other text, at the end of a path; it can contain slashes."""

    part_isolating = False
    regex = r"[\s\S]+"
    weight = 200


def create_app(
    settings: Settings,
    body_limit: int = BODY_LIMIT,
    clock: Clock = time.time,
    token_trusted_s: float = TRUSTED_S,
) -> Flask:
    """The service as a WSGI application.

    `clock` gives the time in seconds for the windows of rate limits. `token_trusted_s` is as
    `service.accounts.tokens.TRUSTED_S`.

    Raises:
        ValueError: the master keys or the signing keys are invalid.
    """
    app = Flask("service", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = body_limit
    app.url_map.strict_slashes = False
    app.url_map.merge_slashes = False
    app.url_map.converters["key"] = _Key
    app.extensions[EXTENSION] = make_services(settings, clock, token_trusted_s)
    answers.install(app)
    if settings.trusted_proxies:
        app.wsgi_app = ProxyFix(  # type: ignore[method-assign]  # as Flask's manual has it
            app.wsgi_app, x_for=settings.trusted_proxies, x_proto=0, x_host=0
        )
    middleware.install(app, settings.cors_origins)
    guard.install(app)
    failures.register(app)
    for blueprint in BLUEPRINTS:
        app.register_blueprint(blueprint)
    return app


def _forget(matches: Matches, ladders: Ladders, owner_id: str) -> None:
    matches.forget(owner_id)
    ladders.forget(owner_id)


def make_services(settings: Settings, clock: Clock, token_trusted_s: float = TRUSTED_S) -> Services:
    stores = open_stores(settings)
    events_redis, store, matches, ladders = stores.client, stores.store, stores.matches, stores.ladders
    queue_redis = connect(settings.queue_redis_url)
    tokens = Tokens(events_redis, stores.seeds, token_trusted_s)
    brief = connect(settings.queue_redis_url, _BRIEF_S)
    partitions = Partitions(settings.partitions)
    watcher = LogWatcher(
        lambda: divided(connect_blocking(settings.events_redis_url), partitions),
        partial(_forget, matches, ladders),
    )
    return Services(
        settings=settings,
        events_redis=events_redis,
        queue_redis=queue_redis,
        readiness=Readiness(settings),
        brief_redis=brief,
        matches=matches,
        ladders=ladders,
        luck=LuckCache(store),
        chances=ChanceCache(store),
        reviews=Reviews(events_redis),
        puzzles=Puzzles(events_redis),
        inbox=Inbox(events_redis),
        webhooks=Webhooks(events_redis),
        deliveries=Deliveries(events_redis),
        notary=stores.notary,
        auditor=Auditor(store, stores.notary),
        watcher=watcher,
        outages=RecentOutages(events_redis),
        accounts=Accounts(events_redis, tokens),
        tokens=tokens,
        shared_feeds=SharedFeeds(matches, settings.web_streams),
        slots=StreamSlots(brief, settings.account_streams),
        waiters=threading.BoundedSemaphore(LONG_POLLS),
        quotas=_quotas(settings, clock),
        high_water=HighWater(
            settings.high_water_memory,
            settings.high_water_turns,
            divided(connect(settings.events_redis_url, _BRIEF_S), partitions),
            brief,
        ),
        permits=MatchPermits(brief, store, settings.account_matches, settings.address_matches),
    )


def _quotas(settings: Settings, clock: Clock) -> dict[Policy, Quota]:
    counters = Counters(settings.queue_redis_url, clock)
    return {policy: Quota(policy, rate, counters, clock) for policy, rate in settings.rates.items()}
