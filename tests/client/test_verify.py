"""`machi verify`: files of matches, whole, forged, cut and packed, checked without the service."""

import gzip
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from domain.audit import bounds
from domain.audit.files import read_exports
from machi.cli import run
from machi.cli.audits import exports, verification
from ops.run import ROOT
from tests.golden import vectors
from tests.golden.exports import (
    KEY_ID,
    PUBLIC_KEY,
    Line,
    Played,
    branch_of,
    checkpoint_of,
    last_of_command,
    lines_of,
    matches,
    rehashed,
    seed_of,
    written,
)

Run = Callable[..., tuple[int, str, str]]

KEYS = str(vectors.FOLDER / "signing-keys.json")
BASE = str(vectors.FOLDER / "base.ndjson")
MATCH = "mat_00000000000000000000000001"
DEADLINE_S = 60.0


@pytest.fixture
def verify(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `machi verify` in a folder of its own; the exit code, what it printed, and the errors."""
    monkeypatch.chdir(tmp_path)
    # No command of a machine without a network may look for a service.
    monkeypatch.setenv("MACHI_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("COLUMNS", "80")

    def verified(*words: str) -> tuple[int, str, str]:
        code = run(["verify", *words])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return verified


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


# What is told, and the exit codes


def test_a_match_that_is_verified_is_counted_and_no_more(verify: Run) -> None:
    code, out, err = verify("--keys", KEYS, BASE)
    assert (code, err) == (0, "")
    assert re.fullmatch(r"1 match: 1 verified, 0 failed, 0 incomplete \(\d+\.\d s, \d+ matches/s\)\n", out)


def test_a_failed_match_is_told_with_its_first_wrong_event(verify: Run) -> None:
    lines = signed(*short())
    lines[9]["event"]["hash"] = "sha-256:" + "1" * 64
    code, out, _ = verify("--keys", KEYS, file_of("f", [lines]))
    assert code == 1
    match_id = lines[0]["match_id"]
    assert (
        out.splitlines()[0] == f"f: {match_id} failed: chain at event 8: its hash is not that of its members"
    )


def test_a_match_without_a_signature_is_incomplete(verify: Run) -> None:
    (played,) = short()
    code, out, _ = verify("--keys", KEYS, file_of("f", [lines_of(played, None)]))
    assert code == 2
    assert out.splitlines()[0] == f"f: {played.match_id} incomplete: checkpoint: there is no checkpoint"


def test_a_match_that_goes_on_is_incomplete(verify: Run) -> None:
    (played,) = matches(1, most=40)
    code, out, _ = verify("--keys", KEYS, file_of("f", [lines_of(played, None)]))
    assert code == 2
    assert "incomplete: dice: the seed is revealed when the match is over" in out


UNREADABLE: list[tuple[str, bytes, str]] = [
    ("empty", b"", "f:1: unreadable: there is no match in it"),
    ("no JSON", b"hello\n", "f:1: unreadable: no JSON: "),
    ("no object", b"[]\n", "f:1: unreadable: no JSON object"),
    ("no export", b'{"kind":"event","event":{}}\n', "f:1: unreadable: a file begins with its manifest"),
    ("another format", b'{"kind":"manifest","format":2}\n', "f:1: unreadable: format 2 is not 1"),
    ("deep", b"[" * 100_000, "f:1: unreadable: no JSON"),
    ("cut", Path(BASE).read_bytes()[:50_000], f"f:100: {MATCH} unreadable: no JSON: "),
    (
        "a packed file cut",
        gzip.compress(Path(BASE).read_bytes())[:9000],
        "the compressed file is truncated",
    ),
    ("a packed file damaged", gzip.compress(b"x" * 999)[:-8] + b"x" * 8, "f: unreadable: damaged: CRC"),
]


@pytest.mark.parametrize(
    ("content", "message"), [case[1:] for case in UNREADABLE], ids=[c[0] for c in UNREADABLE]
)
def test_what_is_no_export_is_unreadable(content: bytes, message: str, verify: Run) -> None:
    Path("f").write_bytes(content)
    code, out, err = verify("f")
    assert (code, err) == (3, "")
    assert message in out.splitlines()[0]
    assert re.match(r"0 matches: 0 verified, 0 failed, 0 incomplete, 1 unreadable ", out.splitlines()[1])


def test_a_file_that_is_not_there_is_unreadable_and_the_others_are_read(verify: Run) -> None:
    code, out, _ = verify("--keys", KEYS, "none", BASE, ".")
    assert code == 3
    assert (
        "none: unreadable: No such file or directory\n.: unreadable: Is a directory\n1 match: 1 verified"
        in out
    )


def test_matches_before_and_behind_a_damaged_one_are_verified(verify: Run) -> None:
    one, two, three = short(3)
    middle = written(signed(two)).replace(b'"kind":"event"', b'"kind":"odd"', 1)
    Path("f").write_bytes(written(signed(one)) + middle + written(signed(three)))
    code, out, _ = verify("--keys", KEYS, "f")
    line = len(signed(one)) + 3
    assert code == 3
    assert out.splitlines()[0] == (
        f"f:{line}: {two.match_id} unreadable: a line of kind 'odd' has no place here"
    )
    assert out.splitlines()[1].startswith("2 matches: 2 verified, 0 failed, 0 incomplete, 1 unreadable")


@pytest.mark.parametrize(
    ("kinds", "code"),
    [("v", 0), ("vi", 2), ("iu", 3), ("ui", 3), ("ufi", 1), ("fv", 1), ("vf", 1)],
)
def test_of_several_files_the_worst_decides(kinds: str, code: int, verify: Run) -> None:
    (played,) = short()
    forged = signed(played)
    forged[5]["event"]["hash"] = "sha-256:" + "1" * 64
    groups = {"v": signed(played), "f": forged, "i": lines_of(played, None), "u": signed(played)[1:]}
    files = [file_of(f"{kind}.ndjson", [groups[kind]]) for kind in kinds]
    assert verify("--keys", KEYS, *files)[0] == code


def test_every_check_is_told_if_wished(verify: Run) -> None:
    _, out, _ = verify("--keys", KEYS, "--verbose", BASE)
    assert out.splitlines()[:3] == [f"{BASE}: {MATCH} verified", "  schema passed", "  sequence passed"]
    assert "  checkpoint passed" in out.splitlines()


def test_programs_get_an_object_for_each_match(verify: Run) -> None:
    Path("f").write_bytes(Path(BASE).read_bytes() + b"{}")
    code, out, err = verify("--keys", KEYS, "--json", BASE, "f")
    first, second = map(told, out.splitlines())
    assert (code, err.splitlines()[0][:19]) == (3, "1 match: 1 verified")
    assert (first["match_id"], first["verdict"], first["version"]) == (MATCH, "verified", 226)
    assert first["checks"][0] == {
        "name": "schema",
        "status": "passed",
        "first_failed_sequence": None,
        "detail": "",
    }
    assert (second["verdict"], second["line"], second["checks"]) == ("unreadable", 231, [])


def test_nothing_in_a_file_moves_the_cursor(verify: Run) -> None:
    lines = signed(*short())
    lines[0]["match_id"] = "mat_\x1b[2J\nx"
    _, out, _ = verify(file_of("f", [lines]))
    assert "\x1b" not in out
    assert "mat_ [2J x failed: sequence at event 1" in out


# Forms of files


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "packed"])
def test_a_file_may_have_many_matches_and_be_packed(pack: Callable[[bytes], bytes], verify: Run) -> None:
    name = file_of("f", [signed(played) for played in short(4)], pack)
    code, out, _ = verify("--keys", KEYS, name)
    assert (code, out[:21]) == (0, "4 matches: 4 verified")


def test_packed_files_may_be_put_together(verify: Run) -> None:
    Path("f").write_bytes(b"".join(gzip.compress(written(signed(played))) for played in short(3)))
    assert verify("--keys", KEYS, "f")[1].startswith("3 matches: 3 verified")


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "packed"])
def test_a_file_may_come_from_a_pipe(pack: Callable[[bytes], bytes]) -> None:
    content = pack(Path(BASE).read_bytes())
    done = subprocess.run(
        machi("verify", "--keys", KEYS, "-"), input=content, capture_output=True, env=environ(), timeout=60
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"1 match: 1 verified")


def test_empty_lines_count_and_do_no_harm(verify: Run) -> None:
    Path("f").write_bytes(b"\n\n" + Path(BASE).read_bytes().replace(b"\n", b"\r\n\n") + b"{}\n")
    _, out, _ = verify("f")
    assert out.startswith(f"f:{2 + 2 * 230 + 1}: {MATCH} unreadable: a line of kind None")


def test_a_match_that_is_longer_than_any_is_not_kept_in_memory(
    verify: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "MOST_BYTES", 20_000)
    code, out, _ = verify(BASE)
    assert code == 3
    assert re.match(re.escape(BASE) + r":\d\d: unreadable: the match has more than 20000 bytes\n", out)


class Counted(io.BytesIO):
    """A file that counts the lines that are read from it."""

    lines = 0

    def readline(self, size: int | None = -1) -> bytes:
        self.lines += 1
        return super().readline(size)


@pytest.mark.parametrize(
    ("content", "most_lines", "fault"),
    [
        (b"\n" * 300_000, bounds.MOST_LINES + 1, f"more than {bounds.MOST_LINES} lines"),
        (b" " * 30_000_000, 1, f"more than {bounds.LONGEST_LINE} bytes"),
        (b'{"kind":"event","event":{}}\n' * 300_000, bounds.MOST_LINES + 1, "lines"),
        ((b"[" + b"0," * 100_000 + b"0]\n") * 20, 11, f"more than {bounds.MOST_VALUES} values"),
        ((b'"' + b"x" * 250_000 + b'"\n') * 200, 135, f"more than {bounds.MOST_BYTES} bytes"),
    ],
    ids=["empty lines", "one line", "empty events", "values", "bytes"],
)
def test_no_more_is_read_than_a_match_can_have(content: bytes, most_lines: int, fault: str) -> None:
    stream = Counted(content)
    parts = []
    with pytest.raises(exports.Oversized, match=fault):
        parts += exports.groups("f", stream)
    assert parts == []
    assert stream.lines <= most_lines


def test_a_small_packed_file_does_not_become_a_large_one(verify: Run) -> None:
    """Two megabytes that would be two thousand."""
    bomb = gzip.compress(b"\n" * 4_000_000)
    Path("f").write_bytes(gzip.compress(Path(BASE).read_bytes()) + bomb * 500)
    code, out, _ = verify("--keys", KEYS, "f")
    assert code == 3
    assert f"unreadable: the match has more than {bounds.MOST_LINES} lines" in out


def test_events_are_not_kept_as_objects() -> None:
    """Their lines are, which take a tenth."""
    (evidence,) = read_exports(Path(BASE).read_bytes().splitlines())
    assert evidence.events[3] == evidence.events[3] is not evidence.events[3]
    assert [event["sequence"] for event in evidence.events[223:]] == [224, 225, 226]


def test_the_longest_chunks_are_not_read_ahead_for_every_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verification, "CHUNK_BYTES", 1)
    monkeypatch.setattr(verification, "AHEAD_BYTES", 1)
    groups = [exports.Group("f", 1, "", tuple(written(signed(one)).splitlines())) for one in short(10)]
    read = []
    found = verification.outcomes((read.append(group) or group for group in groups), verification.Terms(), 8)
    for number, _ in enumerate(found, 1):
        assert len(read) <= number + 2


# Branches


@pytest.fixture(scope="module")
def family() -> tuple[list[Line], list[Line]]:
    """A match and a branch of it."""
    seed = seed_of("base 0")
    (played,) = matches(1, most=120, resigns=True)
    version = last_of_command(played, 60)
    return signed(played), signed(branch_of(played, version, seed, Random(5), f"mat_{9:026}"))


def test_a_branch_is_incomplete_without_its_origin(family: tuple[list[Line], ...], verify: Run) -> None:
    origin, branch = family
    code, out, _ = verify("--keys", KEYS, file_of("f", [branch]))
    assert code == 2
    match_id = origin[0]["match_id"]
    assert f"{branch[0]['match_id']} incomplete: origin: match {match_id} is not at hand" in out


@pytest.mark.parametrize("names", [("origin", "branch"), ("branch", "origin"), ("both",)])
def test_a_branch_is_verified_with_its_origin_wherever_that_stands(
    names: tuple[str, ...], family: tuple[list[Line], ...], verify: Run
) -> None:
    origin, branch = family
    file_of("origin", [origin], gzip.compress)
    file_of("branch", [branch])
    file_of("both", [branch, origin])
    code, out, _ = verify("--keys", KEYS, "--verbose", *names)
    assert (code, out.splitlines()[-1][:21]) == (0, "2 matches: 2 verified")
    assert "  origin passed" in out.splitlines()


def test_a_branch_of_another_history_fails(family: tuple[list[Line], ...], verify: Run) -> None:
    origin, branch = family
    started = next(line for line in branch if line.get("event", {}).get("type") == "branch_started")
    coins = [coin + 1 for coin in started["event"]["data"]["coins"]]
    place = branch.index(started)
    data = {**started["event"]["data"], "coins": coins}
    forged = [*branch[:place], {**started, "event": {**started["event"], "data": data}}, *branch[place + 1 :]]
    code, out, _ = verify("--keys", KEYS, "--json", file_of("f", [rehashed(forged), origin]))
    checks = {check["name"]: check for line in out.splitlines() for check in told(line)["checks"]}
    assert (code, checks["origin"]["status"], checks["origin"]["first_failed_sequence"]) == (
        1,
        "failed",
        place - 1,
    )


def test_an_origin_that_was_forged_before_the_branch_is_none(
    family: tuple[list[Line], ...], verify: Run
) -> None:
    origin, branch = family
    forged = [
        {**line, "event": {**line["event"], "actor": "x"}} if place == 20 else line
        for place, line in enumerate(origin)
    ]
    _, out, _ = verify("--keys", KEYS, "--json", file_of("f", [branch, forged]))
    found = {one["match_id"]: one for one in map(told, out.splitlines())}
    assert found[origin[0]["match_id"]]["verdict"] == "failed"
    assert found[branch[0]["match_id"]]["verdict"] == "incomplete"


def test_what_is_damaged_behind_an_origin_is_no_fault_of_the_branch(
    family: tuple[list[Line], ...], verify: Run
) -> None:
    origin, branch = family
    hidden = written(origin[:1]).replace(b'"manifest"', b'"\\u006danifest"')
    for damage, verdict in ((b"{oops\n", "incomplete"), (hidden, "verified")):
        Path("f").write_bytes(written(branch) + written(origin) + damage)
        _, out, _ = verify("--keys", KEYS, "--json", "f")
        found = {one["match_id"]: one["verdict"] for one in map(told, out.splitlines())}
        assert found[branch[0]["match_id"]] == verdict


# Keys


def test_without_keys_it_is_said_what_a_signature_proves(verify: Run) -> None:
    code, out, err = verify(BASE)
    assert (code, out.count("\n")) == (0, 1)
    assert err.startswith(
        f"Signatures were checked with the key in the file: {KEY_ID!r} (9631 d4b0 71a0 acbd)."
    )
    assert "This proves only that the file is consistent and was signed with that key" in err


def test_a_pinned_key_is_trusted_and_no_other(verify: Run) -> None:
    other = [{"key_id": KEY_ID, "algorithm": "Ed25519", "public_key": "A" * 43 + "="}]
    Path("other").write_text(json.dumps({"items": other}))
    code, out, _ = verify("--keys", "other", BASE)
    assert code == 1
    assert f"checkpoint: line 1 is not signed by a trusted key {KEY_ID!r}" in out


def test_a_key_that_comes_with_the_file_does_not_count_beside_pinned_ones(verify: Run) -> None:
    elsewhere = [{"key_id": "k9", "algorithm": "Ed25519", "public_key": PUBLIC_KEY}]
    Path("keys").write_text(json.dumps({"items": elsewhere, "next": None}))
    assert verify("--keys", "keys", BASE)[0] == 1


@pytest.mark.parametrize("key", ["x", 7, None, [PUBLIC_KEY]])
def test_a_key_of_another_shape_is_unreadable(key: Any, verify: Run) -> None:
    lines = signed(*short())
    lines[-1] = {**lines[-1], "key": key}
    code, out, _ = verify(file_of("f", [lines]))
    assert (code, out.splitlines()[0].endswith("unreadable: the key is no JSON object")) == (3, True)


def test_a_signature_in_another_text_is_none(verify: Run) -> None:
    lines = signed(*short())
    checkpoint = lines[-1]["checkpoint"]
    digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    good = checkpoint["signature"]
    # The last letter before the padding stands for two bits alone.
    twin = f"{good[:-3]}{digits[digits.index(good[-3]) + 1]}=="
    lines[-1] = {**lines[-1], "checkpoint": {**checkpoint, "signature": twin}}
    assert verify("--keys", KEYS, file_of("f", [lines]))[0] == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot read keys: No such file or directory"),
        ("{}", "keys is not a response of GET /v1/signing-keys"),
        ('{"items": []}', "keys has no keys, or two keys with the same id"),
        (
            '{"items": [{"key_id": "k", "algorithm": "Ed25519", "public_key": "x"}]}',
            "the key 'k' in keys is not an Ed25519 key",
        ),
    ],
)
def test_keys_that_are_none_end_with_3(content: str | None, message: str, verify: Run) -> None:
    if content is not None:
        Path("keys").write_text(content)
    assert verify("--keys", "keys", BASE) == (3, "", f"error: {message}\n")


def test_programs_are_told_the_key_that_a_signature_is_good_by(verify: Run) -> None:
    lines = signed(*short())
    for given in ((), ("--keys", KEYS)):
        _, out, _ = verify("--json", *given, file_of("f", [lines]))
        assert (told(out)["key_id"], told(out)["key_fingerprint"]) == (KEY_ID, "9631 d4b0 71a0 acbd")
    lines[-1]["checkpoint"]["version"] += 1
    _, out, _ = verify("--json", "--keys", KEYS, file_of("f", [lines]))
    assert (told(out)["key_id"], told(out)["key_fingerprint"]) == (None, None)


@pytest.mark.parametrize(
    "other",
    [
        {"public_key": "A" * 43 + "="},
        {"public_key": "x"},
        {"key_id": "another"},
        {"algorithm": "RSA"},
        {"algorithm": None},
    ],
)
def test_another_key_in_the_file_is_told_beside_the_trusted_one(other: dict[str, Any], verify: Run) -> None:
    lines = signed(*short())
    lines[-1]["key"].update(other)
    code, out, _ = verify("--json", "--keys", KEYS, file_of("f", [lines]))
    assert (code, told(out)["key_id"]) == (1, KEY_ID)
    (check,) = [one for one in told(out)["checks"] if one["name"] == "checkpoint"]
    assert (check["status"], check["detail"]) == (
        "failed",
        "the key in the file is not the trusted key that signed it",
    )
    assert verify("--json", "f")[0] == 1


def test_keys_with_a_member_twice_are_none(verify: Run) -> None:
    text = Path(KEYS).read_text()
    Path("keys").write_text(text.replace('"algorithm"', '"algorithm": "RSA", "algorithm"'))
    assert verify("--keys", "keys", BASE)[0] == 3


# Receipts


def receipt(version: int, line: Line) -> str:
    return f'v={version}; h="{line["event"]["hash"]}"'


def test_a_receipt_that_was_kept_is_part_of_the_match(verify: Run) -> None:
    lines = signed(*short())
    name = file_of("f", [lines])
    assert verify("--keys", KEYS, name, "--receipt", receipt(20, lines[21]))[0] == 0
    code, out, _ = verify("--keys", KEYS, name, "--receipt", receipt(21, lines[21]))
    assert code == 1
    assert "failed: receipt at event 21: the receipt is of another history" in out


def test_a_history_written_anew_is_caught_by_a_receipt(verify: Run) -> None:
    (played,) = short()
    kept = receipt(20, signed(played)[21])
    (other,) = matches(1, most=60, resigns=True, ruleset="harbor")
    lines = signed(other)
    assert verify("--keys", KEYS, file_of("f", [lines]))[0] == 0
    assert verify("--keys", KEYS, "f", "--receipt", kept)[0] == 1


def test_of_several_matches_one_is_named_for_the_receipt(verify: Run) -> None:
    one, two = short(2)
    name = file_of("f", [signed(one), signed(two)])
    kept = receipt(9, signed(two)[10])
    code, _, err = verify("--keys", KEYS, name, "--receipt", kept)
    assert (code, err) == (
        2,
        "error: the files contain several matches; name the match of the receipt with --match\n",
    )
    assert verify("--keys", KEYS, name, "--receipt", kept, "--match", two.match_id)[0] == 0
    assert verify("--keys", KEYS, name, "--receipt", kept, "--match", one.match_id)[0] == 1


def test_a_receipt_of_a_match_that_is_not_there_is_not_passed_over(verify: Run) -> None:
    code, _, err = verify(
        "--keys", KEYS, BASE, "--receipt", f'v=1; h="{"sha-256:" + "0" * 64}"', "--match", "mat_1"
    )
    assert (code, err) == (
        3,
        "error: the files do not contain mat_1, so its receipt was not checked\n",
    )


@pytest.mark.parametrize("words", [("--receipt", "42"), ("--match", "mat_1"), ("--processes", "0")])
def test_wishes_that_make_no_sense_end_with_2(words: tuple[str, ...], verify: Run) -> None:
    assert verify(BASE, *words)[0] == 2


def test_no_file_ends_with_2(verify: Run) -> None:
    assert verify()[0] == 2


# Many matches


def test_many_matches_are_verified_in_several_processes_in_order(
    verify: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verification, "CHUNK_BYTES", 50_000)
    made = list(matches(30, most=80, resigns=True))
    groups = [signed(played) for played in made]
    groups[17][30]["event"]["actor"] = "service"
    file_of("f", groups)
    code, out, err = verify("--keys", KEYS, "--json", "--processes", "2", "f")
    assert code == 1
    found = [told(line) for line in out.splitlines()]
    assert [one["match_id"] for one in found] == [played.match_id for played in made]
    assert [one["match_id"] for one in found if one["verdict"] != "verified"] == [made[17].match_id]
    assert err.startswith("30 matches: 29 verified, 1 failed, 0 incomplete")


def test_one_process_and_several_find_the_same(verify: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verification, "CHUNK_BYTES", 50_000)
    file_of("f", [signed(played)[: 40 + number] for number, played in enumerate(short(8))])
    one = verify("--json", "--processes", "1", "f")
    assert verify("--json", "--processes", "2", "f")[:2] == one[:2]


def test_no_more_matches_are_read_ahead_than_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verification, "CHUNK_BYTES", 1)
    groups = [exports.Group("f", 1, "", tuple(written(signed(one)).splitlines())) for one in short(40)]
    read = 0

    def counted() -> Iterable[exports.Part]:
        nonlocal read
        for group in groups:
            read += 1
            yield group

    found = verification.outcomes(counted(), verification.Terms(), 2)
    next(found)
    assert read <= 7
    assert len(list(found)) == 39


def machi(*words: str) -> list[str]:
    """`machi` in a process that Ctrl-C reaches, however the tests were started."""
    start = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from machi.cli import main; main()"
    )
    return [sys.executable, "-c", start, *words]


def environ() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": f"{ROOT / 'client'}:{ROOT}"}


def test_ctrl_c_ends_it_at_once_and_quietly(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    content = b"".join(written(signed(played)) for played in matches(30))
    out, none = subprocess.PIPE, subprocess.DEVNULL
    command = machi("verify", "--json", "--processes", "2", str(pipe))
    process = subprocess.Popen(
        command, env=environ(), stdin=none, stdout=out, stderr=out, start_new_session=True
    )
    with process, pipe.open("wb") as file:
        file.write(content)
        file.flush()
        assert process.stdout is not None
        assert process.stderr is not None
        os.killpg(process.pid, signal.SIGINT)
        end = time.monotonic() + DEADLINE_S
        assert process.wait(DEADLINE_S) == 130
        assert time.monotonic() < end
        assert process.stderr.read().strip() == b""


def test_progress_is_shown_on_a_terminal_alone(verify: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert verify("--keys", KEYS, BASE)[2] == ""

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setenv("TERM", "xterm")
    assert run(["verify", "--keys", KEYS, BASE]) == 0
    assert "verifying" in shown.getvalue()


# The vectors of docs/verifying.md


def test_the_vectors_are_those_that_are_made() -> None:
    """`make golden` writes them anew."""
    made = vectors.files()
    assert {name: (vectors.FOLDER / name).read_bytes() for name in made} == made


@pytest.mark.parametrize("name", vectors.RECIPES)
def test_each_vector_is_verified(name: str, verify: Run) -> None:
    assert verify("--keys", KEYS, str(vectors.FOLDER / f"{name}.ndjson"))[0] == 0


FORGERIES = json.loads((vectors.FOLDER / "forged.json").read_text())


@pytest.mark.parametrize("forgery", FORGERIES, ids=[f"{one['file']}: {one['name']}" for one in FORGERIES])
def test_each_forged_twin_fails_where_it_is_said(forgery: Line, verify: Run) -> None:
    lines = [json.loads(line) for line in (vectors.FOLDER / forgery["file"]).read_bytes().splitlines()]
    Path("f").write_bytes(vectors.forged(lines, forgery))
    for keys in ((), ("--keys", KEYS)):
        code, out, _ = verify(*keys, "--json", "f")
        found = told(out)
        failed = {
            check["name"]: check["first_failed_sequence"]
            for check in found["checks"]
            if check["status"] == "failed"
        }
        if forgery["check"] is None:
            assert (code, found["verdict"]) == (3, "unreadable")
        else:
            assert code == 1
            assert (forgery["check"], forgery["sequence"]) in failed.items()
