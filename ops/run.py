"""Run the whole service on this machine: `make run`, or `python -m ops.run [PROCFILE]`.

Settings come from the environment: HOST (127.0.0.1), PORT (8000), VAR_DIR (./var), WORKERS (1), and,
if they are not to be made here, EVENTS_REDIS_URL, QUEUE_REDIS_URL, MASTER_KEYS and SIGNING_KEYS.
"""

import contextlib
import os
import secrets
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import honcho.manager
from honcho.environ import parse_procfile
from honcho.manager import Manager
from honcho.process import Process

from ops import compiled, keep, servers
from ops.lifetime import die_with_parent
from ops.redis_conf import Role, is_free, write_private

ROOT = Path(__file__).resolve().parent.parent

# Longer than a keeper takes at most: first the others stop, then the Redis servers.
honcho.manager.KILL_WAIT = keep.OTHERS_DEADLINE_S + keep.STOP_DEADLINE_S

URL_NAMES: dict[Role, str] = {"events": "EVENTS_REDIS_URL", "queue": "QUEUE_REDIS_URL"}

MOST_WORKERS = 256

URL_SCHEMES = ("redis://", "rediss://", "unix://")


class SettingError(Exception):
    """The service cannot be started as wished; the message is one line for the user."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the environment asks for."""

    host: str
    port: int
    var_dir: Path
    workers: int
    """As many workers play built-in seats and ladders."""
    own_servers: tuple[Role, ...]
    """The Redis servers to run here, because no URL was given for them."""

    @property
    def url(self) -> str:
        """Where a client on this machine reaches the service."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"


def read_settings(environ: Mapping[str, str]) -> Settings:
    """The settings, defaults filled in; an empty value counts as absent. Raises: SettingError."""
    port = environ.get("PORT") or "8000"
    if not (port.isascii() and port.isdigit() and 0 < int(port) < 65536):
        raise SettingError(f"PORT must be a number from 1 to 65535, not {port!r}")
    workers = environ.get("WORKERS") or "1"
    if not (workers.isascii() and workers.isdigit() and 0 < int(workers) <= MOST_WORKERS):
        raise SettingError(f"WORKERS must be a number from 1 to {MOST_WORKERS}, not {workers!r}")
    for name in URL_NAMES.values():
        # The value is not repeated: it may hold a password.
        if environ.get(name) and not environ[name].startswith(URL_SCHEMES):
            raise SettingError(f"{name} must start with one of: {' '.join(URL_SCHEMES)}")
    return Settings(
        host=environ.get("HOST") or "127.0.0.1",
        port=int(port),
        var_dir=Path(environ.get("VAR_DIR") or "var").absolute(),
        workers=int(workers),
        own_servers=tuple(role for role, name in URL_NAMES.items() if not environ.get(name)),
    )


def child_environment(
    environ: Mapping[str, str],
    settings: Settings,
    urls: Mapping[Role, str],
    new_master_key: str,
    new_signing_key: str,
) -> dict[str, str]:
    """The environment of every process of the service.

    `urls` are those of our own servers. The new keys are used if MASTER_KEYS or SIGNING_KEYS is absent.
    """
    return {
        **environ,
        **{URL_NAMES[role]: url for role, url in urls.items()},
        "HOST": settings.host,
        "PORT": str(settings.port),
        "VAR_DIR": str(settings.var_dir),
        "MASTER_KEYS": environ.get("MASTER_KEYS") or f"k1:{new_master_key}",
        "SIGNING_KEYS": environ.get("SIGNING_KEYS") or f"s1:{new_signing_key}",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{environ.get('PATH', os.defpath)}",
        "PYTHONUNBUFFERED": "1",
        "ARCHIVE_DIR": environ.get("ARCHIVE_DIR") or str(settings.var_dir / "archive"),
        "PROMETHEUS_MULTIPROC_DIR": str(metrics_dir(settings)),
        keep.RUN_PID: str(os.getpid()),
        keep.RUN_LOCK: str(settings.var_dir / "run.lock"),
    }


def metrics_dir(settings: Settings) -> Path:
    """Where the processes of a run count together."""
    return settings.var_dir / "metrics"


def commands(procfile: str, own_servers: tuple[Role, ...], workers: int = 1) -> dict[str, str]:
    """The Procfile's commands by name, with so many workers and without Redis servers that run elsewhere."""
    foreign = {f"{role}-redis" for role in URL_NAMES if role not in own_servers}
    processes: dict[str, str] = parse_procfile(procfile).processes
    found = {name: command for name, command in processes.items() if name not in foreign}
    return found | {f"worker-{number}": found["worker"] for number in range(2, workers + 1)}


