"""`machi verify`."""

from pathlib import Path
from typing import Final

import click

from machi.cli.session import Session, Unusable, WrongUse, service_options, session_of

MISSING: Final = (
    "this command needs the package cryptography; in a checkout, run: pip install . './client[verify]' "
    "(docs/verifying.md describes the installation without a network)"
)

ENDS: Final = """\b
Exit codes: 0 all verified, 1 at least one failed, 2 none failed and at least
one is incomplete (or wrong usage), 3 something is unreadable, 130 interrupted.
With several matches, the worst result decides, in the order 1, 3, 2, 0.
"""


@click.command(
    epilog=f"""{ENDS}
\b
Examples:
  machi verify match.ndjson
  machi verify --keys keys.json exports/*.ndjson.gz
  machi verify match.ndjson --receipt 'v=42; h="sha-256:..."'
  machi export --tag autumn-cup -o - | machi verify -
"""
)
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option(
    "--keys", type=click.Path(path_type=Path), metavar="KEYS", help="Trust only the keys in this file."
)
@click.option("--receipt", metavar="HEAD", help="Receipt (Match-Head header) that the match must contain.")
@click.option("--match", "match_id", metavar="MATCH_ID", help="Match that the receipt belongs to.")
@click.option(
    "--processes", type=click.IntRange(1), metavar="N", help="Number of processes. [default: one per core]"
)
@click.option("--verbose", is_flag=True, help="Report every check of every match.")
@service_options
@session_of
def verify(
    session: Session,
    files: tuple[str, ...],
    keys: Path | None,
    receipt: str | None,
    match_id: str | None,
    processes: int | None,
    verbose: bool,
) -> int:
    """Verify exported matches by the rules, without the service.

    FILE is an export by `machi export` of one or more matches, gzipped or not; - is standard input. The
    command recomputes every event, die, draw, coin and decision. It prints one line for each match that is
    not verified.

    KEYS is a saved response of GET /v1/signing-keys. Without it, signatures are checked with the key in the
    file itself.
    """
    if match_id is not None and receipt is None:
        raise WrongUse("--match requires --receipt")
    require_signatures()
    from machi.cli.audits.files import KeptReceipt, verify_files
    from machi.cli.audits.reporter import Reporter

    kept = KeptReceipt.of(receipt, match_id) if receipt is not None else None
    return verify_files(session, files, keys, kept, processes, Reporter(session, verbose))


def require_signatures() -> None:
    """Raises: Unusable if the package that checks signatures is not installed."""
    try:
        import cryptography  # noqa: F401
    except ImportError:
        raise Unusable(MISSING) from None
