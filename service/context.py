"""The services that all views share, created once for the app."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import redis
from flask import current_app

from events.checkpoints.audit import Auditor
from events.checkpoints.notary import Notary
from events.ladders.ladders import Ladders
from events.matches.matches import Matches
from events.matches.puzzles import Puzzles
from events.matches.reviews import Reviews
from events.notifications.deliveries import Deliveries
from events.notifications.inbox import Inbox
from events.notifications.webhooks import Webhooks
from events.store.high_water import HighWater
from events.store.outages import RecentOutages
from events.store.watch import LogWatcher
from runtime.settings import Policy, Settings
from service.accounts.accounts import Accounts
from service.accounts.tokens import Tokens
from service.edge.rate_limits import Quota
from service.live.shared_feeds import SharedFeeds
from service.live.stream_slots import StreamSlots
from service.matches.chances import ChanceCache
from service.matches.luck import LuckCache
from service.matches.match_permits import MatchPermits
from service.operations.readiness import Readiness

EXTENSION = "machi"


@dataclass(frozen=True, slots=True)
class Services:
    """Everything that views need besides the request."""

    settings: Settings
    events_redis: redis.Redis
    queue_redis: redis.Redis
    readiness: Readiness
    brief_redis: redis.Redis
    """A client of the same server with a short timeout, for requests that can do without it."""
    matches: Matches
    ladders: Ladders
    luck: LuckCache
    chances: ChanceCache
    reviews: Reviews
    puzzles: Puzzles
    inbox: Inbox
    webhooks: Webhooks
    deliveries: Deliveries
    notary: Notary
    auditor: Auditor
    watcher: LogWatcher
    outages: RecentOutages
    accounts: Accounts
    tokens: Tokens
    shared_feeds: SharedFeeds
    slots: StreamSlots
    waiters: threading.BoundedSemaphore
    """Limits the number of requests that wait at the same time."""
    quotas: Mapping[Policy, Quota]
    high_water: HighWater
    permits: MatchPermits


def services() -> Services:
    """The services of the app that is handling the request."""
    return cast(Services, current_app.extensions[EXTENSION])
