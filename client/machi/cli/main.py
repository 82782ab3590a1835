"""The command `machi`: its subcommands and its exit codes."""

import os
import sys
from collections.abc import Sequence

import click

from machi import __version__
from machi.cli.account import delete_account, login, logout, whoami
from machi.cli.audit import audit
from machi.cli.export import export
from machi.cli.invitations import allow, block, invitations, seating
from machi.cli.ladders import ladder
from machi.cli.llm import llm
from machi.cli.matches import matches
from machi.cli.mcp import mcp
from machi.cli.play import play
from machi.cli.puzzles import puzzles
from machi.cli.review import review
from machi.cli.session import Session, service_options
from machi.cli.strategies import strategies
from machi.cli.verify import verify
from machi.cli.watch import log, watch
from machi.errors import ApiError, ConnectionFailed, MachiError, UnusableAnswer

OK, REFUSED, USAGE, UNREACHABLE, INTERRUPTED = 0, 1, 2, 3, 130
"""Exit codes."""

EPILOG = """\b
Exit codes: 0 success, 1 refused by the service, 2 wrong usage,
3 service unreachable, 130 interrupted.

\b
To get started:
  machi login ada          create an account at the service
  machi play               play against a built-in player
  machi play --help        choose rules, opponents and more
  machi ladder --help      run ladders and recompute their tables
\b
Shell completion for bash (zsh and fish: zsh_source, fish_source):
  eval "$(_MACHI_COMPLETE=bash_source machi)"
"""


@click.group(epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80})
@click.version_option(__version__, prog_name="machi")
@service_options
def machi() -> None:
    """Play and watch matches of Machi Koro on a match service."""


for command in (login, whoami, logout, delete_account, seating, allow, block, invitations):
    machi.add_command(command)
for command in (play, watch, log, matches, review, puzzles, export, verify, audit, strategies, ladder):
    machi.add_command(command)
for command in (llm, mcp):
    machi.add_command(command)


def run(arguments: Sequence[str]) -> int:
    """Run the command line and return the exit code; print any error as one line."""
    session = Session()
    try:
        code = machi.main(list(arguments), prog_name="machi", standalone_mode=False, obj=session)
        return code if isinstance(code, int) else OK
    except click.UsageError as error:
        error.show()
        return USAGE
    except click.ClickException as error:
        return _failed(session, error.exit_code, error.format_message())
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except MachiError as error:
        return _failed(session, _exit_code(error), str(error))
    except BrokenPipeError:
        # The reader has closed the pipe. Python must not write to it when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return REFUSED


def _exit_code(error: MachiError) -> int:
    is_away = isinstance(error, ConnectionFailed | UnusableAnswer)
    if isinstance(error, ApiError):
        is_away = error.status in (502, 503, 504)
    return UNREACHABLE if is_away else REFUSED


def _failed(session: Session, code: int, message: str) -> int:
    session.warn(f"error: {message}", "red")
    return code


def main() -> None:
    """The entry point of the installed command."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        # Some terminals cannot encode every card name, and users may type anything.
        getattr(stream, "reconfigure", lambda **_: None)(errors="replace")
    sys.exit(run(sys.argv[1:]))
