"""Ladders through the client and the command line, against the real service; rounds by the workers' code."""

import csv
import gzip
import io
import json
import random
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from ulid import ULID

from contract.tables import TableProgress
from domain.ladder import decide
from domain.ladder.ratings import Fits
from events import Matches, Notary, RedisStore, Seeds, SigningKeys
from events.ladders import tables as ladder_tables
from events.ladders.ladders import Ladders
from events.ladders.tables import Progress
from machi import Client, NotAllowed, Refused
from machi.cli import run
from machi.cli.config import config_path, read_config
from machi.cli.ladders.progress import speed
from ops.servers import Server
from runtime.connection import connect
from tests.service.ladder_kit import Stores, changed, finish_blocks, finish_round, publish
from tests.service.served import MASTER_KEYS, SIGNING_KEYS
from workers.ladders.context import Context, RoundLimits
from workers.ladders.luck import value_function
from workers.ladders.rounds import work
from workers.ladders.standings import update
from workers.queue.client import connect as connect_queue

Run = Callable[..., tuple[int, str, str]]

RATING = {"replicates": 20, "anchor": "greedy"}
_numbers = count()


@pytest.fixture
def stores(events_server: Server) -> Stores:
    client = connect(events_server.url)
    return Stores(Ladders(RedisStore(client)), client)


@pytest.fixture
def machi_run(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Runs the command line, logged in, with a config of its own; the exit code and what it printed."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("MACHI_URL", url)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("MACHI_TOKEN", raising=False)
    monkeypatch.chdir(tmp_path)

    def run_with(*words: str, typed: bytes = b"") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(typed)))
        code = run(words)
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    assert run_with("login", f"op-{random.randrange(16**8):08x}-{next(_numbers)}")[0] == 0
    return run_with


@pytest.fixture
def me(machi_run: Run, url: str) -> Iterator[Client]:
    """A client for the account that is logged in."""
    with Client(url, read_config(config_path()).services[url].token) as client:
        yield client


@pytest.fixture
def ladder_id(me: Client) -> str:
    """A ladder of three built-in players."""
    made = me.create_ladder("Base for two", "base", 2, rating=RATING)
    for name in ("greedy", "random", "landmark_first"):
        me.enter(made.ladder_id, strategy=name)
    return made.ladder_id


@pytest.fixture
def rated(me: Client, ladder_id: str, stores: Stores) -> str:
    """The same after a round of six blocks, with its table."""
    me.open_round(ladder_id, 6)
    finish_blocks(stores, ladder_id)
    publish(stores, ladder_id)
    finish_round(stores, ladder_id)
    return ladder_id


@pytest.fixture
def workers(events_server: Server, queue_server: Server) -> Iterator[Callable[[str], None]]:
    """Starts what plays all rounds of a ladder, as workers do, in this process."""
    ended = threading.Event()
    threads: list[threading.Thread] = []

    def start(ladder_id: str) -> None:
        client = connect(events_server.url)
        notary = Notary(RedisStore(client), SigningKeys(SIGNING_KEYS))
        matches = Matches(RedisStore(client), Seeds(MASTER_KEYS), notary=notary)
        limits = RoundLimits(live_s=0.0, table_s=0.0, bots_s=0.0)
        queue = connect_queue(queue_server.url)
        context = Context(
            matches, Ladders(RedisStore(client)), client, queue, values=value_function, limits=limits
        )
        threads.append(threading.Thread(target=_play, args=(context, ladder_id, ended)))
        threads[-1].start()

    yield start
    ended.set()
    for thread in threads:
        thread.join()


def _play(context: Context, ladder_id: str, ended: threading.Event) -> None:
    while not ended.wait(0.02):
        for round in context.ladders.load(ladder_id).state.rounds:
            if round.status == "running":
                work(context, ladder_id, round.number)
                update(context, ladder_id, round.season)


def bind_due(stores: Stores, ladder_id: str) -> None:
    """A round of one block whose public value came a minute ago."""
    at_ms = time.time_ns() // 1_000_000 - 120_000
    bound = Seeds(MASTER_KEYS).public_value(ladder_id, 1, "drand round 7", at_ms + 60_000)
    changed(
        stores,
        ladder_id,
        lambda state: decide.open_round(state, "rated", [(0, 1)], at_ms, f"job_{ULID()}", public_value=bound),
    )


