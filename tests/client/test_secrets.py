"""A token is in no repr, no error and no log."""

import logging
import traceback

import pytest

from machi import Account, Client, ConnectionFailed, MachiError, Retries
from tests.client.scripted import Clock, answer, cut, problem, speaking

SECRET = "mk_very-secret"
NEW_TOKEN = {
    "token_id": "tok_1",
    "name": "bot",
    "scopes": ["play"],
    "created_at": "2026-11-20T15:14:45.069Z",
    "expires_at": "2027-11-20T15:14:45.069Z",
    "token": SECRET,
}


def test_new_secrets_are_not_shown() -> None:
    account = {"account_id": "acc_1", "handle": "ada", "token": SECRET}
    with speaking(answer(201, account), answer(201, NEW_TOKEN)) as (_, machi):
        shown = [machi.sign_up("ada"), machi.create_token("bot", ["play"])]
    assert [value.token for value in shown] == [SECRET, SECRET]
    assert SECRET not in repr(shown)


def test_a_client_without_a_token_speaks_for_the_account_it_makes() -> None:
    account = {"account_id": "acc_1", "handle": "ada", "token": SECRET}
    with speaking(answer(201, account), problem(404, "not_found"), token=None) as (server, machi):
        assert machi.sign_up("ada") == Account("acc_1", "ada", SECRET)
        with pytest.raises(MachiError):
            machi.match("mat_1")
    sent = [asked.headers.get("authorization") for asked in server.asked]
    assert sent == [None, f"Bearer {SECRET}"]


def test_nothing_that_fails_tells_the_token(caplog: pytest.LogCaptureFixture, clock: Clock) -> None:
    caplog.set_level(logging.DEBUG)
    told = []
    retries = Retries(total_s=0.1, first_s=0.01)
    with speaking(problem(401, "token_invalid"), cut(), token=SECRET, retries=retries) as (server, machi):
        for _ in range(2):
            with pytest.raises(MachiError) as error:
                machi.me()
            told.append("".join(traceback.format_exception(error.value)) + repr(error.value))
        told.append(repr(machi) + repr(vars(machi)) + repr(vars(machi._transport)))
    assert isinstance(error.value, ConnectionFailed)
    assert server.asked[-1].headers["authorization"] == f"Bearer {SECRET}"
    assert SECRET not in "".join([*told, caplog.text])
    assert "retrying" in caplog.text


@pytest.mark.parametrize("token", [f"{SECRET}\n{SECRET}", f"{SECRET} {SECRET}", f"{SECRET}ä", ""])
def test_what_cannot_be_a_token_is_refused_without_being_told(token: str) -> None:
    with pytest.raises(ValueError, match="a token consists of visible ASCII characters") as error:
        Client("http://localhost", token)
    assert SECRET not in str(error.value)


def test_blanks_around_a_token_are_left_out() -> None:
    given = f" {SECRET}\n"
    with speaking(problem(404, "not_found"), token=given) as (server, machi), pytest.raises(MachiError):
        machi.me()
    assert server.asked[0].headers["authorization"] == f"Bearer {SECRET}"


@pytest.mark.parametrize("url", ["localhost:8000", "ftp://localhost", "http://", "", "//localhost"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="begins with http:// or https://"):
        Client(url)


@pytest.mark.parametrize("url", ["http://ada:secret@localhost", "http://localhost?x=secret"])
def test_an_address_with_a_secret_is_refused_without_telling_it(url: str) -> None:
    with pytest.raises(ValueError, match="has no user, query or fragment") as error:
        Client(url)
    assert "secret" not in str(error.value)
