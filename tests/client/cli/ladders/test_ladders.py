"""Ladders through the client and the command line, against the real service; rounds by the workers' code."""

import json
import re
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from machi import Client, NotAllowed, Refused
from tests.client.commands import Run
from tests.client.ladders import RATING, bind_due
from tests.service.ladder_kit import Stores, finish_blocks, finish_round, publish

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
    assert (code, out.splitlines()[0]) == (0, "Cup: base, 2 seats, no season has begun")
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

    monkeypatch.setattr("machi.cli.ladders.rounds.time.sleep", interrupted)
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


def test_a_stopped_round_tells_that_more_may_count_and_how_to_finish_it(
    machi_run: Run, ladder_id: str, stores: Stores, me: Client
) -> None:
    job_id = me.open_round(ladder_id, 2).job_id
    code, out, _ = machi_run("ladder", "stop", job_id)
    assert (code, " ".join(out.split())) == (
        0,
        "Stopped. 0 of 2 blocks are over, and those that are being played still count. "
        f"To resume it, run: machi ladder resume {job_id}",
    )
    finish_blocks(stores, ladder_id)
    to_finish = f"To finish it, run: machi ladder resume {job_id}"
    _, out, _ = machi_run("ladder", "stop", job_id)
    assert " ".join(out.split()) == f"Stopped. 2 of 2 blocks are over. {to_finish}"
    _, out, _ = machi_run("ladder", "watch", job_id)
    assert " ".join(out.split()) == f"Stopped (command) after 2 of 2 blocks. {to_finish}"
    code, _, err = machi_run("ladder", "run", ladder_id, "--blocks", "1")
    assert (code, f"resume its job, {job_id}" in " ".join(err.split())) == (1, True)


def test_ctrl_c_stops_a_round_where_that_was_asked_for(
    machi_run: Run, ladder_id: str, me: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("machi.cli.ladders.rounds.time.sleep", interrupted)
    assert machi_run("ladder", "run", ladder_id, "--blocks", "2", "--stop")[0] == 130
    assert me.job(me.ladder(ladder_id).rounds[0].job_id).status == "stopped"


def test_a_round_can_be_opened_without_waiting(machi_run: Run, ladder_id: str, me: Client) -> None:
    code, out, _ = machi_run("ladder", "run", ladder_id, "--blocks", "2", "--detach")
    assert (code, me.job(out.strip()).status) == (0, "queued")
    code, out, err = machi_run("ladder", "run", ladder_id, "--blocks", "2")
    assert (code, out) == (1, "")
    assert "round_running" in err


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
    assert machi_run("ladder", "verify", ladder_id, "2")[0] == 2


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


def test_the_help_names_no_time_for_a_public_value_that_is_refused(machi_run: Run) -> None:
    told = " ".join(machi_run("ladder", "run", "--help")[1].split())
    assert "between 60 seconds and 30 days from now" in told
    assert not re.search(r"--at \d|\d{4}-\d\d-\d\d", told)


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
