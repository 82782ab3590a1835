"""The rows of matches: what they say, that they are exact, and that both formats have the same."""

import json
from collections import Counter
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from domain.audit.files import read_exports
from domain.audit.order import read_events
from domain.audit.report import Findings
from domain.luck import UNIT, luck_of
from domain.match.commands import ExpireClock, RollDice
from domain.match.events import Clock
from domain.match.evolve import fold
from machi.tabular import TABLES, Damaged, MatchRows, columns_of, recorded_match, rows_of
from machi.tabular.columns import documented
from machi.tabular.csv_files import text_field
from machi.tabular.parquet_files import ROW_GROUP, ParquetFile
from machi.tabular.result_table import places_of
from ops.run import ROOT
from tests.client.tabular.kit import (
    VECTORS,
    commanded,
    lines,
    lines_played,
    named,
    read_csv,
    read_parquet,
    tables_in,
)
from tests.golden import vectors
from tests.golden.exports import creation, matches, play, rehashed, seed_of, written

in_every_vector = pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)


def rows_in(path: Path) -> MatchRows:
    return rows_of(recorded_match(lines(path)))


@in_every_vector
def test_every_event_is_a_row_with_all_its_members(path: Path) -> None:
    recorded = [json.loads(line)["event"] for line in lines(path) if b'"kind":"event"' in line]
    rows = rows_in(path).events
    assert [row.sequence for row in rows] == list(range(1, len(recorded) + 1))
    for row, event in zip(rows, recorded, strict=True):
        assert json.loads(row.data) == event["data"]
        names = ("match_id", "time", "type", "schema", "actor", "command_id")
        assert [getattr(row, name) for name in names] == [event[name] for name in names]


@in_every_vector
def test_coins_in_the_rows_of_events_add_up_to_the_purses_at_the_end(path: Path) -> None:
    rows = rows_in(path)
    start = next(json.loads(row.data) for row in rows.events if row.type == "match_started")
    purses = Counter(dict(enumerate(start["coins"])))
    for row in rows.events:
        if row.type in ("income_received", "help_received"):
            purses[row.seat] += row.coins or 0
        elif row.type in ("establishment_built", "landmark_built", "payment_made"):
            purses[row.seat] -= row.coins or 0
            if row.type == "payment_made":
                purses[row.other_seat] += row.coins or 0
        elif row.type == "coins_levelled":
            purses = Counter(dict(enumerate(json.loads(row.data)["coins"])))
    assert [purses[row.seat] for row in rows.results] == [row.coins for row in rows.results]


@in_every_vector
def test_a_decision_has_the_state_before_it_and_what_was_chosen_of_all_that_was_legal(path: Path) -> None:
    (evidence,) = read_exports(lines(path))
    events = [one.event for one in read_events(evidence, Findings())]
    rows = rows_in(path).decisions
    for row in rows:
        state = fold(None, events[: row.sequence - 1])
        assert (row.seat, row.phase, row.turn) == (state.active, state.phase, state.turn)
        assert json.loads(row.coins_by_seat) == state.coins
        assert row.coins == state.coins[row.seat]
        legal = json.loads(row.legal)
        chosen = legal[row.legal_index]
        assert row.legal_count == len(legal)
        assert (row.command, row.seat) == (chosen["type"], chosen["seat"])
        assert row.card in (None, chosen.get("card"), chosen.get("give"))
        assert row.dice == chosen.get("dice")
    made = [row for row in rows_in(path).events if row.actor.startswith("seat:")]
    others = {row.command_id for row in made if row.type.startswith(("seat_seed", "seat_resigned"))}
    assert len(rows) == len({row.command_id for row in made} - others)