# The library


def test_a_ladder_is_made_entered_played_and_read(me: Client, stores: Stores) -> None:
    made = me.create_ladder("Base for two", "base", 2, luck="off", rating=RATING)
    greedy, lucky = (me.enter(made.ladder_id, strategy=name) for name in ("greedy", "random"))
    assert (greedy.status, greedy.player.name) == ("active", "greedy")
    job = me.open_round(made.ladder_id, 3)
    assert (job.status, job.progress.total, job.is_over) == ("queued", 3, False)
    assert me.stop_job(job.job_id).is_over
    assert me.resume_job(job.job_id).status == "queued"
    finish_blocks(stores, made.ladder_id)
    publish(stores, made.ladder_id)
    finish_round(stores, made.ladder_id)
    assert me.job(job.job_id).status == "finished"
    table = me.standings(made.ladder_id)
    assert {one.name for one in table.items} == {"greedy", "random"}
    assert (table.blocks_counted, table.blocks_finished) == (3, 3)
    cells = {(cell.entry, cell.opponent): cell for cell in me.crosstable(made.ladder_id).items}
    assert cells[greedy.entry_id, lucky.entry_id].matches == 6
    assert me.results(made.ladder_id).count(b"\n") == 1 + 2 + 6
    assert me.ladder_matches(made.ladder_id, as_csv=True).count(b"\r\n") == 1 + 6
    assert next(me.ladders()).ladder_id == made.ladder_id
    me.withdraw(made.ladder_id, lucky.entry_id)
    assert me.ladder(made.ladder_id).entries[1].status == "removed"
    assert me.open_season(made.ladder_id, luck="coins").season == 2


def test_a_bot_enters_itself_and_nobody_else(me: Client, ladder_id: str, machi: Client) -> None:
    mine = machi.enter(ladder_id, version="7", name="bakers")
    assert (mine.name, mine.player.version) == ("bakers", "7")
    with pytest.raises(NotAllowed):
        machi.enter(ladder_id, strategy="random", name="another")


def test_a_test_is_opened_and_read(me: Client, ladder_id: str) -> None:
    a, b, _ = [entry.entry_id for entry in me.ladder(ladder_id).entries]
    job = me.open_test(ladder_id, a, b, elo1=100, most_blocks=2)
    found = me.test(ladder_id, str(job.round))
    assert (found.a, found.b, found.elo1, found.decision, found.llr) == (a, b, 100, None, None)
    with pytest.raises(Refused):
        me.open_test(ladder_id, a, b)


# The command line


def test_a_ladder_is_made_and_entered_in_a_terminal(machi_run: Run, me: Client) -> None:
    code, out, err = machi_run(
        "ladder", "create", "Cup", "--ruleset", "base", "--seats", "2", "--config", '{"luck": "off"}'
    )
    ladder_id = out.strip()
    assert (code, me.ladder(ladder_id).config.luck) == (0, "off")
    assert f"machi ladder enter {ladder_id}" in err
    code, out, _ = machi_run("ladder", "enter", ladder_id, "greedy", "random")
    assert (code, [line.split()[1] for line in out.splitlines()]) == (0, ["greedy", "random"])
    code, out, _ = machi_run("ladder", "enter", ladder_id, "--bot-version", "3", "--name", "bakers")
    bot = out.split()[0]
    assert machi_run("ladder", "withdraw", ladder_id, bot)[0] == 0
    code, out, _ = machi_run("ladder", "show", ladder_id)
    assert (code, out.splitlines()[0]) == (0, "Cup: base, 2 seats, season 0")
    assert re.search(rf"{bot} .*bakers .* removed", out)
    assert ladder_id in machi_run("ladder", "list")[1]


