"""`machi verify`: forms of files, and how much of them is read."""

import gzip
import io
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from domain.audit import bounds
from domain.audit.files import read_exports
from machi.cli.audits import exports, verification
from tests.client.commands import Run
from tests.client.exports import BASE, KEYS, MATCH, environ, file_of, machi, short, signed
from tests.golden.exports import (
    written,
)


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
