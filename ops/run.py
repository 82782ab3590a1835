"""Run the whole service on this machine: `make run`, or `python -m ops.run [PROCFILE]`.

The environment has the settings: HOST (127.0.0.1), PORT (8000), VAR_DIR (./var), WORKERS (1), WATCHDOG_S
(30), LOG_FORMAT and COMPILE_RULES (yes). EVENTS_REDIS_URL, QUEUE_REDIS_URL, MASTER_KEYS and SIGNING_KEYS
replace what is otherwise created here.
"""

import argparse
import errno
import hashlib
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ops import compiled, servers
from ops.child import Child
from ops.console import Console, Form
from ops.lifetime import die_with_parent
from ops.ready import Announcer
from ops.redis_conf import Role, bound, write_private
from ops.supervisor import Supervisor

ROOT = Path(__file__).resolve().parent.parent

URL_NAMES: dict[Role, str] = {"events": "EVENTS_REDIS_URL", "queue": "QUEUE_REDIS_URL"}

MOST_WORKERS = 256
BACKLOG = 2048
"""Connections that wait until a web process accepts them: also while none runs."""
WEB = "web"
ARCHIVER = "archiver"
PID_NAME = "run.pid"

LEAST_WATCHDOG_S = 15
"""Processes send a heartbeat every second, an idle worker every five seconds."""

SHARED_MEMORY = Path("/dev/shm")


class SettingError(Exception):
    """The settings are invalid or cannot be used; the message is one line for the user."""


class UnusableSettingError(SettingError):
    """What a setting names cannot be used now, such as a taken port; a later start may succeed."""


