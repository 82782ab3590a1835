"""`machi invitations`, `seating`, `allow` and `block`: who may seat you in matches."""

import json

import click

from contract.matches import Invitation
from machi.cli.session import Session, service_options, session_of

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
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
@service_options
@click.pass_context
def invitations(context: click.Context, as_json: bool) -> None:
    """List, accept or decline invitations.

    An invitation is a seat that another account has reserved for you.
    """
    if context.invoked_subcommand is not None:
        return
    session = context.ensure_object(Session)
    session.require_account()
    with session.client() as client:
        found = client.invitations()
    for one in found:
        if as_json:
            click.echo(json.dumps(_shown(one)))
        else:
            session.say(f"{one.match_id}  seat {one.seat} of {one.seats}, {one.ruleset}, by {one.invited_by}")
    if not found and not as_json:
        session.say("You have no invitations.")


def _shown(one: Invitation) -> dict[str, object]:
    return {
        "match_id": one.match_id,
        "seat": one.seat,
        "seats": one.seats,
        "ruleset": one.ruleset,
        "invited_by": one.invited_by,
        "created_at": one.created_at.isoformat(),
    }


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
    session.say(f"You have seat {joined.seat}; the match is {joined.match.status}.")


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
        session.say(f"Seating policy: {me.seating}.")
        for name, listed in (("allowed", client.allowed()), ("blocked", client.blocked())):
            if listed:
                session.say(f"{name}: {', '.join(one.handle for one in listed)}")


_UNDO = click.option("--undo", is_flag=True, help="Remove the account from the list.")


@click.command()
@click.argument("handle")
@_UNDO
@service_options
@session_of
def allow(session: Session, handle: str, undo: bool) -> None:
    """Let an account seat you in matches without asking."""
    session.require_account()
    with session.client() as client:
        (client.disallow if undo else client.allow)(handle)
    session.say(f"{handle} {'has to invite you' if undo else 'may seat you'}.")


@click.command()
@click.argument("handle")
@_UNDO
@service_options
@session_of
def block(session: Session, handle: str, undo: bool) -> None:
    """Block an account.

    It can then neither seat nor invite you, and its open invitations are declined.
    """
    session.require_account()
    with session.client() as client:
        (client.unblock if undo else client.block)(handle)
    session.say(f"{handle} is {'no longer blocked' if undo else 'blocked'}.")
