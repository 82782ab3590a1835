"""`python -m events.archive` as an operator uses it."""

import os
import signal
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import redis
from msgspec.structs import replace

from domain.match.commands import Resign
from events import Matches, RedisStore
from events.archive import transfer
from events.archive.__main__ import StopSignal, main
from events.archive.ended import ended_before
from events.checkpoints.notary import Notary
from events.store import keys
from events.store.keys import first_id, new_id, now_ms
from ops.servers import ROOT, Server
from tests.events.ended import archived_match, ended_match, file_of
from tests.events.example_matches import SEEDS, SIGNING_KEYS, creation
from tests.events.redis_streams import corrupt_match, everything

DAY_MS = 86_400_000


@pytest.fixture
def matches(client: redis.Redis, tmp_path: Path) -> Matches:
    notary = Notary(RedisStore(client), SIGNING_KEYS)
    return Matches(RedisStore(client, tmp_path / "archive"), SEEDS, notary=notary)


@pytest.fixture
def environ(events_server: Server, tmp_path: Path) -> dict[str, str]:
    return {"EVENTS_REDIS_URL": events_server.admin_url, "ARCHIVE_DIR": str(tmp_path / "archive")}


def run(
    environ: dict[str, str], *arguments: str, stop: StopSignal | None = None, days: float = 0
) -> tuple[int, list[str]]:
    """The exit code and the lines of a run in so many days from now."""
    output = StringIO()
    code = main(arguments, environ, output, stop, lambda: now_ms() + round(days * DAY_MS) + 1)
    return code, output.getvalue().splitlines()


def archived(admin: redis.Redis) -> list[str]:
    return sorted(match_id.decode() for match_id in admin.hkeys(keys.ARCHIVED))


def test_matches_that_ended_long_ago_are_archived_and_others_stay(
    matches: Matches, admin: redis.Redis, environ: dict[str, str]
) -> None:
    old = [ended_match(matches, seed=seed) for seed in range(3)]
    running, waiting = matches.create(creation()).match_id, matches.create(creation("ao")).match_id
    entries = {match_id: matches.store.read(match_id) for match_id in (*old, running, waiting)}
    assert run(environ, "--older-than", "30d", days=29) == (
        0,
        ["0 matches archived, 0 left; 0 bytes in Redis became 0 in files"],
    )
    assert archived(admin) == []
    code, (told,) = run(environ, "--older-than", "30d", days=31)
    assert (code, archived(admin)) == (0, sorted(old))
    assert told.startswith("3 matches archived, 0 left; ")
    assert {match_id: matches.store.read(match_id) for match_id in entries} == entries
    assert admin.exists(keys.match(running), keys.match(waiting)) == 2


def test_nothing_is_older_than_an_age_that_reaches_behind_1970(
    matches: Matches, admin: redis.Redis, environ: dict[str, str]
) -> None:
    ended_match(matches)
    assert run(environ, "--older-than", "999999w")[0] == 0
    assert archived(admin) == []


def test_the_bytes_before_and_after_are_told(
    matches: Matches, admin: redis.Redis, environ: dict[str, str]
) -> None:
    match_id = ended_match(matches)
    used = sum(admin.memory_usage(key, samples=0) for key in (keys.match(match_id), keys.commands(match_id)))
    _, (told,) = run(environ, "--older-than", "0s")
    size = file_of(Path(environ["ARCHIVE_DIR"]), match_id).stat().st_size
    assert told == f"1 matches archived, 0 left; {used:,} bytes in Redis became {size:,} in files"


def test_the_oldest_come_first_and_another_run_goes_on(
    matches: Matches, admin: redis.Redis, environ: dict[str, str]
) -> None:
    ids = [ended_match(matches) for _ in range(5)]
    for count in (2, 4, 5, 5):
        assert run(environ, "--older-than", "0s", "--limit", "2")[0] == 0
        assert archived(admin) == sorted(ids)[:count]


