"""The files of the pages: scripts, styles, drawings, and the texts in five languages.

The address of a file contains a digest of all files, so that browsers may keep them for ever and never mix
those of two releases. Modules import each other by relative addresses; nothing is built or bundled.
"""

import hashlib
import re
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

FOLDER: Final = Path(__file__).parent / "assets"

_MEDIA_TYPES: Final = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".json": "application/json",
    ".svg": "image/svg+xml",
}
_IMPORT: Final = re.compile(r'^(?:import|export) [^"]*"(\.[^"]+)";', re.MULTILINE)


class Asset(NamedTuple):
    """A file of the pages."""

    body: bytes
    media_type: str


@cache
def assets() -> dict[str, Asset]:
    """All files by their paths in the folder, such as `js/home.js`."""
    return {
        path.relative_to(FOLDER).as_posix(): Asset(path.read_bytes(), _MEDIA_TYPES[path.suffix])
        for path in sorted(FOLDER.rglob("*"))
        if path.suffix in _MEDIA_TYPES
    }


@cache
def digest() -> str:
    """16 hex digits that change with any file."""
    total = hashlib.sha256()
    for name, asset in assets().items():
        total.update(b"%b\0%d\0%b" % (name.encode(), len(asset.body), asset.body))
    return total.hexdigest()[:16]


@cache
def languages() -> list[str]:
    """The languages that there are texts in."""
    return [Path(name).stem for name in assets() if Path(name).parent.name == "languages"]


@cache
def modules_of(name: str) -> list[str]:
    """A module and all modules that it imports, itself first, so that the browser can request all at once."""
    found = [name]
    for one in found:
        folder = Path(one).parent
        for address in _IMPORT.findall(assets()[one].body.decode()):
            path = (FOLDER / folder / address).resolve().relative_to(FOLDER.resolve()).as_posix()
            if path not in found:
                found.append(path)
    return found
