"""The list of damaged matches and ladders, and the notice of new ones to all processes.

A process checks a match when it loads it, and later only the entries that are added. A process that finds a
match damaged therefore puts a pointer on the log. All processes that follow the log then drop the match from
their caches, and load and check it again.
"""

from typing import Final, cast

import redis
import structlog

from events.store import keys
from events.store.client import unavailable_as_store_error
from events.store.errors import StoreUnavailable, StreamCorrupt
from events.store.keys import partitions_of
from events.store.outbox import DAMAGED

_RECORD: Final = """
if redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2]) == 0 then return 0 end
redis.call('XADD', KEYS[2], '*', 'm', ARGV[1], 'v', ARGV[3], 'n', ARGV[4])
return 1
"""

_logger: Final = structlog.get_logger(__name__)


class DamagedStreams:
    """The list of damaged matches and ladders; safe to share among threads."""

    def __init__(self, client: redis.Redis) -> None:
        self._client = client
        self._partitions = partitions_of(client)

    def record(self, error: StreamCorrupt) -> bool:
        """Record the damage, and return whether it is new. The log line names the match and the event.

        Raises:
            StoreUnavailable.
        """
        values = (error.match_id, error.detail, str(error.sequence), DAMAGED)
        with unavailable_as_store_error():
            names = [self._partitions.key(key, error.match_id) for key in (keys.DAMAGED, keys.LOG)]
            is_news = bool(self._client.eval(_RECORD, 2, *names, *values))
        if is_news:
            _logger.error(
                "match_damaged", match_id=error.match_id, sequence=error.sequence, detail=error.detail
            )
        return is_news

    def try_record(self, error: StreamCorrupt) -> None:
        """As `record`, but only log a warning if the store does not answer."""
        try:
            self.record(error)
        except StoreUnavailable as unavailable:
            _logger.warning("damage_not_recorded", match_id=error.match_id, error=str(unavailable))

    def match_ids(self) -> set[str]:
        """The matches and ladders that were found damaged and have not been found whole since.

        Raises:
            StoreUnavailable.
        """
        with unavailable_as_store_error():
            found = [self._client.hkeys(key) for key in self._partitions.each(keys.DAMAGED)]
        return {match_id.decode() for ids in cast("list[list[bytes]]", found) for match_id in ids}

    def withdraw(self, match_id: str) -> None:
        """Record that the match is whole again, as after a restore.

        Raises:
            StoreUnavailable.
        """
        with unavailable_as_store_error():
            self._client.hdel(self._partitions.key(keys.DAMAGED, match_id), match_id)
        _logger.info("match_whole_again", match_id=match_id)
