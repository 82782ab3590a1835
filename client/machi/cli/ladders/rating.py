"""`machi ladder rate`."""

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click
import msgspec

from machi.cli.ladders.offline import results_in, table_of
from machi.cli.ladders.tables import print_standings
from machi.cli.session import Session, WrongUse, service_options, session_of
from machi.ladders import Standings

if TYPE_CHECKING:
    from domain.ladder.results import Results
    from domain.ladder.standings import Table

RATE_ENDS = """\b
Exit codes: 0 done, 1 the service's table differs, 2 wrong usage, 3 file
unreadable or service unreachable, 130 interrupted.
"""


@click.command(
    epilog=f"""{RATE_ENDS}
\b
Examples:
  machi ladder rate results.ndjson
  shuf results.ndjson | machi ladder rate - --json
  machi ladder rate results.ndjson --compare LADDER
  machi ladder rate results.ndjson --compare https://machi.example.org/LADDER
"""
)
@click.argument("file")
@click.option(
    "--compare", metavar="LADDER", help="Compare with the official table of this ladder (ID or URL/ID)."
)
@click.option("--json", "as_json", is_flag=True, help="Print the table as a JSON object.")
@service_options
@session_of
def rate(session: Session, file: str, compare: str | None, as_json: bool) -> int:
    """Compute the official table from a results file.

    The service is not needed. FILE is an output of `machi ladder results`, gzipped or not; - is standard
    input. The order of its lines does not matter. Every digit is the same as in the published table.
    """
    ladder_id = _named(session, compare) if compare else ""
    results = results_in(file)
    table = table_of(results)
    if as_json:
        click.echo(msgspec.json.encode(_as_published(table, results)).decode())
    else:
        print_standings(session, table.standings)
        counted = f"{table.matches} matches in {table.blocks} blocks"
        session.warn(f"{counted}, configuration {results.ladder.digest}")
    if table.incomplete_blocks:
        left_out = "1 block is incomplete and" if table.incomplete_blocks == 1 else None
        left_out = left_out or f"{table.incomplete_blocks} blocks are incomplete and"
        session.warn(f"{left_out} left out: results of some rotations are missing", "yellow")
    return _compared(session, ladder_id, results, table) if ladder_id else 0


def _as_published(table: "Table", results: "Results") -> dict[str, Any]:
    """The table with the names that the service's standings use."""
    found = msgspec.to_builtins(table, str_keys=True)
    return {
        "ladder_id": results.ladder.ladder,
        "season": results.ladder.season,
        "digest": results.ladder.digest,
        "blocks_counted": found.pop("blocks"),
        "items": found.pop("standings"),
        **found,
    }


def _named(session: Session, text: str) -> str:
    """The id of the ladder; a service named before it becomes the session's. Raises: WrongUse."""
    service, _, ladder_id = text.rstrip("/").rpartition("/")
    if not ladder_id.startswith("lad_"):
        raise WrongUse(f"--compare needs a ladder id (lad_...) or URL/LADDER, not {text!r}")
    if service:
        parts = urlsplit(service)
        session.given_url = service.removesuffix("/v1/ladders") if parts.scheme else service
    return ladder_id


def _compared(session: Session, ladder_id: str, results: "Results", table: "Table") -> int:
    """The exit code: 1 if the service's table differs from the computed one."""
    with session.client() as client:
        published = client.standings(ladder_id, results.ladder.season)
    found = differences(published, results.ladder.digest, msgspec.to_builtins(table, str_keys=True))
    for one in found[:20]:
        session.warn(one, "red")
    if not found:
        session.warn(
            f"identical to the table of {ladder_id}, in every digit; blocks: {table.blocks}", "green"
        )
    return 1 if found else 0


def differences(published: Standings, digest: str, computed: dict[str, Any]) -> list[str]:
    """The differences from the service's table, in words."""
    theirs = msgspec.json.decode(published.raw)
    if theirs["digest"] != digest:
        return [f"the configuration is {theirs['digest']} at the service, {digest} in the results"]
    if theirs["blocks_counted"] != computed["blocks"]:
        return [
            f"the service counted {theirs['blocks_counted']} blocks, the results have {computed['blocks']}"
        ]
    rows = {row["entry"]: row for row in theirs["items"]}
    mine = {row["entry"]: row for row in computed["standings"]}
    found = [f"{entry} is in one table only" for entry in sorted(rows.keys() ^ mine.keys())]
    for entry, row in mine.items():
        there = rows.get(entry, row)
        found += [
            f"{row['name']}: {name} is {there.get(name)!r} at the service, {_plain(value)!r} here"
            for name, value in row.items()
            if there.get(name) != _plain(value)
        ]
    named = ("anchor", "seat_ratings", "groups")
    return found + [f"{name} differs" for name in named if theirs[name] != _plain(computed[name])]


def _plain(value: Any) -> Any:
    """The value after a round trip through JSON."""
    return msgspec.json.decode(msgspec.json.encode(value))
