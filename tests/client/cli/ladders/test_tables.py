"""Tables and results of ladders in a terminal: printed, downloaded, computed again."""

import csv
import gzip
import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from contract.standings import TableProgress
from domain.audit.bounds import LONGEST_LINE
from domain.ladder.ratings import Fits
from events.ladders import tables as ladder_tables
from events.ladders.tables import Progress
from machi import Client, Refused
from machi.cli.ladders.rounds import speed
from tests.client.commands import Run
from tests.client.ladders import RATING
from tests.service.ladder_kit import Stores, finish_blocks, publish


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
    assert machi_run("ladder", "table", ladder_id) == (
        0,
        "There is no table yet.\n",
        "no season has begun\n",
    )
    assert machi_run("ladder", "crosstable", ladder_id)[:2] == (0, "There is no table yet.\n")


def test_results_are_written_to_a_file_and_rated_in_any_order(
    machi_run: Run, rated: str, me: Client, tmp_path: Path
) -> None:
    code, _, err = machi_run("ladder", "results", rated, "-o", "results.ndjson.gz")
    assert (code, "results.ndjson.gz: 16 lines" in err) == (0, True)
    assert machi_run("ladder", "results", rated, "-o", "results.ndjson.gz")[0] == 2
    packed = (tmp_path / "results.ndjson.gz").read_bytes()
    lines = gzip.decompress(packed).splitlines(keepends=True)
    random.Random(7).shuffle(lines)
    _, whole, _ = machi_run("ladder", "rate", "results.ndjson.gz", "--json")
    assert machi_run("ladder", "rate", "-", "--json", typed=packed)[1] == whole
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
    assert err.startswith("error: -: line 1: this is no line of results: ")
    assert "not_a_line" not in err


RATES = [
    pytest.param(words, id=words[0] + " " + words[1])
    for words in (
        ("ladder", "rate", "{}", "--compare", "lad_01M7Y0QWZSG2ZN44STE1E8G2VY"),
        ("ladder", "test", "--results", "{}", "greedy", "random"),
        ("ratings", "rate", "{}"),
    )
]
"""What computes from a file of results."""


@pytest.mark.parametrize("words", RATES)
@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (gzip.compress(b"{}")[:10] + b"\xff" * 8, "damaged: "),
        (gzip.compress(b"{}" * 999)[:-8] + b"x" * 8, "damaged: CRC check failed"),
        (gzip.compress(b" " * 999)[:-9], "the compressed file is truncated"),
    ],
    ids=["a block", "the checksum", "the end"],
)
def test_results_in_a_damaged_packed_file_are_unreadable_and_no_other_table(
    words: tuple[str, ...], content: bytes, reason: str, machi_run: Run, tmp_path: Path
) -> None:
    (tmp_path / "f").write_bytes(content)
    asked = [word.format("f") for word in words]
    code, out, err = machi_run(*asked)
    assert (code, out) == (3, "")
    assert err.startswith(f"error: cannot read f: {reason}")
    assert err.count("\n") == 1
    code, out, err = machi_run(*asked, "--json")
    assert (code, out, reason in json.loads(err)["detail"]) == (3, "", True)


@pytest.mark.parametrize("words", RATES)
@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"\0" * 20_000_000, f"line 1: it has more than {LONGEST_LINE} bytes"),
        (b"\n" * 4_000_000, "line 1001: more than 1000 lines are empty"),
        (b" \r\n" * 4_000_000, "line 1001: more than 1000 lines are empty"),
    ],
    ids=["one line", "empty lines", "lines of spaces"],
)
def test_no_more_is_read_of_a_small_packed_file_than_results_can_have(
    words: tuple[str, ...], content: bytes, fault: str, machi_run: Run, tmp_path: Path
) -> None:
    """Its end is damaged, which nobody comes to notice."""
    (tmp_path / "f").write_bytes(gzip.compress(content + b"\n") + b"damaged")
    code, out, err = machi_run(*[word.format("f") for word in words], "--json")
    assert (code, out) == (3, "")
    assert fault in json.loads(err)["detail"]


def test_matches_are_exported_with_their_heads(machi_run: Run, rated: str) -> None:
    code, out, _ = machi_run("ladder", "export", rated, "--csv")
    assert (code, out.splitlines()[0].split(",")[4:8]) == (0, ["match_id", "winner", "version", "head"])
    assert len(out.splitlines()) == 1 + 12


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
    assert (code, "a stand-in has a seat" in err) == (3, True)


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
    code, _, err = machi_run("ladder", "results", rated, "--kind", kind, "-o", "table.ndjson")
    told = {"ladder": "1 line", "entry": "3 lines", "result": "12 lines"}[kind]
    assert (code, err) == (0, f"table.ndjson: {told}\n")
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
