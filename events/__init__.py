"""The event store: matches as streams of events on Redis, and the way of every command to them.

`Matches` is what the service and the workers use; everything else is what it is made of.
"""

from events.appending import Move
from events.checkpoints import Notary
from events.envelope import Envelope
from events.errors import (
    CommandReused,
    LogCorrupt,
    MatchNotFound,
    SigningKeyReused,
    StaleVersion,
    StoreError,
    StoreUnavailable,
    StreamCorrupt,
    VersionNotFound,
)
from events.handler import Matches
from events.lines import RedisLines
from events.loading import Loaded
from events.memory import MemoryLines, MemoryStore
from events.outbox import Outbox
from events.outcome import Outcome
from events.sealing import Batch
from events.seeds import Seeds
from events.settings import Settings
from events.signing import SigningKeys
from events.store import RedisStore
from events.watch import LogWatcher, Wake

__all__ = [
    "Batch",
    "CommandReused",
    "Envelope",
    "Loaded",
    "LogCorrupt",
    "LogWatcher",
    "MatchNotFound",
    "Matches",
    "MemoryLines",
    "MemoryStore",
    "Move",
    "Notary",
    "Outbox",
    "Outcome",
    "RedisLines",
    "RedisStore",
    "Seeds",
    "Settings",
    "SigningKeyReused",
    "SigningKeys",
    "StaleVersion",
    "StoreError",
    "StoreUnavailable",
    "StreamCorrupt",
    "VersionNotFound",
    "Wake",
]
