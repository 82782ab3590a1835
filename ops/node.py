"""npm packages for development, installed in `.venv` beside those of Python. Node is optional."""

import hashlib
import shutil
import subprocess
from pathlib import Path

KEPT = Path(__file__).parents[1] / ".venv" / "node"
OLDEST_NODE = 20
INSTALL_S = 300


class NodeUnavailable(Exception):
    """Node is missing or too old, or npm cannot install the packages; the text says which."""


def modules(sources: Path) -> Path:
    """The installed packages of a folder that has a `package-lock.json`.

    Raises:
        NodeUnavailable.
    """
    _require_node()
    lock = (sources / "package-lock.json").read_bytes()
    folder = KEPT / hashlib.sha256(lock).hexdigest()[:16]
    if not (folder / "installed").exists():
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(sources / name, folder)
        _install(folder)
        (folder / "installed").touch()
    return folder / "node_modules"


def workshop(sources: Path, folder: Path) -> Path:
    """A copy of the sources in a new folder, beside their installed packages, as tools of Node want it.

    Raises:
        NodeUnavailable.
    """
    packages = modules(sources)
    unwanted = shutil.ignore_patterns("node_modules", "build", "dist")
    shutil.copytree(sources, folder, ignore=unwanted, dirs_exist_ok=True)
    (folder / "node_modules").symlink_to(packages)
    return folder


def _require_node() -> None:
    node = shutil.which("node")
    if not node or not shutil.which("npm"):
        raise NodeUnavailable("node or npm is not installed")
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout.strip()
    if int(version.lstrip("v").partition(".")[0] or 0) < OLDEST_NODE:
        raise NodeUnavailable(f"node {version} is older than {OLDEST_NODE}")


def _install(folder: Path) -> None:
    command = ["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"]
    try:
        subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True, timeout=INSTALL_S)
    except subprocess.TimeoutExpired:
        raise NodeUnavailable(f"npm did not install the packages within {INSTALL_S} s") from None
    except subprocess.CalledProcessError as error:
        raise NodeUnavailable(f"npm cannot install the packages: {error.stderr[-300:]}") from None
