"""Copies what the service must not lose, while it runs, and puts it back: `python -m ops.backup take DIR`.

For the service of `make run`, whose data are in VAR_DIR: the event store, the keys, and the archived matches.
The queue is not copied: it is filled again.
"""

import argparse
import os
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ops import servers
from ops.redis_conf import SERVER_NAME, address_in

if TYPE_CHECKING:
    import redis

KEYS = ("master.key", "signing.key")
EVENTS = Path("redis") / "events"
FILES = "appendonlydir"
ARCHIVE = "archive"
REWRITTEN_WITHIN_S = 600.0
PAUSE_S = 0.2


class BackupError(Exception):
    """Nothing was copied, or not everything; the message is one line for the operator."""


def take(var_dir: Path, directory: Path) -> None:
    """Copy everything to a new directory; the service may be running, and be in use.

    What was acknowledged before the call is in the copy, and perhaps some of what followed.

    Raises: BackupError, OSError.
    """
    if directory.exists():
        raise BackupError(f"{directory} exists already")
    if not (var_dir / EVENTS / FILES).is_dir():
        raise BackupError(f"there is no event store in {var_dir}")
    new = directory.with_name(f"{directory.name}.new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(mode=0o700, parents=True)
    for name in KEYS:
        if (var_dir / name).exists():
            shutil.copy2(var_dir / name, new / name)
    with _no_rewrites(var_dir / EVENTS):
        # A command that is being written is cut short in the copy, and the server drops it when it loads.
        shutil.copytree(var_dir / EVENTS / FILES, new / EVENTS / FILES)
    shutil.copy2(var_dir / EVENTS / SERVER_NAME, new / EVENTS / SERVER_NAME)
    if (var_dir / ARCHIVE).is_dir():  # after the store, so that every file that this names is there
        shutil.copytree(var_dir / ARCHIVE, new / ARCHIVE)
    new.replace(directory)


def restore(directory: Path, var_dir: Path) -> None:
    """Copy everything back, to where no event store is.

    Raises: BackupError, OSError.
    """
    if not (directory / EVENTS / FILES).is_dir():
        raise BackupError(f"there is no backup in {directory}")
    if (var_dir / EVENTS / FILES).exists():
        raise BackupError(f"there is an event store in {var_dir}: move it away first")
    var_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    shutil.copytree(directory, var_dir, dirs_exist_ok=True)


@contextmanager
def _no_rewrites(data_dir: Path) -> Iterator[None]:
    """Keep a running server from replacing its files meanwhile; nothing is to be done without one."""
    import redis

    address = address_in(data_dir)
    if address is None or not servers.answers_ping(address.admin_url):
        lock = servers.take_lock(data_dir)
        try:
            yield
        finally:
            os.close(lock)
        return
    with redis.Redis.from_url(address.admin_url) as admin:
        before = admin.config_get("auto-aof-rewrite-percentage")["auto-aof-rewrite-percentage"]
        admin.config_set("auto-aof-rewrite-percentage", 0)
        try:
            _wait_for_the_rewrite(admin)
            yield
        finally:
            admin.config_set("auto-aof-rewrite-percentage", before)


def _wait_for_the_rewrite(admin: "redis.Redis") -> None:
    ends_s = time.monotonic() + REWRITTEN_WITHIN_S
    while (info := admin.info("persistence"))["aof_rewrite_in_progress"] or info["aof_rewrite_scheduled"]:
        if time.monotonic() > ends_s:
            raise BackupError(f"the server rewrites its file for more than {REWRITTEN_WITHIN_S:.0f} s")
        time.sleep(PAUSE_S)


def main(arguments: list[str]) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser("python -m ops.backup", description=__doc__)
    parser.add_argument("task", choices=("take", "restore"))
    parser.add_argument("directory", type=Path, help="where the backup is or will be")
    options = parser.parse_args(arguments)
    var_dir = Path(os.environ.get("VAR_DIR") or "var").absolute()
    try:
        if options.task == "take":
            take(var_dir, options.directory)
        else:
            restore(options.directory, var_dir)
    except (BackupError, servers.ServerError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"{options.directory}: done")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