def test_entries_are_withdrawn_and_probed_by_their_names(machi_run: Run, ladder_id: str, me: Client) -> None:
    code, _, err = machi_run("ladder", "probe", ladder_id, "greedy")
    assert (code, "not suspended" in err) == (1, True)
    assert machi_run("ladder", "withdraw", ladder_id, "greedy")[0] == 0
    assert me.ladder(ladder_id).entries[0].status == "removed"
    assert machi_run("ladder", "withdraw", ladder_id, "greedy")[0] == 2
    assert machi_run("ladder", "probe", ladder_id, "nobody")[0] == 2


def test_a_refusal_names_the_member_that_is_wrong(machi_run: Run) -> None:
    given = ("--ruleset", "base", "--seats", "2", "--config", '{"rating": {"anchor": "nobody"}}')
    code, _, err = machi_run("ladder", "create", "Cup", *given)
    assert (code, "/rating/anchor: must be one of:" in err) == (1, True)


@pytest.mark.parametrize(
    "words",
    [
        ["enter", "lad_x"],
        ["enter", "lad_x", "greedy", "--bot-version", "1"],
        ["enter", "lad_x", "greedy", "random", "--name", "one"],
        ["create", "x", "--ruleset", "base", "--seats", "2", "--config", "[]"],
        ["run", "lad_x", "--blocks", "0"],
        ["test", "lad_x", "a"],
        ["test", "lad_x", "a", "b", "--elo1", "0"],
        ["rate", "results.ndjson", "--compare", "mat_x"],
    ],
)
def test_what_makes_no_sense_is_wrong_use(machi_run: Run, words: list[str]) -> None:
    assert machi_run("ladder", *words)[0] == 2


def test_a_round_is_played_by_workers_while_the_command_waits(
    machi_run: Run, ladder_id: str, workers: Callable[[str], None], tmp_path: Path
) -> None:
    workers(ladder_id)
    code, out, err = machi_run("ladder", "run", ladder_id, "--blocks", "3")
    assert (code, out.splitlines()[-1]) == (0, "Finished: 3 of 3 blocks.")
    job_id = re.search(r"round 1 is job (job_\w+)", err)
    assert job_id is not None
    assert machi_run("ladder", "watch", job_id[1])[0] == 0
    code, out, err = machi_run("ladder", "table", ladder_id)
    assert code == 0
    assert all(name in out for name in ("greedy", "random", "landmark_first"))
    assert "season 1: 3 of 3 finished blocks counted" in err
    assert machi_run("ladder", "results", ladder_id, "-o", "results.ndjson")[0] == 0
    code, _, err = machi_run("ladder", "rate", "results.ndjson", "--compare", ladder_id)
    assert (code, "in every digit; blocks: 3" in err) == (0, True)


