"""`machi play`."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import click

from contract.matches import Clock
from machi.cli.asking import Left
from machi.cli.game import Game
from machi.cli.lists import LANGUAGES, RULESETS
from machi.cli.session import Session, WrongUse, service_options, session_of
from machi.cli.tongues import TONGUES, Tongue
from machi.cli.words import cards_of
from machi.client import Client
from machi.matches import Match, NewSeat, account, me, open_seat, strategy

INTERRUPTED: Final = 130

OF_NEW_MATCHES: Final = ("ruleset", "against", "seat", "market", "box", "max_copies", "clock", "seat_seeds")


@click.command(
    epilog="""\b
Examples:
  machi play
  machi play --ruleset harbor --market limited --against greedy,random
  machi play --against open       somebody else joins with --join
  machi play mat_01M7WRCDNE5VV31RSBR368627A
"""
)
@click.argument("match_id", required=False)
@click.option(
    "--ruleset", type=click.Choice(RULESETS), default="base", show_default=True, help="Ruleset to play."
)
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
@click.option("--seat-seeds", is_flag=True, help="Let every account add a seed to the dice.")
@click.option(
    "--lang", type=click.Choice(LANGUAGES), default="en", show_default=True, help="Language of the output."
)
@click.option("--join", is_flag=True, help="Join the match on an open seat first.")
@click.option("--code", metavar="CODE", help="Invitation code of a private match (with --join).")
@click.option("--auto", is_flag=True, help="Let your seat play by itself while you watch.")
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
    **wishes: Any,
) -> int:
    """Play a match in the terminal: a new one, or MATCH_ID, where you left it.

    Choices are typed, or come line by line from a pipe. `q` leaves; the match stays.
    """
    _check(match_id, join or code is not None)
    session.require_account()
    with session.patient_client() as client:
        match = _match(client, match_id, join or code is not None, code, wishes)
        with _kept(session, match):
            return _sat_down(session, client, match, lang, auto)


@contextmanager
def _kept(session: Session, match: Match) -> Iterator[None]:
    """Say how to go on where something goes wrong: the match is there, and others wait in it."""
    try:
        yield
    except click.ClickException:
        raise
    except Exception:
        session.warn(f"The match {match.match_id} stays. Come back with: machi play {match.match_id}")
        raise


def _sat_down(session: Session, client: Client, match: Match, lang: str, auto: bool) -> int:
    mine = match.seats_of(client.me().account_id)
    if not mine and not match.is_over:
        raise click.ClickException(
            f"you have no seat in {match.match_id}; look on with `machi watch`, or take one with --join"
        )
    tongue = TONGUES[lang]
    session.say(tongue.title.format(ruleset=match.ruleset, match=match.match_id), "bold")
    game = Game(session, client, match, mine, cards_of(client, match.ruleset, lang), auto, lang)
    return _played(session, game, tongue, match)


def _check(match_id: str | None, join: bool) -> None:
    context = click.get_current_context()
    source = click.core.ParameterSource.COMMANDLINE
    given = [name for name in OF_NEW_MATCHES if context.get_parameter_source(name) is source]
    if match_id and given:
        raise WrongUse(f"--{given[0].replace('_', '-')} is for new matches")
    if join and not match_id:
        raise WrongUse("--join needs a MATCH_ID")


def _played(session: Session, game: Game, tongue: Tongue, match: Match) -> int:
    back = tongue.come_back.format(match=match.match_id)
    try:
        game.run()
    except Left:
        session.say(tongue.you_left.format(back=back))
    except KeyboardInterrupt:
        session.err.print()
        session.warn(tongue.interrupted.format(back=back))
        return INTERRUPTED
    return 0


def _match(
    client: Client, match_id: str | None, join: bool, code: str | None, wishes: dict[str, Any]
) -> Match:
    if match_id and join:
        return client.join(match_id, code=code).match
    if match_id:
        return client.match(match_id)
    options = {name: wishes[name] for name in ("market", "box") if wishes[name]}
    if wishes["max_copies"]:
        options["max_copies"] = int(wishes["max_copies"])
    clock = Clock(wishes["clock"] * 1000, "default_command") if wishes["clock"] else None
    seats = _seats(wishes["against"], wishes["seat"])
    seeds = wishes["seat_seeds"]
    return client.create_match(wishes["ruleset"], seats, options=options, clock=clock, seat_seeds=seeds)


def _seats(against: str, seat: int) -> list[NewSeat]:
    others = [_other(name.strip()) for name in against.split(",") if name.strip()]
    if seat > len(others):
        raise WrongUse(f"with --against {against} the seats are 0 to {len(others)}")
    return [*others[:seat], me(), *others[seat:]]


def _other(name: str) -> NewSeat:
    if name == "open":
        return open_seat()
    return account(name[1:]) if name.startswith("@") else strategy(name)
