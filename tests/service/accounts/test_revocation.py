"""A token that was deleted holds nowhere: in no process, for no request, in no stream."""

import threading
from collections.abc import Callable
from http.client import IncompleteRead
from typing import Any, NamedTuple

import pytest
import redis
from flask.testing import FlaskClient

from tests.service.contract import Account
from tests.service.open_streams import LINES, SSE, Stream
from tests.service.polls import (
    LONG_S,  # a fixture
    looks,  # a fixture
)
from tests.service.served import Served

MATCH = {"ruleset": "base", "seats": [{"kind": "me"}, {"kind": "me"}]}
KEY = "a-key-that-nobody-can-guess"


class Spare(NamedTuple):
    """Another token of an account."""

    owner: Account
    id: str
    headers: dict[str, str]

    def delete(self) -> None:
        assert self.owner.delete(f"/v1/me/tokens/{self.id}").status_code == 204


@pytest.fixture
def spare(ada: Account) -> Spare:
    made = ada.post("/v1/me/tokens", {"name": "spare", "scopes": ["play", "match:create"]}).json
    return Spare(ada, made["token_id"], {"Authorization": f"Bearer {made['token']}"})


def paths(match_id: str) -> list[str]:
    """What can be got, with a token and without."""
    match = f"/v1/matches/{match_id}"
    mine = ["/v1/me", "/v1/me/tokens", "/v1/me/turns", "/v1/me/invitations", "/v1/me/allowed"]
    public = ["/v1/matches", match, f"{match}/state", f"{match}/events", f"{match}/verification"]
    return [*mine, *public, "/v1/rulesets", "/v1/strategies", "/v1/ladders", "/v1/event-types"]


def is_refused(answer: Any) -> bool:
    return (answer.status_code, answer.json["code"]) == (401, "token_invalid")


def test_a_deleted_token_is_refused_at_once_by_every_process(
    ada: Account, spare: Spare, restarted: Callable[..., FlaskClient]
) -> None:
    """Here two apps on the same servers stand for two processes."""
    other = restarted()
    match_id = ada.create()["match_id"]
    found = paths(match_id)
    assert [other.get(path, headers=spare.headers).status_code for path in found] == [200] * len(found)
    posts: list[tuple[str, Any]] = [
        ("/v1/matches", MATCH),
        (f"/v1/matches/{match_id}/commands", {"type": "roll_dice", "dice": 1}),
    ]
    keyed = {**spare.headers, "Idempotency-Key": KEY}
    assert [other.post(path, json=body, headers=keyed).status_code for path, body in posts] == [201, 201]
    spare.delete()
    for client in (other, ada.client):
        assert [path for path in found if not is_refused(client.get(path, headers=spare.headers))] == []
        for path, body in posts:
            assert is_refused(client.post(path, json=body, headers=keyed)), "nor is an answer given again"
        account = {"handle": "grace"}
        assert is_refused(client.post("/v1/accounts", json=account, headers=spare.headers))


def test_what_belongs_to_no_version_of_the_api_asks_for_no_token(client: FlaskClient) -> None:
    wrong = {"Authorization": "Bearer mk_deleted"}
    for path in ("/healthz", "/openapi.yaml", "/docs", "/"):
        assert client.get(path, headers=wrong).status_code == 200
    missing = client.get("/v1/nothing", headers=wrong)
    assert (missing.status_code, missing.json["code"]) == (404, "not_found")


@pytest.mark.parametrize("path", ["/v1/me/turns", "/v1/me/invitations", "/v1/matches/{}/events"])
@pytest.mark.parametrize("is_served", [False, True], ids=["thread", "parked"])
def test_a_request_that_waits_is_refused_when_its_token_is_deleted(
    ada: Account,
    bob: Account,
    spare: Spare,
    admin: redis.Redis,
    web: Served,
    path: str,
    is_served: bool,
) -> None:
    seats = [{"kind": "me"}, {"kind": "account", "handle": "bob"}]
    match = ada.create(seats=seats, first_seat=1)
    target = f"{path.format(match['match_id'])}?wait={LONG_S}"
    target += f"&after={match['version']}" if "events" in path else ""
    answers: list[int] = []

    def ask() -> None:
        if is_served:
            request = "".join(f"{name}: {value}\r\n" for name, value in spare.headers.items())
            raw = f"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{request}\r\n"
            answers.append(web.send(raw.encode()).status)
        else:
            answers.append(ada.client.get(target, headers=spare.headers).status_code)

    commands = ("cmdstat_zrange", "cmdstat_zrevrangebylex", "cmdstat_xrange")
    before = [looks(admin, command) for command in commands]
    thread = threading.Thread(target=ask)
    thread.start()
    while [looks(admin, command) for command in commands] == before:
        assert thread.is_alive()
    spare.delete()
    thread.join(LONG_S - 5)
    assert answers == [401]


@pytest.mark.parametrize("form", [SSE, LINES])
def test_an_open_stream_ends_when_its_token_is_deleted(
    ada: Account,
    spare: Spare,
    web: Served,
    form: str,
) -> None:
    match_id = ada.create()["match_id"]
    query = "?after=4" + ("&follow=true" if form == LINES else "")
    with Stream(web, match_id, query, Accept=form, **spare.headers) as stream:
        assert stream.status == 200
        spare.delete()
        with pytest.raises(IncompleteRead) as cut:
            stream.response.read()
        assert b"stream_end" not in cut.value.partial
    with Stream(web, match_id, query, Accept=form, **spare.headers) as again:
        assert again.status == 401
