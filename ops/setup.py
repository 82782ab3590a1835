"""Install the locked dependencies, the rules and the client in `.venv`: `python -m ops.setup run|test`.

Runs on a bare Python 3.11. Does nothing if the lock files have not changed.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

VENV = Path(".venv")
VENV_PYTHON = VENV / "bin" / "python"
OURS = {"client": Path("client"), "rules": Path(".")}
"""Our distributions, and the folders of their pyproject.toml."""
COMPILED = [
    "contract",
    "domain",
    "kernel",
    "players",
    "runtime",
    "events",
    "workers",
    "service",
    "ops",
    "client/machi",
]
LOCKS = {"run": ["requirements.lock"], "test": ["requirements.lock", "requirements-dev.lock"]}
TRACING_LOCK = "requirements-tracing.lock"
"""What `make run` installs, too, if it is told where traces go."""


def stamp_path(lock: str) -> Path:
    """The file that records which content of the lock file is installed."""
    return VENV / f"installed-{lock}"


def is_installed(lock: str) -> bool:
    """Whether the present content of the lock file is installed."""
    stamp = stamp_path(lock)
    return stamp.exists() and stamp.read_text() == _digest(lock)


def install(lock: str) -> None:
    """Install a lock file, checking its hashes. Raises: CalledProcessError."""
    print(f"installing {lock}", flush=True)
    pip = [str(VENV_PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--require-hashes", "-r", lock], check=True, stdin=subprocess.DEVNULL)
    stamp_path(lock).write_text(_digest(lock))


def is_ours_installed(name: str) -> bool:
    """Whether the client or the rules are installed from here, with the present pyproject.toml."""
    stamp = stamp_path(name)
    return stamp.exists() and stamp.read_text() == _mark(name)


def install_ours(name: str) -> None:
    """Install the client or the rules as editable, so that changes to their sources take effect at once.

    Needs no network: the lock files contain their dependencies. Raises: CalledProcessError.
    """
    print(f"installing the {name}", flush=True)
    pip = [str(VENV_PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    sources = ["--no-deps", "--no-build-isolation", "--editable", f"{OURS[name].resolve()}"]
    subprocess.run([*pip, *sources], check=True, stdin=subprocess.DEVNULL)
    stamp_path(name).write_text(_mark(name))


def compile_ours() -> None:
    """Write the bytecode of our modules if Python is configured not to write it.

    Otherwise each process of the service would compile hundreds of modules when it starts.
    """
    if not sys.dont_write_bytecode:
        return
    command = [str(VENV_PYTHON), "-m", "compileall", "-q", "-q", *COMPILED]
    subprocess.run(command, check=False, stdin=subprocess.DEVNULL)


def ensure_venv(is_chosen: bool) -> None:
    """Create the environment unless there is a working one.

    A Python that the user chose replaces an environment of another version.

    Raises: CalledProcessError.
    """
    version = _venv_version()
    if version is not None and version >= (3, 11) and not (is_chosen and version != sys.version_info[:2]):
        return
    print(f"creating {VENV} with Python {sys.version.split()[0]}", flush=True)
    shutil.rmtree(VENV, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True, stdin=subprocess.DEVNULL)


def _venv_version() -> tuple[int, ...] | None:
    probe = "import pip, sys; print(*sys.version_info[:2])"
    try:
        printed = subprocess.run([VENV_PYTHON, "-c", probe], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return tuple(int(part) for part in printed.stdout.split())


def _chosen(purpose: str) -> list[str]:
    """The lock files that only some settings need; those of the tests contain them."""
    return [TRACING_LOCK] if purpose == "run" and os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT") else []


def _mark(name: str) -> str:
    """The path of the sources counts, too, because a checkout may have been moved."""
    folder = OURS[name]
    return f"{_digest(str(folder / 'pyproject.toml'))} {folder.resolve()}"


def _digest(lock: str) -> str:
    return hashlib.sha256(Path(lock).read_bytes()).hexdigest()


def main(arguments: list[str]) -> int:
    """Run the command line in the project's root."""
    with open("requirements.lock") as mutex:
        fcntl.flock(mutex, fcntl.LOCK_EX)  # another make may be running this
        try:
            ensure_venv(is_chosen=bool(os.environ.get("PYTHON")))
            for lock in [*LOCKS[arguments[0]], *_chosen(arguments[0])]:
                if not is_installed(lock):
                    install(lock)
            for name in OURS:
                if not is_ours_installed(name):
                    install_ours(name)
            compile_ours()
        except (subprocess.CalledProcessError, OSError) as error:
            print(f"error: setting up {VENV} failed: {error}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
