"""`machi audit`."""

from pathlib import Path

import click

from machi.cli.session import Session, WrongUse, service_options, session_of
from machi.cli.verify import ENDS, require_signatures


@click.command(
    epilog=f"""{ENDS}
\b
Examples:
  machi --url https://machi.example.org audit
  machi audit --full --state /var/lib/machi-audit.json
"""
)
@click.option("--state", type=click.Path(path_type=Path), metavar="FILE", help="State file of the audit.")
@click.option("--full", is_flag=True, help="Download and verify whole matches, not only their heads.")
@click.option("--again", is_flag=True, help="Also audit matches that an earlier audit covered.")
@click.option(
    "--processes", type=click.IntRange(1), metavar="N", help="Number of processes. [default: all cores]"
)
@click.option("--verbose", is_flag=True, help="Report every match and every check.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per match.")
@service_options
@session_of
def audit(
    session: Session,
    state: Path | None,
    full: bool,
    again: bool,
    processes: int | None,
    verbose: bool,
    as_json: bool,
) -> int:
    """Check what a service says of matches that ended, from where the last audit left off.

    Goes through the log of all matches that ended: that it only grew, that each line is signed, and that
    every public match in it is still there, as the log has it. The first run trusts the public keys that the
    service shows, and remembers them. A match that is not well is looked at again in every run, the others
    with --again: who changes a match later is found by that.

    FILE is made by the first run. [default: ~/.local/state/machi/audit-HOST.json]
    """
    if processes is not None and not full:
        raise WrongUse("--processes is for --full")
    require_signatures()
    from machi.cli.audits.service import audit_service
    from machi.cli.audits.state import state_path
    from machi.cli.audits.telling import Teller
    from machi.cli.audits.verifying import processes_at_most

    teller = Teller(session, verbose, as_json, "verified" if full else "unchanged")
    return audit_service(
        session,
        state or state_path(session.url),
        (processes or processes_at_most()) if full else None,
        teller,
        again,
    )
