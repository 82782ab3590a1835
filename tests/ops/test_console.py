import json
import os
import select
from collections.abc import Iterator

import pytest

from ops import console
from ops.console import Console

DEADLINE_S = 60


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        os.close(end)


def read_all(end: int) -> list[bytes]:
    """The lines that are there, all printers being done."""
    found = b""
    while select.select([end], [], [], 0)[0]:
        found += os.read(end, 65_536)
    return found.splitlines()


def test_a_terminal_gets_text_with_the_name_of_who_says_it(pipe: tuple[int, int]) -> None:
    printed = Console(pipe[1], "text")
    printed.say("web is up")
    printed.pass_on("web", b"12:00:01 [warning] too late")
    printed.close(DEADLINE_S)
    own, passed_on = [line.decode() for line in read_all(pipe[0])]
    assert own.startswith("run          | ")
    assert own.endswith(" web is up")
    assert passed_on == "web          | 12:00:01 [warning] too late"


def test_a_program_gets_a_json_object_a_line_whatever_a_process_prints(pipe: tuple[int, int]) -> None:
    printed = Console(pipe[1], "json")
    printed.say("web is up", "warning")
    for line in (b'{"event":"request","status":200}', b"Traceback", b"{no json}", b"{}", b"\xff"):
        printed.pass_on("web", line)
    printed.close(DEADLINE_S)
    own, *passed_on = [json.loads(line) for line in read_all(pipe[0])]
    assert (own["process"], own["event"], own["level"]) == ("run", "web is up", "warning")
    assert own["time"].endswith("Z")
    assert passed_on == [
        {"process": "web", "event": "request", "status": 200},
        *[{"process": "web", "event": text} for text in ("Traceback", "{no json}", "{}", "\ufffd")],
    ]


def test_the_line_of_a_node_names_the_node_and_the_process(pipe: tuple[int, int]) -> None:
    printed = Console(pipe[1], "json")
    printed.pass_on("node-1", b'{"process":"web","event":"request"}')
    printed.close(DEADLINE_S)
    assert read_all(pipe[0]) == [b'{"node":"node-1","process":"web","event":"request"}']


def test_nobody_waits_for_a_reader_that_is_slow_and_what_is_lost_is_counted(
    pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(console, "MOST_BYTES", 100_000)
    printed = Console(pipe[1], "text")
    for _ in range(10_000):
        printed.pass_on("web", b"a line that fills the pipe, and then what may wait")
    found = b""
    while b"lines were dropped: the reader of this log is too slow" not in found:
        assert select.select([pipe[0]], [], [], DEADLINE_S)[0]
        found += os.read(pipe[0], 65_536)
    *lines, last = found.splitlines()
    assert len(lines) + int(last.split()[3]) == 10_000
    printed.close(DEADLINE_S)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device here is always full")
def test_a_full_disk_under_the_log_harms_nobody() -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    printed = Console(full, "json")
    printed.say("web is up")
    printed.close(DEADLINE_S)
    os.close(full)
    assert not printed._writer.is_alive()
