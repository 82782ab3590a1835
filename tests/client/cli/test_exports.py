"""`machi export`, against the real service."""

import gzip
import json
import os
from pathlib import Path

import pytest

from machi import Client, me
from tests.client.commands import Run, finished


def test_a_match_is_exported_and_can_be_verified(logged_in: Run, my_client: Client, tmp_path: Path) -> None:
    match = finished(my_client)
    code, out, err = logged_in("export", match.match_id)
    name = f"{match.match_id}.ndjson"
    assert (code, out, err) == (0, "", f"{name}: 1 match, {match.version} events\n")
    lines = [json.loads(line) for line in (tmp_path / name).read_bytes().splitlines()]
    events = [json.loads(event.raw) for event in my_client.history(match.match_id)]
    assert [line["event"] for line in lines if line["kind"] == "event"] == events
    assert sorted(os.listdir(tmp_path)) == ["config", name]
    _, out, _ = logged_in("verify", name, "--verbose")
    assert {"  chain passed", "  decisions passed", "  dice passed"} <= set(out.splitlines())


def test_a_match_that_goes_on_is_exported_as_far_as_it_is(logged_in: Run, my_client: Client) -> None:
    match = my_client.create_match("base", [me(), me()])
    _, _, err = logged_in("export", match.match_id, "-o", "so far")
    assert err == f"so far: 1 match, {match.version} events; the match is still running\n"


def test_matches_with_a_tag_are_exported_to_one_file_that_may_be_packed(
    logged_in: Run, my_client: Client, handle: str
) -> None:
    chosen = [finished(my_client, tags=[handle]).match_id for _ in range(3)]
    finished(my_client)
    my_client.create_match("base", [me(), me()], tags=[handle])
    code, _, err = logged_in("export", "--tag", handle, "-o", "cup.ndjson.gz")
    assert (code, err[:26]) == (0, "cup.ndjson.gz: 3 matches, ")
    lines = gzip.decompress(Path("cup.ndjson.gz").read_bytes()).splitlines()
    manifests = [json.loads(line) for line in lines if b'"kind":"manifest"' in line]
    assert [one["match_id"] for one in manifests] == chosen
    assert logged_in("export", "--all", "-o", "-")[1].count('"kind":"manifest"') >= 4


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "name matches, or use --all, --tag or --ladder"),
        (("mat_1", "--all"), "name matches, or use --all, --tag or --ladder"),
        (("--all",), "-o is required for more than one match"),
        (("mat_1", "mat_2"), "-o is required for more than one match"),
    ],
)
def test_it_is_said_what_to_export_and_where(words: tuple[str, ...], message: str, machi_run: Run) -> None:
    assert machi_run("export", *words) == (2, "", f"error: {message}\n")


def test_a_file_is_overwritten_only_by_force(logged_in: Run, my_client: Client, tmp_path: Path) -> None:
    match = finished(my_client)
    file = tmp_path / "mine"
    file.write_text("dear")
    code, _, err = logged_in("export", match.match_id, "-o", "mine")
    assert (code, err) == (2, "error: mine already exists; --force overwrites it\n")
    assert file.read_text() == "dear"
    assert logged_in("export", match.match_id, "-o", "mine", "--force")[0] == 0
    assert len(file.read_text().splitlines()) > match.version


def test_a_match_that_is_not_there_leaves_no_file(logged_in: Run, tmp_path: Path) -> None:
    code, _, err = logged_in("export", "mat_00000000000000000000000000")
    assert code == 1
    assert "(match_not_found, request " in err
    assert os.listdir(tmp_path) == ["config"]


def test_a_place_that_cannot_be_written_is_told(logged_in: Run, my_client: Client) -> None:
    match = finished(my_client)
    code, _, err = logged_in("export", match.match_id, "-o", "none/file")
    assert (code, err) == (1, "error: cannot write none/file: No such file or directory\n")
