"""`machi export --format csv` and `parquet`, of matches of the real service and of files."""

import signal
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from machi import Client, me
from machi.tabular import TABLES
from tests.client.commands import Run, finished
from tests.client.exports import BASE, environ, machi, told
from tests.client.tabular.kit import VECTORS, lines, read_csv, read_parquet, tables_in
from tests.golden import vectors


def ids_in(folder: str, form: str = "csv") -> list[str]:
    read = read_csv if form == "csv" else read_parquet
    return list(dict.fromkeys(read(Path(folder), "results")["match_id"].to_pylist()))


def test_a_match_of_the_service_becomes_the_tables_of_its_record(logged_in: Run, my_client: Client) -> None:
    match = finished(my_client)
    code, out, err = logged_in("export", "--format", "parquet", match.match_id)
    assert (code, out) == (0, "")
    assert err == f"{match.match_id}: 1 match, {match.version} events, 0 decisions, 2 results\n"
    assert logged_in("export", match.match_id)[0] == 0
    recorded = lines(Path(f"{match.match_id}.ndjson"))
    same = tables_in(Path("same"), "parquet", [recorded])
    for table in TABLES:
        assert read_parquet(Path(match.match_id), table).equals(read_parquet(same, table))
    rows = read_parquet(same, "results").to_pylist()
    assert [(row["winner"], row["resigned"]) for row in rows] == [(False, True), (True, False)]


