"""The library and the command line: who may seat an account, invitations and their codes."""

import json
from collections.abc import Callable

import pytest

from machi import Client, NotAllowed, NotFound, account, bot, me, open_seat
from tests.client.commands import Run  # fixtures


def test_an_account_is_invited_and_accepts_or_declines(sign_up: Callable[[], Client]) -> None:
    ada, bob = sign_up(), sign_up()
    name = bob.me().handle
    match = ada.create_match("base", [me(), account(name), bot(name)])
    assert (match.status, [seat.invited for seat in match.seats]) == ("open", [None, name, name])
    first, second = bob.invitations(wait=5)
    assert (first.match_id, first.seat, second.seat, first.seats) == (match.match_id, 1, 2, 3)
    assert first.invited_by == ada.me().handle
    bob.decline(match.match_id, 1)
    joined = bob.accept(match.match_id, seed="mine")
    assert (joined.seat, joined.match.status, bob.invitations()) == (2, "open", ())
    with pytest.raises(NotFound, match="invitation_not_found"):
        bob.accept(match.match_id)


def test_an_account_says_who_may_seat_it(sign_up: Callable[[], Client]) -> None:
    ada, bob = sign_up(), sign_up()
    host, guest = ada.me().handle, bob.me().handle
    assert bob.change_seating("nobody").seating == bob.me().seating == "nobody"
    with pytest.raises(NotAllowed, match="seating_refused"):
        ada.create_match("base", [me(), account(guest)])
    bob.change_seating("allowed")
    bob.allow(host)
    assert [one.handle for one in bob.allowed()] == [host]
    assert ada.create_match("base", [me(), account(guest)]).status == "running"
    bob.disallow(host)
    waits = ada.create_match("base", [me(), account(guest)])
    ada.withdraw_invitation(waits.match_id, 1)
    bob.block(host)
    assert [one.handle for one in bob.blocked()] == [host]
    with pytest.raises(NotAllowed, match="seating_refused"):
        ada.create_match("base", [me(), account(guest)])
    bob.unblock(host)
    assert (bob.allowed(), bob.blocked(), bob.invitations()) == ((), (), ())


def test_a_private_match_is_joined_with_its_code(sign_up: Callable[[], Client]) -> None:
    ada, bob = sign_up(), sign_up()
    match = ada.create_match("base", [me(), open_seat()], visibility="private")
    with pytest.raises(NotFound):
        bob.join(match.match_id)
    assert bob.match(match.match_id, code=match.invitation_code).invitation_code is None
    assert bob.join(match.match_id, code=match.invitation_code).match.status == "running"


def test_a_private_match_is_played_with_its_code_on_the_command_line(
    logged_in: Run,
    machi: Client,
) -> None:
    match = machi.create_match("base", [me(), open_seat()], visibility="private", first_seat=1)
    assert logged_in("play", "--join", match.match_id)[0] == 1
    words = ("play", "--join", "--code", str(match.invitation_code), match.match_id)
    assert logged_in(*words, typed="resign\ny\n")[0] == 0
    assert machi.match(match.match_id).winner == 0


def test_the_key_of_a_new_account_is_long(url: str) -> None:
    with Client(url) as client, pytest.raises(ValueError, match="22 characters"):
        client.sign_up("somebody", key="short")


def test_invitations_are_answered_on_the_command_line(
    logged_in: Run,
    my_client: Client,
    machi: Client,
    handle: str,
) -> None:
    assert logged_in("invitations") == (0, "You have no invitations.\n", "")
    match = machi.create_match("base", [me(), account(handle)])
    host = machi.me().handle
    assert logged_in("invitations")[1] == f"{match.match_id}  seat 1 of 2, base, by {host}\n"
    (line,) = logged_in("invitations", "--json")[1].splitlines()
    assert json.loads(line)["match_id"] == match.match_id
    accepted = logged_in("invitations", "accept", match.match_id)
    assert accepted == (0, "You have seat 1; the match is running.\n", "")
    second = machi.create_match("base", [me(), account(handle)])
    assert logged_in("invitations", "decline", second.match_id, "--seat", "1")[:2] == (0, "Declined.\n")
    assert logged_in("invitations", "decline", second.match_id)[0] == 1


def test_the_policy_and_the_lists_are_kept_on_the_command_line(
    logged_in: Run,
    machi: Client,
) -> None:
    host = machi.me().handle
    assert logged_in("seating", "nobody")[1] == "Seating policy: nobody.\n"
    assert logged_in("allow", host)[1] == f"{host} may seat you.\n"
    assert logged_in("block", host)[1] == f"{host} is blocked.\n"
    assert logged_in("seating")[1].splitlines() == [
        "Seating policy: nobody.",
        f"allowed: {host}",
        f"blocked: {host}",
    ]
    assert logged_in("allow", host, "--undo")[1] == f"{host} has to invite you.\n"
    assert logged_in("block", host, "--undo")[1] == f"{host} is no longer blocked.\n"
    assert logged_in("allow", "nobody-there")[0] == 1


def test_a_login_says_who_may_seat_the_new_account(
    machi_run: Run,
    machi: Client,
    handle: str,
) -> None:
    assert machi_run("login", handle, "--seating", "anybody")[0] == 0
    assert machi.create_match("base", [me(), account(handle)]).status == "running"


def test_a_refusal_says_which_seat_it_is_about(sign_up: Callable[[], Client]) -> None:
    ada, bob = sign_up(), sign_up()
    bob.change_seating("nobody")
    with pytest.raises(NotAllowed) as refused:
        ada.create_match("base", [me(), account(bob.me().handle)])
    assert refused.value.errors[0].pointer == "/seats/1/handle"
