"""Names of what is stored: ids, their clock, and every key in the event store; no other module spells a key.

A store has partitions. All keys of one share a hash tag, so that one script can write a match, the log and
the indexes, on a cluster, too. Matches are spread over the partitions; ladders, the checkpoint log and
everything else that there is only once are in the first. The names here are those in the first; `at` turns
them into those in another. Keys of accounts share another tag, so that one script can write a whole account.
"""

import time
import zlib
from typing import Final, TypeVar, cast

from ulid import ULID

HOME: Final = "{00}"
"""The hash tag of the first partition."""
_START: Final = f"mk:{HOME}:"
MATCH_PREFIX: Final = "mat_"
_ACCOUNTS_TAG: Final = "{acc}"
"""The hash tag of accounts, their tokens and idempotent requests."""

LOG: Final = f"mk:{HOME}:log"
"""Stream: one pointer (match, version, who acts next) for each append."""
DUE: Final = f"mk:{HOME}:due"
"""Sorted set: match ids by their due time in ms, when the sweep has to act."""
PARTITIONS: Final = f"mk:{HOME}:partitions"
"""String: the number of partitions of this store; missing if there is one."""
CHECKPOINTS: Final = f"mk:{HOME}:cp"
"""Hash: the id of the last pointer on the log that each reader has processed."""
CHECKPOINT_STREAM: Final = "checkpoints"
"""The stream id of the checkpoint log."""
CHECKPOINT_LOG: Final = f"mk:{HOME}:notary"
"""Stream: a signed line for each match that ended, by number; ops.redis_conf prevents changes."""
LINES: Final = f"mk:{HOME}:line"
"""Hash: the number of each match's line, by match id."""
PUBLISHED_KEYS: Final = f"mk:{HOME}:pub"
"""Hash: all public keys that have signed a line, by key id."""
ARCHIVED: Final = f"mk:{HOME}:archived"
"""Hash: the tombstones of archived matches, as JSON, by match id; see `events.archive.files`."""
LADDERS: Final = f"mk:{HOME}:idx-ladders"
"""Sorted set, all scores 0: the ids of all ladders."""
ACTIVE_LADDERS: Final = f"mk:{HOME}:playing"
"""Sorted set, all scores 0: the ids of ladders that have a round to play."""
LADDER_JOBS: Final = f"mk:{HOME}:jobs"
"""Hash: the ladder of each job, by job id."""
TABLES_WANTED: Final = f"mk:{HOME}:tables-wanted"
"""Set: tables to compute although none of their rounds is being played, `<ladder id>:<season>`."""
PENDING_REVIEWS: Final = f"mk:{HOME}:reviews"
"""Sorted set: the ids of the reviews that are to be computed, by when they were requested, in ms."""
LAST_TICK: Final = f"mk:{HOME}:tick"
"""String: when the relay last recorded that the service works, in ms since 1970."""
OUTAGES: Final = f"mk:{HOME}:outages"
"""Sorted set: outages, `<first ms>-<last ms>` by last ms."""
DAMAGED: Final = f"mk:{HOME}:damaged"
"""Hash: what is wrong with each match that was found damaged, by match id."""
SCRUBBED: Final = f"mk:{HOME}:scrubbed"
"""String: the last match that the relay has checked; the next one is older, or the newest."""
HANDLES: Final = f"mk:{_ACCOUNTS_TAG}:handles"
"""Hash: account ids by handle in lower case; those of deleted accounts too."""
DELETED_ACCOUNTS: Final = f"mk:{_ACCOUNTS_TAG}:deleted"
"""Sorted set: the ids of deleted accounts that still have to leave matches and ladders, by when they were
deleted, in ms."""
SUBSCRIBERS: Final = f"mk:{_ACCOUNTS_TAG}:subscribers"
"""Sorted set: the ids of the accounts whose notifications are kept, by until when, in ms."""
DUE_WEBHOOKS: Final = f"mk:{_ACCOUNTS_TAG}:webhooks-due"
"""Sorted set: the ids of the webhooks that have something to send, by when, in ms; see
`events.notifications.deliveries`."""
CANARY: Final = f"mk:{HOME}:canary"
"""String: written to test whether the server accepts writes."""
INDEX_PATTERN: Final = f"mk:{HOME}:idx:*"
SUMMARY_PATTERN: Final = f"mk:{HOME}:sum:*"
COMMANDS_PATTERN: Final = f"mk:{HOME}:cmd:*"
PUZZLE_PATTERN: Final = f"mk:{HOME}:puzzle:*"
PUZZLES_PATTERN: Final = f"mk:{HOME}:puzzles:*"

