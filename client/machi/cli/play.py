"""`machi play`."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import click
from msgspec import UNSET

from contract.matches import Clock
from machi.cli.exits import INTERRUPTED
from machi.cli.game import Game
from machi.cli.options import language_option, match_argument, ruleset_option
from machi.cli.prompt import PlayerLeft
from machi.cli.session import Session, WrongUse, service_options, session_of
from machi.cli.text import cards_of
from machi.cli.translations import TRANSLATIONS, Translation
from machi.client import Client
from machi.matches import Match, NewSeat, seats_with_me

OF_NEW_MATCHES: Final = (
    *("ruleset", "against", "seat", "market", "box", "max_copies"),
    *("clock", "bank", "increment", "seat_seeds", "rated", "private"),
)

_AUTO = click.option("--auto", is_flag=True, help="Let the program choose for your seat while you watch.")


@click.command(
    epilog="""\b
Examples:
  machi play
  machi play --ruleset harbor --market limited --against greedy,random
  machi play --against open       another account joins with --join
  machi play --against open --private     only with the code that is shown
  machi play --against @bob --clock 60 --rated
  machi play mat_01M7WRCDNE5VV31RSBR368627A
"""
)
@click.argument("match_id", required=False)
@ruleset_option
@click.option(
    "--against",
    metavar="WHO,...",
    default="greedy",
    show_default=True,
    help="Opponents, comma-separated: built-in players, @HANDLE for an account, `open` for an open seat.",
)
@click.option("--seat", type=click.IntRange(0, 4), default=0, show_default=True, help="Your seat number.")
@click.option("--market", type=click.Choice(["open", "limited"]), help="Market variant.")
@click.option("--box", type=click.Choice(["four_player", "five_player"]), help="Box of the first game.")
@click.option("--max-copies", type=click.Choice(["2"]), help="Allow at most two copies of a card in a city.")
@click.option(
    "--clock", type=click.IntRange(1, 86_400), metavar="SECONDS", help="Time limit of each decision."
)
@click.option(
    "--bank",
    type=click.IntRange(1, 86_400),
    metavar="SECONDS",
    help="Time of each seat for decisions that take longer than --clock.",
)
@click.option(
    "--increment",
    type=click.IntRange(1, 86_400),
    metavar="SECONDS",
    help="Time that this bank gets at the end of each turn (with --clock).",
)
@click.option(
    "--rated",
    is_flag=True,
    help="Count the result for the ratings of the players; needs --clock, and accounts on all seats.",
)
@click.option("--private", is_flag=True, help="Show the match only to its players.")
@click.option("--seat-seeds", is_flag=True, help="Let every account add a seed to the dice.")
@language_option
@click.option("--join", is_flag=True, help="Take an open seat of MATCH_ID first.")
@click.option("--code", metavar="CODE", help="Invitation code of a private match (with --join).")
@_AUTO
@service_options
@session_of
def play(
    session: Session,
    /,
    match_id: str | None,
    lang: str,
    join: bool,
    code: str | None,
    auto: bool,
    **chosen: Any,
) -> int:
    """Play a match in the terminal.

    Starts a new match, or continues MATCH_ID where you left it. Type your choices, or pipe them in, one per
    line. `q` leaves; you can come back later.
    """
    _check(match_id, join or code is not None)
    session.require_account()
    with session.patient_client() as client:
        match = _match(client, match_id, join or code is not None, code, chosen)
        return _at_table(session, client, match, lang, auto)


@click.command(
    epilog="""\b
Examples:
  machi rematch mat_01M7WRCDNE5VV31RSBR368627A
  machi rematch mat_01M7WRCDNE5VV31RSBR368627A --auto
