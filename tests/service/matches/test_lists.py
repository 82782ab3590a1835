"""Lists of matches: page by page, narrowed, and without what the caller may not see."""

from tests.service.contract import Account


def test_lists_show_the_newest_first_page_by_page(ada: Account) -> None:
    ids = [ada.create()["match_id"] for _ in range(5)]
    found: list[str] = []
    path = "/v1/matches?limit=2"
    while path:
        page = ada.get(path)
        found += [item["match_id"] for item in page.json["items"]]
        path = page.headers["Link"].split(">")[0][1:] if "Link" in page.headers else ""
    assert found == ids[::-1]


def test_lists_can_be_narrowed(ada: Account, bob: Account) -> None:
    base = ada.create()["match_id"]
    harbor = bob.create(ruleset="harbor")["match_id"]
    bob.post(f"/v1/matches/{harbor}/abort")

    def listed(query: str) -> list[str]:
        return [item["match_id"] for item in ada.client.get(f"/v1/matches?{query}").json["items"]]

    assert listed("") == [harbor, base]
    assert listed("status=running") == [base]
    assert listed("ruleset=harbor") == [harbor]
    assert listed("player=ADA") == [base]
    assert listed(f"player={bob.id}") == [harbor]
    assert listed("player=nobody") == []
    assert listed("player=random") == []
    bots = ada.create(seats=[{"kind": "strategy", "strategy": "random"}] * 2)["match_id"]
    assert listed("player=random") == [bots]
    assert listed("player=ada") == [base]
    assert listed("player=bob&status=running") == []
    assert listed("ladder=lad_1") == []


def test_lists_can_be_narrowed_to_a_tag(ada: Account) -> None:
    tagged = ada.create(tags=["league:7", "friendly"])["match_id"]
    other = ada.create(tags=["league:71"], ruleset="harbor")["match_id"]

    def listed(query: str) -> list[str]:
        return [item["match_id"] for item in ada.client.get(f"/v1/matches?{query}").json["items"]]

    assert listed("tag=league:7") == [tagged]
    assert listed("tag=league:71&ruleset=harbor") == [other]
    assert listed("tag=friendly&ruleset=harbor") == listed("tag=league") == []
    refused = ada.client.get("/v1/matches?tag=a%20b")
    assert (refused.status_code, refused.json["errors"][0]["pointer"]) == (400, "/tag")


def test_lists_keep_private_matches_to_their_players(ada: Account, bob: Account) -> None:
    match_id = ada.create(visibility="private")["match_id"]
    assert [item["match_id"] for item in ada.get("/v1/matches").json["items"]] == [match_id]
    assert bob.get("/v1/matches").json["items"] == []
    assert ada.client.get("/v1/matches?player=ada").json["items"] == []