def load_key(path: Path) -> str:
    """The key in the file, as hex; a new one is made if there is no file."""
    if not path.exists():
        write_private(path, secrets.token_hex(32) + "\n")
    return path.read_text().strip()


class Forwarder(Process):  # type: ignore[misc]  # honcho has no types
    """Passes on what a command prints, and ends with the command even if the runner was killed.

    As published, it does not end before somebody has read all that it passed on.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._runner_pid = os.getpid()

    def _send_message(self, data: object, type: str = "line") -> None:
        if os.getppid() == self._runner_pid:
            super()._send_message(data, type)
        else:
            self._events.cancel_join_thread()


class Runner(Manager):  # type: ignore[misc]  # honcho has no types
    """A honcho manager that can be stopped while it is still starting, and says little.

    As published, a signal before the last process has started raises KeyError.
    """

    def __init__(self) -> None:
        super().__init__()
        self._process_ctor = Forwarder

    def _system_print(self, data: str) -> None:
        # Each keeper says when its process is up; here only the ends are news.
        if " stopped (" in data:
            super()._system_print(data)

    def terminate(self) -> None:
        """Stop all processes, as soon as all have started."""
        if self._all_started():
            super().terminate()
        else:
            signal.signal(signal.SIGALRM, lambda *_: self.terminate())
            signal.setitimer(signal.ITIMER_REAL, 0.1)


def run(procfile: Path, environ: Mapping[str, str]) -> int:
    """Run until a signal comes or a process gives up; the exit code.

    Raises: SettingError, ServerError, OSError.
    """
    settings = read_settings(environ)
    compiled.drop_stale()
    _check_port(settings)
    prepared = _prepare(settings, environ)
    runner = Runner()
    for name, command in commands(procfile.read_text(), settings.own_servers, settings.workers).items():
        runner.add_process(name, command, env=prepared, cwd=str(procfile.parent))
    with _announcing(settings.url):
        runner.loop()
    was_asked = runner.returncode in (128 + signal.SIGINT, 128 + signal.SIGTERM)
    return 0 if was_asked else runner.returncode or 1


def _check_port(settings: Settings) -> None:
    try:
        free = is_free(settings.host, settings.port)
    except OSError as error:
        where = f"HOST={settings.host} PORT={settings.port}"
        raise SettingError(f"cannot listen at {where}: {error.strerror}") from error
    if not free:
        raise SettingError(f"port {settings.port} on {settings.host} is taken; choose another with PORT=...")


def _prepare(settings: Settings, environ: Mapping[str, str]) -> dict[str, str]:
    try:
        settings.var_dir.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingError(f"cannot use VAR_DIR={settings.var_dir}: {error.strerror}") from error
    redis_dir = settings.var_dir / "redis"
    urls = {role: servers.prepare(role, redis_dir / role).url for role in settings.own_servers}
    # What the run before has counted: another release may count other things.
    shutil.rmtree(metrics_dir(settings), ignore_errors=True)
    master_key = "" if environ.get("MASTER_KEYS") else load_key(settings.var_dir / "master.key")
    signing_key = "" if environ.get("SIGNING_KEYS") else load_key(settings.var_dir / "signing.key")
    return child_environment(environ, settings, urls, master_key, signing_key)


@contextlib.contextmanager
def _announcing(url: str) -> Iterator[None]:
    # A process and not a thread, since honcho forks; out of reach of the terminal's Ctrl-C.
    command = [sys.executable, "-m", "ops.ready", url]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, start_new_session=True) as poller:
        try:
            yield
        finally:
            poller.terminate()


def main(arguments: list[str]) -> int:
    """Run the command line."""
    if "MAKELEVEL" in os.environ:  # a killed make cannot pass the signal on
        die_with_parent(os.getppid(), signal.SIGTERM)
    procfile = Path(arguments[0]).absolute() if arguments else ROOT / "Procfile"
    try:
        return run(procfile, os.environ)
    except (SettingError, servers.ServerError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
