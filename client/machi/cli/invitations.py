"""`machi invitations`, `seating`, `allow` and `block`: who may seat you in matches."""

from collections.abc import Iterable

import click

from machi.cli.session import Session, WrongUse, service_options, session_of
from machi.client import Client
from machi.values import Invitation, ListedAccount, Me

POLICIES = ("nobody", "allowed", "anybody")


@click.group(
    invoke_without_command=True,
    epilog="""\b
Examples:
  machi invitations
  machi invitations accept mat_...
  machi invitations decline mat_...
""",
)
@service_options
@click.pass_context
def invitations(context: click.Context) -> None:
    """List, accept or decline invitations.

    An invitation is a seat that another account has reserved for you.
    """
    if context.invoked_subcommand is not None:
        return
    session = context.ensure_object(Session)
    session.require_account()
    with session.client() as client:
        found = client.invitations()
    session.show_each(found, lambda found: _say_invitations(session, found))


def _say_invitations(session: Session, found: Iterable[Invitation]) -> None:
    lines = [
        f"{one.match_id}  seat {one.seat} of {one.seats}, {one.ruleset}{', rated' if one.rated else ''}, "
        f"by {one.invited_by}"
        for one in found
    ]
    for line in lines or ["You have no invitations."]:
        session.say(line)


_SEAT = click.option("--seat", type=click.IntRange(0), help="Seat number, if several are reserved for you.")


@invitations.command()
@click.argument("match_id")
@_SEAT
@service_options
@session_of
def accept(session: Session, match_id: str, seat: int | None) -> None:
    """Accept an invitation and take the seat.

    To play the match, run `machi play MATCH_ID`.
    """
    session.require_account()
    with session.client() as client:
        joined = client.accept(match_id, seat)
    text = f"You have seat {joined.seat}; the match is {joined.match.status}."
    # The raw JSON of the match is the whole answer, with the seat.
    session.show(joined.match, lambda _: session.say(text))


@invitations.command()
@click.argument("match_id")
@_SEAT
@service_options
@session_of
def decline(session: Session, match_id: str, seat: int | None) -> None:
    """Decline an invitation; the seat opens for others."""
    session.require_account()
    with session.client() as client:
        client.decline(match_id, seat)
    session.say("Declined.")


@click.command()
@click.argument("policy", metavar="[POLICY]", required=False, type=click.Choice(POLICIES))
@service_options
@session_of
def seating(session: Session, policy: str | None) -> None:
    """Show or set who may seat you in matches.

    \b
    POLICY is one of:
      nobody   only you
      allowed  accounts that you `machi allow`; others can invite you
      anybody  everybody except accounts that you `machi block`
    """
    session.require_account()
    with session.client() as client:
        me = client.change_seating(policy) if policy else client.me()
        session.show(me, lambda me: _say_seating(session, client, me))


def _say_seating(session: Session, client: Client, me: Me) -> None:
    session.say(f"Seating policy: {me.seating}.")
    for name, listed in (("allowed", client.allowed()), ("blocked", client.blocked())):
        if listed:
            session.say(f"{name}: {', '.join(one.handle for one in listed)}")


_UNDO = click.option("--undo", is_flag=True, help="Remove the account from the list.")


@click.command(
    epilog="""\b
Examples:
  machi allow bob
  machi allow bob --undo
  machi allow --json | jq -r .handle
"""
)
@click.argument("handle", required=False)
@_UNDO
@service_options
@session_of
def allow(session: Session, handle: str | None, undo: bool) -> None:
    """Let an account seat you in matches without asking.

    Without HANDLE, list the accounts that may.
    """
    with _client_for_list(session, handle, undo) as client:
        if handle is None:
            session.show_each(client.allowed(), lambda listed: _say_handles(session, listed))
            return
        (client.disallow if undo else client.allow)(handle)
    session.say(f"{handle} {'has to invite you' if undo else 'may seat you'}.")


@click.command()
@click.argument("handle", required=False)
@_UNDO
@service_options
@session_of
def block(session: Session, handle: str | None, undo: bool) -> None:
    """Block an account.

    It can then neither seat nor invite you, and its open invitations are declined. Without HANDLE, list the
    accounts that you have blocked.
    """
    with _client_for_list(session, handle, undo) as client:
        if handle is None:
            session.show_each(client.blocked(), lambda listed: _say_handles(session, listed))
            return
        (client.unblock if undo else client.block)(handle)
    session.say(f"{handle} is {'no longer blocked' if undo else 'blocked'}.")


def _client_for_list(session: Session, handle: str | None, undo: bool) -> Client:
    if undo and handle is None:
        raise WrongUse("--undo needs a HANDLE")
    session.require_account()
    return session.client()


def _say_handles(session: Session, listed: Iterable[ListedAccount]) -> None:
    for one in listed:
        session.say(one.handle)
