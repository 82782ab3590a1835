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

import msgspec
import pytest

from domain.audit.files import read_exports
from domain.audit.verify import verify
from domain.match.events import REGISTRY
from events.checkpoints.signatures import is_signed
from tests.e2e.many_matches import matches
from tests.golden import vectors
from tests.golden.exports import KEY_ID, PUBLIC_KEY, Line, lines_of, rehashed, written
from tests.golden.exports import matches as played_matches
from tests.marks import long_unless

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


def ours(lines: Iterable[bytes]) -> set[str]:
    """The checks that fail in our audit, each with its event; the origins of branches are not at hand."""
    (evidence,) = read_exports(lines)
    failed = [check for check in verify(evidence, is_good).checks if check.status == "failed"]
    return {f"{check.name} {check.first_failed_sequence or '-'}" for check in failed}


@pytest.mark.parametrize("part", long_unless([0], range(PARTS)))
def test_it_agrees_on_a_thousand_matches(stranger: ModuleType, part: int) -> None:
    count = 1000 // PARTS
    for exported in matches(count, part * count):
        content = written(exported.lines)
        ((match_id, verdict, fault),) = stranger.verify(BufferedReader(BytesIO(content)))
        faults = ours(content.splitlines())
        assert match_id == exported.lines[0]["match_id"]
        assert verdict == ("failed" if exported.forgery else "verified"), (fault, exported.forgery)
        assert bool(faults) == bool(exported.forgery), (faults, exported.forgery)
        assert not fault or fault.partition(":")[0] in faults, (fault, faults)


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


def lines_of_vector(file: str) -> list[Line]:
    return [json.loads(line) for line in (vectors.FOLDER / file).read_bytes().splitlines()]


FORGERIES = [one for one in json.loads(FORGED.read_text()) if not one["needs_rules"]]


def twin_of(forgery: Line) -> list[bytes]:
    """The lines of a forged twin. The signature betrays any change, so only what is about it keeps it."""
    twin = vectors.forged(lines_of_vector(forgery["file"]), forgery).splitlines(keepends=True)
    return twin[:-1] if forgery["check"] not in (None, "checkpoint") else twin


@pytest.mark.parametrize("forgery", FORGERIES, ids=[f"{one['file']}: {one['name']}" for one in FORGERIES])
def test_it_finds_every_forged_twin_that_needs_no_rules(stranger: ModuleType, forgery: Line) -> None:
    """Each fails the check and event that are at fault, also where a check before it fails as well."""
    lines = twin_of(forgery)
    ((_, verdict, fault),) = stranger.verify(BufferedReader(BytesIO(b"".join(lines))))
    if forgery["check"] is None:
        assert verdict == "unreadable"
        return
    assert (verdict, fault != "") == ("failed", True)
    faults = (told for holds, told in stranger.check(stranger.read(lines)) if not holds)
    of_check = next(told for told in faults if told.startswith(f"{forgery['check']} "))
    assert of_check.partition(":")[0] == f"{forgery['check']} {forgery['sequence'] or '-'}"


def first_fault(stranger: ModuleType, lines: list[Line]) -> str:
    """The check and the event of the first fault."""
    told = stranger.check(stranger.read(written(lines).splitlines()))
    return next(str(fault).partition(":")[0] for holds, fault in told if not holds)


def places(lines: list[Line], type: str) -> list[int]:
    """Where the events of a type are in the lines, from 0; event 1 is in line 2."""
    return [n for n, line in enumerate(lines) if line["kind"] == "event" and line["event"]["type"] == type]


def test_it_finds_a_chain_that_begins_anew_within_a_match(stranger: ModuleType) -> None:
    lines = lines_of_vector("base.ndjson")[:-1]
    anew = [*lines[:10], *rehashed([lines[0], *lines[10:]])[1:]]
    anew[0] = {**lines[0], "head_hash": anew[-2]["event"]["hash"]}
    assert first_fault(stranger, anew) == "chain 9"


def test_it_finds_a_match_that_starts_without_a_seed(stranger: ModuleType) -> None:
    lines = lines_of_vector("seat_seeds.ndjson")[:-1]
    _, last = places(lines, "seat_seed_opened")
    lines[last]["event"].update(type="build_passed", data={"seat": 1})
    assert first_fault(stranger, rehashed(lines)) == f"dice {last}"


def test_it_finds_a_coin_too_much_where_all_get_the_same(stranger: ModuleType) -> None:
    played = (lines_of(one, None) for one in played_matches(10, "machi_koro_2"))
    lines = next(lines for lines in played if places(lines, "coins_levelled"))
    place = places(lines, "coins_levelled")[0]
    lines[place]["event"]["data"]["from_bank"] += 1
    assert first_fault(stranger, rehashed(lines)) == f"payments {place - 1}"


def test_it_finds_a_seed_that_is_revealed_where_nothing_ended(stranger: ModuleType) -> None:
    lines = lines_of_vector("base.ndjson")[:-1]
    (end,) = places(lines, "match_finished")
    lines[end]["event"].update(type="build_passed", data={"seat": 0})
    lines[0]["status"] = "running"
    assert first_fault(stranger, rehashed(lines)) == f"result {end}"


def test_it_knows_the_members_of_every_event(stranger: ModuleType) -> None:
    members = {name: {one.name for one in msgspec.structs.fields(cls)} for name, cls in REGISTRY.items()}
    assert members == stranger.DATA


@pytest.mark.parametrize("name", ["a member twice", "a command before the one that it follows"])
def test_it_fails_on_a_forged_file_as_machi_verify_does(name: str) -> None:
    (forgery, *_) = [one for one in json.loads(FORGED.read_text()) if one["name"] == name]
    code, told = ended([], vectors.forged(lines_of_vector(forgery["file"]), forgery))
    assert (code, len(told)) == (1 if forgery["check"] else 3, 1)


def test_it_is_short_enough_to_be_read() -> None:
    assert len(SOURCE.read_text().splitlines()) <= 350


def test_it_shares_no_code_with_the_service() -> None:
    words = ("import domain", "from domain", "import events", "from events", "import machi", "from machi")
    assert not any(word in SOURCE.read_text() for word in words)