@dataclass(frozen=True, slots=True)
class RunSettings:
    """The settings in the environment."""

    host: str
    port: int
    var_dir: Path
    workers: int
    """Number of workers for built-in players and ladders."""
    own_servers: tuple[Role, ...]
    """The Redis servers to run here, because the environment has no URL for them."""
    log_format: Form
    watchdog_s: int
    """Seconds without a heartbeat after which a process is killed and replaced."""
    metrics_dir: Path
    """Where the processes of a run share their counters."""

    @property
    def url(self) -> str:
        """Where a client on this machine reaches the service."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"


def read_settings(environ: Mapping[str, str]) -> RunSettings:
    """The settings, defaults filled in; an empty value counts as absent. Raises: SettingError."""
    port = environ.get("PORT") or "8000"
    if not (port.isascii() and port.isdigit() and 0 < int(port) < 65536):
        raise SettingError(f"PORT must be a number from 1 to 65535, not {port!r}")
    workers = environ.get("WORKERS") or "1"
    if not (workers.isascii() and workers.isdigit() and 0 < int(workers) <= MOST_WORKERS):
        raise SettingError(f"WORKERS must be a number from 1 to {MOST_WORKERS}, not {workers!r}")
    compiles = environ.get("COMPILE_RULES") or "yes"
    if compiles not in ("yes", "no"):
        raise SettingError(f"COMPILE_RULES must be yes or no, not {compiles!r}")
    var_dir = Path(environ.get("VAR_DIR") or "var").absolute()
    return RunSettings(
        host=environ.get("HOST") or "127.0.0.1",
        port=int(port),
        var_dir=var_dir,
        workers=int(workers),
        own_servers=tuple(role for role, name in URL_NAMES.items() if not _is_given(environ, name)),
        log_format=_log_format(environ),
        watchdog_s=_watchdog_s(environ),
        metrics_dir=_metrics_dir(var_dir),
    )


def _is_given(environ: Mapping[str, str], name: str) -> bool:
    """Whether the processes will find the setting in their environment, or in a file that it names."""
    return bool(environ.get(name) or environ.get(f"{name}_FILE"))


def _watchdog_s(environ: Mapping[str, str]) -> int:
    text = environ.get("WATCHDOG_S") or "30"
    if not (text.isascii() and text.isdigit() and LEAST_WATCHDOG_S <= int(text) <= 86_400):
        raise SettingError(f"WATCHDOG_S must be a number from {LEAST_WATCHDOG_S} to 86400, not {text!r}")
    return int(text)


def _log_format(environ: Mapping[str, str]) -> Form:
    """The format that is set, otherwise text for a terminal and JSON for anything else."""
    wished = environ.get("LOG_FORMAT")
    if wished not in (None, "", "text", "json"):
        raise SettingError(f"LOG_FORMAT must be text or json, not {wished!r}")
    if wished:
        return "json" if wished == "json" else "text"
    return "text" if sys.stdout.isatty() else "json"


def _metrics_dir(var_dir: Path) -> Path:
    """In memory if possible, because a full disk kills a process that writes to a mapped file."""
    if not os.access(SHARED_MEMORY, os.W_OK):
        return var_dir / "metrics"
    digest = hashlib.sha256(os.fsencode(var_dir)).hexdigest()[:16]
    return SHARED_MEMORY / f"machi-{os.getuid()}-{digest}"


def child_environment(
    environ: Mapping[str, str],
    settings: RunSettings,
    urls: Mapping[Role, str],
    keys: Mapping[str, str],
) -> dict[str, str]:
    """The environment of every process of the service.

    `urls` are those of our own servers, `keys` those of `own_keys`.
    """
    return {
        **environ,
        **keys,
        **{URL_NAMES[role]: url for role, url in urls.items()},
        "HOST": settings.host,
        "PORT": str(settings.port),
        "VAR_DIR": str(settings.var_dir),
        "PATH": path_of_python(environ),
        "PYTHONUNBUFFERED": "1",
        "ARCHIVE_DIR": environ.get("ARCHIVE_DIR") or str(settings.var_dir / "archive"),
        "PROMETHEUS_MULTIPROC_DIR": str(settings.metrics_dir),
        "LOG_FORMAT": settings.log_format,
    }


def path_of_python(environ: Mapping[str, str]) -> str:
    """The PATH on which `python` is this one."""
    return f"{Path(sys.executable).parent}{os.pathsep}{environ.get('PATH', os.defpath)}"


def commands(
    procfile: str, own_servers: tuple[Role, ...], workers: int = 1, archives: bool = False
) -> dict[str, str]:
    """The commands of the Procfile by name: all workers, no Redis server that runs elsewhere, and no archiver
    unless matches are to be archived.
    """
    unwanted = {f"{role}-redis" for role in URL_NAMES if role not in own_servers}
    if not archives:
        unwanted.add(ARCHIVER)
    lines = re.findall(r"^([A-Za-z0-9_-]+):\s*(\S.*)$", procfile, re.M)
    found = {name: command for name, command in lines if name not in unwanted}
    return found | {f"worker-{number}": found["worker"] for number in range(2, workers + 1)}


def own_keys(environ: Mapping[str, str], directory: Path) -> dict[str, str]:
    """MASTER_KEYS and SIGNING_KEYS, unless they are set: a key for each, kept in a file in the directory."""
    files = {"MASTER_KEYS": ("k1", "master.key"), "SIGNING_KEYS": ("s1", "signing.key")}
    return {
        name: f"{key_id}:{_load_key(directory / file)}"
        for name, (key_id, file) in files.items()
        if not _is_given(environ, name)
    }


def _load_key(path: Path) -> str:
    """The key in the file, as hex; if there is no file, create one with a new key."""
    if not path.exists():
        write_private(path, secrets.token_hex(32) + "\n")
    return path.read_text().strip()


def run(procfile: Path, environ: Mapping[str, str]) -> int:
    """Run until a signal arrives or a process rejects its settings; return the exit code.

    Raises: SettingError, ServerError, OSError.
    """
    settings = read_settings(environ)
    are_compiled = _use_compiled_rules(environ)
    with _listener(settings) as listener:
        return _run(procfile, environ, settings, listener, are_compiled)


def _run(
    procfile: Path,
    environ: Mapping[str, str],
    settings: RunSettings,
    listener: socket.socket,
    are_compiled: bool,
) -> int:
    prepared, archiver = _prepare(settings, environ)
    prepared["LISTEN_FD"] = str(listener.fileno())
    archives = bool(environ.get("ARCHIVE_AFTER"))
    wanted = commands(procfile.read_text(), settings.own_servers, settings.workers, archives)
    console = Console(sys.stdout.fileno(), settings.log_format)
    announcer = Announcer(settings.url, console)
    children = [
        Child(
            name,
            command,
            prepared | (archiver if name == ARCHIVER else {}),
            procfile.parent,
            console,
            settings.watchdog_s,
            files,
        )
        for name, command in wanted.items()
        for files in [[listener.fileno()] if name == WEB else []]
    ]
    stores = {f"{role}-redis": prepared[URL_NAMES[role]] for role in settings.own_servers}
    compiler = _compile(environ, console, are_compiled)
    pid_file = settings.var_dir / PID_NAME
    pid_file.write_text(f"{os.getpid()}\n")
    try:
        return Supervisor(
            children,
            stores,
            console,
            announcer.announce,
            partial(_use_compiled_rules, environ),
            listener.close,
            environ.get("NOTIFY_SOCKET", ""),
        ).run()
    finally:
        pid_file.unlink(missing_ok=True)
        if compiler is not None:
            _end(compiler)
        console.close()
        shutil.rmtree(settings.metrics_dir, ignore_errors=True)


def _use_compiled_rules(environ: Mapping[str, str]) -> bool:
    """Whether the processes will use compiled rules: it is of the present source, and can be read."""
    try:
        return compiled.use_prepared(environ)
    except OSError:
        return False


def _compile(
    environ: Mapping[str, str], console: Console, are_compiled: bool
) -> subprocess.Popen[bytes] | None:
    """Compile in the background what is not compiled yet; None if that is impossible or unwanted."""
    if not compiled.is_wanted(environ):
        return None
    parent_pid = os.getpid()
    try:
        compiled.BUILDS.mkdir(parents=True, exist_ok=True)
        with (compiled.BUILDS / "log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "ops.compiled", "prepare"],
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                process_group=0,
                preexec_fn=lambda: die_with_parent(parent_pid),
            )
    except OSError:
        return None
    if not are_compiled and compiled.can_compile(environ):
        console.say(
            "compiling the rules in the background for the next start (COMPILE_RULES=no turns this off)"
        )
    return process


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the process with all that it has started."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _listener(settings: RunSettings) -> socket.socket:
    """The socket on which all web processes of the run accept connections.

    It is this process's, so connections wait while a web process is replaced and none is refused.
    """
    try:
        listener = bound(settings.host, settings.port)
        listener.listen(BACKLOG)
    except OSError as error:
        where = f"HOST={settings.host} PORT={settings.port}"
        problem = f"cannot listen at {where}: {error.strerror}"
        if error.errno == errno.EADDRINUSE:
            problem = f"port {settings.port} on {settings.host} is taken; choose another with PORT=..."
        raise UnusableSettingError(problem) from error
    return listener


def _prepare(settings: RunSettings, environ: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """The environment of every process, and what only the archiver has: the right to remove streams."""
    try:
        settings.var_dir.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnusableSettingError(f"cannot use VAR_DIR={settings.var_dir}: {error.strerror}") from error
    redis_dir = settings.var_dir / "redis"
    addresses = {role: servers.prepare(role, redis_dir / role) for role in settings.own_servers}
    urls = {role: address.url for role, address in addresses.items()}
    archiver = {"ARCHIVE_REDIS_URL": addresses["events"].admin_url} if "events" in addresses else {}
    # Counters of the previous run: another release may count other things.
    shutil.rmtree(settings.metrics_dir, ignore_errors=True)
    settings.metrics_dir.mkdir(mode=0o700, parents=True)
    keys = own_keys(environ, settings.var_dir)
    return child_environment(environ, settings, urls, keys), archiver


def refuse(error: Exception) -> int:
    """Print the error and return the exit code, which is EX_CONFIG if a restart would not help."""
    print(f"error: {error}", file=sys.stderr)
    is_invalid = isinstance(error, SettingError) and not isinstance(error, UnusableSettingError)
    return os.EX_CONFIG if is_invalid else 1


def main(arguments: list[str]) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser("python -m ops.run", description=__doc__)
    parser.add_argument("procfile", nargs="?", type=Path, default=ROOT / "Procfile", help="what to run")
    options = parser.parse_args(arguments)
    if "MAKELEVEL" in os.environ:  # a killed make cannot pass the signal on
        die_with_parent(os.getppid(), signal.SIGTERM)
    try:
        return run(options.procfile.absolute(), os.environ)
    except (SettingError, servers.ServerError, OSError) as error:
        return refuse(error)
    except KeyboardInterrupt:
        return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
