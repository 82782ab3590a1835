"""Reviews and chances over the API: who may ask, what is refused, and how long an answer may be kept."""

import gzip
from typing import Any

import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from domain.audit.envelopes import read
from domain.match.rulesets import CURRENT
from events.matches.reviews import MOST_PENDING
from events.store import keys
from kernel.engine import engine
from review.reviewer import Reviewer, encode
from service.context import EXTENSION
from tests.service.contract import Account
from tests.service.posts import KEY, MATCH, is_replay, told
from tests.service.reviewed import compute_reviews

RESIGN = {"type": "resign", "seat": 0}


def finished(account: Account, **wishes: Any) -> str:
    """A match of four throws that ends with a resignation."""
    match_id = account.board([[1], [3], [5], [2]], {}, {"establishments": {"cafe": 1}}, **wishes)
    account.play_on(match_id, 8)
    assert account.command(match_id, RESIGN).status_code == 201
    return match_id


def reviews_of(match_id: str) -> str:
    return f"/v1/matches/{match_id}/reviews"


def refused(answer: TestResponse) -> tuple[int, str]:
    return answer.status_code, answer.json["code"] if answer.json else ""


def test_a_review_is_requested_followed_and_shown(app: Flask, ada: Account, client: FlaskClient) -> None:
    match_id = finished(ada)
    asked = ada.post(reviews_of(match_id))
    assert (asked.status_code, asked.json["status"]) == (202, "queued")
    assert asked.json["progress"] == {"done": 0, "total": 0, "percent": 0}
    path = asked.headers["Location"]
    assert path == f"{reviews_of(match_id)}/{asked.json['review_id']}"

    compute_reviews(app, seconds=0.0)
    going_on = client.get(path)
    assert (going_on.status_code, going_on.headers["Retry-After"]) == (202, "1")
    progress = going_on.json["progress"]
    assert (going_on.json["status"], progress["done"]) == ("running", 1)
    assert progress["percent"] == 100 // progress["total"]

    compute_reviews(app)
    shown = client.get(path)
    assert (shown.status_code, shown.json["match_id"]) == (200, match_id)
    assert shown.json["result"] == [0, 1_000_000]
    again = ada.post(reviews_of(match_id))
    assert (again.status_code, again.json["status"]) == (200, "finished")
    assert again.json["progress"]["percent"] == 100
    assert client.get(reviews_of(match_id)).json == {"items": [again.json], "next": None}


def test_a_review_is_the_same_whoever_asks(app: Flask, ada: Account, bob: Account) -> None:
    match_id, other = finished(ada), finished(ada)
    first, second = ada.post(reviews_of(match_id)), bob.post(reviews_of(match_id))
    assert first.json == second.json
    assert ada.post(reviews_of(other)).json["review_id"] != first.json["review_id"]
    compute_reviews(app)
    assert bob.post(reviews_of(match_id)).json["review_id"] == first.json["review_id"]


def test_a_branch_is_reviewed_from_where_it_begins(app: Flask, ada: Account) -> None:
    match_id = finished(ada)
    begun = ada.post(f"/v1/matches/{match_id}/branches", {"from_version": 6, "dice": "fresh"}).json
    assert ada.command(begun["match_id"], RESIGN).status_code == 201
    path = ada.post(reviews_of(begun["match_id"])).headers["Location"]
    compute_reviews(app)
    shown = ada.get(path).json
    assert (shown["first"], [step["kind"] for step in shown["steps"]]) == (begun["version"], ["resignation"])


def test_the_service_shows_the_bytes_that_follow_from_the_export(
    app: Flask, ada: Account, client: FlaskClient
) -> None:
    match_id = finished(ada)
    path = ada.post(reviews_of(match_id)).headers["Location"]
    compute_reviews(app)
    items = ada.get(f"/v1/matches/{match_id}/events?limit=500").json["items"]
    events = [read(place, event).event for place, event in enumerate(items, 1)]
    reviewer = Reviewer(match_id, events, items[-1]["hash"], engine())
    while reviewer.done < reviewer.total:
        reviewer.advance()
    assert client.get(path).data == encode(reviewer.review())


