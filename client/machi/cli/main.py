"""The command `machi`: its subcommands and its exit codes."""

import os
import sys
from collections.abc import Sequence

import click

from machi import __version__
from machi.cli.account import delete_account, login, logout, whoami
from machi.cli.audit import audit
from machi.cli.bots import bot
from machi.cli.catalogue import cards, strategies
from machi.cli.completion import completion
from machi.cli.exits import INTERRUPTED, OK, REFUSED, failed
from machi.cli.export import export
from machi.cli.invitations import allow, block, invitations, seating
from machi.cli.ladders import ladder
from machi.cli.llm import llm
from machi.cli.matches import matches
from machi.cli.mcp import mcp
from machi.cli.notifications import inbox, webhook
from machi.cli.play import play, rematch
from machi.cli.puzzles import puzzles
from machi.cli.review import review
from machi.cli.session import Session, service_options
from machi.cli.table import luck, state, turns
from machi.cli.verify import verify
from machi.cli.watch import log, watch
from machi.errors import MachiError

EPILOG = """\b
Exit codes: 0 success, 1 refused by the service, 2 wrong usage,
3 service unreachable, 130 interrupted.

\b
To get started:
  machi login ada          create an account at the service
  machi play               play against a built-in player
  machi play --help        choose rules, opponents and more
  machi bot run --help     let a Python function play for you
  machi ladder --help      run ladders and recompute their tables
  machi completion install complete commands with the Tab key

With --json, every command prints the JSON of the API: one object per line.
"""


@click.group(epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80})
@click.version_option(__version__, prog_name="machi")
@service_options
def machi() -> None:
    """Play and watch matches of Machi Koro on a match service."""


for command in (login, whoami, logout, delete_account, seating, allow, block, invitations, inbox, webhook):
    machi.add_command(command)
for command in (play, rematch, turns, state, watch, log, matches, luck, review, puzzles, cards, strategies):
    machi.add_command(command)
for command in (export, verify, audit, ladder, bot, llm, mcp, completion):
    machi.add_command(command)


def run(arguments: Sequence[str]) -> int:
    """Run the command line and return the exit code; print any error as one line."""
    session = Session()
    try:
        code = machi.main(list(arguments), prog_name="machi", standalone_mode=False, obj=session)
        return code if isinstance(code, int) else OK
    except click.UsageError as error:
        # If the parser gave up before it came to --json, the session does not know of it yet.
        session.as_json = session.as_json or "--json" in arguments
        return failed(session, error)
    except (click.ClickException, MachiError) as error:
        return failed(session, error)
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has closed the pipe. Python must not write to it when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return REFUSED


def main() -> None:
    """The entry point of the installed command."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        # Some terminals cannot encode every card name, and users may type anything.
        getattr(stream, "reconfigure", lambda **_: None)(errors="replace")
    sys.exit(run(sys.argv[1:]))