# In all partitions at once, because Redis compares all names with a pattern, whatever it is.
MATCH_PATTERN: Final = "mk:{*}:match:*"
INVITATIONS_PATTERN: Final = "mk:{*}:idx:invit*"
TURNS_PATTERN: Final = "mk:{*}:turn:*"


def tag(number: int) -> str:
    """The hash tag of a partition, by its number from 0."""
    return f"{{{number:02}}}"


def at(key: str, tag: str) -> str:
    """The key of that name in the partition with that tag."""
    if tag == HOME:
        return key
    assert key.startswith(_START), f"{key} is not spread over partitions"
    return f"mk:{tag}:{key[len(_START) :]}"


class Partitions:
    """The partitions of one store."""

    def __init__(self, count: int = 1) -> None:
        """`count` is 1 to `runtime.settings.MOST_PARTITIONS`."""
        self.tags: Final = tuple([tag(number) for number in range(count)])
        """The hash tag of each."""

    def __len__(self) -> int:
        return len(self.tags)

    def of(self, stream_id: str) -> str:
        """The tag of the partition that a match, a ladder or the checkpoint log is in."""
        if len(self.tags) == 1 or not stream_id.startswith(MATCH_PREFIX):
            return HOME
        return self.tags[zlib.crc32(stream_id.encode()) % len(self.tags)]

    def key(self, key: str, stream_id: str) -> str:
        """That key in the partition of the stream."""
        return key if len(self.tags) == 1 else at(key, self.of(stream_id))

    def each(self, key: str) -> tuple[str, ...]:
        """That key in every partition."""
        return tuple([at(key, tag) for tag in self.tags])


SINGLE: Final = Partitions()


_C = TypeVar("_C")
"""A client of Redis."""


def divided(client: _C, partitions: Partitions) -> _C:
    """The client, which knows the partitions of its store from now on."""
    client.partitions = partitions  # type: ignore[attr-defined]  # redis-py has no room for more
    return client


def partitions_of(client: object) -> Partitions:
    """The partitions of the store that a client talks to; one, unless it knows better."""
    found = getattr(client, "partitions", SINGLE)
    return cast(Partitions, found)


def now_ms() -> int:
    """The time in ms since 1970, by the clock that events are recorded by."""
    return time.time_ns() // 1_000_000


def new_id(prefix: str) -> str:
    """A new id such as `mat_01ARZ3NDEKTSV4RRFFQ69G5FAV` for the prefix `mat`."""
    return f"{prefix}_{ULID()}"


def first_id(prefix: str, at_ms: int) -> str:
    """What sorts before every id that was made in that millisecond or later, and behind all others."""
    return f"{prefix}_{ULID.from_bytes(at_ms.to_bytes(6) + bytes(10))}"


def ai_command_id(match_id: str, version: int) -> str:
    """The command id of a built-in player's decision on that version."""
    return f"ai-{match_id}-{version}"


def match(match_id: str) -> str:
    """Stream: the events of a match."""
    return f"mk:{HOME}:match:{match_id}"


def match_id(key: str) -> str:
    """The match whose stream or summary has that key."""
    return key.rpartition(":")[2]


def commands(match_id: str) -> str:
    """Hash: the version that each command to a match led to, by command id."""
    return f"mk:{HOME}:cmd:{match_id}"


def summary(match_id: str) -> str:
    """String: the summary of a match for lists, as JSON."""
    return f"mk:{HOME}:sum:{match_id}"


def index(name: str) -> str:
    """Sorted set, all scores 0: the ids of the matches in an index such as `status:running`."""
    return f"mk:{HOME}:idx:{name}"


def turns(account_id: str) -> str:
    """Sorted set: the ids of the running matches in which the account is to act, by when its turn began, in
    ms."""
    return f"mk:{HOME}:turn:{account_id}"


def ladder(ladder_id: str) -> str:
    """Stream: the events of a ladder; ops.redis_conf prevents changes."""
    return f"mk:{HOME}:ladder:{ladder_id}"


def command_index(stream_id: str) -> str:
    """Hash: the version that each command to a stream led to, by command id."""
    if stream_id == CHECKPOINT_STREAM:
        return LINES
    return ladder_commands(stream_id) if stream_id.startswith("lad_") else commands(stream_id)


