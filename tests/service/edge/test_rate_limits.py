"""Rate limits: what counts against which quota, what answers say of it, and what is refused."""

from pathlib import Path

import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient

from events.store.keys import now_ms
from ops.servers import Server
from service.accounts.tokens import digest_of
from service.context import EXTENSION
from service.pages.assets import digest
from tests.service.contract import Account
from tests.service.quota_headers import LEFT, Clock, Limited, assert_refused, name_of, quota_of, use_up
from tests.service.served import environment, gunicorn

ROLL = {"type": "roll_dice", "dice": 1}
TWO_OF_ME = {"ruleset": "base", "seats": [{"kind": "me"}, {"kind": "me"}]}


def test_each_kind_of_request_counts_against_its_own_quota(client: FlaskClient, ada: Account) -> None:
    match = f"/v1/matches/{ada.create()['match_id']}"
    assert name_of(ada.post(f"{match}/commands", ROLL)) == "moves"
    assert name_of(ada.post("/v1/matches", TWO_OF_ME)) == "matches"
    assert name_of(client.post("/v1/accounts", json={"handle": "bob"})) == "accounts"
    for path in ("/v1/me", match, f"{match}/events", "/v1/matches"):
        assert name_of(ada.get(path)) == "requests"
    for path in (match, f"{match}/legal-commands", "/v1/matches", "/v1/rulesets", "/v1/me"):
        assert name_of(client.get(path)) == "anonymous"
    for path in ("verification", "export", "luck", "replay", "fairness", "log"):
        assert [name_of(one.get(f"{match}/{path}")) for one in (ada, client)] == ["audits", "audits"]


def test_what_nobody_answers_counts_by_address(client: FlaskClient, ada: Account) -> None:
    match = f"/v1/matches/{ada.create()['match_id']}"
    assert name_of(client.get("/v1/nothing")) == "anonymous"
    assert name_of(client.put(match)) == "anonymous"
    assert name_of(ada.get(f"{match}/nothing")) == "anonymous"


def test_without_the_store_answers_tell_of_the_quota_too(limited: Limited) -> None:
    client = limited(events_url="redis://127.0.0.1:1", anonymous="2/minute")
    for left in (1, 0):
        answer = client.get("/v1/me", headers={"Authorization": "Bearer mk_x"})
        assert (answer.status_code, quota_of(answer).left) == (503, left)
    assert_refused(client.get("/v1/matches"), "anonymous")


def test_the_document_says_which_operations_are_limited(app: Flask) -> None:
    free = set()
    for path, item in app.extensions["contract"].document["paths"].items():
        for method, operation in item.items():
            answers = operation["responses"] if method != "parameters" else {}
            limited = {
                name for name in answers if {"RateLimit", "RateLimit-Policy"} <= {*answers[name]["headers"]}
            }
            if "200" in answers and "200" not in limited:
                free.add(path)
                # What is none of the files is an address that is not there.
                assert limited == ({"404", "429"} if path == "/docs/{name}" else set())
            else:
                assert limited == {*answers}
                assert "429" in answers or not answers
    documents = {"/asyncapi.yaml", "/openapi.json", "/openapi.yaml"}
    assert free == {"/", "/docs", "/docs/{name}", "/healthz", "/metrics", "/readyz", *documents}


def test_what_watches_the_service_is_free(limited: Limited) -> None:
    client = limited(anonymous="1/minute")
    use_up(lambda: client.get("/v1/rulesets"))
    pages = ("/", "/docs", "/docs/page.css", "/new", "/matches/mat_0", f"/assets/{digest()}/css/page.css")
    for path in (*pages, "/healthz", "/metrics", "/openapi.yaml", "/readyz"):
        answer = client.get(path)
        assert answer.status_code in (200, 503)
        assert "RateLimit" not in answer.headers
        assert "RateLimit-Policy" not in answer.headers


def test_a_quota_counts_down_and_is_whole_again_in_the_next_window(limited: Limited, clock: Clock) -> None:
    client = limited(anonymous="3/minute")
    first = quota_of(client.get("/v1/rulesets"))
    assert first[:4] == ("anonymous", 3, 60, 2)
    assert 1 <= first.reset_s <= 60
    clock.now_s += first.reset_s - 0.5
    assert quota_of(client.get("/v1/rulesets"))[3:] == (1, 1)
    assert quota_of(client.get("/v1/strategies"))[3:] == (0, 1)
    assert_refused(client.get("/v1/rulesets"), "anonymous")
    clock.now_s += 0.5
    assert quota_of(client.get("/v1/rulesets"))[3:] == (2, 60)
    clock.now_s += 59.999
    assert quota_of(client.get("/v1/rulesets"))[3:] == (1, 1)


