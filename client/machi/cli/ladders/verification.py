"""`machi ladder verify`."""

from pathlib import Path
from typing import Final

import click

from machi.cli.session import Session, service_options, session_of
from machi.cli.verify import require_signatures

ENDS: Final = """\b
Exit codes: 0 the round and all its matches are verified, 1 at least one check
failed, 2 none failed but something is not there yet (or wrong usage),
3 something is unreadable, 130 interrupted.
"""


@click.command(
    epilog=f"""{ENDS}
\b
Examples:
  machi ladder verify LADDER 3
  machi ladder verify LADDER 3 --keys keys.json --json
"""
)
@click.argument("ladder_id", metavar="LADDER")
@click.argument("number", metavar="ROUND", type=click.IntRange(1))
@click.option(
    "--keys", type=click.Path(path_type=Path), metavar="KEYS", help="Trust only the keys in this file."
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object per match, then one for the round."
)
@service_options
@session_of
def verify(session: Session, ladder_id: str, number: int, keys: Path | None, as_json: bool) -> int:
    """Verify a round with a public value.

    Checks its seed, its value and all its matches. The command prints the value and its source; look the
    value up there yourself. KEYS is a saved response of GET /v1/signing-keys.
    """
    require_signatures()
    from machi.cli.audits.rounds import verify_of_service

    return verify_of_service(session, ladder_id, number, keys, as_json)
