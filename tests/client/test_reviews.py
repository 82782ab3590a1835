"""Reviews by the library and the command, against the real service; the worker is in this process."""

import gzip
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from contract.reviews import Judge, ReviewStep
from events import Settings
from machi import Client, Match, NotAllowed, Pass, Refused, Resign, Review, ReviewJob, RollDice, me
from machi.cli.reviews.printed import LEVELS, chances_by_turn, in_words
from machi.cli.text import DisplayNames
from machi.commands import command_of
from ops.run import ROOT
from ops.servers import Server
from tests.client.commands import Run, machi_process
from tests.service.reviewed import compute_reviews
from tests.service.served import MASTER_KEYS, SIGNING_KEYS

CITY = {"coins": 3, "establishments": {"wheat_field": 1}, "landmarks": []}


@pytest.fixture
def settings(events_server: Server, queue_server: Server) -> Settings:
    return Settings(events_server.url, queue_server.url, MASTER_KEYS, SIGNING_KEYS)


def given_up(client: Client, **wishes: str) -> Match:
    """A match of two turns, then one seat gives up."""
    position = {"active_seat": 0, "phase": "roll", "players": [CITY, CITY]}
    dice = {"mode": "scripted", "throws": [[1], [2]]}
    match = client.create_match("base", [me(), me()], dice=dice, position=position, **wishes)
    for seat in (0, 1):
        client.command(match.match_id, RollDice(seat, 1))
        client.command(match.match_id, Pass(seat))
    client.command(match.match_id, Resign(1))
    return client.match(match.match_id)


@contextmanager
def worker(settings: Settings) -> Iterator[None]:
    """Meanwhile, reviews are computed as soon as they are requested."""
    is_over = threading.Event()

    def work() -> None:
        while not is_over.wait(0.05):
            compute_reviews(settings)

    thread = threading.Thread(target=work)
    thread.start()
    yield
    is_over.set()
    thread.join()


def test_a_review_is_requested_waited_for_and_read(machi: Client, settings: Settings) -> None:
    match = given_up(machi)
    job = machi.request_review(match.match_id)
    assert (job.status, job.progress.percent) == ("queued", 0)
    assert isinstance(machi.review(match.match_id, job.review_id), ReviewJob)
    told: list[str] = []
    with worker(settings):
        review = machi.wait_for_review(match.match_id, lambda job: told.append(job.status))
    assert set(told) <= {"queued", "running"}
    assert (review.match_id, review.result) == (match.match_id, (1_000_000, 0))
    assert [one.review_id for one in machi.reviews(match.match_id)] == [job.review_id]
    assert json.loads(review.raw)["match_id"] == match.match_id


def test_the_chances_of_a_match_need_no_review(machi: Client) -> None:
    match = given_up(machi)
    curve = machi.chances(match.match_id)
    assert (curve.version, curve.items[-1].chances) == (match.version, (1_000_000, 0))


def test_a_running_match_has_no_review(machi: Client) -> None:
    match = machi.create_match("base", [me(), me()])
    with pytest.raises(Refused) as refused:
        machi.request_review(match.match_id)
    assert refused.value.code == "match_running"


def test_a_private_match_is_reviewed_for_its_players(
    machi: Client, sign_up: Callable[[], Client], url: str
) -> None:
    match = given_up(machi, visibility="private")
    assert machi.request_review(match.match_id).status == "queued"
    with Client(url) as nobody, pytest.raises(NotAllowed):
        nobody.request_review(match.match_id)
    assert [*machi.reviews(match.match_id)]


def test_the_command_computes_from_the_export_what_the_service_computes(
    logged_in: Run, my_client: Client, settings: Settings, tmp_path: Path
) -> None:
    match = given_up(my_client)
    with worker(settings):
        code, of_service, _ = logged_in("review", match.match_id, "--json")
    review = my_client.wait_for_review(match.match_id).raw.decode()
    assert (code, of_service) == (0, f"{review}\n")
    assert logged_in("export", match.match_id)[0] == 0
    code, of_file, err = logged_in("review", f"{match.match_id}.ndjson", "--json")
    assert (code, of_file, err) == (0, of_service, "")
    assert logged_in("review", f"{match.match_id}.ndjson", "--output", "review.json.gz") == (0, "", "")
    assert gzip.decompress((tmp_path / "review.json.gz").read_bytes()).decode() == review