def test_a_clock_that_is_set_back_gives_nothing_twice_and_takes_nothing_away(
    limited: Limited, clock: Clock
) -> None:
    client = limited(anonymous="3/minute")
    use_up(lambda: client.get("/v1/rulesets"))
    clock.now_s += 60
    use_up(lambda: client.get("/v1/rulesets"))
    clock.now_s -= 60
    assert_refused(client.get("/v1/rulesets"), "anonymous")
    clock.now_s -= 86_400
    assert client.get("/v1/rulesets").status_code == 200


def test_a_refused_move_changes_nothing_and_can_be_sent_again_later(limited: Limited, clock: Clock) -> None:
    client = limited(moves="2/minute")
    ada = Account(client, "ada")
    match_id = ada.create()["match_id"]
    refusal = use_up(lambda: ada.command(match_id, {"type": "fly"}))
    version = ada.state(match_id)["version"]

    assert_refused(ada.command(match_id, ROLL, Idempotency_Key="k"), "moves")
    assert refusal.headers["Match-Head"].startswith(f"v={version};")
    assert ada.state(match_id)["version"] == version
    clock.now_s += 60
    rolled = ada.command(match_id, ROLL, Idempotency_Key="k")
    assert rolled.status_code == 201
    assert "Idempotency-Replayed" not in rolled.headers


def test_a_refused_account_and_a_refused_match_are_not_made(limited: Limited, clock: Clock) -> None:
    client = limited(accounts="1/hour", matches="1/hour")
    ada = Account(client, "ada")
    assert_refused(client.post("/v1/accounts", json={"handle": "bob"}), "accounts")
    ada.create()
    assert_refused(ada.post("/v1/matches", TWO_OF_ME), "matches")
    assert len(ada.get("/v1/matches").json["items"]) == 1
    clock.now_s += 3600
    assert client.post("/v1/accounts", json={"handle": "bob"}).status_code == 201


def test_no_other_traffic_uses_up_the_moves(limited: Limited) -> None:
    client = limited(accounts="1/hour", matches="1/hour", requests="3/minute", anonymous="3/minute")
    ada = Account(client, "ada")
    match_id = ada.create()["match_id"]
    use_up(lambda: ada.get("/v1/me"))
    use_up(lambda: ada.post("/v1/matches", {}))
    use_up(lambda: client.post("/v1/accounts", json={}))
    use_up(lambda: client.get("/v1/me", headers={"Authorization": "Bearer mk_guessed"}))
    assert ada.command(match_id, ROLL).status_code == 201


def test_moves_use_up_nothing_else(limited: Limited) -> None:
    client = limited(moves="1/hour")
    ada = Account(client, "ada")
    match_id = ada.create()["match_id"]
    before = quota_of(ada.get("/v1/me")), quota_of(client.get("/v1/rulesets"))
    use_up(lambda: ada.command(match_id, ROLL))
    after = quota_of(ada.get("/v1/me")), quota_of(client.get("/v1/rulesets"))
    assert [quota.left for quota in after] == [quota.left - 1 for quota in before]


def test_what_is_wrong_counts_and_so_does_what_is_repeated(limited: Limited) -> None:
    ada = Account(limited(moves="5/minute"), "ada")
    match_id = ada.create()["match_id"]
    rolled = ada.command(match_id, ROLL, Idempotency_Key="k")
    replayed = ada.command(match_id, ROLL, Idempotency_Key="k")
    unknown = ada.command(match_id, {"type": "fly"})
    broken = ada.post(f"/v1/matches/{match_id}/commands", data=b"{", content_type="application/json")
    elsewhere = ada.command("mat_nowhere", ROLL)
    answers = (rolled, replayed, unknown, broken, elsewhere)
    assert replayed.headers["Idempotency-Replayed"] == "true"
    assert [answer.status_code for answer in answers] == [201, 201, 422, 400, 404]
    assert [quota_of(answer).left for answer in answers] == [4, 3, 2, 1, 0]
    assert_refused(ada.command(match_id, ROLL, Idempotency_Key="k"), "moves")


def test_over_the_quota_a_body_is_not_looked_at(limited: Limited) -> None:
    client = limited(accounts="1/hour")
    Account(client, "ada")
    for body in (b"{", b" " * 70_000):
        answer = client.post("/v1/accounts", data=body, content_type="application/json")
        assert_refused(answer, "accounts")


