"""The command `machi`: its parts, and how it ends."""

import os
import sys
from collections.abc import Sequence

import click

from machi import __version__
from machi.cli.account import login, logout, whoami
from machi.cli.audit import audit
from machi.cli.export import export
from machi.cli.guests import allow, block, invitations, seating
from machi.cli.ladders import ladder
from machi.cli.lists import matches
from machi.cli.log import log
from machi.cli.play import play
from machi.cli.session import Session, service_options
from machi.cli.verify import verify
from machi.cli.watch import watch
from machi.errors import ApiError, ConnectionFailed, MachiError, UnusableAnswer

OK, REFUSED, USAGE, UNREACHABLE, INTERRUPTED = 0, 1, 2, 3, 130
"""How `machi` ends."""

EPILOG = """\b
Exit codes: 0 done, 1 refused by the service, 2 wrong usage,
3 the service cannot be reached, 130 interrupted.

\b
For a start:
  machi login ada          make an account at the service
  machi play               play against a built-in player
  machi play --help        everything else that can be played
  machi ladder --help      tables that can be computed anew
\b
Completion in bash (zsh and fish alike):
  eval "$(_MACHI_COMPLETE=bash_source machi)"
"""


@click.group(epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80})
@click.version_option(__version__, prog_name="machi")
@service_options
def machi() -> None:
    """Play Machi Koro on a match service, and look on while others play."""


for command in (login, whoami, logout, seating, allow, block, invitations):
    machi.add_command(command)
for command in (play, watch, log, matches, export, verify, audit, ladder):
    machi.add_command(command)


def run(arguments: Sequence[str]) -> int:
    """Run the command line; the exit code. Whatever goes wrong is told in one line."""
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
        # Whoever read our output has enough; nothing more must be written when Python ends.
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
    """What the installed command runs."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        # Names of cards have letters that not every terminal has, and anything may be typed.
        getattr(stream, "reconfigure", lambda **_: None)(errors="replace")
    sys.exit(run(sys.argv[1:]))
