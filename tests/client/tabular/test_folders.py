"""Folders of tables: complete parts whatever happens, and going on after them."""

import hashlib
import json
from pathlib import Path

import pytest

from machi.tabular import TABLES, Header, TableFolder, UnusableFolder, recorded_match, rows_of
from machi.tabular.folders import MANIFEST, read_manifest, removed
from tests.client.tabular.kit import lines_played, read_csv, tables_in
from tests.golden.exports import matches

CSV = Header(format="csv", luck=False)
PLAYED = [recorded_match(lines_played(one)) for one in matches(5, most=30, resigns=True)]
IDS = [one.match_id for one in PLAYED]


def add(folder: TableFolder, *numbers: int) -> None:
    for number in numbers:
        folder.add(IDS[number], rows_of(PLAYED[number], luck=False))


def interrupted(path: Path, *numbers: int) -> None:
    """Begin an export and press Ctrl-C after these matches."""
    with TableFolder(path, CSV, matches_a_part=2) as folder:
        add(folder, *numbers)
        raise KeyboardInterrupt


def names(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def test_matches_are_written_in_parts_that_the_manifest_describes(tmp_path: Path) -> None:
    with TableFolder(tmp_path, CSV, matches_a_part=2) as folder:
        add(folder, *range(5))
    header, parts = read_manifest(tmp_path)
    assert header == CSV
    assert [one for part in parts for one in part.matches] == IDS
    assert [len(part.matches) for part in parts] == [2, 2, 1]
    for part in parts:
        for table in TABLES:
            content = (tmp_path / table / f"{part.part:05}.csv").read_bytes()
            assert hashlib.sha256(content).hexdigest() == part.sha256[table]
            assert content.count(b"\r\n") == part.rows[table] + 1


def test_an_interrupted_export_leaves_whole_parts_and_is_continued_after_them(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        interrupted(tmp_path, 0, 1, 2)
    assert names(tmp_path) == {MANIFEST, *TABLES, *[f"{table}/00001.csv" for table in TABLES]}
    with TableFolder(tmp_path, CSV, resume=True, matches_a_part=2) as folder:
        assert folder.seen == {*IDS[:2]}
        add(folder, 2, 3, 4)
    assert [row["match_id"] for row in read_csv(tmp_path, "results").to_pylist()[::2]] == IDS


def test_an_export_that_was_interrupted_before_its_first_part_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        interrupted(tmp_path / "out", 0)
    assert names(tmp_path) == set()


def test_what_a_killed_export_left_behind_is_cleared_away(tmp_path: Path) -> None:
    with TableFolder(tmp_path, CSV, matches_a_part=1) as folder:
        add(folder, 0, 1)
    whole = (tmp_path / MANIFEST).read_bytes()
    *_, last = whole.splitlines(keepends=True)
    # The second part is in place, but its line was cut off; and a third one had begun.
    (tmp_path / MANIFEST).write_bytes(whole[: -len(last) // 2])
    (tmp_path / ".part").mkdir()
    (tmp_path / ".part/events").write_text("begun")
    with TableFolder(tmp_path, CSV, resume=True, matches_a_part=1) as folder:
        assert folder.seen == {IDS[0]}
        add(folder, 1)
    assert (tmp_path / MANIFEST).read_bytes() == whole
    assert ".part" not in names(tmp_path)


def test_the_same_matches_give_the_same_bytes(tmp_path: Path) -> None:
    group = [lines_played(one) for one in matches(2, most=30, resigns=True)]
    for form in ("csv", "parquet"):
        one, two = [tables_in(tmp_path / f"{form}{number}", form, group) for number in (1, 2)]
        for name in sorted(names(one)):
            if (one / name).is_file():
                assert (one / name).read_bytes() == (two / name).read_bytes()


def test_other_content_of_a_folder_is_never_touched(tmp_path: Path) -> None:
    (tmp_path / "dear").write_text("mine")
    with pytest.raises(UnusableFolder, match="is not empty"):
        TableFolder(tmp_path, CSV)
    with pytest.raises(UnusableFolder, match="has no manifest"):
        removed(tmp_path)
    (tmp_path / MANIFEST).write_bytes(json.dumps({"format": "csv", "tables": [".", "dear"]}).encode() + b"\n")
    removed(tmp_path)
    assert names(tmp_path) == {"dear"}


def test_a_folder_is_only_continued_with_the_same_options(tmp_path: Path) -> None:
    with TableFolder(tmp_path, CSV) as folder:
        add(folder, 0)
    with pytest.raises(UnusableFolder, match="begun with other options"):
        TableFolder(tmp_path, Header(format="csv"), resume=True)


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UnusableFolder, match="cannot write"):
        TableFolder(tmp_path / "file" / "out", CSV)