"""
)
@match_argument
@language_option
@_AUTO
@service_options
@session_of
def rematch(session: Session, match_id: str, lang: str, auto: bool) -> int:
    """Play a match again with the same players.

    The new match has the same rules, players and seats, and new dice. Other accounts get their seats as
    in any new match: at once, or after they accept your invitation.
    """
    session.require_account()
    with session.patient_client() as client:
        try:
            match = client.rematch(match_id)
        except ValueError as error:
            raise click.ClickException(str(error)) from None
        return _at_table(session, client, match, lang, auto)


def _at_table(session: Session, client: Client, match: Match, lang: str, auto: bool) -> int:
    translation = TRANSLATIONS[lang]
    with _kept(session, translation.kept.format(back=_back(translation, match))):
        return _sat_down(session, client, match, lang, auto)


@contextmanager
def _kept(session: Session, text: str) -> Iterator[None]:
    """After an error, say how to return to the match: it still exists, and others wait in it."""
    try:
        yield
    except click.ClickException:
        raise
    except Exception:
        session.warn(text)
        raise


def _back(translation: Translation, match: Match) -> str:
    """How to come back to the match."""
    return translation.come_back.format(match=match.match_id)


def _sat_down(session: Session, client: Client, match: Match, lang: str, auto: bool) -> int:
    mine = match.seats_of(client.me().account_id)
    if not mine and not match.is_over:
        raise click.ClickException(
            f"you have no seat in {match.match_id}; watch it with `machi watch`, or take a seat with --join"
        )
    translation = TRANSLATIONS[lang]
    session.say(translation.title.format(ruleset=match.ruleset, match=match.match_id), "bold")
    game = Game(session, client, match, mine, cards_of(client, match.ruleset, lang), auto, lang)
    return _played(session, game, translation, match)


def _check(match_id: str | None, join: bool) -> None:
    context = click.get_current_context()
    source = click.core.ParameterSource.COMMANDLINE
    given = [name for name in OF_NEW_MATCHES if context.get_parameter_source(name) is source]
    if match_id and given:
        raise WrongUse(f"--{given[0].replace('_', '-')} applies only to new matches")
    if join and not match_id:
        raise WrongUse("--join needs a MATCH_ID")


def _played(session: Session, game: Game, translation: Translation, match: Match) -> int:
    back = _back(translation, match)
    try:
        game.run()
    except PlayerLeft:
        session.say(translation.you_left.format(back=back))
    except KeyboardInterrupt:
        session.err.print()
        session.warn(translation.interrupted.format(back=back))
        return INTERRUPTED
    return 0


def _clock(clock: int | None, bank: int | None, increment: int | None) -> Clock | None:
    """The clock of a new match, from times in seconds.

    Raises:
        WrongUse: a bank or an increment without a clock.
    """
    if clock is None:
        if bank or increment:
            raise WrongUse("--bank and --increment need --clock")
        return None
    return Clock(
        clock * 1000,
        "default_command",
        bank_ms=bank * 1000 if bank else UNSET,
        increment_ms=increment * 1000 if increment else UNSET,
    )


def _match(
    client: Client, match_id: str | None, join: bool, code: str | None, chosen: dict[str, Any]
) -> Match:
    if match_id and join:
        return client.join(match_id, code=code).match
    if match_id:
        return client.match(match_id)
    options: dict[str, Any] = {name: chosen[name] for name in ("market", "box") if chosen[name]}
    if chosen["rated"]:
        options["rated"] = True
    if chosen["max_copies"]:
        options["max_copies"] = int(chosen["max_copies"])
    clock = _clock(**{name: chosen[name] for name in ("clock", "bank", "increment")})
    seats = seats_against(chosen["against"], chosen["seat"])
    seeds = chosen["seat_seeds"]
    return client.create_match(
        chosen["ruleset"],
        seats,
        options=options,
        clock=clock,
        seat_seeds=seeds,
        visibility="private" if chosen["private"] else "public",
    )


def seats_against(against: str, seat: int) -> list[NewSeat]:
    """The seats of a new match, of which `seat` is the caller's."""
    others = [name.strip() for name in against.split(",") if name.strip()]
    try:
        return seats_with_me(others, seat)
    except ValueError:
        raise WrongUse(f"with --against {against}, --seat is 0 to {len(others)}") from None
