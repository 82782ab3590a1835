"""The rules, compiled: mypyc turns modules of `domain/` into extension modules, about twice as fast.

It is the same source, and optional: without a C compiler the same modules run interpreted. `make run`
compiles in the background, at the lowest priority, and uses the build from its next start; `make compiled`
compiles at once. A build that is older than the source would hide it, so every start removes such a build.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

BUILDS = ROOT / ".venv" / "compiled"
"""Where `prepare` keeps its build until the next start."""
TOOLS = ROOT / ".venv" / "build-tools"
"""Where it installs the compiler, which the service does not need."""
TOOLS_LOCK = "requirements-build.lock"

LOWEST_PRIORITY = 19

MODULES = (
    "match/chance.py",
    "match/state.py",
    "match/rules.py",
    "match/evolve.py",
    "match/legal.py",
    "match/decide/*.py",
    "luck/tree.py",
    "luck/tracker.py",
)
"""The modules to compile; the rest of `domain/` is data."""

_SETUP = """
from setuptools import setup
from mypyc.build import mypycify
setup(name="domain", packages=[], ext_modules=mypycify(["--strict", *{modules!r}], opt_level="3"))
"""


def source_digest(root: Path) -> str:
    """A digest of all Python files of `domain/`, the modules to compile, and the interpreter's version."""
    total = hashlib.sha256(f"{sys.version} {MODULES}".encode())
    for path in sorted((root / "domain").rglob("*.py")):
        total.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return total.hexdigest()


def built_files(root: Path) -> list[Path]:
    """The extension modules of a build in the tree."""
    return sorted([*(root / "domain").rglob("*.so"), *root.glob("*__mypyc*.so")])


def is_current(root: Path) -> bool:
    """Whether there is a build of the present source."""
    return bool(built_files(root)) and _is_of(root, root)


def drop(root: Path) -> None:
    """Delete the build, so that the modules run interpreted."""
    for path in [*built_files(root), _stamp(root)]:
        path.unlink(missing_ok=True)


def drop_stale(root: Path = ROOT) -> None:
    """Delete a build that is not of the present source."""
    if not is_current(root):
        drop(root)


def build(root: Path = ROOT, target: Path | None = None, environ: Mapping[str, str] = os.environ) -> None:
    """Compile the rules into the tree, or into another folder.

    Raises:
        subprocess.CalledProcessError: there is no C compiler, or it failed.
    """
    target = target or root
    digest = source_digest(root)
    drop(target)
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        ignored = shutil.ignore_patterns("__pycache__", "*.so")
        shutil.copytree(root / "domain", scratch / "domain", ignore=ignored)
        modules = [path for pattern in MODULES for path in sorted((scratch / "domain").glob(pattern))]
        names = [path.relative_to(scratch).as_posix() for path in modules]
        (scratch / "setup.py").write_text(_SETUP.format(modules=names))
        command = [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"]
        subprocess.run(command, cwd=scratch, env=dict(environ), check=True)
        _stamp(scratch).write_text(digest)
        _copy(scratch, target)


def use_prepared(environ: Mapping[str, str], root: Path = ROOT, builds: Path = BUILDS) -> bool:
    """Delete a stale or unwanted build, or copy one that `prepare` made into the tree; whether there is one.

    Raises:
        OSError: the tree is read-only.
    """
    if not is_wanted(environ):
        drop(root)
        return False
    drop_stale(root)
    if not built_files(root) and _is_of(builds, root):
        _copy(builds, root)
    return bool(built_files(root))


def is_wanted(environ: Mapping[str, str]) -> bool:
    """Whether nobody said COMPILE_RULES=no."""
    return environ.get("COMPILE_RULES") != "no"


def can_compile(environ: Mapping[str, str]) -> bool:
    """Whether the rules are to be compiled, and there is a C compiler."""
    return is_wanted(environ) and shutil.which(environ.get("CC") or "cc") is not None


def prepare() -> None:
    """Compile the kernel, and the rules for the next start, unless that is done, or another process does it.

    Raises:
        subprocess.CalledProcessError: the tools could not be installed, or the compiler failed.
    """
    os.nice(LOWEST_PRIORITY)
    BUILDS.mkdir(parents=True, exist_ok=True)
    with open(BUILDS / "lock", "w") as mutex:
        try:
            fcntl.flock(mutex, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
        # Simulations need the kernel, and numba no C compiler. Where it fails, they run the plain functions.
        subprocess.run(
            [sys.executable, "-m", "kernel.engine"], cwd=ROOT, check=False, stdin=subprocess.DEVNULL
        )
        if can_compile(os.environ) and not _is_of(BUILDS, ROOT):
            _install_tools()
            build(ROOT, BUILDS, {**os.environ, "PYTHONPATH": str(TOOLS)})


def _install_tools() -> None:
    lock = (ROOT / TOOLS_LOCK).read_bytes()
    stamp, digest = TOOLS / "installed", hashlib.sha256(lock).hexdigest()
    if stamp.exists() and stamp.read_text() == digest:
        return
    shutil.rmtree(TOOLS, ignore_errors=True)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    what = ["--require-hashes", "--target", str(TOOLS), "-r", TOOLS_LOCK]
    subprocess.run([*pip, *what], cwd=ROOT, check=True, stdin=subprocess.DEVNULL)
    stamp.write_text(digest)


def _is_of(builds: Path, root: Path) -> bool:
    """Whether the folder has a build of the present source of the tree."""
    return _stamp(builds).exists() and _stamp(builds).read_text() == source_digest(root)


def _copy(build: Path, target: Path) -> None:
    """The stamp comes last, so that a copy that was interrupted is not taken for whole."""
    for path in [*built_files(build), _stamp(build)]:
        copy = target / path.relative_to(build)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, copy)


def _stamp(folder: Path) -> Path:
    """The file that says which source a build is of."""
    return folder / "domain" / ".compiled"


def main(arguments: list[str]) -> int:
    """`build`, `prepare`, `drop` or `status`."""
    try:
        if arguments == ["build"]:
            build()
        elif arguments == ["prepare"]:
            prepare()
            return 0
        elif arguments == ["drop"]:
            drop(ROOT)
        elif arguments != ["status"]:
            print("usage: python -m ops.compiled build|prepare|drop|status", file=sys.stderr)
            return 2
    except subprocess.CalledProcessError as error:
        print(f"error: the rules were not compiled (exit code {error.returncode}); they run interpreted")
        return 1
    print("the rules are compiled" if is_current(ROOT) else "the rules are interpreted")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
