"""`machi ladder`: operating ladders, and computing their tables without the service."""

import click

from machi.cli.ladders.comparing import test
from machi.cli.ladders.downloads import export, results
from machi.cli.ladders.making import create, enter, season, withdraw
from machi.cli.ladders.playing import probe, resume, run, stop, value, watch
from machi.cli.ladders.rating import rate
from machi.cli.ladders.tables import crosstable, show, table
from machi.cli.ladders.tables import ladders as list_ladders
from machi.cli.ladders.verifying import verify

EPILOG = """\b
For a start:
  machi ladder create "Base for two" --ruleset base --seats 2
  machi ladder enter LADDER greedy random expected_value
  machi ladder run LADDER --blocks 100
  machi ladder table LADDER
\b
Anybody's table, on your own machine:
  machi ladder results LADDER -o results.ndjson
  machi ladder rate results.ndjson --compare LADDER
"""


@click.group(epilog=EPILOG)
def ladder() -> None:
    """Operate ladders, look at their tables, and compute these anew."""


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
    results,
    export,
    rate,
    verify,
):
    ladder.add_command(command)

__all__ = ["ladder"]
