"""A verifier that was written from the documents alone agrees with the rules on a thousand matches."""

import base64
import gzip
import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from io import BufferedReader, BytesIO
from pathlib import Path
from types import ModuleType

import pytest

from domain.audit.files import read_exports
from domain.audit.verify import verify
from events.checkpoints.signatures import is_signed
from tests.e2e.many_matches import matches
from tests.golden import vectors
from tests.golden.exports import KEY_ID, PUBLIC_KEY, written

SOURCE = Path(__file__).parents[2] / "docs" / "verify_match.py"
FORGED = vectors.FOLDER / "forged.json"
PARTS = 25
DEADLINE_S = 60


@pytest.fixture(scope="module")
def stranger() -> Iterator[ModuleType]:
    spec = importlib.util.spec_from_file_location("verify_match", SOURCE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["verify_match"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["verify_match"]


def is_good(key_id: str, message: bytes, signature: str) -> bool:
    return key_id == KEY_ID and is_signed(base64.b64decode(PUBLIC_KEY), message, signature)


def ours(lines: Iterable[bytes]) -> bool:
    """Whether our audit finds no fault; the origins of branches are not at hand."""
    (evidence,) = read_exports(lines)
    return verify(evidence, is_good).verdict != "failed"


@pytest.mark.parametrize(
    "part", [0, *[pytest.param(part, marks=pytest.mark.long) for part in range(1, PARTS)]]
)
def test_it_agrees_on_a_thousand_matches(stranger: ModuleType, part: int) -> None:
    count = 1000 // PARTS
    for exported in matches(count, part * count):
        lines = written(exported.lines).splitlines()
        ((match_id, verdict, fault),) = stranger.verify(BufferedReader(BytesIO(written(exported.lines))))
        assert verdict == ("failed" if fault else "verified")
        assert (match_id, not fault) == (exported.lines[0]["match_id"], ours(lines)), (
            fault,
            exported.forgery,
        )
        assert bool(fault) == bool(exported.forgery), (fault, exported.forgery)


def ended(words: Sequence[str], text: bytes = b"") -> tuple[int, list[str]]:
    """How it ends as a program of its own, and what it prints of each match."""
    command = [sys.executable, "-W", "error", str(SOURCE), *words]
    done = subprocess.run(command, input=text, capture_output=True, timeout=DEADLINE_S, check=False)
    return done.returncode, done.stdout.decode().splitlines()


VECTORS = [str(vectors.FOLDER / f"{name}.ndjson") for name in vectors.RECIPES]


def test_it_ends_with_0_where_all_is_verified() -> None:
    code, lines = ended(VECTORS)
    assert (code, [line.split()[2] for line in lines]) == (0, ["verified"] * len(VECTORS))
    together = b"\n".join(Path(file).read_bytes() for file in VECTORS)
    for words, text in (([], together), (["-"], gzip.compress(together))):
        assert ended(words, text)[0] == 0


@pytest.mark.parametrize(
    ("kinds", "code"), [("v", 0), ("vi", 2), ("iu", 3), ("ui", 3), ("ufi", 1), ("vf", 1), ("n", 3), ("vn", 3)]
)
def test_the_worst_of_several_files_decides_how_it_ends(kinds: str, code: int, tmp_path: Path) -> None:
    lines = Path(VECTORS[0]).read_bytes().splitlines(keepends=True)
    content = {
        "v": lines,
        "i": lines[:-1],
        "f": [*lines[:-1], lines[-1].replace(b'"signature":"', b'"signature":"AAAA', 1)],
        "u": lines[1:],
    }
    for kind, one in content.items():
        (tmp_path / kind).write_bytes(b"".join(one))
    assert ended([str(tmp_path / kind) for kind in kinds])[0] == code


def test_it_ends_with_2_where_it_is_used_wrongly() -> None:
    assert ended(["--keys", VECTORS[0]])[0] == 2


def test_it_keeps_no_more_than_a_match_can_have() -> None:
    for text in (b"\n" * 10_000_000, b" " * 1_000_000, b'{"kind":"event"}\n' * 500_000):
        code, lines = ended([], gzip.compress(text))
        assert (code, lines) == (3, ["- - unreadable more than a match can have"])


def test_it_finds_every_forged_twin_that_needs_no_rules(stranger: ModuleType) -> None:
    for forgery in json.loads(FORGED.read_text()):
        lines = [json.loads(line) for line in (vectors.FOLDER / forgery["file"]).read_bytes().splitlines()]
        found = list(stranger.verify(BufferedReader(BytesIO(vectors.forged(lines, forgery)))))
        expected = "unreadable" if forgery["check"] is None else "failed"
        assert forgery["needs_rules"] or found[0][1] == expected, (forgery, found)


@pytest.mark.parametrize("name", ["a member twice", "a command before the one that it follows"])
def test_it_fails_on_a_forged_file_as_machi_verify_does(name: str) -> None:
    (forgery, *_) = [one for one in json.loads(FORGED.read_text()) if one["name"] == name]
    lines = [json.loads(line) for line in (vectors.FOLDER / forgery["file"]).read_bytes().splitlines()]
    code, told = ended([], vectors.forged(lines, forgery))
    assert (code, len(told)) == (1 if forgery["check"] else 3, 1)


def test_it_is_short_enough_to_be_read() -> None:
    assert len(SOURCE.read_text().splitlines()) <= 300


def test_it_shares_no_code_with_the_service() -> None:
    words = ("import domain", "from domain", "import events", "from events", "import machi", "from machi")
    assert not any(word in SOURCE.read_text() for word in words)
