"""Copies an event store to another one, with another number of partitions: `python -m events.move --to URL`.

For operators, while the service is stopped. The streams are copied as they are, and what derives from them is
built anew. The command can be stopped at any time and run again to continue; until it is done, the service
writes nothing to the new store. The old store is only read.
"""

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, TextIO, cast

import redis
from msgspec import Struct

from events.reindex import ReindexResult, reindex
from events.store import keys
from events.store.client import connect_to_all, unavailable_as_store_error
from events.store.durability import BEING_MOVED
from events.store.errors import StoreUnavailable
from events.store.keys import Partitions, divided, partitions_of
from runtime.connection import check_url, connect
from runtime.settings import MOST_PARTITIONS, Bucket, SettingsError, archive_dir, partitions, store_from_env

_PAGE: Final = 500
_SHOWN_EVERY: Final = 1000
DONE, SOME_CORRUPT, WRONG_CALL, UNAVAILABLE = 0, 1, 2, 3
_EXIT_CODES: Final = """\
exit codes:
  0    everything was copied
  1    everything was copied; some matches are corrupt, as they were before, and each is named
  2    invalid arguments or settings; nothing was done
  3    one of the stores could not be used; run it again to continue
"""

_DERIVED: Final = ("idx:", "sum:", "turn:", "due", "log", "cp")
"""What each partition has and `events.reindex` builds from the streams, or the relay finds again."""
_OF_PROCESSES: Final = ("lease:", "canary", "partitions")
"""What belongs to the old store and the processes that use it."""
_BY_MATCH: Final = ("match", "cmd")
"""Keys of which each match has one."""
_HASHES_BY_MATCH: Final = (keys.ARCHIVED, keys.DAMAGED)
"""Hashes with a field for each match."""


class Copied(Struct):
    """What was copied so far."""

    keys: int = 0
    there: int = 0
    """Keys that an earlier run had copied."""


def move(
    source: redis.Redis,
    target: redis.Redis,
    ai_grace_ms: int,
    on_key: Callable[[Copied], None],
    archive_dir: Path | Bucket | None = None,
) -> ReindexResult:
    """Copy everything; `on_key` is called after each key. `archive_dir` has the files of archived matches.

    Raises:
        StoreUnavailable: run it again.
        SettingsError: the target has something else in it.
    """
    count = len(partitions_of(target))
    copied = Copied()
    with unavailable_as_store_error():
        _begin(target)
        for key in _keys(source):
            _copy(source, target, key, copied)
            on_key(copied)
        for name in _HASHES_BY_MATCH:
            _spread(source, target, name)
    result = reindex(target, ai_grace_ms, archive_dir=archive_dir)
    with unavailable_as_store_error():
        if count == 1:
            target.delete(keys.PARTITIONS)
        else:
            target.set(keys.PARTITIONS, count)
    return result


def _begin(target: redis.Redis) -> None:
    """Close the target for the service, unless an earlier run did."""
    if target.get(keys.PARTITIONS) == b"%d" % BEING_MOVED:
        return
    if target.exists(keys.LOG) or target.get(keys.PARTITIONS) is not None:
        raise SettingsError("--to: there is an event store already")
    target.set(keys.PARTITIONS, BEING_MOVED)


def _keys(source: redis.Redis) -> Iterator[str]:
    """What is to be copied as it is."""
    spread = {key for name in _HASHES_BY_MATCH for key in partitions_of(source).each(name)}
    for found in source.scan_iter(count=_PAGE):
        key = cast(bytes, found).decode()
        name = key.partition("}:")[2]
        if key.startswith("mk:{") and key not in spread and not name.startswith((*_DERIVED, *_OF_PROCESSES)):
            yield key


def _copy(source: redis.Redis, target: redis.Redis, key: str, copied: Copied) -> None:
    kind, _, match_id = key.partition("}:")[2].partition(":")
    new = key
    if kind in _BY_MATCH:
        home = keys.match(match_id) if kind == "match" else keys.commands(match_id)
        new = partitions_of(target).key(home, match_id)
    dumped = source.dump(key)
    if dumped is None:  # a key with an end to its time has expired
        return
    if target.dump(new) == dumped:
        copied.there += 1
    else:
        target.restore(new, max(0, source.pttl(key)), dumped, replace=True)
    copied.keys += 1


def _spread(source: redis.Redis, target: redis.Redis, name: str) -> None:
    for key in partitions_of(source).each(name):
        for match_id, value in source.hscan_iter(key, count=_PAGE):
            target.hset(partitions_of(target).key(name, match_id.decode()), match_id, value)


def main(arguments: Sequence[str], environ: Mapping[str, str], output: TextIO) -> int:
    """Copy the store of EVENTS_REDIS_URL and PARTITIONS; returns the exit code.

    Raises:
        SystemExit: the arguments are invalid.
    """
    options = _options(arguments)

    def show(copied: Copied) -> None:
        if copied.keys % _SHOWN_EVERY == 0:
            print(f"{copied.keys} keys so far, {copied.there} of them there before", file=output, flush=True)

    try:
        url, ai_grace_s = store_from_env(environ)
        with (
            connect_to_all(url, partitions(environ)) as source,
            divided(connect(options.to), Partitions(options.partitions)) as target,
        ):
            result = move(source, target, ai_grace_s * 1000, show, archive_dir(environ))
    except SettingsError as error:
        print(f"error: {error}", file=output)
        return WRONG_CALL
    except StoreUnavailable as error:
        print(f"error: an event store does not answer ({error}); run it again", file=output)
        return UNAVAILABLE
    for text in result.corrupt:
        print(f"corrupt, as it was before: {text}", file=output)
    print(f"done: {result.rebuilt} matches in {options.partitions} partitions", file=output)
    return SOME_CORRUPT if result.corrupt else DONE


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m events.move",
        description="Copy the event store of EVENTS_REDIS_URL to another one; the service must be stopped.",
        epilog=_EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--to", required=True, metavar="URL", help="the new store, as a user with all rights")
    parser.add_argument(
        "--partitions", type=int, default=1, metavar="N", help="the partitions of the new store (1)"
    )
    options = parser.parse_args(arguments)
    try:
        check_url(options.to)
    except ValueError as error:
        parser.error(f"--to: {error}")
    if not 1 <= options.partitions <= MOST_PARTITIONS:
        parser.error(f"--partitions must be a number from 1 to {MOST_PARTITIONS}")
    return options


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ, sys.stdout))
