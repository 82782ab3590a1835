"""`machi login`, `whoami`, `logout` and `delete-account`."""

import sys
from uuid import uuid4

import click

from contract.accounts import AccountWithToken
from machi.cli.config import (
    Login,
    Pending,
    find_pending,
    with_login,
    with_pending,
    without_login,
    without_pending,
)
from machi.cli.invitations import POLICIES
from machi.cli.session import Session, WrongUse, service_options, session_of
from machi.client import Client
from machi.errors import NotAllowed, Refused
from machi.values import ListedAccount, Me


@click.command(
    epilog="""\b
Examples:
  machi login ada
  machi login eves-bot --seating anybody
  machi --url https://machi.example.org login ada
  MACHI_TOKEN=mk_... machi login      use an existing account
"""
)
@click.argument("handle", required=False)
@click.option("--seating", type=click.Choice(POLICIES), help="Who may seat the new account in matches.")
@service_options
@session_of
def login(session: Session, handle: str | None, seating: str | None) -> None:
    """Create an account and save its token.

    Without HANDLE, save the token given with --token or MACHI_TOKEN. Tokens are saved in
    ~/.config/machi/services.json, which only you can read. There is no password: if you lose the token, you
    lose the account.

    If the service does not answer, repeat the command within a day: the account may exist already, and the
    service then returns its token.
    """
    if session.login is not None:
        raise click.ClickException(
            f"already logged in as {session.login.handle} at {session.url}; log out with `machi logout`"
        )
    if (handle is None) == (session.given_token is None):
        raise WrongUse("give a HANDLE to create an account, or the token of an existing one")
    with session.client() as client:
        if handle is not None:
            account = _signed_up(session, client, handle, seating)
            who, token = ListedAccount(account.account_id, account.handle), account.token
        else:
            me = client.me()
            who, token = ListedAccount(me.account_id, me.handle), str(session.given_token)
        config = without_pending(session.config, session.url, handle) if handle else session.config
        session.remember(with_login(config, session.url, Login(who.handle, token)))
    session.show(who, lambda who: _say_who(session, who))


def _signed_up(session: Session, client: Client, handle: str, seating: str | None) -> AccountWithToken:
    """Create an account, or get the one that an earlier login asked for without getting an answer."""
    known = find_pending(session.config, session.url, handle)
    pending = known or Pending(session.url, handle, str(uuid4()))
    # Save the key before the request: only with this key does the service return the token again.
    session.remember(session.config if known else with_pending(session.config, pending))
    try:
        account = client.sign_up(handle, seating, key=pending.key)
    except Refused as error:
        if known is None and not error.may_be_done:
            session.remember(without_pending(session.config, session.url, handle))
        raise
    return account


def _say_who(session: Session, who: ListedAccount | Me) -> None:
    session.say(f"You are {who.handle} at {session.url}.")


@click.command(
    epilog="""\b
Examples:
  machi whoami
  machi whoami --json | jq -r .token.expires_at
"""
)
@service_options
@session_of
def whoami(session: Session) -> None:
    """Show the current account.

    The command asks the service, and so checks the token.
    """
    session.require_account()
    with session.client() as client:
        session.show(client.me(), lambda me: _say_account(session, me))


def _say_account(session: Session, me: Me) -> None:
    _say_who(session, me)
    session.say(f"Token: scopes {', '.join(me.token.scopes)}; expires on {me.token.expires_at:%Y-%m-%d}.")


@click.command()
@click.option("--yes", is_flag=True, help="Skip the confirmation prompt.")
@service_options
@session_of
def logout(session: Session, yes: bool) -> None:
    """Delete the saved token, here and at the service.

    There is no password: without another token, nobody can use the account again.
    """
    if session.login is None:
        raise click.ClickException(f"you are not logged in at {session.url}")
    if not _is_confirmed(
        f"Without another token, nobody can use {session.login.handle} again. Log out?", yes
    ):
        return
    session.given_token = None
    with session.client() as client:
        try:
            client.delete_token(client.me().token.token_id)
        except NotAllowed:
            session.warn("the service did not delete the token: it is no longer valid, or lacks the scope")
    session.remember(without_login(session.config, session.url))
    session.say(f"Logged out of {session.url}.")


@click.command("delete-account")
@click.argument("handle")
@click.option("--yes", is_flag=True, help="Skip the confirmation prompt.")
@service_options
@session_of
def delete_account(session: Session, handle: str, yes: bool) -> None:
    """Delete the current account for ever.

    To confirm, HANDLE must be that of the account. It resigns from its running matches and leaves its
    ladders. What was played stays, with the handle, which nobody can have again.
    """
    session.require_account()
    if not _is_confirmed(f"Nobody can undo this. Delete {handle} at {session.url}?", yes):
        return
    with session.client() as client:
        client.delete_account(handle)
    if session.login is not None and session.login.handle.lower() == handle.lower():
        session.remember(without_login(session.config, session.url))
    session.say(f"The account {handle} is deleted.")


def _is_confirmed(question: str, yes: bool) -> bool:
    """Whether the user agrees; `yes` is the answer given in advance."""
    if not yes and not sys.stdin.isatty():
        raise WrongUse("cannot ask for confirmation without a terminal; confirm with --yes")
    return yes or click.confirm(question, err=True)
