"""Files of matches to verify."""

import json
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from ops.run import ROOT
from tests.golden import vectors
from tests.golden.exports import (
    Line,
    Played,
    checkpoint_of,
    lines_of,
    matches,
    written,
)

KEYS = str(vectors.FOLDER / "signing-keys.json")


BASE = str(vectors.FOLDER / "base.ndjson")


MATCH = "mat_00000000000000000000000001"


DEADLINE_S = 60.0


def short(count: int = 1) -> list[Played]:
    """Matches that are given up soon."""
    return list(matches(count, most=40, resigns=True))


def signed(played: Played) -> list[Line]:
    return lines_of(played, checkpoint_of(played))


def file_of(name: str, groups: Iterable[list[Line]], pack: Callable[[bytes], bytes] = bytes) -> str:
    Path(name).write_bytes(pack(b"".join(written(lines) for lines in groups)))
    return name


def told(line: str) -> dict[str, Any]:
    members: dict[str, Any] = json.loads(line)
    return members


def machi(*words: str) -> list[str]:
    """`machi` in a process that Ctrl-C reaches, however the tests were started."""
    start = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from machi.cli import main; main()"
    )
    return [sys.executable, "-c", start, *words]


def environ() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": f"{ROOT / 'client'}:{ROOT}"}