def stream(stream_id: str) -> str:
    """Stream: the events of a match or a ladder, or the checkpoint log."""
    if stream_id == CHECKPOINT_STREAM:
        return CHECKPOINT_LOG
    return ladder(stream_id) if stream_id.startswith("lad_") else match(stream_id)


def ladder_commands(ladder_id: str) -> str:
    """Hash: the version that each command to a ladder led to, by command id."""
    return f"mk:{HOME}:lcmd:{ladder_id}"


def ladder_tables(ladder_id: str) -> str:
    """Hash: the last computed tables of a ladder, as JSON, by season."""
    return f"mk:{HOME}:tables:{ladder_id}"


def ladder_fits(ladder_id: str, season: int) -> str:
    """Hash: the progress of a table that is being computed; see `events.ladders.tables`."""
    return f"mk:{HOME}:fits:{ladder_id}:{season}"


def puzzle(puzzle_id: str) -> str:
    """String: a puzzle with its solution; see `events.matches.puzzles`."""
    return f"mk:{HOME}:puzzle:{puzzle_id}"


def puzzles(index: str) -> str:
    """Sorted set, all scores 0: the ids of the puzzles in an index: `base`, `base:3` for those with three
    seats, or `all` for every ruleset."""
    return f"mk:{HOME}:puzzles:{index}"


def review(review_id: str) -> str:
    """Hash: a review, or what is computed of it so far; see `events.matches.reviews`."""
    return f"mk:{HOME}:review:{review_id}"


def pending_reviews(account_id: str) -> str:
    """Set: the ids of the reviews in `PENDING_REVIEWS` that an account was the first to request."""
    return f"mk:{HOME}:reviews:{account_id}"


def lease(name: str) -> str:
    """String: the process that currently has a task."""
    return f"mk:{HOME}:lease:{name}"


def account(account_id: str) -> str:
    """String: an account, as JSON."""
    return f"mk:{_ACCOUNTS_TAG}:account:{account_id}"


def token(digest: str) -> str:
    """String: a token without its secret, as JSON, by the hex SHA-256 of the secret."""
    return f"mk:{_ACCOUNTS_TAG}:token:{digest}"


def tokens(account_id: str) -> str:
    """Hash: the digests of an account's tokens, by token id."""
    return f"mk:{_ACCOUNTS_TAG}:tokens:{account_id}"


def listed(account_id: str, name: str) -> str:
    """Set: the account ids on a list of an account, `allowed` or `blocked`."""
    return f"mk:{_ACCOUNTS_TAG}:{name}:{account_id}"


def ladders(account_id: str) -> str:
    """Set: the ids of the ladders that an account has created or started to create."""
    return f"mk:{_ACCOUNTS_TAG}:operated:{account_id}"


def inbox(account_id: str) -> str:
    """Stream: the last notifications of an account, by their sequence; see `events.notifications.inbox`."""
    return f"mk:{_ACCOUNTS_TAG}:inbox:{account_id}"


def inbox_state(account_id: str) -> str:
    """Hash: the number of notifications that an account ever had, as `sequence`, and by partition the last
    pointer on the log that is accounted for."""
    return f"mk:{_ACCOUNTS_TAG}:inbox-state:{account_id}"


def webhooks(account_id: str) -> str:
    """Set: the ids of the webhooks of an account."""
    return f"mk:{_ACCOUNTS_TAG}:webhooks:{account_id}"


def webhook(webhook_id: str) -> str:
    """Hash: a webhook; see `events.notifications.webhooks`."""
    return f"mk:{_ACCOUNTS_TAG}:webhook:{webhook_id}"


def deliveries(webhook_id: str) -> str:
    """Hash: the last deliveries of a webhook, as JSON, by notification id."""
    return f"mk:{_ACCOUNTS_TAG}:deliveries:{webhook_id}"


def pending_deliveries(webhook_id: str) -> str:
    """Sorted set: the notification ids of the deliveries that are to be attempted, by when, in ms."""
    return f"mk:{_ACCOUNTS_TAG}:pending:{webhook_id}"


def answered(kind: str, digest: str) -> str:
    """String: the outcome of a request with an Idempotency-Key, as JSON.

    `digest` is the hex SHA-256 of the key's owner and the key, see `service.edge.idempotency`.
    """
    return f"mk:{_ACCOUNTS_TAG}:answered:{kind}:{digest}"
