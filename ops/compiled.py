"""The rules, compiled: `make compiled` turns `domain/` into extension modules with mypyc, about twice as
fast.

It is the same source, and optional: without a C compiler, or without this step, the same modules run
interpreted.
A build that is older than the source would hide it, so every start throws such a build away.
"""

import hashlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

MODULES = (
    "match/state.py",
    "match/rules.py",
    "match/evolve.py",
    "match/legal.py",
    "match/invariants.py",
    "match/decide/*.py",
    "luck/tree.py",
    "luck/tracker.py",
)
"""What is compiled; the rest of `domain/` is data."""

_SETUP = """
from setuptools import setup
from mypyc.build import mypycify
setup(name="domain", packages=[], ext_modules=mypycify(["--strict", *{modules!r}], opt_level="3"))
"""


def source_digest(root: Path) -> str:
    """A digest of all Python files of `domain/` and of the interpreter that would run them."""
    total = hashlib.sha256(sys.version.encode())
    for path in sorted((root / "domain").rglob("*.py")):
        total.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return total.hexdigest()


def built_files(root: Path) -> list[Path]:
    """The extension modules that a build has left in the tree."""
    return sorted([*(root / "domain").rglob("*.so"), *root.glob("*__mypyc*.so")])


def is_current(root: Path) -> bool:
    """Whether there is a build, and it is of the source as it stands."""
    stamp = root / "domain" / ".compiled"
    return bool(built_files(root)) and stamp.exists() and stamp.read_text() == source_digest(root)


def drop(root: Path) -> None:
    """Go back to the interpreted modules."""
    for path in [*built_files(root), root / "domain" / ".compiled"]:
        path.unlink(missing_ok=True)


def drop_stale(root: Path = ROOT) -> None:
    """Throw a build away that is not of the source as it stands."""
    if not is_current(root):
        drop(root)


def build(root: Path = ROOT) -> None:
    """Compile the rules into the tree.

    Raises:
        subprocess.CalledProcessError: there is no C compiler, or it failed.
    """
    drop(root)
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        shutil.copytree(root / "domain", scratch / "domain", ignore=shutil.ignore_patterns("__pycache__"))
        modules = [path for pattern in MODULES for path in sorted((scratch / "domain").glob(pattern))]
        names = [path.relative_to(scratch).as_posix() for path in modules]
        (scratch / "setup.py").write_text(_SETUP.format(modules=names))
        command = [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"]
        subprocess.run(command, cwd=scratch, check=True)
        for path in built_files(scratch):
            shutil.copy2(path, root / path.relative_to(scratch))
    (root / "domain" / ".compiled").write_text(source_digest(root))


def main(arguments: list[str]) -> int:
    """`build`, `drop` or `status`."""
    if arguments == ["build"]:
        try:
            build()
        except subprocess.CalledProcessError as error:
            print(f"error: the rules were not compiled (exit code {error.returncode}); they run interpreted")
            return 1
    elif arguments == ["drop"]:
        drop(ROOT)
    elif arguments != ["status"]:
        print("usage: python -m ops.compiled build|drop|status", file=sys.stderr)
        return 2
    print("the rules are compiled" if is_current(ROOT) else "the rules are interpreted")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