def test_files_become_tables_without_the_service(machi_run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MACHI_URL", "http://127.0.0.1:1")
    code, _, err = machi_run("export", "--format", "csv", *map(str, VECTORS), "-o", "out")
    assert (code, err) == (0, "out: 4 matches, 680 events, 243 decisions, 8 results\n")
    expected = tables_in(Path("expected"), "csv", [*map(lines, VECTORS)])
    for table in TABLES:
        found = (Path("out") / table / "00001.csv").read_bytes()
        assert found == (expected / table / "00001.csv").read_bytes()


def test_all_ended_matches_can_be_chosen_by_ruleset_time_and_tag(
    logged_in: Run, my_client: Client, handle: str
) -> None:
    old, new = finished(my_client), finished(my_client, tags=[handle])
    my_client.create_match("base", [me(), me()])
    words = ("export", "--format", "csv", "--no-luck")
    assert logged_in(*words, "--all", "-o", "all")[0] == 0
    assert ids_in("all") == sorted([old.match_id, new.match_id])
    assert logged_in(*words, "--tag", handle, "-o", "tag")[0] == 0
    assert ids_in("tag") == [new.match_id]
    assert logged_in(*words, "--all", "--ruleset", "base", "--since", "2026-01-01", "-o", "base")[0] == 0
    assert ids_in("base") == ids_in("all")
    for filtered in (("--ruleset", "harbor"), ("--since", _tomorrow())):
        code, _, err = logged_in(*words, "--all", *filtered, "-o", "none", "--resume")
        assert (code, err) == (0, "none: 0 matches, 0 events, 0 decisions, 0 results\n")


def _tomorrow() -> str:
    return (datetime.now(UTC) + timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%SZ")


def test_records_can_be_chosen_the_same_way(logged_in: Run, my_client: Client) -> None:
    finished(my_client)
    assert logged_in("export", "--all", "--ruleset", "base", "-o", "-")[1].count('"kind":"manifest"') == 1
    assert logged_in("export", "--all", "--since", _tomorrow(), "-o", "-") == (0, "", "")


def test_tables_are_continued_with_the_matches_that_ended_since(logged_in: Run, my_client: Client) -> None:
    words = ("export", "--format", "parquet", "--all", "-o", "out")
    before = finished(my_client).match_id
    assert logged_in(*words)[0] == 0
    code, _, err = logged_in(*words)
    assert (code, "out is not empty; --resume continues" in err) == (2, True)
    after = finished(my_client).match_id
    code, _, err = logged_in(*words, "--resume")
    assert (code, err[:29]) == (0, "out: 2 matches (1 of them new")
    assert ids_in("out", "parquet") == [before, after]
    assert pq.read_table("out/results/00002.parquet").num_rows == 2
    assert logged_in(*words, "--force")[0] == 0
    assert sorted(path.name for path in Path("out/events").iterdir()) == ["00001.parquet"]


def test_a_match_that_cannot_be_used_is_left_out_and_told(machi_run: Run) -> None:
    damaged = Path(BASE).read_bytes().replace(b'"values":[2]', b'"values":[3]', 1)
    Path("damaged").write_bytes(damaged + (vectors.FOLDER / "harbor.ndjson").read_bytes() + b"no JSON\n")
    code, _, err = machi_run("export", "--format", "csv", "damaged", str(VECTORS[2]), "-o", "out")
    first, second, summary = err.splitlines()
    assert (code, summary[-12:]) == (1, "; 2 left out")
    assert first.startswith("left out: damaged, mat_00000000000000000000000001: it is damaged;")
    assert second.startswith("left out: damaged, mat_00000000000000000000000002: line ")
    assert ids_in("out") == ["mat_00000000000000000000000003"]


def test_a_match_that_is_not_there_is_told(logged_in: Run, my_client: Client) -> None:
    there = finished(my_client).match_id
    nowhere = "mat_00000000000000000000000000"
    code, _, err = logged_in("export", "--format", "csv", nowhere, there, "-o", "out")
    assert (code, f"left out: {nowhere}: " in err, "match_not_found" in err) == (1, True, True)
    assert ids_in("out") == [there]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--format", "csv", "mat_1", "mat_2"), "-o is required: the folder for the tables"),
        (("--format", "csv", "mat_1", "-o", "-"), "tables are written to a folder"),
        (
            ("--format", "csv", BASE, "mat_1", "-o", "out"),
            "name files or matches, not both; there is no file mat_1",
        ),
        (("--format", "csv", BASE, "--all", "-o", "out"), "name matches, or use --all, --tag or --ladder"),
        (
            ("--format", "csv", BASE, "-o", "out", "--resume", "--force"),
            "--resume and --force exclude each other",
        ),
        (("mat_1", "--resume"), "--resume and --no-luck require --format parquet or csv"),
        (("mat_1", "--since", "2026-01-01"), "--ruleset and --since require --all, --tag or --ladder"),
        (("--all", "--season", "1", "-o", "-"), "--season requires --ladder"),
        (("--ladder", "greedy", "-o", "-"), "--ladder needs a ladder id (lad_...), not 'greedy'"),
    ],
)
def test_wishes_that_do_not_go_together_are_refused(
    words: tuple[str, ...], message: str, machi_run: Run
) -> None:
    assert machi_run("export", *words) == (2, "", f"error: {message}\n")
    assert not Path("out").exists()


def test_ctrl_c_leaves_no_broken_file(tmp_path: Path) -> None:
    argv = machi("export", "--format", "csv", "-", "-o", str(tmp_path / "out"))
    pipe = subprocess.PIPE
    with subprocess.Popen(argv, env=environ(), stdin=pipe, stderr=pipe) as process:
        assert process.stdin is not None
        # A pipe holds less than that: once all is written, the command has begun to read.
        process.stdin.write(Path(BASE).read_bytes() * 5)
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        assert process.wait() == 130
    assert list(tmp_path.iterdir()) == []


def test_the_manifest_can_be_read_without_us(machi_run: Run) -> None:
    assert machi_run("export", "--format", "csv", BASE, "-o", "out")[0] == 0
    header, part = map(told, Path("out/manifest.ndjson").read_text().splitlines())
    assert header["schema_version"] == 1
    assert (part["matches"], part["rows"]["results"]) == (["mat_00000000000000000000000001"], 2)
