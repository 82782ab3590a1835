"""`machi login`, `whoami` and `logout`."""

import json
import sys
from uuid import uuid4

import click

from machi.cli.config import (
    Login,
    Pending,
    find_pending,
    with_login,
    with_pending,
    without_login,
    without_pending,
)
from machi.cli.guests import POLICIES
from machi.cli.session import Session, WrongUse, service_options, session_of
from machi.client import Client
from machi.errors import NotAllowed, Refused


@click.command(
    epilog="""\b
Examples:
  machi login ada
  machi login eves-bot --seating anybody
  machi --url https://machi.example.org login ada
  MACHI_TOKEN=mk_... machi login      an account that exists already
"""
)
@click.argument("handle", required=False)
@click.option("--seating", type=click.Choice(POLICIES), help="Who may seat the new account in matches.")
@service_options
@session_of
def login(session: Session, handle: str | None, seating: str | None) -> None:
    """Make an account at the service, and keep its token for later commands.

    Without HANDLE, keep the token that is given with --token or MACHI_TOKEN. Tokens are kept in
    ~/.config/machi/services.json, which nobody else can read. There is no password: who loses the token has
    lost the account. When no answer came, say the same again within a day: the account may be there, and its
    token is asked for again.
    """
    if session.login is not None:
        raise click.ClickException(
            f"you are {session.login.handle} at {session.url} already; `machi logout` ends that"
        )
    if (handle is None) == (session.given_token is None):
        raise WrongUse("give a HANDLE for a new account, or the token of one that exists")
    with session.client() as client:
        if handle is not None:
            kept = _signed_up(session, client, handle, seating)
        else:
            kept = Login(client.me().handle, str(session.given_token))
    config = without_pending(session.config, session.url, handle) if handle else session.config
    session.remember(with_login(config, session.url, kept))
    session.say(f"You are {kept.handle} at {session.url}.")


def _signed_up(session: Session, client: Client, handle: str, seating: str | None) -> Login:
    """A new account, or the one that an earlier login asked for without getting an answer."""
    known = find_pending(session.config, session.url, handle)
    pending = known or Pending(session.url, handle, str(uuid4()))
    # Before the request: the token of a new account is told again under this key, and under no other.
    session.remember(session.config if known else with_pending(session.config, pending))
    try:
        account = client.sign_up(handle, seating, key=pending.key)
    except Refused as error:
        if known is None and not error.may_be_done:
            session.remember(without_pending(session.config, session.url, handle))
        raise
    return Login(account.handle, account.token)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
@service_options
@session_of
def whoami(session: Session, as_json: bool) -> None:
    """Show the account in use, and ask the service whether it knows it."""
    session.require_account()
    with session.client() as client:
        me = client.me()
    if as_json:
        shown = {
            "url": session.url,
            "account_id": me.account_id,
            "handle": me.handle,
            "scopes": me.token.scopes,
            "expires_at": me.token.expires_at.isoformat(),
        }
        click.echo(json.dumps(shown))
        return
    session.say(f"You are {me.handle} at {session.url}.")
    session.say(f"The token may {', '.join(me.token.scopes)}, until {me.token.expires_at:%Y-%m-%d}.")


@click.command()
@click.option("--yes", is_flag=True, help="Skip the confirmation prompt.")
@service_options
@session_of
def logout(session: Session, yes: bool) -> None:
    """Let the kept token end at the service, and forget it.

    There is no password: unless you hold another token of the account, nobody can use it again.
    """
    if session.login is None:
        raise click.ClickException(f"there is no login at {session.url}")
    if not yes and not sys.stdin.isatty():
        raise WrongUse("nobody can be asked whether this is meant; --yes says so")
    question = f"{session.login.handle} cannot be used again without another token. Log out?"
    if not yes and not click.confirm(question):
        return
    session.given_token = None
    with session.client() as client:
        try:
            client.delete_token(client.me().token.token_id)
        except NotAllowed:
            session.warn("the service did not let the token end: it is not valid any more or too weak")
    session.remember(without_login(session.config, session.url))
    session.say(f"Logged out of {session.url}.")
