"""What every view may use, made once for the app."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import redis
from flask import current_app

from events.auditing import Auditor
from events.checkpoints import Notary
from events.handler import Matches
from events.high_water import HighWater
from events.ladders import Ladders
from events.outages import Recent
from events.settings import Policy, Settings
from events.watch import LogWatcher
from service.accounts import Accounts
from service.following import Following
from service.lucks import Lucks
from service.match_places import Places
from service.quotas import Quota
from service.readiness import Readiness
from service.stream_slots import Slots

EXTENSION = "machi"


@dataclass(frozen=True, slots=True)
class Services:
    """The app's way to everything outside of the request."""

    settings: Settings
    events_redis: redis.Redis
    queue_redis: redis.Redis
    readiness: Readiness
    brief_redis: redis.Redis
    """The same server, for what is not worth waiting for."""
    matches: Matches
    ladders: Ladders
    lucks: Lucks
    notary: Notary
    auditor: Auditor
    watcher: LogWatcher
    outages: Recent
    accounts: Accounts
    following: Following
    slots: Slots
    waiters: threading.BoundedSemaphore
    """As many requests may wait at the same time."""
    quotas: Mapping[Policy, Quota]
    high_water: HighWater
    places: Places


def services() -> Services:
    """The services of the app that is handling the request."""
    return cast(Services, current_app.extensions[EXTENSION])
