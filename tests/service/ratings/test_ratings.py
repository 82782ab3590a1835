"""Rated matches over the API: what is refused, who agrees, and the ratings that follow from the results."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from domain.ladder.rated_matches import RatedPlayer, RatedResult, rate
from events.reindex import reindex
from events.store import keys
from tests.service.contract import Account
from tests.service.rated import BASE_2, RATED, compute_ratings, play_rated
from tests.service.reviewed import compute_reviews

BOARD = "ruleset=base&seats=2"


def ratings(client: FlaskClient, query: str = BOARD) -> Any:
    return client.get(f"/v1/ratings?{query}").json


def results(client: FlaskClient, query: str = BOARD) -> Any:
    return client.get(f"/v1/ratings/results?{query}").json


def refused(answer: TestResponse) -> tuple[int, str, str]:
    problem: Any = answer.json
    return answer.status_code, problem["code"], (problem["errors"] or [{"pointer": ""}])[0]["pointer"]


def test_two_accounts_play_a_rated_match_to_the_end_and_appear_on_the_board(
    app: Flask, ada: Account, bob: Account
) -> None:
    match_id = ada.post("/v1/matches", {**RATED, "first_seat": 0}).json["match_id"]
    bob.post(f"/v1/matches/{match_id}/seats")
    players = [ada, bob]
    while (legal := ada.get(f"/v1/matches/{match_id}/legal-commands").json)["seat"] is not None:
        landmark = {"train_station", "shopping_mall", "amusement_park", "radio_tower"}
        chosen = next(
            (one for one in legal["commands"] if one.get("card") in landmark), legal["commands"][-1]
        )
        assert players[legal["seat"]].command(match_id, chosen).status_code == 201
    match = ada.get(f"/v1/matches/{match_id}").json
    assert (match["status"], match["rated"], match["result"]["reason"]) == ("finished", True, "landmarks")

    compute_ratings(app)

    board = ratings(ada.client)
    assert [one["handle"] for one in board["items"]] == [
        "ada" if match["winner"] == 0 else "bob",
        "bob" if match["winner"] == 0 else "ada",
    ]
    assert [(one["matches"], one["wins"]) for one in board["items"]] == [(1, 1), (1, 0)]
    assert (board["results"], board["results_counted"]) == (1, 1)
    (own,) = ada.get("/v1/me/ratings").json["items"]
    assert (own["ruleset"], own["seats"], own["rating"]["account_id"]) == ("base", 2, ada.id)


def test_results_name_the_players_in_the_order_of_turns(ada: Account, bob: Account) -> None:
    match_id = play_rated(ada, bob, first_seat=1)

    (found,) = results(ada.client)["items"]

    assert found["match_id"] == match_id
    assert [player["handle"] for player in found["players"]] == ["bob", "ada"]
    assert found["winner"] == 1


def test_anybody_recomputes_the_ratings_from_the_results(
    app: Flask, sign_up: Callable[[str], Account], client: FlaskClient
) -> None:
    people = [sign_up(name) for name in ("ada", "bob", "eve")]
    for winner, loser in [(0, 1), (0, 2), (1, 2), (2, 1), (0, 1)]:
        play_rated(people[winner], people[loser])
    compute_ratings(app)
    board = ratings(client)
    as_of_ms = _ms(board["as_of"])

    table = rate(BASE_2, [_result(one) for one in reversed(results(client)["items"])], as_of_ms)

    assert board["results_digest"] == table.digest
    assert board["seat_ratings"] == list(table.seats)
    assert [(one["account_id"], one["rating"], tuple(one["rating_interval"])) for one in board["items"]] == [
        (one.entry, one.rating, one.rating_interval) for one in table.ratings
    ]


def test_ratings_and_results_come_page_by_page(
    app: Flask, sign_up: Callable[[str], Account], client: FlaskClient
) -> None:
    ada, bob, eve = (sign_up(name) for name in ("ada", "bob", "eve"))
    ids = [play_rated(ada, bob), play_rated(ada, eve), play_rated(bob, eve)]
    compute_ratings(app)

    first, second = ratings(client, f"{BOARD}&limit=2"), ratings(client, f"{BOARD}&limit=2&cursor=2")
    assert ([one["handle"] for one in first["items"]], first["next"]) == (["ada", "bob"], "2")
    assert ([one["handle"] for one in second["items"]], second["next"]) == (["eve"], None)
    newest = results(client, f"{BOARD}&limit=2")
    assert [one["match_id"] for one in newest["items"]] == [ids[2], ids[1]]
    oldest = results(client, f"{BOARD}&limit=2&cursor={newest['next']}")
    assert ([one["match_id"] for one in oldest["items"]], oldest["next"]) == ([ids[0]], None)


def test_each_ruleset_and_number_of_seats_has_a_board_of_its_own(
    app: Flask, ada: Account, bob: Account
) -> None:
    play_rated(ada, bob)
    play_rated(bob, ada, ruleset="harbor")

    assert [len(results(ada.client, query)["items"]) for query in (BOARD, "ruleset=harbor&seats=2")] == [1, 1]
    assert results(ada.client, "ruleset=base&seats=3")["items"] == []
    assert ratings(ada.client, "ruleset=base&seats=3")["as_of"] is None


@pytest.mark.parametrize(
    ("wishes", "pointer"),
    [
        ({"seats": [{"kind": "me"}, {"kind": "strategy", "strategy": "greedy"}]}, "/seats/1"),
        ({"seats": [{"kind": "me"}, {"kind": "me"}]}, "/seats/1"),
        ({"seats": [{"kind": "me", "seed": "mine"}, {"kind": "open"}]}, "/seats/0/seed"),
        ({"dice": {"mode": "scripted", "throws": [[1]]}}, "/dice/mode"),
        ({"visibility": "private"}, "/visibility"),
        ({"clock": None}, "/clock"),
        ({"options": {"rated": True, "commentary": True}}, "/options/commentary"),
    ],
)
def test_what_is_not_fair_is_refused(ada: Account, wishes: dict[str, Any], pointer: str) -> None:
    assert refused(ada.post("/v1/matches", {**RATED, **wishes})) == (422, "not_ratable", pointer)
    assert ada.get("/v1/matches").json["items"] == []


def test_an_account_that_lets_anybody_seat_it_is_still_asked_before_a_rated_match(
    ada: Account, bob: Account
) -> None:
    seats = [{"kind": "me"}, {"kind": "account", "handle": "bob"}]
    match = ada.post("/v1/matches", {**RATED, "seats": seats}).json
    assert (match["status"], match["seats"][1]["invited"]) == ("open", "bob")
    (invitation,) = bob.get("/v1/me/invitations").json["items"]
    assert invitation["rated"] is True

    accepted = bob.post(f"/v1/me/invitations/{match['match_id']}/accept")

    assert (accepted.status_code, accepted.json["status"]) == (201, "running")


def test_nobody_takes_two_seats_of_a_rated_match(ada: Account, bob: Account) -> None:
    match_id = ada.post("/v1/matches", RATED).json["match_id"]

    assert refused(ada.post(f"/v1/matches/{match_id}/seats")) == (409, "already_seated", "/seat")
    assert refused(bob.post(f"/v1/matches/{match_id}/seats", {"seed": "mine"}))[:2] == (422, "not_ratable")
    assert bob.post(f"/v1/matches/{match_id}/seats").status_code == 201


def test_a_rated_match_verifies_and_its_branch_is_not_rated(ada: Account, bob: Account) -> None:
    path = f"/v1/matches/{play_rated(ada, bob)}"
    assert ada.get(f"{path}/verification").json["verdict"] == "verified"
    started = ada.get(f"{path}/events?types=turn_started").json["items"][0]["sequence"]

    branch = ada.post(f"{path}/branches", {"from_version": started, "dice": "same"})

    assert (branch.status_code, branch.json["rated"], "rated" in branch.json["options"]) == (
        201,
        False,
        False,
    )
    assert len(results(ada.client)["items"]) == 1


def test_a_rated_match_can_be_reviewed(app: Flask, ada: Account, bob: Account) -> None:
    path = f"/v1/matches/{play_rated(ada, bob)}/reviews"
    asked = ada.post(path)

    compute_reviews(app)

    assert (asked.status_code, ada.get(asked.headers["Location"]).json["result"]) == (202, [1_000_000, 0])


def test_lists_can_be_narrowed_to_rated_matches(ada: Account, bob: Account) -> None:
    open_one = ada.post("/v1/matches", RATED).json["match_id"]
    casual = ada.create()["match_id"]
    ended = play_rated(ada, bob)

    def listed(query: str) -> list[str]:
        return [item["match_id"] for item in ada.client.get(f"/v1/matches?{query}").json["items"]]

    assert listed("rated=true") == [ended, open_one]
    assert listed("rated=true&status=open") == [open_one]
    assert listed("rated=true&status=finished&ruleset=base") == [ended]
    assert listed("rated=false") == [casual]
    assert [one["rated"] for one in ada.client.get("/v1/matches").json["items"]] == [True, False, True]


def test_a_match_that_is_aborted_does_not_count(ada: Account, bob: Account) -> None:
    lobby = ada.post("/v1/matches", RATED).json["match_id"]
    begun = ada.post("/v1/matches", RATED).json["match_id"]
    bob.post(f"/v1/matches/{begun}/seats")
    for match_id in (lobby, begun):
        assert ada.post(f"/v1/matches/{match_id}/abort").status_code == 200

    assert results(ada.client)["items"] == []


def test_a_deleted_account_stays_on_the_board_under_its_handle(
    app: Flask, ada: Account, bob: Account
) -> None:
    play_rated(ada, bob)
    assert bob.delete("/v1/me?handle=bob").status_code == 204

    compute_ratings(app)

    assert [one["handle"] for one in ratings(ada.client)["items"]] == ["ada", "bob"]


def test_results_are_rebuilt_from_the_matches(
    app: Flask, ada: Account, bob: Account, admin: redis.Redis, events_redis: redis.Redis
) -> None:
    play_rated(ada, bob)
    before = results(ada.client)
    for pattern in (keys.INDEX_PATTERN, keys.SUMMARY_PATTERN):
        for key in admin.scan_iter(match=pattern):
            admin.delete(key)
    assert results(ada.client)["items"] == []

    reindex(events_redis)

    assert results(ada.client) == before


def test_a_board_needs_a_ruleset_and_a_number_of_seats(client: FlaskClient) -> None:
    for path in ("/v1/ratings", "/v1/ratings/results"):
        for query in ("", "?ruleset=base", "?seats=2", "?ruleset=chess&seats=2", "?ruleset=base&seats=6"):
            assert client.get(f"{path}{query}").status_code == 400


def _ms(time: str) -> int:
    return round(datetime.fromisoformat(time).timestamp() * 1000)


def _result(one: Any) -> RatedResult:
    players = tuple([RatedPlayer(player["account_id"], player["handle"]) for player in one["players"]])
    return RatedResult(one["match_id"], _ms(one["ended_at"]), players, one["winner"])