def test_a_review_is_printed_as_text(logged_in: Run, my_client: Client, settings: Settings) -> None:
    match = given_up(my_client)
    with worker(settings):
        code, out, err = logged_in("review", match.match_id)
    assert (code, err) == (0, "")
    title, first, second, *table = out.splitlines()
    name = match.seats[0].name
    assert title == f"{match.match_id}, base: {name} 0 won."
    assert (first[-1], second[-1]) == (LEVELS[-1], LEVELS[0])
    assert len(first) == len(second)
    assert {"start", "luck", "skill", "others", "result", "adjusted"} <= {*table[0].split()}


def test_the_file_of_nothing_of_several_and_of_a_running_match_is_told(
    logged_in: Run, my_client: Client, tmp_path: Path
) -> None:
    assert logged_in("review", "nothing") == (
        2,
        "",
        "error: nothing is neither a file nor the id of a match\n",
    )
    running = my_client.create_match("base", [me(), me()]).match_id
    assert logged_in("export", running)[0] == 0
    file = tmp_path / f"{running}.ndjson"
    code, out, err = logged_in("review", file.name)
    assert (code, out, err) == (3, "", f"error: {running} has no review: the match is running\n")
    content = file.read_bytes()
    file.write_bytes(content + content)
    assert logged_in("review", file.name)[2].endswith("contains several matches; export the one to review\n")
    file.write_bytes(content.replace(b'"ruleset":"base"', b'"ruleset":"best"'))
    assert logged_in("review", file.name)[0] == 3


@pytest.mark.long
def test_ctrl_c_leaves_the_review_to_the_workers(my_client: Client, settings: Settings, url: str) -> None:
    match = given_up(my_client)
    with machi_process("review", match.match_id) as process:
        while not [*my_client.reviews(match.match_id)]:
            assert process.poll() is None, process.communicate()
        process.send_signal(2)
        assert process.wait() == 130
    compute_reviews(settings)
    assert isinstance(my_client.wait_for_review(match.match_id), Review)


def test_other_commands_start_without_the_players() -> None:
    code = "import machi.cli, sys; print(sorted({'numpy', 'players', 'kernel', 'review'} & {*sys.modules}))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": f"{ROOT}:{ROOT / 'client'}"},
        check=True,
    )
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ({"type": "roll_dice", "seat": 0, "dice": 1}, "roll one die"),
        ({"type": "take_coins", "seat": 0, "from_seat": 1}, "take coins from bob"),
        ({"type": "build", "seat": 0, "card": "cafe"}, "build Café"),
        (
            {"type": "swap_establishments", "seat": 0, "give": "mine", "with_seat": 1, "take": "cafe"},
            "give mine to bob for Café",
        ),
        ({"type": "resign", "seat": 0}, "resign"),
    ],
)
def test_commands_are_told_in_words(command: dict[str, object], words: str) -> None:
    assert in_words(command_of(command), DisplayNames(["ada", "bob"], {"cafe": "Café"})) == words


def test_a_column_stands_for_several_turns_of_a_long_match() -> None:
    review = _with_turns(7)
    assert chances_by_turn(review, 10) == [(turn, 0) for turn in range(1, 8)]
    assert chances_by_turn(review, 3) == [(3, 0), (6, 0), (7, 0)]
    assert chances_by_turn(_with_turns(0)) == []


def _with_turns(turns: int) -> Review:
    """A review with two steps in each turn, of which the second gives the chances."""
    judge = Judge(version=1, value_function="", seed="")
    empty = Review("", 1, "", "base", "base@1", judge, 1, (0, 0), (), (0, 0), (), (), None, (), 0)
    steps = [
        ReviewStep(version=1, turn=turn, seat=0, kind="roll", change=(0, 0), chances=(chance, 0))
        for turn in range(1, turns + 1)
        for chance in (0, turn)
    ]
    return replace(empty, steps=tuple(steps))
