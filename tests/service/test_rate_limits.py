"""Rate limits: what counts against which quota, what answers say of it, and what is refused."""

import io
import json
import re
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from events.store.streams import now_ms
from ops.servers import Server
from runtime.settings import Settings, rates_from_env
from service.accounts.tokens import digest_of
from service.app import create_app
from service.context import EXTENSION
from service.edge.logs import configure
from service.edge.quotas import PAUSE_S
from service.edge.requests import client_address
from tests.service.conftest import ROOMY
from tests.service.contract import Account, ContractClient
from tests.service.log_lines import Output, leave_out_watchers
from tests.service.served import MASTER_KEYS, SIGNING_KEYS, environment, gunicorn

ROLL = {"type": "roll_dice", "dice": 1}
TWO_OF_ME = {"ruleset": "base", "seats": [{"kind": "me"}, {"kind": "me"}]}
POLICY = re.compile(r'"(?P<name>\w+)";q=(?P<q>\d+);w=(?P<w>\d+)')
LEFT = re.compile(r'"(?P<name>\w+)";r=(?P<r>\d+);t=(?P<t>\d+)')


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now_s = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now_s


class Quota(NamedTuple):
    """What an answer says."""

    name: str
    size: int
    window_s: int
    left: int
    reset_s: int


def quota_of(answer: TestResponse) -> Quota:
    policy = POLICY.fullmatch(answer.headers["RateLimit-Policy"])
    left = LEFT.fullmatch(answer.headers["RateLimit"])
    assert policy
    assert left
    assert policy["name"] == left["name"]
    return Quota(policy["name"], int(policy["q"]), int(policy["w"]), int(left["r"]), int(left["t"]))


def name_of(answer: TestResponse) -> str:
    return quota_of(answer).name


Limited = Callable[..., FlaskClient]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def limited(app: Flask, events_server: Server, queue_server: Server, clock: Clock) -> Iterator[Limited]:
    """Makes a client of a new app with these quotas; `moves="3/minute"` and so on."""
    apps: list[Flask] = []

    def make(
        trusted_proxies: int = 0,
        events_url: str = events_server.url,
        queue_url: str = queue_server.url,
        **rates: str,
    ) -> FlaskClient:
        chosen = rates_from_env({f"RATE_{policy.upper()}": rate for policy, rate in rates.items()})
        chosen = {policy: chosen[policy] if policy in rates else ROOMY[policy] for policy in chosen}
        settings = Settings(
            events_url, queue_url, MASTER_KEYS, SIGNING_KEYS, trusted_proxies=trusted_proxies, rates=chosen
        )
        apps.append(made := create_app(settings, clock=clock))
        made.test_client_class = ContractClient
        made.extensions["contract"] = app.extensions["contract"]
        return made.test_client()

    yield make
    for one in apps:
        one.extensions[EXTENSION].watcher.stop()


def assert_refused(answer: TestResponse, name: str) -> None:
    quota = quota_of(answer)
    assert (answer.status_code, answer.json["code"]) == (429, "rate_limited")
    assert (quota.name, quota.left) == (name, 0)
    assert answer.headers["Retry-After"] == str(quota.reset_s)
    assert 1 <= quota.reset_s <= quota.window_s


def use_up(send: Callable[[], TestResponse]) -> TestResponse:
    """Send until the quota refuses; the refusal."""
    for _ in range(quota_of(send()).left + 1):
        answer = send()
    assert answer.status_code == 429
    return answer


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
    documents = {"/openapi.json", "/openapi.yaml"}
    assert free == {"/", "/docs", "/docs/{name}", "/healthz", "/metrics", "/readyz", *documents}


def test_what_watches_the_service_is_free(limited: Limited) -> None:
    client = limited(anonymous="1/minute")
    use_up(lambda: client.get("/v1/rulesets"))
    for path in ("/", "/docs", "/docs/page.css", "/healthz", "/metrics", "/openapi.yaml", "/readyz"):
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


@pytest.fixture
def log() -> Any:
    """What is logged by apps that are made in the test."""
    output = Output()
    configure("WARNING", output)
    yield output
    leave_out_watchers()