def test_a_long_index_is_read_page_by_page(
    matches: Matches, admin: redis.Redis, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("events.archive.ended._PAGE", 2)
    ids = [ended_match(matches, 2) for _ in range(5)]
    assert list(ended_before(admin, now_ms() + 1)) == sorted(ids)
    assert run(environ, "--older-than", "0s")[0] == 0
    assert archived(admin) == sorted(ids)
    assert list(ended_before(admin, now_ms() + 1)) == []


def test_what_counts_is_when_a_match_ended(matches: Matches, admin: redis.Redis, client: redis.Redis) -> None:
    """Not when it was made: this one went on for a long time."""
    notary = Notary(RedisStore(client), SIGNING_KEYS)
    late = Matches(RedisStore(client), SEEDS, clock=lambda: now_ms() + DAY_MS, notary=notary)
    started = matches.create(creation())
    late.execute(started.match_id, Resign(0), "seat:0")
    soon = ended_match(matches)
    assert list(ended_before(admin, now_ms() + 1)) == [soon]
    assert list(ended_before(admin, now_ms() + DAY_MS + 1000)) == sorted([started.match_id, soon])


def test_an_id_sorts_behind_the_first_of_its_time() -> None:
    before = now_ms()
    made = new_id("mat")
    assert first_id("mat", before) <= made < first_id("mat", now_ms() + 1)


def test_a_dry_run_checks_and_moves_nothing(
    matches: Matches, admin: redis.Redis, environ: dict[str, str], events_server: Server
) -> None:
    match_id = ended_match(matches)
    used = sum(admin.memory_usage(key, samples=0) for key in (keys.match(match_id), keys.commands(match_id)))
    before = everything(admin)
    for url in (events_server.admin_url, events_server.url):
        told = run({**environ, "EVENTS_REDIS_URL": url}, "--older-than", "0s", "--dry-run")
        assert told == (0, [f"1 matches would be archived, 0 left; {used:,} bytes in Redis"])
    assert everything(admin) == before
    assert not Path(environ["ARCHIVE_DIR"]).exists()


@pytest.mark.parametrize("dry", [(), ("--dry-run",)])
def test_a_corrupt_match_is_named_and_keeps_no_other_from_being_archived(
    matches: Matches, admin: redis.Redis, environ: dict[str, str], dry: tuple[str, ...]
) -> None:
    corrupt, gone = corrupt_match(matches, admin), ended_match(matches)
    admin.delete(keys.match(gone))
    sound = ended_match(matches)
    for moved in ([sound], []):
        code, (first, second, total) = run(environ, "--older-than", "0s", *dry)
        assert code == 1
        assert first.startswith(f"left as it was: match {corrupt!r}, event ")
        assert second == f"left as it was: no match {gone!r}"
        assert f"{0 if not moved and not dry else 1} matches" in total
        assert ", 2 left; " in total
    assert archived(admin) == ([] if dry else [sound])
    assert admin.exists(keys.match(corrupt))


def test_the_operator_is_told_how_far_it_is(
    matches: Matches, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("events.archive.__main__._SHOWN_EVERY", 2)
    for _ in range(5):
        ended_match(matches, 2)
    _, lines = run(environ, "--older-than", "0s")
    assert lines[:2] == ["2 matches so far", "4 matches so far"]
    assert lines[2].startswith("5 matches archived, 0 left; ")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_run_behind_the_match_at_hand(
    matches: Matches,
    admin: redis.Redis,
    environ: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    number: int,
    code: int,
) -> None:
    ids = [ended_match(matches, 2) for _ in range(3)]
    stop = StopSignal()
    step = transfer.remove_stream

    def interrupted(*args: Any) -> None:
        stop(number)
        step(*args)

    with monkeypatch.context() as patch:
        patch.setattr("events.archive.transfer.remove_stream", interrupted)
        ended, (told,) = run(environ, "--older-than", "0s", stop=stop)
    assert (ended, archived(admin)) == (code, sorted(ids)[:1])
    assert told.startswith("1 matches archived, 0 left; ")
    assert run(environ, "--older-than", "0s")[0] == 0
    assert archived(admin) == sorted(ids)


@pytest.mark.long
def test_a_real_process_heeds_its_signals_and_its_arguments(
    matches: Matches, admin: redis.Redis, environ: dict[str, str]
) -> None:
    match_id = ended_match(matches)
    command = [sys.executable, "-m", "events.archive"]
    told = subprocess.run(
        [*command, "--older-than", "0s"],
        cwd=ROOT,
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (told.returncode, told.stderr) == (0, "")
    assert archived(admin) == [match_id]
    wrong = subprocess.run(
        [*command, "--older-than", "x"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert wrong.returncode == 2
    assert "'x' is not an age such as 30d" in wrong.stderr


def test_a_process_of_the_service_archives_again_and_again(
    matches: Matches, admin: redis.Redis, environ: dict[str, str]
) -> None:
    """It says what it does once, and is refused nothing by another run in between."""
    first, corrupt = ended_match(matches, 2), corrupt_match(matches, admin)
    settings = {"EVENTS_REDIS_URL": "redis://nowhere", "ARCHIVE_REDIS_URL": environ["EVENTS_REDIS_URL"]}
    with subprocess.Popen(
        [sys.executable, "-m", "events.archive", "--every", "1s"],
        cwd=ROOT,
        env={**os.environ, **environ, **settings, "ARCHIVE_AFTER": "0s"},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        told = [process.stdout.readline() for _ in range(2)]
        second = ended_match(matches, 2)
        told.append(process.stdout.readline())
        assert archived(admin) == sorted([first, second])
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 143
        assert process.stdout.read() == ""
    named = [line for line in told if "left as it was" in line]
    assert len(named) == 1
    assert corrupt in named[0]
    assert sum("1 matches archived" in line for line in told) == 2


def test_a_setting_that_is_no_age_ends_a_process_of_the_service_for_good(environ: dict[str, str]) -> None:
    code, (told,) = run({**environ, "ARCHIVE_AFTER": "soon"}, "--every", "1h")
    assert (code, told) == (os.EX_CONFIG, "error: ARCHIVE_AFTER: 'soon' is not an age such as 30d")


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--every", "1h"),
        ("--older-than", "1d", "--every", "0h"),
        ("--restore", "mat_1", "--every", "1h"),
        ("--older-than", "30"),
        ("--older-than", "-1d"),
        ("--older-than", "1y"),
        ("--older-than", "1d", "--limit", "0"),
        ("--older-than", "1d", "--limit", "²"),
        ("--older-than", "1d", "--restore", "mat_1"),
        ("--restore", "mat_1", "--dry-run"),
        ("--restore", "mat_1", "--limit", "1"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(
    environ: dict[str, str], arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as refused:
        run(environ, *arguments)
    assert refused.value.code == 2
    assert "usage: python -m events.archive" in capsys.readouterr().err


def test_a_user_who_may_not_remove_streams_is_told_at_once(
    matches: Matches, admin: redis.Redis, environ: dict[str, str], events_server: Server
) -> None:
    ended_match(matches)
    before = everything(admin)
    code, (told,) = run({**environ, "EVENTS_REDIS_URL": events_server.url}, "--older-than", "0s")
    assert (code, told) == (
        2,
        "error: the user of EVENTS_REDIS_URL may not remove streams; see docs/operations.md",
    )
    assert everything(admin) == before
    assert not Path(environ["ARCHIVE_DIR"]).exists()


@pytest.mark.parametrize(
    ("wrong", "code", "told"),
    [
        ({"EVENTS_REDIS_URL": ""}, 2, "EVENTS_REDIS_URL is not set"),
        ({"ARCHIVE_DIR": ""}, 2, "ARCHIVE_DIR is not set"),
        ({"EVENTS_REDIS_URL": "redis://:secret@127.0.0.1:1"}, 3, "the event store does not answer"),
        ({"ARCHIVE_DIR": "/dev/null/archive"}, 3, "/dev/null"),
    ],
)
def test_the_operator_is_told_why_nothing_was_done(
    environ: dict[str, str], wrong: dict[str, str], code: int, told: str
) -> None:
    ended, lines = run({**environ, **wrong}, "--older-than", "0s")
    assert ended == code
    assert told in "\n".join(lines)
    assert "secret" not in "\n".join(lines)


def test_two_runs_at_once_do_not_get_into_each_others_way(
    matches: Matches, admin: redis.Redis, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = ended_match(matches)
    second: list[tuple[int, list[str]]] = []
    step = transfer.remove_stream

    def in_between(*args: Any) -> None:
        second.append(run(environ, "--older-than", "0s"))
        step(*args)

    monkeypatch.setattr("events.archive.transfer.remove_stream", in_between)
    assert run(environ, "--older-than", "0s")[0] == 0
    assert second == [(3, [f"error: another run is in progress in {environ['ARCHIVE_DIR']}"])]
    assert archived(admin) == [match_id]


def test_a_match_is_put_back_by_its_id(
    matches: Matches, admin: redis.Redis, environ: dict[str, str], events_server: Server
) -> None:
    """The application's user may do that: nothing is removed."""
    ended = archived_match(matches, admin, Path(environ["ARCHIVE_DIR"]))
    app = {**environ, "EVENTS_REDIS_URL": events_server.url}
    told = f"match {ended.match_id!r} is in Redis again, at version {ended.version}"
    assert run(app, "--restore", ended.match_id) == (0, [told])
    assert admin.xlen(keys.match(ended.match_id)) == len(ended.entries)
    told = f"left as it was: match {ended.match_id!r}: it is not archived"
    assert run(app, "--restore", ended.match_id) == (1, [told])


def test_a_match_whose_file_is_damaged_is_not_put_back(
    matches: Matches, admin: redis.Redis, environ: dict[str, str]
) -> None:
    ended = archived_match(matches, admin, Path(environ["ARCHIVE_DIR"]))
    file_of(Path(environ["ARCHIVE_DIR"]), ended.match_id).write_bytes(b"")
    code, (told,) = run(environ, "--restore", ended.match_id)
    assert code == 1
    assert ended.match_id in told
    assert archived(admin) == [ended.match_id]


def test_a_match_whose_end_is_not_signed_stays(
    client: redis.Redis, matches: Matches, admin: redis.Redis, environ: dict[str, str]
) -> None:
    signed = ended_match(matches, seed=1)
    unsigned = ended_match(Matches(RedisStore(client), SEEDS), seed=2)
    code, lines = run(environ, "--older-than", "30d", days=31)
    assert (code, archived(admin)) == (1, [signed])
    assert lines[0] == f"left as it was: match {unsigned!r}: its end is not signed yet"


def test_a_match_whose_number_is_that_of_another_line_stays(
    matches: Matches, admin: redis.Redis, environ: dict[str, str]
) -> None:
    first, second = ended_match(matches, seed=1), ended_match(matches, seed=2)
    admin.hset(keys.LINES, first, admin.hget(keys.LINES, second))
    code, _ = run(environ, "--older-than", "30d", days=31)
    assert (code, archived(admin)) == (1, [second])


def test_a_match_of_which_another_end_was_signed_stays(
    client: redis.Redis, matches: Matches, admin: redis.Redis, environ: dict[str, str]
) -> None:
    first, second = ended_match(Matches(RedisStore(client), SEEDS), seed=1), ended_match(matches, seed=2)
    Notary(RedisStore(client), SIGNING_KEYS).sign([replace(matches.load(first), head_hash=bytes(32))])
    code, lines = run(environ, "--older-than", "30d", days=31)
    assert (code, archived(admin)) == (1, [second])
    assert "another end of it was signed" in lines[0]
