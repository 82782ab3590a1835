"""Over the API an archived match is what it was: every answer about it, byte for byte."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import redis
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from events.archive.places import Directory
from events.archive.reader import Archive
from events.archive.transfer import archive, restore
from events.store import keys
from ops.servers import Server
from tests.service.addresses import addresses
from tests.service.contract import Account, Contract
from tests.service.posts import KEY, MATCH, ROLL, told
from tests.service.reviewed import compute_reviews

FORMS = ("application/json", "application/x-ndjson", "text/event-stream")

LISTS = ("/v1/matches", "/v1/matches?status=finished", "/v1/matches?player=ada", "/v1/me/turns")


@pytest.fixture
def admin(events_redis: redis.Redis, events_server: Server) -> Any:
    with redis.Redis.from_url(events_server.admin_url) as admin:
        yield admin


@pytest.fixture
def client(restarted: Callable[..., FlaskClient], tmp_path: Path) -> FlaskClient:
    """A client of an app that has an archive; whoever signs up does it there."""
    return restarted(archive_dir=tmp_path)


@pytest.fixture
def fresh(restarted: Callable[..., FlaskClient], tmp_path: Path) -> FlaskClient:
    """A client of an app that has the same archive, and seen nothing yet."""
    return restarted(archive_dir=tmp_path)


def finished(ada: Account, **wishes: Any) -> str:
    """A match that was played for a while and given up."""
    match_id = ada.create(**wishes)["match_id"]
    ada.command(match_id, ROLL, Idempotency_Key="first")
    for _ in range(10):
        legal = ada.get(f"/v1/matches/{match_id}/legal-commands").json["commands"]
        ada.command(match_id, legal[0])
    assert ada.command(match_id, {"type": "resign"}, Idempotency_Key="last").status_code == 201
    return str(match_id)


def answers(
    account: Account, client: FlaskClient, match_id: str
) -> dict[tuple[str, str], tuple[object, ...]]:
    """All that is told about the match, to its player and to anybody; other tests hold it against the
    document."""
    contract: Contract = client.application.extensions["contract"]
    plain = FlaskClient(client.application)
    found = {}
    for address in [*addresses(contract, match_id), *LISTS]:
        for form in FORMS if "/events" in address else FORMS[:1]:
            for name, headers in (("player", account.authorization), ("anybody", {})):
                answer = plain.get(address, headers={**headers, "Accept": form})
                found[f"{name} {address}", form] = shown(answer)
    return found


def shown(answer: TestResponse) -> tuple[object, ...]:
    names = {"Date", "RateLimit", "RateLimit-Policy", "X-Request-Id"}
    headers = {name: value for name, value in answer.headers if name not in names}
    body = re.sub(rb'"request_id":"[^"]*"', b"", answer.data)
    return answer.status_code, body, headers


@pytest.mark.parametrize("wishes", [{}, {"visibility": "private"}])
def test_every_answer_about_a_match_is_the_same_before_and_after(
    ada: Account,
    client: FlaskClient,
    fresh: FlaskClient,
    restarted: Callable[..., FlaskClient],
    admin: redis.Redis,
    tmp_path: Path,
    wishes: dict[str, Any],
) -> None:
    match_id = finished(ada, **wishes)
    before = answers(ada, client, match_id)
    statuses = [status for status, *_ in before.values()]
    assert len(before) > 50
    assert statuses.count(200) > 25
    archive(admin, Directory(tmp_path), match_id)
    assert answers(ada, client, match_id) == before
    assert answers(ada, fresh, match_id) == before
    restore(admin, Archive(tmp_path), match_id)
    assert answers(ada, fresh, match_id) == before


def test_a_match_that_was_called_off_is_told_as_before(
    ada: Account, client: FlaskClient, fresh: FlaskClient, admin: redis.Redis, tmp_path: Path
) -> None:
    match_id = ada.create(seats=[{"kind": "me"}, {"kind": "open"}])["match_id"]
    assert ada.post(f"/v1/matches/{match_id}/abort", {}, KEY).status_code == 200
    before = answers(ada, client, match_id)
    archive(admin, Directory(tmp_path), match_id)
    assert answers(ada, fresh, match_id) == before


def test_repeated_commands_get_their_answers_and_new_ones_are_refused(
    ada: Account, client: FlaskClient, fresh: FlaskClient, admin: redis.Redis, tmp_path: Path
) -> None:
    match_id = finished(ada)
    path = f"/v1/matches/{match_id}/commands"
    posts: list[tuple[Any, dict[str, str]]] = [
        (ROLL, {"Idempotency-Key": "first"}),
        ({"type": "resign"}, {"Idempotency-Key": "last"}),
        ({"type": "resign"}, {"Idempotency-Key": "first"}),
        (ROLL, {"Idempotency-Key": "new"}),
        (ROLL, {}),
        (ROLL, {"If-Match": '"3"'}),
    ]
    before = [ada.post(path, body, headers) for body, headers in posts]
    assert [answer.status_code for answer in before] == [201, 201, 422, 409, 409, 412]
    assert [answer.json["code"] for answer in before[3:5]] == ["match_finished"] * 2
    archive(admin, Directory(tmp_path), match_id)
    for asked in (client, fresh):
        after = [asked.post(path, json=body, headers={**ada.authorization, **h}) for body, h in posts]
        assert [shown(answer) for answer in after] == [shown(answer) for answer in before]
        assert [answer.headers.get("Idempotency-Replayed") for answer in after[:2]] == ["true", "true"]
    assert not admin.exists(keys.match(match_id))


def test_a_repeated_creation_makes_no_twin_of_an_archived_match(
    ada: Account, client: FlaskClient, fresh: FlaskClient, admin: redis.Redis, tmp_path: Path
) -> None:
    first = ada.post("/v1/matches", MATCH, KEY)
    match_id = first.json["match_id"]
    ada.command(match_id, {"type": "resign"})
    archive(admin, Directory(tmp_path), match_id)
    for asked in (client, fresh):
        again = asked.post("/v1/matches", json=MATCH, headers={**ada.authorization, **KEY})
        assert told(again) == told(first)
        assert again.headers["Idempotency-Replayed"] == "true"
    assert [one["match_id"] for one in ada.get("/v1/matches").json["items"]] == [match_id]
    assert not admin.exists(keys.match(match_id))


def test_repeated_seats_and_aborts_get_their_answers(
    ada: Account, client: FlaskClient, fresh: FlaskClient, admin: redis.Redis, tmp_path: Path
) -> None:
    path = (
        f"/v1/matches/{(match_id := ada.create(seats=[{'kind': 'me'}, *[{'kind': 'open'}] * 2])['match_id'])}"
    )
    before = [ada.post(f"{path}/seats", {}, KEY), ada.post(f"{path}/abort", {}, KEY)]
    assert [answer.status_code for answer in before] == [201, 200]
    archive(admin, Directory(tmp_path), match_id)
    after = [
        fresh.post(f"{path}/{name}", json={}, headers={**ada.authorization, **KEY})
        for name in ("seats", "abort")
    ]
    assert [told(answer) for answer in after] == [told(answer) for answer in before]


@pytest.mark.long
@pytest.mark.parametrize("harm", ["missing", "cut short", "changed"])
def test_a_damaged_file_is_a_damaged_match_and_no_wrong_answer(
    ada: Account, client: FlaskClient, fresh: FlaskClient, admin: redis.Redis, tmp_path: Path, harm: str
) -> None:
    match_id, sound = finished(ada), finished(ada)
    for one in (match_id, sound):
        archive(admin, Directory(tmp_path), one)
    (path,) = tmp_path.glob(f"*/{match_id}.*")
    data = path.read_bytes()
    path.unlink()
    if harm != "missing":
        path.write_bytes(
            data[:-1] if harm == "cut short" else bytes([*data[:200], data[200] ^ 1, *data[201:]])
        )
    contract: Contract = client.application.extensions["contract"]
    for address in addresses(contract, match_id):
        answer = fresh.get(address, headers=ada.authorization)
        assert str(tmp_path) not in answer.text
        if address.endswith("/verification"):  # which tells of any damage
            assert answer.json["verdict"] == "failed"
        elif address.endswith("/checkpoint"):  # which is not in the file
            assert answer.status_code == 200
        elif answer.status_code != 400:
            assert (answer.status_code, answer.json["code"]) == (500, "stream_corrupt"), address
    for headers in ({}, {"Idempotency-Key": "first"}):
        answer = fresh.post(
            f"/v1/matches/{match_id}/commands", json=ROLL, headers={**ada.authorization, **headers}
        )
        assert (answer.status_code, answer.json["code"]) == (500, "stream_corrupt")
    assert fresh.get(f"/v1/matches/{sound}/state").status_code == 200
    assert {one["match_id"] for one in fresh.get("/v1/matches").json["items"]} == {match_id, sound}


def test_verification_looks_at_the_file_itself(
    ada: Account, fresh: FlaskClient, admin: redis.Redis, tmp_path: Path
) -> None:
    match_id = finished(ada)
    archive(admin, Directory(tmp_path), match_id)
    address = f"/v1/matches/{match_id}/verification"
    assert fresh.get(address).json["verdict"] == "verified"
    (path,) = tmp_path.glob(f"*/{match_id}.*")
    path.unlink()
    assert fresh.get(address).json["verdict"] == "failed"


def test_an_archived_match_is_reviewed(
    ada: Account, fresh: FlaskClient, admin: redis.Redis, tmp_path: Path
) -> None:
    match_id = ada.board([[1], [2]], {}, {})
    ada.play_on(match_id, 4)
    assert ada.command(match_id, {"type": "resign"}).status_code == 201
    archive(admin, Directory(tmp_path), match_id)
    asked = fresh.post(f"/v1/matches/{match_id}/reviews", headers=ada.authorization)
    assert asked.status_code == 202
    compute_reviews(fresh.application)
    assert fresh.get(asked.headers["Location"]).json["match_id"] == match_id
