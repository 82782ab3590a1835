"""What every command needs: the service, the account and the output."""

import math
import time
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any, Final, TypeVar

import click
import msgspec
from rich import box
from rich.console import Console
from rich.table import Table

from machi.answers import HasRaw
from machi.cli.config import Config, ConfigError, Login, config_path, read_config, write_config
from machi.client import Client
from machi.errors import ConnectionFailed, MachiError
from machi.retries import OnRetry, Retries
from machi.transport import checked_url

RETRY_NOTICE_S: Final = 30.0
"""Seconds between two messages about retries."""

_WIDEST: Final = 1000
"""Width of output that must not be cut off, in columns."""

_TYPED: Final = click.core.ParameterSource.COMMANDLINE

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

SHORT_RETRIES: Final = Retries(total_s=20.0)
LONG_RETRIES: Final = Retries(total_s=120.0)
"""Long enough to survive a restart of the service during a match."""


class WrongUse(click.ClickException):
    """The arguments make no sense; the message is one line."""

    exit_code = 2


class Unusable(click.ClickException):
    """Something that was named cannot be read or reached; nothing is known of it. The message is one line."""

    exit_code = 3


class Session:
    """One run of `machi`."""

    def __init__(self) -> None:
        self.given_url: str | None = None
        self.given_token: str | None = None
        self.no_color = False
        self.as_json = False
        self._told_at = -math.inf

    @cached_property
    def out(self) -> Console:
        """Text for people: standard output, or standard error where standard output gets JSON."""
        plain = self.no_color or None
        return Console(stderr=self.as_json, no_color=plain, highlight=False, emoji=False, markup=False)

    @cached_property
    def wide(self) -> Console:
        """Standard output for tables that must not lose a digit on a narrow terminal."""
        plain = self.no_color or None
        return Console(width=_WIDEST, no_color=plain, highlight=False, emoji=False, markup=False)

    @cached_property
    def err(self) -> Console:
        """Standard error: messages and progress."""
        return Console(
            stderr=True, no_color=self.no_color or None, highlight=False, emoji=False, markup=False
        )

    @cached_property
    def config(self) -> Config:
        try:
            return read_config(config_path())
        except ConfigError as error:
            raise click.ClickException(str(error)) from None

    def remember(self, config: Config) -> None:
        """Write the config file."""
        try:
            write_config(config_path(), config)
            self.config = config
        except ConfigError as error:
            raise click.ClickException(str(error)) from None

    @property
    def url(self) -> str:
        """The service that the user named, otherwise the one of the last login."""
        try:
            return checked_url(self.given_url or self.config.url)
        except ValueError as error:
            raise WrongUse(str(error)) from None

    @property
    def login(self) -> Login | None:
        """The saved account at the service."""
        return self.config.services.get(self.url)

    @property
    def token(self) -> str | None:
        if self.given_token:
            return self.given_token
        return self.login.token if self.login else None

    def client(self) -> Client:
        """A client of the service, with the token of the account if there is one."""
        return self._client(SHORT_RETRIES, self._tell_at_first_contact)

    def patient_client(self, retries: Retries = LONG_RETRIES, on_retry: OnRetry | None = None) -> Client:
        """A client that waits out an outage of the service, once the service has answered."""
        with self.client() as first:
            first.strategies()
        return self._client(retries, on_retry or self._tell_of_retry)

    def _client(self, retries: Retries, on_retry: OnRetry) -> Client:
        try:
            return Client(self.url, self.token, retries=retries, on_retry=on_retry)
        except ValueError as error:
            raise WrongUse(str(error)) from None

    def require_account(self) -> None:
        """Raises: ClickException if there is no token."""
        if self.token is None:
            raise click.ClickException(
                f"you are not logged in at {self.url}; `machi login HANDLE` creates an account"
            )

    def show(self, found: T, as_text: Callable[[T], object]) -> None:
        """Print a result: with --json its JSON as one line, otherwise by `as_text`."""
        if self.as_json:
            print(json_of(found), flush=True)
        else:
            as_text(found)

    def show_each(self, found: Iterable[T], as_text: Callable[[Iterable[T]], object]) -> None:
        """Print a list or a stream: with --json one line for each as it comes, otherwise by `as_text`."""
        if self.as_json:
            for one in found:
                print(json_of(one), flush=True)
        else:
            as_text(found)

    def ask(self, prompt: str) -> str:
        """A line of input. Raises: EOFError."""
        if not self.as_json:
            return input(prompt)
        self.err.print(prompt, end="", soft_wrap=True)
        return input()

    def say(self, text: str, style: str = "") -> None:
        """Print a line of any length for people."""
        self.out.print(one_line(text), style=style, soft_wrap=True)

    def say_indented(self, text: str) -> None:
        """Print a line that belongs to the one before, indented."""
        self.out.print(f"  {one_line(text)}", soft_wrap=True)

    def warn(self, text: str, style: str = "") -> None:
        """Print a line of any length to standard error."""
        self.err.print(one_line(text), style=style, soft_wrap=True)

    def _tell_at_first_contact(self, failure: MachiError, pause_s: float) -> None:
        if isinstance(failure, ConnectionFailed) and failure.is_unconnected:
            raise failure  # most likely nothing listens there
        self._tell_of_retry(failure, pause_s)

    def _tell_of_retry(self, failure: MachiError, pause_s: float) -> None:
        if time.monotonic() > self._told_at + RETRY_NOTICE_S:
            self.warn(f"{failure}; retrying", "yellow")
            self._told_at = time.monotonic()


session_of = click.make_pass_decorator(Session, ensure=True)


def service_options(command: F) -> F:
    """Add the options that may stand before or after the name of a command."""

    def keep(name: str) -> Callable[[click.Context, click.Parameter, Any], None]:
        def store(context: click.Context, parameter: click.Parameter, value: Any) -> None:
            session = context.ensure_object(Session)
            is_typed = context.get_parameter_source(str(parameter.name)) is _TYPED
            # An environment variable does not override an option before the name of the command.
            if value and (is_typed or not getattr(session, name)):
                setattr(session, name, value)

        return store

    options = [
        click.option(
            "--url",
            metavar="URL",
            envvar="MACHI_URL",
            expose_value=False,
            callback=keep("given_url"),
            help="URL of the service. [env: MACHI_URL; default: the last login, or http://127.0.0.1:8000]",
        ),
        click.option(
            "--token",
            metavar="TOKEN",
            envvar="MACHI_TOKEN",
            expose_value=False,
            callback=keep("given_token"),
            help="Use this token instead of the saved one. [env: MACHI_TOKEN]",
        ),
        click.option(
            "--no-color",
            is_flag=True,
            expose_value=False,
            callback=keep("no_color"),
            help="Disable colours. [env: NO_COLOR]",
        ),
        click.option(
            "--json",
            is_flag=True,
            expose_value=False,
            callback=keep("as_json"),
            help="Print JSON instead of text, one object per line; errors, too.",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def bare_table() -> Table:
    """A table with a line below its head and no others."""
    return Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1), show_edge=False)


def json_of(found: object) -> str:
    """The JSON that the service sent for it; of what was computed here, its members."""
    raw = found.raw if isinstance(found, HasRaw) else b""
    return (raw or msgspec.json.encode(found)).decode().rstrip("\n")


def one_line(text: str) -> str:
    """The text without any character that could move a terminal's cursor."""
    return "".join(letter if letter.isprintable() else " " for letter in text).strip()