@in_every_vector
def test_a_result_says_how_the_seat_stood_at_the_end_and_what_luck_it_had(path: Path) -> None:
    (evidence,) = read_exports(lines(path))
    events = [one.event for one in read_events(evidence, Findings())]
    state, luck = fold(None, events), luck_of(events)
    rows = rows_in(path).results
    assert [row.seat for row in rows] == list(range(len(state.coins)))
    for row in rows:
        assert (row.status, row.result) == ("finished", state.result)
        assert (row.winner, row.place == 1) == (row.seat == state.winner, row.seat == state.winner)
        assert (row.coins, row.landmarks) == (state.coins[row.seat], state.landmarks[row.seat])
        assert row.luck_coins == luck.totals.luck[row.seat] / UNIT
        assert row.decisions == sum([one.seat == row.seat for one in rows_in(path).decisions])
        assert (row.turns, row.events) == (state.turn, len(events))
    assert sum([row.winner is True for row in rows]) == 1


def test_the_losers_are_ordered_by_landmarks_then_coins_and_share_a_place_where_they_are_equal() -> None:
    seed = seed_of("places")
    rows = rows_of(recorded_match(lines_played(play("mat_1", creation("base", 4, seed), seed, Random(3)))))
    ranks = {row.seat: (-(row.landmarks or 0), -(row.coins or 0)) for row in rows.results if not row.winner}
    for row in rows.results:
        if not row.winner:
            assert row.place == 2 + sum([rank < ranks[row.seat] for rank in ranks.values()])


def test_a_seat_that_resigned_is_behind_all_others() -> None:
    seed = seed_of("places")
    state = play("mat_1", creation("base", 4, seed), seed, Random(3)).state.copy()
    second = places_of(state).index(2)
    state.resigned[second] = True
    assert places_of(state)[second] == 4
    assert places_of(state)[state.winner] == 1


def test_what_the_clock_decides_for_a_seat_is_a_decision_that_says_so() -> None:
    clock = Clock(30_000, "default_command")
    played = commanded(RollDice(0, 1), ExpireClock(0), RollDice(1, 1), clock=clock)
    rows = rows_of(recorded_match(lines_played(played)))
    made = [(row.seat, row.command, row.by_clock) for row in rows.decisions]
    assert made == [(0, "roll_dice", False), (0, "pass", True), (1, "roll_dice", False)]
    assert [row.timeouts for row in rows.results] == [1, 0]
    assert [row.decisions for row in rows.results] == [2, 1]


def test_what_a_stand_in_decides_counts_for_the_player_that_holds_the_seat_then() -> None:
    clock = Clock(30_000, "strategy")
    played = commanded(ExpireClock(0, "greedy", "2"), RollDice(0, 1), clock=clock)
    rows = rows_of(recorded_match(lines_played(played)))
    (row,) = rows.decisions
    assert (row.player_kind, row.player, row.player_version, row.by_clock) == (
        "strategy",
        "greedy",
        "2",
        False,
    )
    assert [one.player for one in rows.results] == ["greedy", "player 1"]


def test_without_luck_its_columns_are_null_and_all_others_the_same() -> None:
    match = recorded_match(lines(VECTORS[0]))
    without, with_luck = rows_of(match, luck=False), rows_of(match)
    assert {row.luck_coins for row in without.results} | {row.error_coins for row in without.results} == {
        None
    }
    assert (without.events, without.decisions) == (with_luck.events, with_luck.decisions)


def test_a_match_that_goes_on_has_no_winner_and_no_place() -> None:
    (played,) = matches(1, most=30)
    rows = rows_of(recorded_match(lines_played(played)))
    assert {(row.status, row.winner, row.place, row.ended_at) for row in rows.results} == {
        ("running", None, None, None)
    }
    assert {row.won for row in rows.decisions} == {None}


@pytest.mark.parametrize("table", TABLES)
def test_csv_and_parquet_have_the_same_rows(table: str, tmp_path: Path) -> None:
    strangers = lines_played(named("=1+1", '\'quoted, "twice"\r\n', "@sum", "-"))
    groups = [*map(lines, VECTORS), strangers]
    as_csv = read_csv(tables_in(tmp_path / "csv", "csv", groups, 2), table)
    as_parquet = read_parquet(tables_in(tmp_path / "parquet", "parquet", groups), table)
    assert as_csv.num_rows > 2 * len(groups) - 1
    assert as_csv.equals(as_parquet)


