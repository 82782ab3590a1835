"""Moves matches that ended long ago from Redis to files: `python -m events.archive --older-than 30d`.

For operators, who can stop it at any time and run it again to continue. With `--every` it stays and does so
again and again, as a process of the service. `--restore` moves a match back.
"""

import argparse
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Final, TextIO

import redis

from events.archive.ended import ended_before
from events.archive.places import place_of
from events.archive.reader import Archive
from events.archive.transfer import (
    OBJECTIONS,
    Moved,
    archive,
    may_remove_streams,
    memory_of,
    movable,
    restore,
)
from events.store.client import connect_to_all
from events.store.errors import (
    MatchNotFound,
    NotMoved,
    RulesChanged,
    StoreError,
    StoreUnavailable,
    StreamCorrupt,
)
from events.store.keys import now_ms
from runtime.settings import (
    Bucket,
    SettingsError,
    age_s,
    archive_after_s,
    archive_dir,
    archiver_url,
    notify_socket,
    partitions,
)
from runtime.watchdog import Watchdog

DONE, SOME_LEFT, WRONG_CALL, UNAVAILABLE = 0, 1, 2, 3
_EXIT_CODES: Final = """\
exit codes:
  0    everything was done
  1    some matches could not be moved; each is named
  2    invalid arguments or settings; nothing was done
  3    the event store or ARCHIVE_DIR could not be used, or another run is in progress; run it again
  78   with --every: invalid settings
  130  stopped by SIGINT after a match, 143 by SIGTERM; run it again to continue
"""
_SHOWN_EVERY: Final = 100
_RETRY_S: Final = 60.0
"""With `--every`: the longest pause after a run that could not begin or go on."""
_LOOK_S: Final = 1.0


class StopSignal:
    """A signal handler that ends a run after the current match."""

    def __init__(self) -> None:
        self.signal_number = 0
        """The number of the received signal; 0 without one."""
        self._arrived = threading.Event()

    def __call__(self, signal_number: int, frame: object = None) -> None:
        self.signal_number = signal_number
        self._arrived.set()

    def wait(self, seconds: float) -> bool:
        """Wait for the signal; whether it has arrived."""
        return self._arrived.wait(seconds)


class Tally:
    """Counts what a run has moved, and prints its progress."""

    def __init__(self, output: TextIO, watchdog: Watchdog, said: set[str] | None = None) -> None:
        """`watchdog` hears of each match. What is in `said` was printed before and is not printed again; with
        it, totals are only printed if a match was moved."""
        self._output = output
        self._watchdog = watchdog
        self._said = said
        self.count = 0
        """The number of archived matches."""
        self.left = 0
        """The number of matches that could not be archived."""
        self._redis_bytes = 0
        self._file_bytes = 0

    def add(self, result: Moved | StoreError) -> None:
        self._watchdog.beat()
        if isinstance(result, StoreError):
            self.left += 1
            self._print_once(f"left as it was: {result}")
            return
        self.count += 1
        self._redis_bytes += result.redis_bytes
        self._file_bytes += result.file_bytes
        if self.count % _SHOWN_EVERY == 0:
            self._print(f"{self.count} matches so far")

    def print_totals(self, is_dry: bool) -> None:
        if self._said is not None and not self.count:
            return
        done = "would be archived" if is_dry else "archived"
        became = "in Redis" if is_dry else f"in Redis became {self._file_bytes:,} in files"
        self._print(f"{self.count} matches {done}, {self.left} left; {self._redis_bytes:,} bytes {became}")

    def _print_once(self, text: str) -> None:
        if self._said is None:
            self._print(text)
        elif text not in self._said:
            self._said.add(text)
            self._print(text)

    def _print(self, text: str) -> None:
        print(text, file=self._output, flush=True)


def main(
    arguments: Sequence[str],
    environ: Mapping[str, str],
    output: TextIO,
    stop: StopSignal | None = None,
    now: Callable[[], int] = now_ms,
) -> int:
    """Archive or restore matches with the settings of the service.

    Returns the exit code.

    Raises:
        SystemExit: the arguments are invalid.
    """
    options = _options(arguments, environ)
    stop = stop or StopSignal()
    watchdog = Watchdog(notify_socket(environ))
    if options.every is None:
        return _once(options, environ, output, stop, now, watchdog)
    said: set[str] = set()
    while True:
        code = _once(options, environ, output, stop, now, watchdog, said)
        if code == WRONG_CALL:
            return os.EX_CONFIG
        pause_s = min(options.every, _RETRY_S) if code == UNAVAILABLE else options.every
        ends_s = time.monotonic() + pause_s
        while not stop.signal_number and time.monotonic() < ends_s:
            watchdog.beat()
            stop.wait(min(_LOOK_S, max(0.0, ends_s - time.monotonic())))
        if stop.signal_number:
            return 128 + stop.signal_number


