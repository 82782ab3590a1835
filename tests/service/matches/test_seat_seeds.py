"""Seeds of seats over HTTP: commitments, then seeds, then the match; who may send them, and when."""

import hashlib
import json
from typing import Any

import pytest

from tests.domain.independent_dice import die, table_key
from tests.service.contract import Account

SEEDS = ("0f1e2d3c4b5a69788796a5b4c3d2e1f0", "_-" * 20)
WISH = {"dice": {"mode": "committed", "seat_seeds": {}}}
OPEN = [{"kind": "me"}, {"kind": "open"}]


def hashed(match: dict[str, Any], seat: int, seed: str) -> str:
    """As docs/fairness.md says it, without any code of ours."""
    text = json.dumps([match["dice"]["commitment"], seat, seed], separators=(",", ":"))
    return "sha-256:" + hashlib.sha256(text.encode()).hexdigest()


def commit(account: Account, match: dict[str, Any], seat: int, seed: str = "") -> Any:
    body = {"seat": seat, "commitment": hashed(match, seat, seed or SEEDS[seat])}
    return account.post(f"/v1/matches/{match['match_id']}/seat-seed-commitments", body)


def reveal(account: Account, match: dict[str, Any], seat: int, seed: str = "") -> Any:
    body = {"seat": seat, "seed": seed or SEEDS[seat]}
    return account.post(f"/v1/matches/{match['match_id']}/seat-seeds", body)


def table(ada: Account, bob: Account, **wishes: Any) -> dict[str, Any]:
    """A match whose two seats are asked for their commitments."""
    match = ada.create(**{"seats": OPEN, **WISH, **wishes})
    return dict(bob.post(f"/v1/matches/{match['match_id']}/seats").json)


def types(account: Account, match: dict[str, Any]) -> list[str]:
    events = account.get(f"/v1/matches/{match['match_id']}/events").json["items"]
    return [event["type"] for event in events]


