"""Reviews of matches: requests, progress and results. Workers compute them, a part in each job.

A review is kept without an expiry, and its id derives from what it is computed from: whoever requests it
again finds the same one. Requested reviews are in a sorted set until they are finished, so a lost job is
enqueued again.
"""

import hashlib
from typing import Any, Final, NamedTuple, cast

import msgspec
import redis
from msgspec import Struct

from domain.canonical import canonical
from events.store import keys
from events.store.client import unavailable_as_store_error
from events.store.fields import compress_file, decompress_file

QUEUED: Final = "queued"
RUNNING: Final = "running"
FINISHED: Final = "finished"
FAILED: Final = "failed"

MOST_PENDING: Final = 10
"""The most reviews that one account can have in the queue."""

_REQUEST: Final = """
local status = redis.call('HGET', KEYS[1], 'status')
if status and status ~= 'failed' then return 1 end
if redis.call('SCARD', KEYS[3]) >= tonumber(ARGV[4]) then return 0 end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'status', 'queued', 'subject', ARGV[1], 'account', ARGV[2])
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[5])
redis.call('SADD', KEYS[3], ARGV[5])
return 1
"""

_BEGIN: Final = """
if not redis.call('ZSCORE', KEYS[2], ARGV[1]) then return false end
redis.call('HINCRBY', KEYS[1], 'tries', 1)
return redis.call('HMGET', KEYS[1], 'subject', 'account', 'tries', 'saved')
"""

_SAVE: Final = """
if not redis.call('ZSCORE', KEYS[2], ARGV[1]) then return 0 end
if tonumber(redis.call('HGET', KEYS[1], 'done') or 0) > tonumber(ARGV[2]) then return 0 end
redis.call('HDEL', KEYS[1], 'tries')
return redis.call('HSET', KEYS[1], 'status', 'running', 'done', ARGV[2], 'total', ARGV[3], 'saved', ARGV[4])
"""

_END: Final = """
if redis.call('ZREM', KEYS[2], ARGV[1]) == 0 then return 0 end
redis.call('SREM', KEYS[3], ARGV[1])
if ARGV[2] == '' then return redis.call('DEL', KEYS[1]) end
redis.call('HDEL', KEYS[1], 'account', 'tries', 'saved')
redis.call('HSET', KEYS[1], 'status', ARGV[2], ARGV[3], ARGV[4])
if ARGV[5] then redis.call('HSET', KEYS[1], 'done', ARGV[5], 'total', ARGV[5]) end
return 1
"""


class ReviewSubject(Struct, frozen=True):
    """What a review is computed from."""

    match_id: str
    version: int
    """The number of events of the match."""
    head_hash: str
    """The hash of the last one, as the API shows it."""
    judge_version: int
    """The version of the method."""
    value_function: str
    """The digest of the network."""

    @property
    def review_id(self) -> str:
        """The id of the review."""
        found = [self.match_id, self.head_hash, self.judge_version, self.value_function]
        return f"rev_{hashlib.sha256(canonical(found)).hexdigest()[:32]}"


class Requested(NamedTuple):
    """A review that was requested, without its content."""

    subject: ReviewSubject
    status: str
    """`QUEUED`, `RUNNING`, `FINISHED` or `FAILED`."""
    done: int
    """The items of work that are done."""
    total: int
    """The items of work; 0 before the first job."""


class Begun(NamedTuple):
    """A review that a job continues with."""

    subject: ReviewSubject
    account_id: str
    """The account that requested it."""
    tries: int
    """The number of jobs since something was saved, this one included."""
    saved: bytes
    """What is computed so far; empty at first."""


_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(ReviewSubject).decode


class Reviews:
    """The reviews in the event store. All methods raise `StoreUnavailable`."""

    def __init__(self, client: redis.Redis) -> None:
        self._client = client

    def request(self, subject: ReviewSubject, account_id: str, at_ms: int) -> bool:
        """Request a review, unless it was requested before and has not failed; false if the account has
        `MOST_PENDING` reviews in the queue."""
        review_id = subject.review_id
        key, own = keys.review(review_id), keys.pending_reviews(account_id)
        given = (_encode(subject), account_id, at_ms, MOST_PENDING, review_id)
        return bool(self._run(_REQUEST, (key, keys.PENDING_REVIEWS, own), *given))

    def find(self, review_id: str) -> Requested | None:
        """The review; None if nobody has requested it."""
        with unavailable_as_store_error():
            found: Any = self._client.hmget(keys.review(review_id), "subject", "status", "done", "total")
        subject, status, done, total = found
        if subject is None:
            return None
        return Requested(_decode(subject), status.decode(), int(done or 0), int(total or 0))

    def document(self, review_id: str) -> bytes:
        """The finished review as JSON."""
        with unavailable_as_store_error():
            found = cast("bytes | None", self._client.hget(keys.review(review_id), "document"))
        assert found is not None, f"{review_id} is not finished"
        return decompress_file(found)

    def pending(self, count: int) -> list[str]:
        """The reviews that are to be computed, at most `count`, the first request first."""
        with unavailable_as_store_error():
            found: Any = self._client.zrange(keys.PENDING_REVIEWS, 0, count - 1)
        return [review_id.decode() for review_id in found]

    def begin(self, review_id: str) -> Begun | None:
        """The review to continue with; None if there is nothing more to compute."""
        found = self._run(_BEGIN, (keys.review(review_id), keys.PENDING_REVIEWS), review_id)
        if found is None:
            return None
        subject, account_id, tries, saved = found
        return Begun(_decode(subject), account_id.decode(), int(tries), saved or b"")

    def save(self, subject: ReviewSubject, done: int, total: int, saved: bytes) -> None:
        """Save what is computed so far, unless another job has got further."""
        review_id = subject.review_id
        self._run(_SAVE, (keys.review(review_id), keys.PENDING_REVIEWS), review_id, done, total, saved)

    def finish(self, begun: Begun, document: bytes, total: int) -> None:
        """Keep the finished review for good, unless another job was faster."""
        self._end(begun, FINISHED, "document", compress_file(document), total)

    def fail(self, begun: Begun, reason: str) -> None:
        """Record that the review cannot be computed. It may be requested again."""
        self._end(begun, FAILED, "failure", reason)

    def drop(self, begun: Begun) -> None:
        """Forget a request that nobody can fulfil any more."""
        self._end(begun)

    def _end(self, begun: Begun, *status: str | bytes | int) -> None:
        review_id = begun.subject.review_id
        own = keys.pending_reviews(begun.account_id)
        self._run(_END, (keys.review(review_id), keys.PENDING_REVIEWS, own), review_id, *(status or ("",)))

    def _run(self, script: str, names: tuple[str, ...], *arguments: str | bytes | int) -> Any:
        with unavailable_as_store_error():
            return self._client.eval(script, len(names), *names, *arguments)
