"""The event store: matches as streams of events on Redis, and the way of every command to them.

`Matches` is what the service and the workers use; everything else is what it is made of.
"""

from events.appending import Move
from events.envelope import Envelope
from events.errors import (
    CommandReused,
    MatchNotFound,
    StaleVersion,
    StoreError,
    StoreUnavailable,
    StreamCorrupt,
    VersionNotFound,
)
from events.handler import Matches
from events.loading import Loaded
from events.memory import MemoryStore
from events.outbox import Outbox
from events.outcome import Outcome
from events.sealing import Batch
from events.seeds import Seeds
from events.settings import Settings
from events.store import RedisStore
from events.watch import LogWatcher, Wake

__all__ = [
    "Batch",
    "CommandReused",
    "Envelope",
    "Loaded",
    "LogWatcher",
    "MatchNotFound",
    "Matches",
    "MemoryStore",
    "Move",
    "Outbox",
    "Outcome",
    "RedisStore",
    "Seeds",
    "Settings",
    "StaleVersion",
    "StoreError",
    "StoreUnavailable",
    "StreamCorrupt",
    "VersionNotFound",
    "Wake",
]
