"""`machi bot run`."""

import json
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from types import FrameType
from typing import Any, Final, get_args

import click

from machi.bots import BotFailed, BotRunner, OnError
from machi.cli.bots.loading import function_named
from machi.cli.invitations import POLICIES
from machi.cli.options import ruleset_option
from machi.cli.play import seats_against
from machi.cli.session import Session, WrongUse, service_options, session_of
from machi.client import Client
from machi.errors import MachiError, Refused
from machi.retries import Retries

PATIENT: Final = Retries(total_s=86_400.0)
"""As long as the service keeps idempotency keys: until then, a command that is sent again is done once."""


@click.command(
    epilog="""\b
The function takes a turn and returns one of its commands:
  # mybot.py
  import random
  def choose(turn):
      return random.choice(turn.commands)
\b
  turn.commands   the legal commands, such as RollDice(seat=0, dice=1) and
                  Build(seat=0, card='cafe'); return one of them
  turn.state      the whole table: players, market, dice, phase
  turn.seat       your seat: turn.state.players[turn.seat] is your city
  turn.deadline   when the clock of the decision ends; None without a clock
  turn.match_id, turn.version
\b
Examples:
  machi login mybot --seating anybody
  machi bot run mybot:choose --against greedy --last 20    try it out
  machi bot run mybot:choose                               play for ever
  machi bot run mybot:choose --ladder LADDER --bot-version 7
  machi bot run mybot:choose --json >> mybot.log
\b
Exit codes: 0 stopped, or the last match has ended, 1 the function failed or
the service refused something, 2 wrong usage, 3 the module cannot be imported,
or the service was away for a day, 130 interrupted twice.
"""
)
@click.argument("function", metavar="PACKAGE:FUNCTION")
@click.option(
    "--on-error",
    type=click.Choice(get_args(OnError)),
    default="stop",
    show_default=True,
    help="What to do if the function raises an error or returns an illegal command: stop the bot, resign "
    "from the seat, or play a random command.",
)
@click.option(
    "--matches",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    metavar="N",
    help="Accept invitations and make matches only while fewer than N are unfinished. Matches of ladders, "
    "and of accounts that may seat you, come in addition.",
)
@click.option("--no-invitations", is_flag=True, help="Leave invitations open.")
@click.option("--seating", type=click.Choice(POLICIES), help="Set first who may seat the account.")
@click.option(
    "--ladder", "ladders", multiple=True, metavar="LADDER", help="Enter this ladder first. Can be repeated."
)
@click.option("--bot-version", metavar="VERSION", help="Version of the bot, for --ladder.")
@click.option("--against", metavar="WHO,...", help="Make matches against these players, as in `machi play`.")
@ruleset_option
@click.option("--last", type=click.IntRange(1), metavar="N", help="Stop after N matches have ended.")
@click.option(
    "--report",
    type=click.FloatRange(1),
    default=60,
    show_default=True,
    metavar="SECONDS",
    help="Time between two lines of statistics.",
)
@click.option("--verbose", is_flag=True, help="Also log every decision.")
@service_options
@session_of
def run(
    session: Session,
    function: str,
    on_error: OnError,
    matches: int,
    no_invitations: bool,
    seating: str | None,
    ladders: tuple[str, ...],
    bot_version: str | None,
    against: str | None,
    ruleset: str,
    last: int | None,
    report: float,
    verbose: bool,
) -> None:
    """Let a Python function play until you stop it.

    The bot plays every match in which the account has a seat: in ladders, by invitation, or made with
    --against. It logs one line for each thing that happens, waits out outages of the service, and stops at
    Ctrl-C or SIGTERM after the decision it is making; a second Ctrl-C ends it at once. Start it again, and it
    plays on where it stopped, even after a crash: the service knows which decisions are open.

    The function is imported from the current folder or from what is installed. It is called for one decision
    at a time. What it prints goes to standard error.
    """
    if bool(ladders) != (bot_version is not None):
        raise WrongUse("--ladder and --bot-version require each other")
    choose = function_named(function)
    session.require_account()
    log = _Log(session, verbose)
    runners: list[BotRunner] = []

    def on_retry(failure: MachiError, pause_s: float) -> None:
        for runner in runners:
            runner.on_retry(failure, pause_s)

    with session.patient_client(PATIENT, on_retry) as client:
        seats = seats_against(against, 0) if against else []
        runner = BotRunner(
            client,
            choose,
            log,
            on_error=on_error,
            accepts=not no_invitations,
            most_matches=matches,
            new_match=(lambda: client.create_match(ruleset, seats)) if seats else None,
            last_match=last,
            report_every_s=report,
        )
        runners.append(runner)

        def prepare() -> None:
            log("started", {"function": function, "account": client.me().handle, "service": session.url})
            _make_ready(client, log, seating, ladders, bot_version)

        with _stopped_by_signals(runner):
            try:
                runner.run(prepare)
            except BotFailed as error:
                raise click.ClickException(f"the bot failed in {error}") from None


def _make_ready(
    client: Client, log: "_Log", seating: str | None, ladders: tuple[str, ...], version: str | None
) -> None:
    if seating is not None:
        client.change_seating(seating)
    for ladder in ladders:
        try:
            entry = client.enter(ladder, version=version)
        except Refused as refusal:
            if refusal.code != "already_entered":
                raise
            log("ladder_entered_before", {"ladder_id": ladder})
        else:
            log("ladder_entered", {"ladder_id": ladder, "entry": entry.entry_id})


@contextmanager
def _stopped_by_signals(runner: BotRunner) -> Iterator[None]:
    """Stop at SIGINT and SIGTERM; a second one ends the process at once."""
    usual: dict[signal.Signals, Callable[[int, FrameType | None], Any] | signal.Handlers] = {
        signal.SIGINT: signal.default_int_handler,
        signal.SIGTERM: signal.SIG_DFL,
    }

    def stop(number: int, frame: FrameType | None) -> None:
        for one, handler in usual.items():
            signal.signal(one, handler)
        runner.stop()

    before = {one: signal.signal(one, stop) for one in usual}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


class _Log:
    """One line for each thing that happens."""

    def __init__(self, session: Session, verbose: bool) -> None:
        self._session = session
        self._verbose = verbose

    def __call__(self, event: str, members: Mapping[str, Any]) -> None:
        if event != "decision" or self._verbose:
            now = datetime.now(UTC)
            self._session.show({"time": now, "event": event, **members}, self._print)

    def _print(self, line: Mapping[str, Any]) -> None:
        members = {name: value for name, value in line.items() if name not in ("time", "event", "traceback")}
        values = [f"{name}={_value(value)}" for name, value in members.items() if value is not None]
        print(f"{line['time'].astimezone():%H:%M:%S}", line["event"], *values, flush=True)
        if "traceback" in line:
            print(line["traceback"], end="", file=sys.stderr, flush=True)


def _value(value: object) -> str:
    """A text without spaces as it is, and everything else as JSON."""
    if isinstance(value, str) and value.isprintable() and not set(value) & set(' "='):
        return value
    return json.dumps(value, ensure_ascii=False)
