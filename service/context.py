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
from events.ladders import Ladders
from events.settings import Policy, Settings
from events.watch import LogWatcher
from service.accounts import Accounts
from service.auth import TokenCache
from service.following import Following
from service.lucks import Lucks
from service.quotas import Quota
from service.stream_slots import Slots

EXTENSION = "machi"


@dataclass(frozen=True, slots=True)
class Services:
    """The app's way to everything outside of the request."""

    settings: Settings
    events_redis: redis.Redis
    queue_redis: redis.Redis
    brief_redis: redis.Redis
    """The same server, for what is not worth waiting for."""
    matches: Matches
    ladders: Ladders
    lucks: Lucks
    notary: Notary
    auditor: Auditor
    watcher: LogWatcher
    accounts: Accounts
    tokens: TokenCache
    following: Following
    slots: Slots
    waiters: threading.BoundedSemaphore
    """As many requests may wait at the same time."""
    quotas: Mapping[Policy, Quota]


def services() -> Services:
    """The services of the app that is handling the request."""
    return cast(Services, current_app.extensions[EXTENSION])
