"""How a command ends that fails: the exit code, and the error as a line of text or as a problem object."""

from typing import Final, NamedTuple

import click
import msgspec

from machi.cli.session import Session, Unusable
from machi.errors import ApiError, ConnectionFailed, MachiError, UnusableAnswer

OK: Final = 0
REFUSED: Final = 1
USAGE: Final = 2
UNREACHABLE: Final = 3
INTERRUPTED: Final = 130

UNTYPED: Final = "about:blank"
"""The type of a problem that says no more than its title (RFC 9457)."""


class Failure(NamedTuple):
    """An error that this command found itself, in the members of the API's problem objects."""

    code: str
    title: str
    exit_code: int


WRONG_USAGE: Final = Failure("wrong_usage", "The arguments are wrong", USAGE)
NOT_POSSIBLE: Final = Failure("not_possible", "The command cannot be carried out", REFUSED)
UNUSABLE: Final = Failure("unusable_input", "Something that was named cannot be used", UNREACHABLE)
NOT_REACHED: Final = Failure("unreachable", "The service cannot be reached", UNREACHABLE)
NOT_OF_THE_API: Final = Failure("unusable_answer", "The response is not one of this API", UNREACHABLE)


def failed(session: Session, error: click.ClickException | MachiError) -> int:
    """Print the error and return the exit code."""
    if session.as_json:
        click.echo(_problem(error), err=True)
    elif isinstance(error, click.UsageError):
        error.show()
    else:
        session.warn(f"error: {_message(error)}", "red")
    return exit_code(error)


def exit_code(error: click.ClickException | MachiError) -> int:
    """The exit code of a command that failed with this error."""
    if isinstance(error, ApiError):
        return UNREACHABLE if error.status in (502, 503, 504) else REFUSED
    return _failure(error).exit_code


def _problem(error: click.ClickException | MachiError) -> str:
    """The problem object: the service's own, where it sent one."""
    if isinstance(error, ApiError):
        title = f"The response has the status {error.status}"
        said = {"title": title, "status": error.status, "detail": error.detail, "code": error.code}
        return (error.raw or msgspec.json.encode({"type": UNTYPED, **said})).decode()
    failure = _failure(error)
    found = {"title": failure.title, "detail": _message(error), "code": failure.code}
    return msgspec.json.encode({"type": UNTYPED, **found}).decode()


def _failure(error: click.ClickException | MachiError) -> Failure:
    if isinstance(error, Unusable):
        return UNUSABLE
    if isinstance(error, click.ClickException):
        return WRONG_USAGE if error.exit_code == USAGE else NOT_POSSIBLE
    if isinstance(error, ConnectionFailed):
        return NOT_REACHED
    return NOT_OF_THE_API if isinstance(error, UnusableAnswer) else NOT_POSSIBLE


def _message(error: click.ClickException | MachiError) -> str:
    return error.format_message() if isinstance(error, click.ClickException) else str(error)