def said(log: io.BytesIO) -> list[str]:
    return [json.loads(line)["event"] for line in log.getvalue().splitlines()]


def test_without_the_queue_each_process_goes_on_alone_and_says_so_once(
    log: io.BytesIO, limited: Limited, queue_server: Server, clock: Clock
) -> None:
    first, second = limited(anonymous="4/minute"), limited(anonymous="4/minute")
    assert quota_of(first.get("/v1/rulesets")).left == 3
    queue_server.kill()
    for client, granted in ((first, 3), (second, 4)):
        assert [client.get("/v1/rulesets").status_code for _ in range(granted)] == [200] * granted
        assert_refused(client.get("/v1/rulesets"), "anonymous")
        clock.now_s += PAUSE_S
        elsewhere = client.get("/v1/rulesets", environ_overrides={"REMOTE_ADDR": "192.0.2.1"})
        assert quota_of(elsewhere).left == 3
    assert said(log) == ["rate_limits_not_shared"] * 2

    queue_server.start()
    clock.now_s += 60
    answers = [client.get("/v1/rulesets") for client in (first, second) * 3]
    assert [answer.status_code for answer in answers] == [200] * 4 + [429] * 2

    queue_server.kill()
    clock.now_s += 60
    assert first.get("/v1/rulesets").status_code == 200
    assert said(log) == ["rate_limits_not_shared"] * 3


def test_a_queue_that_never_answers_holds_nobody_up(limited: Limited, clock: Clock) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        client = limited(requests="100/minute", queue_url=f"redis://127.0.0.1:{silent.getsockname()[1]}")
        ada = Account(client, "ada")
        assert [ada.get("/v1/me").status_code for _ in range(101)] == [200] * 100 + [429]


def address_of(app: Flask, remote: str, forwarded: str = "") -> str:
    """How the app calls a client whose requests come from there."""
    seen: list[str] = []

    @app.before_request
    def look() -> None:
        seen.append(client_address())

    headers = {"X-Forwarded-For": forwarded} if forwarded else {}
    app.test_client().get("/healthz", environ_overrides={"REMOTE_ADDR": remote}, headers=headers)
    return seen[0]


def test_x_forwarded_for_means_nothing_unless_proxies_are_trusted(limited: Limited) -> None:
    client = limited(anonymous="2/minute")
    answers = [client.get("/v1/rulesets", headers={"X-Forwarded-For": f"192.0.2.{i}"}) for i in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert address_of(limited().application, "192.0.2.1", "198.51.100.7") == "192.0.2.1"


@pytest.mark.parametrize(
    ("proxies", "forwarded", "address"),
    [
        (1, "203.0.113.9", "203.0.113.9"),
        (1, "198.51.100.7, 203.0.113.9", "203.0.113.9"),
        (2, "6.6.6.6, 198.51.100.7, 203.0.113.9", "198.51.100.7"),
        (2, "203.0.113.9", "192.0.2.1"),
        (1, "", "192.0.2.1"),
        (1, "2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        (1, "what the client says", "unknown"),
    ],
)
def test_only_what_the_trusted_proxies_add_is_believed(
    limited: Limited, proxies: int, forwarded: str, address: str
) -> None:
    app = limited(trusted_proxies=proxies).application
    assert address_of(app, "192.0.2.1", forwarded) == address


@pytest.mark.parametrize(
    ("remote", "address"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", "unknown"),
    ],
)
def test_who_has_a_network_counts_as_one(limited: Limited, remote: str, address: str) -> None:
    assert address_of(limited().application, remote) == address


def test_addresses_have_quotas_of_their_own(limited: Limited) -> None:
    client = limited(accounts="1/hour")

    def sign_up(handle: str, remote: str) -> int:
        environ = {"REMOTE_ADDR": remote}
        answer = client.post("/v1/accounts", json={"handle": handle}, environ_overrides=environ)
        return answer.status_code

    assert sign_up("ada", "2001:db8:1:2::1") == 201
    assert sign_up("bob", "2001:db8:1:2::2") == 429
    assert sign_up("bob", "2001:db8:1:3::2") == 201
    assert sign_up("eve", "192.0.2.1") == 201