def further_token(account: Account, *scopes: str) -> dict[str, str]:
    made = account.post("/v1/me/tokens", {"name": "bot", "scopes": [*scopes]})
    return {"Authorization": f"Bearer {made.json['token']}"}


def test_each_token_has_its_own_moves_and_all_of_an_account_share_the_matches(limited: Limited) -> None:
    client = limited(moves="1/hour", matches="2/hour")
    ada = Account(client, "ada")
    bot = further_token(ada, "play", "match:create")
    match_id = ada.create()["match_id"]
    use_up(lambda: ada.command(match_id, ROLL))
    played = client.post(f"/v1/matches/{match_id}/commands", json={"type": "pass"}, headers=bot)
    assert played.status_code == 201
    assert client.post("/v1/matches", json=TWO_OF_ME, headers=bot).status_code == 201
    assert_refused(ada.post("/v1/matches", TWO_OF_ME), "matches")
    assert_refused(client.post("/v1/matches", json=TWO_OF_ME, headers=bot), "matches")
    assert Account(client, "bob").create()


def test_a_token_without_the_scope_counts_by_the_token(limited: Limited) -> None:
    client = limited(matches="2/hour")
    bot = further_token(Account(client, "ada"), "play")
    refused = client.post("/v1/matches", json=TWO_OF_ME, headers=bot)
    assert (refused.status_code, quota_of(refused)[:2]) == (403, ("matches", 2))


def expired(ada: Account) -> str:
    """A token whose time is over."""
    tokens = ada.client.application.extensions[EXTENSION].tokens
    owner = tokens.get(digest_of(ada.token))
    return str(tokens.create(owner, "old", ["play"], now_ms() - 1).secret)


def test_who_has_no_good_token_counts_by_address(limited: Limited) -> None:
    client = limited(anonymous="6/minute")
    ada = Account(client, "ada")
    match_id = ada.create()["match_id"]
    tokens = ("Bearer mk_guessed", f"Bearer {expired(ada)}", "Basic YTpi")
    codes = ("token_invalid", "token_expired", "token_invalid")
    for path, token, code, left in zip(
        ("/v1/me", "/v1/me", f"/v1/matches/{match_id}"), tokens, codes, (5, 4, 3), strict=True
    ):
        answer = client.get(path, headers={"Authorization": token})
        assert (answer.status_code, answer.json["code"]) == (401, code)
        assert quota_of(answer)[::3] == ("anonymous", left)
    missing = client.post(f"/v1/matches/{match_id}/commands", json=ROLL)
    assert (missing.status_code, quota_of(missing)[::3]) == (401, ("anonymous", 2))
    for token in tokens[:2]:
        client.post("/v1/matches", json={}, headers={"Authorization": token})
    for token in tokens:
        assert_refused(client.get("/v1/me", headers={"Authorization": token}), "anonymous")


@pytest.mark.long
def test_a_request_that_waits_counts_once(
    ada: Account, events_server: Server, queue_server: Server, tmp_path: Path
) -> None:
    match = ada.create()
    environ = environment(events_server, queue_server, RATE_ANONYMOUS="10/day")
    with gunicorn(tmp_path / "log", **environ) as web:
        path = f"/v1/matches/{match['match_id']}/events?after={match['version']}"
        answers = web.get(f"{path}&wait=1"), web.get(path)
    assert [answer.json["items"] for answer in answers] == [[], []]
    found = [LEFT.fullmatch(answer.headers["RateLimit"]) for answer in answers]
    assert [left and left["r"] for left in found] == ["9", "8"]


def test_two_processes_share_one_quota_to_the_last_request(limited: Limited, clock: Clock) -> None:
    clients = limited(anonymous="7/minute"), limited(anonymous="7/minute")
    for _ in range(2):
        answers = [clients[i % 2].get("/v1/rulesets") for i in range(10)]
        assert [answer.status_code for answer in answers] == [200] * 7 + [429] * 3
        assert [quota_of(answer).left for answer in answers] == [6, 5, 4, 3, 2, 1, 0, 0, 0, 0]
        clock.now_s += 60


def test_over_the_quota_the_counter_is_left_alone(limited: Limited, queue_redis: redis.Redis) -> None:
    client = limited(anonymous="2/minute")
    use_up(lambda: client.get("/v1/rulesets"))
    (key,) = queue_redis.scan_iter("mk:{rate}:*")
    counted = queue_redis.get(key)
    assert_refused(client.get("/v1/rulesets"), "anonymous")
    assert queue_redis.get(key) == counted
    assert 60 < queue_redis.ttl(key) <= 120
