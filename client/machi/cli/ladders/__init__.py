"""`machi ladder`: running ladders, and computing their tables without the service."""

import click

from machi.cli.ladders.administration import create, enter, season, withdraw
from machi.cli.ladders.result_files import export, rate, results
from machi.cli.ladders.rounds import probe, resume, run, stop, value, verify, watch
from machi.cli.ladders.sequential_test import test
from machi.cli.ladders.tables import crosstable, show, table
from machi.cli.ladders.tables import ladders as list_ladders
from machi.cli.ladders.tournaments import tournament

EPILOG = """\b
To get started:
  machi ladder create "Base for two" --ruleset base --seats 2
  machi ladder enter LADDER greedy random expected_value
  machi ladder run LADDER --blocks 100
  machi ladder table LADDER
\b
To play a tournament:
  machi ladder create Cup --ruleset base --seats 2 --schedule knock_out
  machi ladder enter CUP greedy random expected_value
  machi ladder run CUP
  machi ladder tournament CUP
\b
To recompute a table on your own machine:
  machi ladder results LADDER -o results.ndjson
  machi ladder rate results.ndjson --compare LADDER
"""


@click.group(epilog=EPILOG)
def ladder() -> None:
    """Run ladders, show their tables and recompute them."""


for command in (
    create,
    enter,
    withdraw,
    season,
    run,
    value,
    watch,
    stop,
    resume,
    probe,
    test,
    list_ladders,
    show,
    table,
    crosstable,
    tournament,
    results,
    export,
    rate,
    verify,
):
    ladder.add_command(command)

__all__ = ["ladder"]