def _once(
    options: argparse.Namespace,
    environ: Mapping[str, str],
    output: TextIO,
    stop: StopSignal,
    now: Callable[[], int],
    watchdog: Watchdog,
    said: set[str] | None = None,
) -> int:
    """One run; its exit code."""
    try:
        url, where = archiver_url(environ), archive_dir(environ)
        if where is None:
            raise SettingsError("ARCHIVE_DIR is not set")
        with connect_to_all(url, partitions(environ)) as client:
            if options.restore is not None:
                return _restore(client, where, options.restore, output)
            after_s = archive_after_s(environ) if options.older_than is None else options.older_than
            cutoff_ms = max(0, now() - after_s * 1000)
            tally = Tally(output, watchdog, said)
            return _archive(client, where, cutoff_ms, options, tally, stop)
    except SettingsError as error:
        print(f"error: {error}", file=output, flush=True)
        return WRONG_CALL
    except StoreUnavailable as error:
        again = "run it again" if options.every is None else "it is tried again"
        print(f"error: the event store does not answer ({error}); {again}", file=output, flush=True)
        return UNAVAILABLE
    except OSError as error:
        print(f"error: {error}", file=output, flush=True)
        return UNAVAILABLE


def _options(arguments: Sequence[str], environ: Mapping[str, str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m events.archive",
        description="Move matches that ended long ago from Redis to files in ARCHIVE_DIR, or one back.",
        epilog=_EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    task = parser.add_mutually_exclusive_group()
    task.add_argument(
        "--older-than",
        type=_age_s,
        metavar="AGE",
        help="minimum age, such as 30d (units: s, m, h, d, w); by default ARCHIVE_AFTER",
    )
    task.add_argument("--restore", metavar="MATCH_ID", help="restore this match to Redis")
    parser.add_argument("--limit", type=_count, metavar="N", help="maximum number of matches to archive")
    parser.add_argument("--dry-run", action="store_true", help="check the matches without moving them")
    parser.add_argument(
        "--every", type=_age_s, metavar="AGE", help="do not end, but archive again after this time"
    )
    options = parser.parse_args(arguments)
    if options.restore is not None:
        if options.limit or options.dry_run or options.every:
            parser.error("--limit, --dry-run and --every go with --older-than")
    elif options.older_than is None and not environ.get("ARCHIVE_AFTER"):
        parser.error("one of --older-than, --restore and the setting ARCHIVE_AFTER is needed")
    if options.every == 0:
        parser.error("--every must be longer than nothing")
    return options


def _age_s(text: str) -> int:
    try:
        return age_s(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number")
    return int(text)


def _restore(client: redis.Redis, where: Path | Bucket, match_id: str, output: TextIO) -> int:
    try:
        version = restore(client, Archive(where), match_id)
    except (NotMoved, RulesChanged, StreamCorrupt) as error:
        print(f"left as it was: {error}", file=output)
        return SOME_LEFT
    print(f"match {match_id!r} is in Redis again, at version {version}", file=output)
    return DONE


def _archive(
    client: redis.Redis,
    where: Path | Bucket,
    cutoff_ms: int,
    options: argparse.Namespace,
    tally: Tally,
    stop: StopSignal,
) -> int:
    if not options.dry_run and not may_remove_streams(client):
        raise SettingsError("the user of EVENTS_REDIS_URL may not remove streams; see docs/operations.md")
    place = place_of(where)
    step = (
        partial(_weighed, client)
        if options.dry_run
        else partial(archive, client, place, objections=OBJECTIONS)
    )
    with nullcontext() if options.dry_run else place.alone():
        try:
            _run(ended_before(client, cutoff_ms), step, tally, options.limit, stop)
        finally:
            tally.print_totals(options.dry_run)
    if stop.signal_number:
        return 128 + stop.signal_number
    return SOME_LEFT if tally.left else DONE


def _run(
    match_ids: Iterable[str], step: Callable[[str], Moved], tally: Tally, limit: int | None, stop: StopSignal
) -> None:
    """Apply the step to one match after the other."""
    for match_id in match_ids:
        if stop.signal_number or tally.count == limit:
            return
        try:
            tally.add(step(match_id))
        except (MatchNotFound, NotMoved, RulesChanged, StreamCorrupt) as error:
            tally.add(error)


def _weighed(client: redis.Redis, match_id: str) -> Moved:
    """The memory that archiving the match would free. Raises: see `events.archive.transfer.archive`."""
    movable(client, match_id, OBJECTIONS)
    return Moved(memory_of(client, match_id), 0)


def _main() -> int:
    stop = StopSignal()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    return main(sys.argv[1:], os.environ, sys.stdout, stop)


if __name__ == "__main__":
    sys.exit(_main())
