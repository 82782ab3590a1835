"""What can be played."""

import pytest
from flask.testing import FlaskClient

from domain.match.rulesets import CURRENT
from runtime.strategies import OFFERED, STRATEGIES, Strategy, ratings


def test_all_rulesets_are_listed(client: FlaskClient) -> None:
    items = client.get("/v1/rulesets").json["items"]
    assert [item["id"] for item in items] == [
        *("base", "harbor", "machi_koro_2", "millionaires_row", "harbor_millionaires_row"),
    ]
    for item in items:
        assert client.get(f"/v1/rulesets/{item['id']}").json == item


def test_a_copy_of_a_ruleset_is_current_only_while_no_member_has_changed(client: FlaskClient) -> None:
    path = "/v1/rulesets/base"
    answer = client.get(path)
    held = {"If-None-Match": answer.headers["ETag"]}
    assert client.get(path, headers=held).status_code == 304
    older = {"If-None-Match": f'"{answer.json["digest"].removeprefix("sha-256:")[:16]}"'}
    assert client.get(path, headers=older).status_code == 200, (
        "an answer had this mark before a member was added"
    )


def test_a_ruleset_tells_its_goal_and_options(client: FlaskClient) -> None:
    second = client.get("/v1/rulesets/machi_koro_2").json
    assert second["goal"] == {"landmarks": 3, "instant": "launch_pad"}
    assert second["options"]["market"] == {"values": ["rows"], "default": "rows"}
    assert client.get("/v1/rulesets/base").json["options"]["box"]["values"] == ["four_player", "five_player"]


@pytest.mark.parametrize("ruleset", CURRENT)
def test_cards_are_told_with_price_effect_and_text(client: FlaskClient, ruleset: str) -> None:
    answer = client.get(f"/v1/rulesets/{ruleset}/cards")
    cards = answer.json["items"]
    assert len(cards) == len(CURRENT[ruleset].establishments) + len(CURRENT[ruleset].landmarks)
    assert all(("cost" in card) != ("costs" in card) for card in cards)
    assert all(card["text"].endswith(".") for card in cards)
    held = client.get(f"/v1/rulesets/{ruleset}/cards", headers={"If-None-Match": answer.headers["ETag"]})
    assert held.status_code == 304


def test_built_in_players_are_listed_with_their_level_and_ratings(client: FlaskClient) -> None:
    items = client.get("/v1/strategies").json["items"]
    assert [item["name"] for item in items] == list(OFFERED)
    rated = ratings()
    for item in items:
        own = rated[item["name"]]
        assert (item["version"], item["level"]) == (own.version, own.level)
        assert [(one["ruleset"], one["seats"]) for one in item["ratings"]] == [
            (one.ruleset, one.seats) for one in own.ratings
        ]


def test_a_version_that_has_not_been_rated_has_no_ratings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(STRATEGIES, "greedy", Strategy("greedy", "99", "A newer one."))
    assert "greedy" not in ratings()
