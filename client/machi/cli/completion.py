"""`machi completion install`: the Tab key completes commands, options and their values."""

import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import click
from click.shell_completion import get_completion_class
from msgspec import Struct

from machi.cli.session import Session, WrongUse, service_options, session_of
from machi.seat_seeds import settings_folder

SHELLS: Final = ("bash", "zsh", "fish")

_VARIABLE: Final = "_MACHI_COMPLETE"
"""The variable by which click tells a run that a shell asks for completions."""
_BEFORE_ZSH: Final = "(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }\n"
"""Without a set-up of its own, zsh has no `compdef`."""


class Installed(Struct, frozen=True):
    """What an installation did."""

    shell: str
    script: str
    """The file with the script."""
    start_file: str | None
    """The file that has the shell read it; None if the shell finds the script by its place."""
    changed: tuple[str, ...]
    """Those of the two that were written now."""


class Printed(Struct, frozen=True):
    """The script of a shell."""

    shell: str
    source: str


@click.group()
def completion() -> None:
    """Set up the Tab key of your shell for machi."""


@completion.command(
    epilog="""\b
Examples:
  machi completion install
  machi completion install zsh
  machi completion install fish --print > ~/.config/fish/completions/machi.fish
"""
)
@click.argument("shell", metavar="[SHELL]", required=False, type=click.Choice(SHELLS))
@click.option("--print", "prints", is_flag=True, help="Print the script and change nothing.")
@service_options
@session_of
def install(session: Session, shell: str | None, prints: bool) -> None:
    """Install shell completion.

    SHELL is bash, zsh or fish; by default, it is the shell in $SHELL. For bash and zsh, the script goes to
    the folder of machi's settings, and one line into ~/.bashrc or ~/.zshrc reads it. For fish, the script
    goes where fish looks for it. Repeat the command after an update of machi: it changes only what differs.
    """
    shell = shell or _own_shell(os.environ)
    source = script(shell)
    if prints:
        session.show(Printed(shell, source), lambda printed: click.echo(printed.source, nl=False))
        return
    try:
        done = installed(shell, source, os.environ)
    except OSError as error:
        raise click.ClickException(f"cannot write {error.filename}: {error.strerror}") from None
    session.show(done, lambda done: _tell(session, done))


def _own_shell(environ: Mapping[str, str]) -> str:
    name = Path(environ.get("SHELL", "")).name
    if name not in SHELLS:
        raise WrongUse(f"$SHELL is {name or 'not set'}; name the shell: {', '.join(SHELLS)}")
    return name


def script(shell: str) -> str:
    """The script that makes a shell complete `machi`."""
    kind = get_completion_class(shell)
    assert kind is not None  # click knows all of SHELLS
    root = click.get_current_context().find_root().command
    return (_BEFORE_ZSH if shell == "zsh" else "") + kind(root, {}, "machi", _VARIABLE).source()


def installed(shell: str, source: str, environ: Mapping[str, str]) -> Installed:
    """Write what is not written yet. Raises: OSError."""
    home = Path(environ.get("HOME") or "~").expanduser()
    if shell == "fish":
        settings = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
        path = settings / "fish" / "completions" / "machi.fish"
        return Installed(shell, str(path), None, (str(path),) if _write(path, source) else ())
    path = settings_folder(environ) / f"completion.{shell}"
    start = home / ".bashrc" if shell == "bash" else Path(environ.get("ZDOTDIR") or home) / ".zshrc"
    changed = [str(path)] if _write(path, source) else []
    changed += [str(start)] if _add_line(start, _reading(path)) else []
    return Installed(shell, str(path), str(start), tuple(changed))


def _reading(path: Path) -> str:
    """The line of a start file that reads the script; without the script, it does nothing."""
    quoted = shlex.quote(str(path))
    return f"[ -f {quoted} ] && . {quoted}  # completion of machi"


def _write(path: Path, text: str) -> bool:
    """Whether the file had another content."""
    if path.is_file() and path.read_text() == text:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return True


def _add_line(path: Path, line: str) -> bool:
    """Whether the file lacked the line; what else is in it stays as it is."""
    before = path.read_bytes() if path.exists() else b""
    if line.encode() in before.splitlines():
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        file.write((b"" if before.endswith(b"\n") or not before else b"\n") + line.encode() + b"\n")
    return True


def _tell(session: Session, done: Installed) -> None:
    if not done.changed:
        session.say(f"Completion for {done.shell} is installed already.")
        return
    for path in done.changed:
        is_script = path == done.script
        session.say(f"wrote {path}" if is_script else f"added to {path}: {_reading(Path(done.script))}")
    session.say(f"Start a new {done.shell} to use it.")