def test_ctrl_c_leaves_a_round_running_and_says_how_to_come_back(
    machi_run: Run, ladder_id: str, me: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("machi.cli.ladders.progress.time.sleep", interrupted)
    code, _, err = machi_run("ladder", "run", ladder_id, "--blocks", "2")
    job_id = me.ladder(ladder_id).rounds[0].job_id
    assert (code, me.job(job_id).status) == (130, "queued")
    assert f"to follow it, run: machi ladder watch {job_id}" in err
    assert machi_run("ladder", "watch", job_id)[0] == 130
    assert machi_run("ladder", "stop", job_id)[0] == 0
    code, out, _ = machi_run("ladder", "watch", job_id)
    assert (code, out) == (
        1,
        f"Stopped (command) after 0 of 2 blocks. To resume it, run: machi ladder resume {job_id}\n",
    )
    assert machi_run("ladder", "resume", job_id)[0] == 0
    assert me.job(job_id).status == "queued"


def test_ctrl_c_stops_a_round_where_that_was_asked_for(
    machi_run: Run, ladder_id: str, me: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("machi.cli.ladders.progress.time.sleep", interrupted)
    assert machi_run("ladder", "run", ladder_id, "--blocks", "2", "--stop")[0] == 130
    assert me.job(me.ladder(ladder_id).rounds[0].job_id).status == "stopped"


def test_a_round_can_be_opened_without_waiting(machi_run: Run, ladder_id: str, me: Client) -> None:
    code, out, _ = machi_run("ladder", "run", ladder_id, "--blocks", "2", "--detach")
    assert (code, me.job(out.strip()).status) == (0, "queued")
    code, out, err = machi_run("ladder", "run", ladder_id, "--blocks", "2")
    assert (code, out) == (1, "")
    assert "round_running" in err


def test_tables_are_printed_whole_and_as_json(machi_run: Run, rated: str, me: Client) -> None:
    _, out, _ = machi_run("ladder", "table", rated)
    for row in me.standings(rated).items:
        line = next(line for line in out.splitlines() if row.name in line)
        assert f"{row.rating:.1f}" in line
        assert f"{row.rating_interval[0]:.1f}..{row.rating_interval[1]:.1f}" in line
        assert "…" not in line
    assert json.loads(machi_run("ladder", "table", rated, "--json")[1])["blocks_counted"] == 6
    _, out, _ = machi_run("ladder", "crosstable", rated)
    assert re.search(r"^ *1 +greedy +\d-\d +\d-\d", out, re.MULTILINE)
    assert len(json.loads(machi_run("ladder", "crosstable", rated, "--json")[1])["items"]) == 6


def test_a_wide_terminal_shows_the_interval_of_the_adjusted_score(
    machi_run: Run, rated: str, me: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    low, high = me.standings(rated).items[0].score_adjusted_interval or (0.0, 0.0)
    interval = f"{low:.4f}..{high:.4f}"
    assert interval not in machi_run("ladder", "table", rated)[1]
    monkeypatch.setenv("COLUMNS", "140")
    assert interval in machi_run("ladder", "table", rated)[1]


def test_before_the_first_round_there_is_no_table(machi_run: Run, ladder_id: str) -> None:
    assert machi_run("ladder", "table", ladder_id)[:2] == (0, "There is no table yet.\n")
    assert machi_run("ladder", "crosstable", ladder_id)[:2] == (0, "There is no table yet.\n")


def test_results_are_written_to_a_file_and_rated_in_any_order(
    machi_run: Run, rated: str, me: Client, tmp_path: Path
) -> None:
    code, _, err = machi_run("ladder", "results", rated, "-o", "results.ndjson.gz")
    assert (code, "results.ndjson.gz: 16 lines" in err) == (0, True)
    assert machi_run("ladder", "results", rated, "-o", "results.ndjson.gz")[0] == 2
    lines = gzip.decompress((tmp_path / "results.ndjson.gz").read_bytes()).splitlines(keepends=True)
    random.Random(7).shuffle(lines)
    _, whole, _ = machi_run("ladder", "rate", "results.ndjson.gz", "--json")
    _, shuffled, _ = machi_run("ladder", "rate", "-", "--json", typed=b"".join(lines))
    assert shuffled == whole
    mine: dict[str, Any] = json.loads(whole)
    theirs = json.loads(me.standings(rated).raw)
    assert mine.keys() & theirs.keys() == theirs.keys() - {"as_of", "computing", "live", "blocks_finished"}
    shared = ("ladder_id", "season", "digest", "blocks_counted", "anchor", "groups")
    assert [mine[name] for name in shared] == [theirs[name] for name in shared]
    for row, told in zip(mine["items"], theirs["items"], strict=True):
        assert row == {name: value for name, value in told.items() if name != "live"}


def test_the_printed_table_is_the_same_computed_and_published(machi_run: Run, rated: str) -> None:
    machi_run("ladder", "results", rated, "-o", "results.ndjson")
    assert machi_run("ladder", "rate", "results.ndjson")[1] == machi_run("ladder", "table", rated)[1]


def test_another_table_than_the_service_has_is_told_with_the_difference(
    machi_run: Run, rated: str, tmp_path: Path, url: str
) -> None:
    machi_run("ladder", "results", rated, "-o", "results.ndjson")
    same = machi_run("ladder", "rate", "results.ndjson", "--compare", f"{url}/{rated}")
    assert same[0] == 0
    text = (tmp_path / "results.ndjson").read_text()
    (tmp_path / "forged.ndjson").write_text(re.sub(r'"winner":0', '"winner":1', text, count=1))
    code, _, err = machi_run("ladder", "rate", "forged.ndjson", "--compare", rated)
    assert (code, "wins is" in err) == (1, True)
    lines = text.splitlines(keepends=True)
    (tmp_path / "short.ndjson").write_text("".join(lines[:-2]))
    code, _, err = machi_run("ladder", "rate", "short.ndjson", "--compare", rated)
    assert (code, "counted 6 blocks, the results have 5" in err) == (1, True)


def test_blocks_that_are_incomplete_are_told_of(machi_run: Run, rated: str, tmp_path: Path) -> None:
    machi_run("ladder", "results", rated, "-o", "results.ndjson")
    assert "incomplete" not in machi_run("ladder", "rate", "results.ndjson")[2]
    lines = (tmp_path / "results.ndjson").read_text().splitlines(keepends=True)
    (tmp_path / "short.ndjson").write_text("".join(lines[:-1]))
    code, _, err = machi_run("ladder", "rate", "short.ndjson")
    assert (code, "1 block is incomplete and left out" in err) == (0, True)


def test_a_file_that_is_no_ladder_s_cannot_be_rated(machi_run: Run, tmp_path: Path) -> None:
    assert machi_run("ladder", "rate", "missing.ndjson")[0] == 3
    code, out, err = machi_run("ladder", "rate", "-", typed=b'{"kind":"other"}\n')
    assert (code, out) == (3, "")
    assert err.startswith("error: -: line 1: not_a_line")


def test_matches_are_exported_with_their_heads(machi_run: Run, rated: str) -> None:
    code, out, _ = machi_run("ladder", "export", rated, "--csv")
    assert (code, out.splitlines()[0].split(",")[4:8]) == (0, ["match_id", "winner", "version", "head"])
    assert len(out.splitlines()) == 1 + 12


def test_a_round_with_a_public_value_is_bound_played_and_verified(
    machi_run: Run, ladder_id: str, workers: Callable[[str], None], me: Client, stores: Stores
) -> None:
    bind_due(stores, ladder_id)
    code, out, _ = machi_run("ladder", "verify", ladder_id, "1")
    assert code == 2
    assert "round incomplete" in out
    assert "not recorded yet" in out
    code, out, _ = machi_run("ladder", "value", ladder_id, "1", "5f3c9a")
    assert (code, "Round 1 has its value" in out) == (0, True)
    workers(ladder_id)
    job_id = me.ladder(ladder_id).rounds[0].job_id
    assert machi_run("ladder", "watch", job_id)[0] == 0
    code, out, err = machi_run("ladder", "verify", ladder_id, "1")
    assert code == 0, out + err
    assert "round verified" in out
    assert "value:  5f3c9a" in out
    assert "2 verified, 0 failed" in out
    assert "Look the value up at its source" in err
    code, out, _ = machi_run("ladder", "verify", ladder_id, "1", "--json")
    told = [json.loads(line) for line in out.splitlines()]
    assert (code, [one["verdict"] for one in told]) == (0, ["verified"] * 3)
    assert machi_run("ladder", "verify", ladder_id, "2")[0] == 1


def test_a_round_that_waits_for_its_value_is_not_waited_for(
    machi_run: Run, ladder_id: str, me: Client
) -> None:
    at = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    asked = ("ladder", "run", ladder_id, "--blocks", "1", "--public-value", "drand round 7")
    assert machi_run(*asked)[0] == 2
    code, out, err = machi_run(*asked, "--at", at)
    assert (code, me.job(out.strip()).status) == (0, "queued")
    assert f"machi ladder value {ladder_id} 1 VALUE" in err
    bound = me.ladder(ladder_id).rounds[0]
    assert bound.status == "awaiting_value"
    assert bound.public_value is not None
    assert (bound.public_value.source, bound.public_value.value) == ("drand round 7", None)
    code, _, err = machi_run("ladder", "value", ladder_id, "1", "5f3c9a")
    assert (code, "value_too_early" in err) == (1, True)


def test_a_test_is_played_by_workers_and_its_outcome_told(
    machi_run: Run, ladder_id: str, workers: Callable[[str], None], me: Client
) -> None:
    workers(ladder_id)
    code, out, err = machi_run(
        "ladder", "test", ladder_id, "greedy", "random", "--blocks", "4", "--elo1", "400"
    )
    told = me.test(ladder_id, "1")
    assert (code, told.status) == (0, "finished")
    assert out.splitlines()[-1].startswith(str(told.decision).replace("_", " "))
    assert f"LLR {told.llr:.3f}" in out
    assert "test 1 is job " in err
    assert machi_run("ladder", "test", ladder_id, "greedy", "nobody")[0] == 2


def test_how_far_a_table_is_that_takes_a_while_is_told(
    machi_run: Run, ladder_id: str, me: Client, stores: Stores
) -> None:
    job_id = me.open_round(ladder_id, 1).job_id
    finish_blocks(stores, ladder_id)
    assert me.job(job_id).table is None
    far = Progress(stores.ladders.load(ladder_id).version, 1, 1_700_000_000_000, 20, 5)
    ladder_tables.save_fits(stores.events_redis, ladder_id, 1, far, Fits(), 0)
    job = me.job(job_id)
    assert (job.table, speed(job)) == (TableProgress(1, 5, 20), "table 25 %")
    code, out, err = machi_run("ladder", "table", ladder_id)
    assert (code, out) == (0, "There is no table yet.\n")
    assert "the next table is being computed: 5 of 20 replicates" in err


def test_the_table_of_an_earlier_season_stays_and_is_the_one_that_its_results_say(
    machi_run: Run, rated: str, me: Client, stores: Stores
) -> None:
    me.open_season(rated)
    me.open_round(rated, 1)
    finish_blocks(stores, rated)
    publish(stores, rated)
    assert machi_run("ladder", "results", rated, "--season", "1", "-o", "old.ndjson")[0] == 0
    assert machi_run("ladder", "rate", "old.ndjson", "--compare", rated)[0] == 0
    before = machi_run("ladder", "table", rated, "--season", "1")[1]
    assert machi_run("ladder", "rate", "old.ndjson")[1] == before


@pytest.fixture
def tested(me: Client, stores: Stores) -> str:
    """A ladder for four with a test of greedy against random, two blocks of which are over."""
    ladder_id = me.create_ladder("Base for four", "base", 4, rating=RATING).ladder_id
    a, b = (me.enter(ladder_id, strategy=name).entry_id for name in ("greedy", "random"))
    me.open_test(ladder_id, a, b, most_blocks=2)
    finish_blocks(stores, ladder_id)
    return ladder_id


def test_results_of_a_test_with_stand_ins_can_be_tested_but_not_rated(machi_run: Run, tested: str) -> None:
    assert machi_run("ladder", "results", tested, "--test", "1", "-o", "tested.ndjson")[0] == 0
    code, out, _ = machi_run("ladder", "test", "--results", "tested.ndjson", "greedy", "random", "--json")
    found = json.loads(out)
    assert (code, found["blocks"], found["matches"]) == (0, 2, 8)
    assert found["wins"] + found["losses"] + found["others"] == 8
    code, _, err = machi_run("ladder", "rate", "tested.ndjson")
    assert (code, "stand_in" in err) == (3, True)


def test_stand_ins_have_empty_cells_in_the_csv_of_a_test(
    machi_run: Run, tested: str, me: Client, tmp_path: Path
) -> None:
    assert machi_run("ladder", "results", tested, "--test", "1", "-o", "tested.csv", "--csv")[0] == 0
    rows = [*csv.DictReader((tmp_path / "tested.csv").read_text().splitlines())]
    a, b = [entry.entry_id for entry in me.ladder(tested).entries]
    seated = [tuple(row[f"entry_{seat}"] for seat in range(4)) for row in rows]
    # Rotation r sits r seats further to the left.
    assert seated[:3] == [(a, b, "", ""), (b, "", "", a), ("", "", a, b)]


@pytest.mark.parametrize("kind", ["ladder", "entry", "result"])
def test_a_download_of_one_kind_is_one_table(kind: str, machi_run: Run, rated: str, tmp_path: Path) -> None:
    """Every line has the same members, as programs want it that read lines into a table."""
    assert machi_run("ladder", "results", rated, "--kind", kind, "-o", "table.ndjson")[0] == 0
    lines = [json.loads(line) for line in (tmp_path / "table.ndjson").read_text().splitlines()]
    assert len(lines) == {"ladder": 1, "entry": 3, "result": 12}[kind]
    assert {(line["kind"], *line) for line in lines} == {(kind, *lines[0])}
    _, out, _ = machi_run("ladder", "export", rated)
    assert len({tuple(json.loads(line)) for line in out.splitlines()}) == 1


def test_csv_has_results_alone(machi_run: Run, rated: str, me: Client) -> None:
    assert machi_run("ladder", "results", rated, "--csv", "--kind", "entry")[0] == 2
    assert me.results(rated, as_csv=True, kind="result") == me.results(rated, as_csv=True)
    with pytest.raises(Refused, match="/kind"):
        me.results(rated, as_csv=True, kind="entry")


def test_csv_shows_names_and_no_formulas(machi_run: Run, me: Client, stores: Stores) -> None:
    ladder_id = me.create_ladder("Named", "base", 2, rating=RATING).ladder_id
    me.enter(ladder_id, strategy="greedy", name="=1+1")
    me.enter(ladder_id, strategy="random", name="Ada, the first")
    me.open_round(ladder_id, 1)
    finish_blocks(stores, ladder_id)
    for words in (("results", ladder_id, "-o", "-"), ("export", ladder_id)):
        rows = [*csv.DictReader(machi_run("ladder", *words, "--csv")[1].splitlines())]
        assert sorted((row["name_0"], row["name_1"]) for row in rows) == [
            ("'=1+1", "Ada, the first"),
            ("Ada, the first", "'=1+1"),
        ]


# Bots that are suspended


@pytest.fixture
def suspended(me: Client, machi: Client, stores: Stores) -> str:
    """A ladder with a bot, whose only match was too long for it."""
    rules = {"window": 2, "most_faults": 0, "probes": 2}
    ladder_id = me.create_ladder("Bots", "base", 2, rating=RATING, suspension=rules).ladder_id
    me.enter(ladder_id, strategy="greedy")
    machi.enter(ladder_id, version="1", name="late")
    me.open_round(ladder_id, 1)
    finish_blocks(stores, ladder_id, timeouts=(1, 1))
    publish(stores, ladder_id)
    finish_round(stores, ladder_id)
    return ladder_id


def test_a_suspended_bot_is_marked_in_the_table_and_columns_are_explained(
    machi_run: Run, suspended: str
) -> None:
    _, out, err = machi_run("ladder", "table", suspended)
    assert re.search(r"late \(suspended\)", out)
    assert "greedy (suspended)" not in out
    columns = re.split(r"\s{2,}", out.splitlines()[0].strip())
    assert [name for name in columns if name not in err] == ["name", "wins"]


@pytest.mark.parametrize(
    ("timeouts", "code", "verdict"),
    [
        ((0, 0), 0, "late is reinstated"),
        ((1, 1), 1, "late is still suspended: 0 of 2 good probes in a row"),
    ],
)
def test_the_verdict_of_probes_is_told(
    timeouts: tuple[int, ...], code: int, verdict: str, machi_run: Run, suspended: str, stores: Stores
) -> None:
    ended = threading.Event()

    def play() -> None:
        ladders = stores.ladders
        while len(ladders.load(suspended).state.rounds) < 2:
            if ended.wait(0.02):
                return
        finish_blocks(stores, suspended, timeouts=timeouts)
        finish_round(stores, suspended, 2)

    player = threading.Thread(target=play)
    player.start()
    found, out, _ = machi_run("ladder", "probe", suspended, "late")
    ended.set()
    player.join()
    assert found == code
    assert verdict in out


def test_results_that_are_there_can_be_tested_without_a_match(machi_run: Run, rated: str) -> None:
    machi_run("ladder", "results", rated, "-o", "results.ndjson")
    code, out, _ = machi_run("ladder", "test", "--results", "results.ndjson", "greedy", "random")
    assert (code, out.startswith("undecided: 2 blocks: ")) == (0, True)
    code, out, _ = machi_run("ladder", "test", "--results", "results.ndjson", "greedy", "random", "--json")
    assert json.loads(out)["matches"] == 4
    assert machi_run("ladder", "test", "--results", "results.ndjson", "greedy", "wizard")[0] == 3
