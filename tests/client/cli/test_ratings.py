"""`machi ratings`: tables, results, and their recomputation with and without the service."""

import json
from pathlib import Path

import pytest

from contract.matches import Clock
from machi import Client, Resign, me, open_seat
from ops.servers import Server
from runtime.settings import Settings
from tests.client.commands import Run, machi_process
from tests.service.rated import compute_ratings
from tests.service.served import MASTER_KEYS, SIGNING_KEYS


@pytest.fixture
def settled(
    events_server: Server,
    queue_server: Server,
    my_client: Client,
    machi: Client,
    capsys: pytest.CaptureFixture[str],
) -> Client:
    """A service on which the account that is logged in has won three rated matches of four."""
    for winner, loser in ((my_client, machi), (machi, my_client), (my_client, machi), (my_client, machi)):
        clock = Clock(60_000, "forfeit")
        match = winner.create_match("base", [me(), open_seat()], options={"rated": True}, clock=clock)
        loser.command(match.match_id, Resign(loser.join(match.match_id).seat))
    compute_ratings(Settings(events_server.url, queue_server.url, MASTER_KEYS, SIGNING_KEYS))
    capsys.readouterr()  # what the worker logs
    return my_client


@pytest.mark.usefixtures("settled")
def test_the_table_shows_the_strongest_first(machi_run: Run, handle: str) -> None:
    code, out, err = machi_run("ratings", "table")

    assert code == 0
    assert handle in out.splitlines()[2]
    assert "4 of 4 results counted" in err
    assert "Nobody has a rating yet." in machi_run("ratings", "table", "--ruleset", "harbor")[1]


@pytest.mark.usefixtures("settled")
def test_an_account_sees_its_own_ratings(machi_run: Run) -> None:
    code, out, _ = machi_run("ratings", "mine", "--json")

    (own,) = map(json.loads, out.splitlines())
    assert (code, own["ruleset"], own["rating"]["matches"], own["rating"]["wins"]) == (0, "base", 4, 3)


@pytest.mark.usefixtures("settled")
def test_the_ratings_of_the_service_follow_from_its_results(machi_run: Run) -> None:
    code, out, _ = machi_run("ratings", "verify")

    assert (code, out) == (0, "identical in every digit: 2 ratings from 4 results\n")


@pytest.mark.usefixtures("settled")
def test_ratings_are_recomputed_from_a_file_in_any_order(machi_run: Run, tmp_path: Path) -> None:
    assert machi_run("ratings", "results", "-o", "results.ndjson") == (0, "", "results.ndjson: 4 results\n")
    lines = (tmp_path / "results.ndjson").read_text().splitlines()
    (tmp_path / "shuffled.ndjson").write_text("\n".join([*lines[::-1], lines[0]]) + "\n")

    first, second = (machi_run("ratings", "rate", name) for name in ("results.ndjson", "shuffled.ndjson"))

    assert first == second
    assert first[1] == machi_run("ratings", "table")[1]
    assert machi_run("ratings", "verify", "shuffled.ndjson")[0] == 0


@pytest.mark.usefixtures("settled")
def test_a_single_result_is_not_called_results(machi_run: Run, tmp_path: Path) -> None:
    machi_run("ratings", "results", "-o", "results.ndjson")
    first = (tmp_path / "results.ndjson").read_text().splitlines()[0]
    (tmp_path / "first.ndjson").write_text(first + "\n")

    _, _, err = machi_run("ratings", "rate", "first.ndjson")

    assert err.startswith("1 result of base with 2 seats, ")


@pytest.mark.usefixtures("settled")
def test_results_that_the_service_did_not_count_are_noticed(machi_run: Run, tmp_path: Path) -> None:
    machi_run("ratings", "results", "-o", "results.ndjson")
    lines = (tmp_path / "results.ndjson").read_text().splitlines()
    (tmp_path / "fewer.ndjson").write_text("\n".join(lines[1:]) + "\n")
    turned = {**json.loads(lines[0]), "winner": 1 - json.loads(lines[0])["winner"]}
    (tmp_path / "forged.ndjson").write_text("\n".join([json.dumps(turned), *lines[1:]]) + "\n")

    for name in ("fewer.ndjson", "forged.ndjson"):
        code, _, err = machi_run("ratings", "verify", name)
        assert (code, "the service counted 4 results" in err.replace("\n", " ")) == (1, True)


def test_a_file_that_has_no_results_is_refused(machi_run: Run, tmp_path: Path) -> None:
    texts = {"odd.ndjson": '{"match_id": 1}\n', "empty.ndjson": "\n", "deep.ndjson": '{"a":' + "[" * 200_000}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
        assert machi_run("ratings", "rate", name)[0] == 3
    assert machi_run("ratings", "rate", "missing.ndjson")[0] == 3


def test_a_rated_match_is_made_and_found(logged_in: Run) -> None:
    code, _, err = logged_in("play", "--against", "greedy", "--clock", "60", "--rated")
    assert (code, "built-in player" in err) == (1, True)

    with machi_process("play", "--against", "open", "--clock", "60", "--rated") as player:
        assert player.stdout
        player.stdout.readline()
    (line,) = logged_in("matches", "--rated", "--json")[1].splitlines()

    assert json.loads(line)["rated"] is True
