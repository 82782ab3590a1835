"""The event store: matches as event streams on Redis, and the execution of commands.

The service and the workers use `Matches`; everything else is one of its parts.
"""

from domain.match.envelope import Envelope
from events.checkpoints.notary import Notary
from events.checkpoints.signatures import SigningKeys
from events.matches.entries import Loaded
from events.matches.history import CommandResult
from events.matches.matches import Matches, Move
from events.matches.seeds import Seeds
from events.store.chain import Batch
from events.store.errors import (
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
from events.store.memory import MemoryStore
from events.store.outbox import Outbox
from events.store.redis_store import RedisStore
from events.store.watch import LogWatcher, Wake
from runtime.settings import Settings

__all__ = [
    "Batch",
    "CommandResult",
    "CommandReused",
    "Envelope",
    "Loaded",
    "LogCorrupt",
    "LogWatcher",
    "MatchNotFound",
    "Matches",
    "MemoryStore",
    "Move",
    "Notary",
    "Outbox",
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
