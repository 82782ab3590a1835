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
from collections.abc import Iterable
from pathlib import Path
from random import Random

import pytest

from machi.cli import run
from machi.cli.audits import exports, verification
from tests.client.commands import Run
from tests.client.exports import BASE, DEADLINE_S, KEYS, MATCH, environ, file_of, machi, short, signed, told
from tests.golden import vectors
from tests.golden.exports import (
    Line,
    branch_of,
    last_of_command,
    lines_of,
    matches,
    rehashed,
    seed_of,
    written,
)

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


# Invalid arguments


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


@pytest.mark.long
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
