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
@click.option("--full", is_flag=True, help="Download and verify whole matches instead of comparing hashes.")
@click.option("--again", is_flag=True, help="Also audit matches that an earlier audit covered.")
@click.option(
    "--processes", type=click.IntRange(1), metavar="N", help="Number of processes. [default: all cores]"
)
@click.option("--verbose", is_flag=True, help="Report every match and every check.")
@service_options
@session_of
def audit(
    session: Session,
    state: Path | None,
    full: bool,
    again: bool,
    processes: int | None,
    verbose: bool,
) -> int:
    """Audit the log of ended matches.

    Continues where the last audit left off. Checks that the log has only grown, that every line is signed,
    and that every public match in it still exists as the log lists it. The first run trusts the public keys
    that the service shows, and saves them.

    Every run checks matches with a problem again. All others are checked again only with --again, which finds
    matches that were changed later.

    The first run creates FILE. [default: ~/.local/state/machi/audit-HOST.json]
    """
    if processes is not None and not full:
        raise WrongUse("--processes requires --full")
    require_signatures()
    from machi.cli.audits.reporter import Reporter
    from machi.cli.audits.service import audit_service
    from machi.cli.audits.state import state_path
    from machi.cli.audits.verification import processes_at_most

    reporter = Reporter(session, verbose, "verified" if full else "unchanged")
    return audit_service(
        session,
        state or state_path(session.url),
        (processes or processes_at_most()) if full else None,
        reporter,
        again,
    )