def test_a_finished_review_may_be_kept_for_ever_and_comes_compressed(
    app: Flask, ada: Account, client: FlaskClient
) -> None:
    asked = ada.post(reviews_of(finished(ada)))
    path = asked.headers["Location"]
    compute_reviews(app)
    shown = client.get(path)
    assert shown.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert shown.headers["ETag"] == f'"{asked.json["review_id"]}"'
    held = client.get(path, headers={"If-None-Match": shown.headers["ETag"]})
    assert (held.status_code, held.data) == (304, b"")
    packed = client.get(path, headers={"Accept-Encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.data) == shown.data


def test_a_private_match_is_reviewed_for_its_players_and_their_caches(
    app: Flask, ada: Account, bob: Account
) -> None:
    match_id = finished(ada, visibility="private")
    path = ada.post(reviews_of(match_id)).headers["Location"]
    compute_reviews(app)
    assert ada.get(path).headers["Cache-Control"] == "private, max-age=31536000, immutable"
    for hidden in (path, reviews_of(match_id), f"/v1/matches/{match_id}/chances"):
        assert refused(bob.get(hidden)) == (404, "match_not_found")
    assert refused(bob.post(reviews_of(match_id))) == (404, "match_not_found")


def test_a_match_without_a_result_is_not_reviewed(ada: Account) -> None:
    waits = ada.create(seats=[{"kind": "me"}, {"kind": "open"}])["match_id"]
    assert refused(ada.post(reviews_of(waits))) == (409, "match_not_started")
    runs = ada.create()["match_id"]
    assert refused(ada.post(reviews_of(runs))) == (409, "match_running")
    assert ada.post(f"/v1/matches/{runs}/abort").status_code == 200
    assert refused(ada.post(reviews_of(runs))) == (409, "match_aborted")
    for match_id in (waits, runs):
        assert ada.get(reviews_of(match_id)).json == {"items": [], "next": None}
    assert refused(ada.post(reviews_of("mat_" + "0" * 26))) == (404, "match_not_found")


def test_a_review_belongs_to_its_match_and_needs_an_account(ada: Account, client: FlaskClient) -> None:
    match_id, other = finished(ada), finished(ada)
    asked = ada.post(reviews_of(match_id))
    for review_id in (asked.json["review_id"], "rev_" + "0" * 32, "x"):
        assert refused(ada.get(f"{reviews_of(other)}/{review_id}")) == (404, "review_not_found")
    assert refused(client.post(reviews_of(match_id))) == (401, "token_missing")


@pytest.mark.long
def test_an_account_has_few_pending_reviews(app: Flask, ada: Account, bob: Account) -> None:
    matches = [finished(ada) for _ in range(MOST_PENDING + 1)]
    *asked, last = [ada.post(reviews_of(match_id)) for match_id in matches]
    assert {answer.status_code for answer in asked} == {202}
    assert refused(last) == (429, "too_many_reviews")
    assert ada.post(reviews_of(matches[0])).status_code == 202, "it is pending already"
    assert bob.post(reviews_of(matches[-1])).status_code == 202
    compute_reviews(app)
    assert ada.post(reviews_of(matches[-1])).status_code == 200


def test_a_repetition_gets_the_first_response(app: Flask, ada: Account) -> None:
    match_id = finished(ada)
    first = ada.post(reviews_of(match_id), {}, KEY)
    compute_reviews(app)
    again = ada.post(reviews_of(match_id), {}, KEY)
    assert told(again) == told(first)
    assert (is_replay(first), is_replay(again)) == (False, True)
    assert ada.post(reviews_of(match_id)).status_code == 200


def test_a_failed_review_is_told_and_computed_again_when_asked_for(
    app: Flask, ada: Account, events_redis: redis.Redis
) -> None:
    match_id = finished(ada)
    asked = ada.post(reviews_of(match_id))
    reviews = app.extensions[EXTENSION].reviews
    reviews.fail(reviews.begin(asked.json["review_id"]), "a test")
    assert refused(ada.get(asked.headers["Location"])) == (500, "stream_corrupt")
    assert ada.get(reviews_of(match_id)).json["items"][0]["status"] == "failed"
    assert ada.post(reviews_of(match_id)).json["status"] == "queued"
    assert events_redis.zcard(keys.PENDING_REVIEWS) == 1


def test_the_chances_of_a_finished_match_are_there_at_once(ada: Account, client: FlaskClient) -> None:
    match_id = finished(ada)
    path = f"/v1/matches/{match_id}/chances"
    shown = client.get(path)
    assert (shown.status_code, shown.json["match_id"]) == (200, match_id)
    assert {sum(item["chances"]) for item in shown.json["items"]} == {1_000_000}
    assert shown.json["items"][-1] == {"version": shown.json["version"], "chances": [0, 1_000_000]}
    assert client.get(path, headers={"If-None-Match": shown.headers["ETag"]}).status_code == 304
    assert client.get(path).data == shown.data


COMMENTED = {"options": {"commentary": True}}


@pytest.mark.parametrize(
    "wishes",
    [
        {},
        {"seats": [{"kind": "me"}, {"kind": "open"}]},
        {"options": {"commentary": False}},
        {**COMMENTED, "visibility": "private"},
        {**COMMENTED, "visibility": "unlisted"},
    ],
)
def test_a_match_that_is_not_over_shows_no_chances(ada: Account, wishes: Any) -> None:
    match_id = ada.create(**wishes)["match_id"]
    assert refused(ada.get(f"/v1/matches/{match_id}/chances")) == (409, "commentary_off")


def test_a_public_match_with_commentary_shows_its_chances_while_it_is_running(
    ada: Account, client: FlaskClient
) -> None:
    match_id = ada.board([[1], [3]], {}, {}, **COMMENTED)
    assert ada.get(f"/v1/matches/{match_id}").json["options"]["commentary"] is True
    path = f"/v1/matches/{match_id}/chances"
    before = client.get(path)
    ada.play_on(match_id, 2)
    after = client.get(path, headers={"If-None-Match": before.headers["ETag"]})
    assert (before.status_code, after.status_code) == (200, 200)
    assert after.json["version"] > before.json["version"]
    assert after.json["items"][0] == before.json["items"][0]


def test_a_commented_match_that_waits_for_players_has_no_chances_yet(ada: Account) -> None:
    match_id = ada.create(seats=[{"kind": "me"}, {"kind": "open"}], **COMMENTED)["match_id"]
    assert refused(ada.get(f"/v1/matches/{match_id}/chances")) == (409, "match_not_started")


def test_commentary_leaves_no_trace_where_it_was_not_asked_for(ada: Account) -> None:
    plain, commented = [ada.create(**wishes) for wishes in ({}, COMMENTED)]
    assert "commentary" not in plain["options"]
    recorded = [
        ada.get(f"/v1/matches/{match['match_id']}/events/1").json["data"]["options"]
        for match in (plain, commented)
    ]
    assert [options.pop("commentary", None) for options in recorded] == [None, True]
    assert recorded[0] == recorded[1]
    for value in (1, "true", None):
        answer = ada.post("/v1/matches", {**MATCH, "options": {"commentary": value}})
        assert refused(answer) == (422, "validation_failed")


def test_a_match_with_commentary_verifies_and_branches_with_it(ada: Account) -> None:
    match_id = ada.board([[1], [3]], {}, {}, **COMMENTED)
    ada.play_on(match_id, 2)
    body = {"from_version": 4, "dice": "fresh"}
    branch = ada.post(f"/v1/matches/{match_id}/branches", body)
    assert (branch.status_code, branch.json["options"]["commentary"]) == (201, True)
    assert ada.command(match_id, RESIGN).status_code == 201
    report = ada.get(f"/v1/matches/{match_id}/verification").json
    assert {check["status"] for check in report["checks"]} <= {"passed", "skipped", "pending"}


def test_a_ladder_has_no_commentary(ada: Account) -> None:
    body = {"name": "One", "ruleset": "base", "seats": 2, "options": {"commentary": True}}
    assert refused(ada.post("/v1/ladders", body)) == (422, "unknown_field")


def test_a_match_that_never_began_has_no_chances(ada: Account) -> None:
    match_id = ada.create(seats=[{"kind": "me"}, {"kind": "open"}])["match_id"]
    assert ada.post(f"/v1/matches/{match_id}/abort").status_code == 200
    assert refused(ada.get(f"/v1/matches/{match_id}/chances")) == (409, "match_not_started")


@pytest.mark.parametrize("ruleset", CURRENT)
def test_a_ruleset_has_reviews_if_they_can_be_requested_and_else_the_refusal_says_so(
    ada: Account, ruleset: str
) -> None:
    match_id = ada.create(ruleset=ruleset)["match_id"]
    assert ada.command(match_id, RESIGN).status_code == 201
    answers = (ada.post(reviews_of(match_id)), ada.get(f"/v1/matches/{match_id}/chances"))
    if ada.get(f"/v1/rulesets/{ruleset}").json["has_reviews"]:
        assert [one.status_code for one in answers] == [202, 200]
        return
    assert [refused(one) for one in answers] == [(404, "review_not_found")] * 2
    assert {one.json["title"] for one in answers} == {"The match has no review, or not this one"}
    assert all(f"matches of '{ruleset}' have no reviews" in one.json["detail"] for one in answers)
