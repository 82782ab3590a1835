"""Tournaments from the command line: made, played by the workers' code, shown, verified and forged."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from machi import Client
from tests.audited import chained
from tests.client.commands import Run

CONFIG = '{"luck": "off", "rating": {"replicates": 10}}'


def made(machi_run: Run, *schedule: str) -> str:
    common = ("ladder", "create", "Cup", "--ruleset", "base", "--seats", "2", "--config", CONFIG)
    code, out, err = machi_run(*common, "--schedule", *schedule)
    assert code == 0, err
    ladder_id = out.strip()
    assert machi_run("ladder", "enter", ladder_id, "greedy", "random", "landmark_first", "cheese")[0] == 0
    return ladder_id


def test_a_knock_out_is_played_shown_and_verified(
    machi_run: Run, workers: Callable[[str], None], me: Client
) -> None:
    ladder_id = made(machi_run, "knock_out")
    out = machi_run("ladder", "tournament", ladder_id)[1]
    assert out == "knock out, no season has begun\nIt has not started yet.\n"
    workers(ladder_id)
    code, out, err = machi_run("ladder", "run", ladder_id)
    assert (code, me.tournament(ladder_id).status) == (0, "finished"), err
    assert out.count("Finished: ") == len(me.tournament(ladder_id).rounds)

    code, out, _ = machi_run("ladder", "tournament", ladder_id)
    (winner,) = [one.name for one in me.tournament(ladder_id).items if one.place == 1]
    assert (code, out.splitlines()[0]) == (0, "knock out, season 1: finished")
    assert f"{winner} (advances)" in out
    assert f"{winner} (wins)" in out
    code, out, err = machi_run("ladder", "verify", ladder_id)
    assert code == 0, out + err
    assert f"\n1. {winner}\n" in out
    assert all(f"{name} passed" in out for name in ("chain", "field", "pairing", "results", "places"))


def test_a_forged_place_or_pairing_is_found_in_the_saved_history(
    machi_run: Run, workers: Callable[[str], None], tmp_path: Path
) -> None:
    ladder_id = made(machi_run, "swiss", "--rounds", "2", "--table-blocks", "2")
    workers(ladder_id)
    assert machi_run("ladder", "run", ladder_id)[0] == 0
    assert machi_run("ladder", "export", ladder_id, "--events", "-o", "events.ndjson")[0] == 0
    file = tmp_path / "events.ndjson"
    history = [json.loads(line) for line in file.read_bytes().splitlines()]
    verify = ("ladder", "verify", ladder_id, "--history", "events.ndjson")
    code, out, _ = machi_run(*verify)
    assert (code, "results pending: 16 matches are not at hand" in " ".join(out.split())) == (2, True), out

    end = next(event for event in history if event["type"] == "tournament_finished")
    end["data"]["places"].reverse()
    file.write_text("".join([json.dumps(event) + "\n" for event in chained(history)]))
    code, out, _ = machi_run(*verify)
    assert (code, "places failed" in out, "pairing passed" in out) == (1, True, True)

    opened = [event for event in history if event["type"] == "round_opened"][1]
    opened["data"]["tables"].reverse()
    file.write_text("".join([json.dumps(event) + "\n" for event in chained(history)]))
    code, out, _ = machi_run(*verify)
    assert (code, "pairing failed" in out, "places skipped" in out) == (1, True, True)


def test_the_next_season_can_be_a_tournament_seeded_by_ratings(
    machi_run: Run, rated: str, me: Client
) -> None:
    names = [one.name for one in me.standings(rated).items]
    assert machi_run("ladder", "season", rated, "--schedule", "knock_out", "--seeding", "ratings")[0] == 0
    assert machi_run("ladder", "run", rated, "--detach")[0] == 0
    found = me.tournament(rated)

    assert [one.name for one in sorted(found.items, key=lambda one: one.seed)] == names
    assert [bye.name for bye in found.rounds[0].byes] == names[:1]
    me.stop_job(found.rounds[0].job_id)
    assert machi_run("ladder", "season", rated, "--no-schedule")[0] == 0
    assert me.tournament(rated, 2).status == "abandoned"
    assert machi_run("ladder", "tournament", rated)[0] == 1


def test_a_ladder_without_a_tournament_or_a_value_has_nothing_to_verify(
    machi_run: Run, rated: str, tmp_path: Path
) -> None:
    verify = ("ladder", "verify", rated)
    hint = "to verify a round with a public value, name the round"
    code, out, err = machi_run(*verify)
    assert (code, out, " ".join(err.split())) == (2, "", f"error: no tournament has started; {hint}")
    code, out, err = machi_run(*verify, "--season", "1", "--json")
    problem = json.loads(err)
    assert (code, out, problem["code"]) == (2, "", "wrong_usage")
    assert problem["detail"] == f"no tournament of season 1 has started; {hint}"
    code, out, err = machi_run(*verify, "1")
    assert (code, out, err) == (2, "", "error: there is no round 1 with a public value\n")

    assert machi_run("ladder", "export", rated, "--events", "-o", "events.ndjson")[0] == 0
    assert machi_run(*verify, "--history", "events.ndjson")[:2] == (2, "")
    file = tmp_path / "events.ndjson"
    file.write_bytes(file.read_bytes().replace(b"greedy", b"Greedy"))
    code, out, err = machi_run(*verify, "--history", "events.ndjson")
    assert (code, out.splitlines()[0], "last event" in err) == (1, "tournament failed", False)


@pytest.mark.parametrize(
    "words",
    [
        ["create", "x", "--ruleset", "base", "--seats", "2", "--rounds", "3"],
        ["season", "lad_x", "--schedule", "swiss", "--no-schedule"],
        ["verify", "lad_x", "3", "--season", "1"],
        ["export", "lad_x", "--events", "--csv"],
    ],
)
def test_what_makes_no_sense_is_wrong_use(machi_run: Run, words: list[str]) -> None:
    assert machi_run("ladder", *words)[0] == 2


def test_a_file_that_is_no_history_is_unreadable(machi_run: Run, tmp_path: Path) -> None:
    for text in ("[]\n", "{\n"):
        (tmp_path / "x.ndjson").write_text(text)
        assert machi_run("ladder", "verify", "lad_x", "--history", "x.ndjson")[0] == 3
    assert machi_run("ladder", "verify", "lad_x", "--history", "none.ndjson")[0] == 3
