"""Which matches and ladders were found damaged, and telling all processes of it.

A process that has a match at hand checks only what is added to it. Whoever finds a match damaged puts a
pointer on the log: whoever follows that drops what it has of the match, and reads and checks it anew.
"""

from typing import Final, cast

import redis
import structlog

from events.store import keys
from events.store.client import unavailable_as_store_error
from events.store.errors import StoreUnavailable, StreamCorrupt
from events.store.outbox import DAMAGED

_NOTE: Final = """
if redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2]) == 0 then return 0 end
redis.call('XADD', KEYS[2], '*', 'm', ARGV[1], 'v', ARGV[3], 'n', ARGV[4])
return 1
"""

_logger: Final = structlog.get_logger(__name__)


class Damages:
    """The matches and ladders that are known to be damaged; safe to share among threads."""

    def __init__(self, client: redis.Redis) -> None:
        self._client = client

    def note(self, error: StreamCorrupt) -> bool:
        """Say what is wrong with a match; whether that is news. The log names the match and the event.

        Raises:
            StoreUnavailable.
        """
        values = (error.match_id, error.detail, str(error.sequence), DAMAGED)
        with unavailable_as_store_error():
            is_news = bool(self._client.eval(_NOTE, 2, keys.DAMAGED, keys.LOG, *values))
        if is_news:
            _logger.error(
                "match_damaged", match_id=error.match_id, sequence=error.sequence, detail=error.detail
            )
        return is_news

    def tell(self, error: StreamCorrupt) -> None:
        """As `note`, for who has other things to do where the store does not answer."""
        try:
            self.note(error)
        except StoreUnavailable as unavailable:
            _logger.warning("damage_not_noted", match_id=error.match_id, error=str(unavailable))

    def match_ids(self) -> set[str]:
        """The matches that were found damaged and not found whole since.

        Raises:
            StoreUnavailable.
        """
        with unavailable_as_store_error():
            found = cast("list[bytes]", self._client.hkeys(keys.DAMAGED))
        return {match_id.decode() for match_id in found}

    def withdraw(self, match_id: str) -> None:
        """Say that the match is whole again, as after a restore.

        Raises:
            StoreUnavailable.
        """
        with unavailable_as_store_error():
            self._client.hdel(keys.DAMAGED, match_id)
        _logger.info("match_whole_again", match_id=match_id)