def refused(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json["code"]


def test_a_match_waits_for_commitments_then_for_seeds_and_starts_with_the_last(
    ada: Account, bob: Account
) -> None:
    match = ada.create(seats=OPEN, **WISH)
    assert match["seat_seeds"] == {
        "within_ms": 60_000,
        "step": None,
        "deadline": None,
        "seats": [
            {"seat": 0, "status": "awaited", "commitment": None, "seed": None},
            {"seat": 1, "status": "none", "commitment": None, "seed": None},
        ],
    }
    match = bob.post(f"/v1/matches/{match['match_id']}/seats").json
    assert (match["status"], match["seat_seeds"]["step"]) == ("open", "commit")
    assert match["seat_seeds"]["deadline"] is not None
    assert match["seat_seeds"]["deadline"] == ada.state(match["match_id"])["deadline"]

    assert commit(ada, match, 0).json["seat_seeds"]["step"] == "commit"
    shown = commit(bob, match, 1).json["seat_seeds"]
    assert (shown["step"], [seat["status"] for seat in shown["seats"]]) == ("open", ["committed"] * 2)
    assert [seat["commitment"] for seat in shown["seats"]] == [hashed(match, i, SEEDS[i]) for i in (0, 1)]

    assert reveal(bob, match, 1).json["status"] == "open"
    begun = reveal(ada, match, 0).json
    assert (begun["status"], begun["seat_seeds"]["step"]) == ("running", None)
    assert [seat["seed"] for seat in begun["seat_seeds"]["seats"]] == [*SEEDS]
    assert types(ada, match) == [
        "match_created",
        "seat_taken",
        "seat_taken",
        "seat_seed_committed",
        "seat_seed_committed",
        "seat_seed_opened",
        "seat_seed_opened",
        "match_started",
        "turn_started",
    ]


def test_everybody_recomputes_the_dice_from_the_opened_seeds_and_the_audit_agrees(
    ada: Account, bob: Account
) -> None:
    match = table(ada, bob, first_seat=0)
    path = f"/v1/matches/{match['match_id']}"
    for step in (commit, reveal):
        for account, seat in ((ada, 0), (bob, 1)):
            assert step(account, match, seat).status_code == 201
    rolled = ada.command(match["match_id"], {"type": "roll_dice", "dice": 1}).json["events"][0]["data"]
    bob.command(match["match_id"], {"type": "resign"})

    shown = ada.get(f"{path}/fairness").json
    assert shown["seat_seeds"] == [*SEEDS]
    assert shown["seat_commitments"] == [
        {
            "seat": seat,
            "sequence": 4 + seat,
            "commitment": hashed(match, seat, SEEDS[seat]),
            "opened_sequence": 6 + seat,
            "seed": SEEDS[seat],
        }
        for seat in (0, 1)
    ]
    key = table_key(bytes.fromhex(shown["seed"]), SEEDS)
    assert shown["table_key"] == key.hex()
    assert rolled["values"] == [die(key, "die|0|1|roll|1|0")]
    assert ada.get(f"{path}/verification").json["verdict"] == "verified"


def test_a_match_of_one_account_and_built_in_players_waits_for_that_account_alone(ada: Account) -> None:
    match = ada.create(seats=[{"kind": "me"}, {"kind": "strategy", "strategy": "random"}], **WISH)
    assert match["seat_seeds"]["step"] == "commit"

    assert commit(ada, match, 0).json["seat_seeds"]["step"] == "open"
    assert reveal(ada, match, 0).json["status"] == "running"


def test_seeds_are_given_by_who_has_the_seat_when_they_are_due_and_once(ada: Account, bob: Account) -> None:
    match = table(ada, bob)
    assert refused(commit(bob, match, 0)) == (403, "not_your_seat")
    assert refused(reveal(ada, match, 0)) == (409, "seat_seed_not_due")
    assert commit(ada, match, 0).status_code == 201
    assert refused(commit(ada, match, 0, "z" * 32)) == (409, "seat_seed_not_due")
    assert refused(reveal(ada, match, 0)) == (409, "seat_seed_not_due")
    assert commit(bob, match, 1).status_code == 201
    wrong = reveal(ada, match, 0, "z" * 32)
    assert refused(wrong) == (422, "seat_seed_mismatch")
    assert [error["pointer"] for error in wrong.json["errors"]] == ["/seed"]
    assert refused(reveal(bob, match, 0)) == (403, "not_your_seat")
    assert refused(ada.command(match["match_id"], {"type": "resign"})) == (409, "match_not_started")
    assert types(ada, match)[3:] == ["seat_seed_committed"] * 2


def test_other_matches_take_no_seeds(ada: Account) -> None:
    match = ada.create()
    assert match["seat_seeds"] is None
    assert refused(commit(ada, match, 0)) == (409, "seat_seed_not_due")


def test_a_private_match_of_others_is_not_there(ada: Account, bob: Account) -> None:
    match = ada.create(visibility="private", seats=OPEN, **WISH)
    assert refused(commit(bob, match, 1)) == (404, "match_not_found")
    assert refused(reveal(bob, match, 1)) == (404, "match_not_found")


@pytest.mark.parametrize(
    ("path", "body", "code", "pointer"),
    [
        ("seat-seed-commitments", {"seat": 0}, "validation_failed", "/commitment"),
        ("seat-seed-commitments", {"seat": 0, "commitment": "x"}, "validation_failed", "/commitment"),
        ("seat-seed-commitments", {"commitment": "sha-256:" + "0" * 64}, "validation_failed", "/seat"),
        ("seat-seed-commitments", {"seat": 0, "seed": SEEDS[0]}, "unknown_field", "/seed"),
        ("seat-seeds", {"seat": 0, "seed": "short"}, "validation_failed", "/seed"),
        ("seat-seeds", {"seat": 0, "seed": "x" * 65}, "validation_failed", "/seed"),
        ("seat-seeds", {"seat": 0, "seed": 'quo"ted' * 5}, "validation_failed", "/seed"),
        ("seat-seeds", {"seat": 5, "seed": SEEDS[0]}, "validation_failed", "/seat"),
    ],
)
def test_a_bad_body_is_named_and_changes_nothing(
    ada: Account, path: str, body: dict[str, Any], code: str, pointer: str
) -> None:
    match = ada.create(**WISH)
    answer = ada.post(f"/v1/matches/{match['match_id']}/{path}", body)
    assert refused(answer) == (422, code)
    assert pointer in [error["pointer"] for error in answer.json["errors"]]
    assert ada.get(f"/v1/matches/{match['match_id']}").json["version"] == match["version"]


def test_no_seed_is_told_with_a_seat_of_such_a_match(ada: Account, bob: Account) -> None:
    match = ada.create(seats=OPEN, **WISH)
    answer = bob.post(f"/v1/matches/{match['match_id']}/seats", {"seed": "told"})
    assert refused(answer) == (422, "validation_failed")
    assert [error["pointer"] for error in answer.json["errors"]] == ["/seed"]


def test_the_creator_cannot_call_the_match_off_when_all_have_committed(ada: Account, bob: Account) -> None:
    match = table(ada, bob)
    commit(ada, match, 0)
    commit(bob, match, 1)
    assert refused(ada.post(f"/v1/matches/{match['match_id']}/abort")) == (409, "wrong_phase")
