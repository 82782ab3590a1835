"""Tables of matches that are played in memory, and foreign readers of them."""

from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.csv as pcsv
import pyarrow.parquet as pq
from msgspec.structs import replace

from domain import MatchState, decide, fold
from domain.audit.inference import actor_of
from domain.match.chance import SeededChance
from domain.match.commands import Command, CreateMatch
from domain.match.envelope import Envelope
from domain.match.events import Clock
from events.matches.entries import CODEC
from events.store.chain import NO_HASH, EntryMetadata
from machi.tabular import TABLES, Header, TableFolder, columns_of, recorded_match, rows_of
from machi.tabular.parquet_files import schema_of
from tests.golden import vectors
from tests.golden.exports import START_MS, Played, creation, lines_of, play, seed_of, written

VECTORS = [vectors.FOLDER / f"{name}.ndjson" for name in vectors.RECIPES]


def lines(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


def lines_played(played: Played) -> list[bytes]:
    return written(lines_of(played, None)).splitlines(keepends=True)


def named(*names: str) -> Played:
    """A short match of accounts with these handles, which no service gives out."""
    seed = seed_of("handles")
    made: CreateMatch = creation("base", len(names), seed)
    seats = tuple([replace(plan, name=name) for plan, name in zip(made.seats, names, strict=True)])
    return play("mat_handles", replace(made, seats=seats), seed, Random(1), 40, resigns=True)


def commanded(*commands: Command, clock: Clock) -> Played:
    """A running match of two with a clock, after these commands, a minute apart."""
    seed = seed_of("commanded")
    create = replace(creation("base", 2, seed), clock=clock, first_seat=0)
    events: list[Envelope] = []
    state: MatchState | None = None
    for number, command in enumerate((create, *commands)):
        decided = decide(state, command, SeededChance(seed, create.dice.key_id))
        state = fold(state, decided)
        at_ms = START_MS + 60_000 * number
        metadata = EntryMetadata("mat_clock", create.rules_version, actor_of(command), f"cmd_{number}", at_ms)
        before = bytes.fromhex(events[-1].hash[8:]) if events else NO_HASH
        events += CODEC.envelopes(metadata, len(events) + 1, [CODEC.recorded(one) for one in decided], before)
    assert state is not None, "a match was made"
    return Played("mat_clock", state, tuple(events))


def tables_in(folder: Path, form: str, groups: list[list[bytes]], matches_a_part: int = 1000) -> Path:
    """A folder of tables of these matches."""
    with TableFolder(folder, Header(format=form), matches_a_part=matches_a_part) as tables:
        for group in groups:
            match = recorded_match(group)
            tables.add(match.match_id, rows_of(match))
    return folder


def read_csv(folder: Path, table: str) -> pa.Table:
    """A table of CSV files, as pyarrow reads them, with the exact texts."""
    schema = schema_of(table, TABLES[table])
    options = pcsv.ConvertOptions(
        column_types=schema, null_values=[""], strings_can_be_null=True, quoted_strings_can_be_null=False
    )
    parsing = pcsv.ParseOptions(newlines_in_values=True)
    files = sorted((folder / table).glob("*.csv"))
    parts = [pcsv.read_csv(file, parse_options=parsing, convert_options=options) for file in files]
    found = pa.concat_tables(parts)
    columns = []
    for column in columns_of(TABLES[table]):
        values = found[column.name]
        if column.kind == "text":
            exact = [text and text.removeprefix("'") for text in values.to_pylist()]
            values = pa.chunked_array([pa.array(exact, pa.string())])
        columns.append(values)
    return pa.table(columns, schema=schema)


def read_parquet(folder: Path, table: str) -> pa.Table:
    return pq.read_table(folder / table)