def test_a_column_has_its_declared_type_and_the_file_says_what_it_means(tmp_path: Path) -> None:
    folder = tables_in(tmp_path / "out", "parquet", [lines(VECTORS[0])])
    types = {
        "text": pa.string(),
        "json": pa.string(),
        "time": pa.timestamp("ms", "UTC"),
        "integer": pa.int64(),
        "number": pa.float64(),
        "boolean": pa.bool_(),
    }
    for name, table in TABLES.items():
        schema = pq.read_schema(folder / name / "00001.parquet")
        assert schema.metadata[b"machi_koro.schema_version"] == b"1"
        assert schema.metadata[b"machi_koro.table"] == name.encode()
        for column, field in zip(columns_of(table), schema, strict=True):
            assert (field.name, field.type) == (column.name, types[column.kind])
            assert field.nullable == column.is_nullable
            assert field.metadata[b"description"] == column.description.encode()


@pytest.mark.parametrize("table", TABLES)
def test_only_nullable_columns_have_nulls(table: str, tmp_path: Path) -> None:
    found = read_parquet(tables_in(tmp_path / "out", "parquet", [*map(lines, VECTORS)]), table)
    strict = [column.name for column in columns_of(TABLES[table]) if not column.is_nullable]
    assert {name: found[name].null_count for name in strict} == dict.fromkeys(strict, 0)


def test_no_more_than_a_row_group_waits_in_memory(tmp_path: Path) -> None:
    file = ParquetFile(tmp_path / "file", "events", TABLES["events"])
    rows = rows_in(VECTORS[0]).events
    for _ in range(2 * ROW_GROUP // len(rows)):
        file.write(rows)
        assert len(file._rows) < ROW_GROUP
    file.close()
    groups = pq.ParquetFile(tmp_path / "file").metadata
    assert groups.num_row_groups == 2
    assert groups.row_group(0).num_rows == ROW_GROUP


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("ada", "ada"),
        ("", '""'),
        ("a,b", '"a,b"'),
        ('say "hi"', '"say ""hi"""'),
        ("two\r\nlines", '"two\r\nlines"'),
        ("=1+1", "'=1+1"),
        ("-1", "'-1"),
        ("@a,b", '"\'@a,b"'),
        ("\t=1", "'\t=1"),
        ("'tis", "''tis"),
        ("a=b", "a=b"),
    ],
)
def test_a_text_is_quoted_by_rfc_4180_and_never_a_formula(text: str, field: str) -> None:
    assert text_field(text) == field


@pytest.mark.long
def test_a_forged_record_is_refused_or_read_but_never_breaks_the_export() -> None:
    forgeries = json.loads((vectors.FOLDER / "forged.json").read_bytes())
    refused = set()
    for forgery in forgeries:
        own = [json.loads(line) for line in lines(vectors.FOLDER / forgery["file"])]
        try:
            rows_of(recorded_match(vectors.forged(own, forgery).splitlines(keepends=True)))
        except Damaged:
            refused.add(forgery["check"])
    assert {"schema", "sequence", "chain", "decisions", "payments"} <= refused


def test_a_command_that_the_rules_forbid_is_refused_even_if_all_hashes_fit() -> None:
    own = [json.loads(line) for line in lines(VECTORS[0])]
    place = next(at for at, line in enumerate(own) if line.get("event", {}).get("type") == "landmark_built")
    own[place]["event"]["data"]["card"] = "radio_tower"
    forged = written(rehashed(own)).splitlines(keepends=True)
    with pytest.raises(Damaged, match="breaks the rules"):
        rows_of(recorded_match(forged), luck=False)


@pytest.mark.parametrize("table", TABLES)
def test_the_guide_documents_the_columns_as_they_are_declared(table: str) -> None:
    assert documented(TABLES[table]) in (ROOT / "docs/data.md").read_text()
