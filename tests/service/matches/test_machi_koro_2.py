"""The second game over the API: its catalogue, its rows, its building rounds and its choices."""

from collections import Counter
from typing import Any

from flask import Flask

from domain.match.rulesets import CURRENT
from service.context import EXTENSION
from tests.service.contract import Account
from workers.turns import decisions

ROLL = {"type": "roll_dice", "dice": 2}
EMPTY: dict[str, Any] = {"establishments": {}, "landmarks": []}


def _board(ada: Account, throws: list[list[int]], *cities: dict[str, Any], **position: Any) -> str:
    """An analysis board of the second game."""
    return ada.board(
        throws, *[{**EMPTY, **city} for city in cities], position=position, ruleset="machi_koro_2"
    )


def _legal(ada: Account, match_id: str) -> dict[str, Any]:
    return dict(ada.get(f"/v1/matches/{match_id}/legal-commands").json)


def _built(events: list[dict[str, Any]], kind: str) -> list[Any]:
    return [event["data"] for event in events if event["type"] == kind]


def test_the_catalogue_tells_three_prices_of_a_landmark_and_one_of_an_establishment(ada: Account) -> None:
    cards = {card["id"]: card for card in ada.get("/v1/rulesets/machi_koro_2/cards").json["items"]}
    assert len(cards) == 40
    for printed in CURRENT["machi_koro_2"].landmarks:
        assert cards[printed.id]["costs"] == list(printed.cost)
    assert (cards["launch_pad"]["costs"], cards["park"]["costs"]) == ([45, 38, 25], [12, 16, 22])
    assert (cards["loan_office"]["costs"], cards["temple"]["colour"]) == ([10, 10, 10], "orange")
    assert (cards["mine"]["cost"], cards["mine"]["activation"], cards["mine"]["copies"]) == (4, [11, 12], 5)
    assert "costs" not in cards["mine"]


def test_the_ruleset_tells_what_everybody_starts_with(ada: Account) -> None:
    ruleset = ada.get("/v1/rulesets/machi_koro_2").json
    assert ruleset["start"] == {"coins": 5, "establishments": {}, "building_rounds": 3}
    assert ruleset["players"] == {"min": 2, "max": 5}
    assert sorted(ruleset["options"]) == ["card_costs", "market"]


def test_a_new_match_shows_three_rows_of_five_kinds_and_what_is_left_of_their_decks(ada: Account) -> None:
    match = ada.create(ruleset="machi_koro_2", seats=[{"kind": "me"}] * 5, first_seat=2)
    state = ada.state(match["match_id"])
    market = state["market"]
    assert market["kind"] == "rows"
    assert [(name, len(row)) for name, row in market["rows"].items()] == [
        ("low", 5),
        ("high", 5),
        ("landmarks", 5),
    ]
    for name, cards in (("low", 46), ("high", 40), ("landmarks", 20)):
        assert market["decks_remaining"][name] == cards - sum(market["rows"][name].values())
    assert [(seat["coins"], seat["establishments"], seat["landmarks"]) for seat in state["players"]] == [
        (5, {}, [])
    ] * 5
    assert (state["phase"], state["active_seat"], state["dice"]) == ("setup", 2, None)


def test_a_building_round_offers_the_establishments_of_the_rows_and_passing(ada: Account) -> None:
    match_id = ada.create(ruleset="machi_koro_2", first_seat=0)["match_id"]
    market = ada.state(match_id)["market"]["rows"]
    legal = ada.get(f"/v1/matches/{match_id}/legal-commands?explain=true").json
    on_sale = sorted([*market["low"], *market["high"]])
    assert legal["phase"] == "setup"
    assert {command["type"] for command in legal["commands"]} == {"build", "pass"}
    assert sorted(command["card"] for command in legal["commands"] if "card" in command) == on_sale
    refused = {one["card"]: one["code"] for one in legal["unbuildable"]}
    assert {refused[card] for card in market["landmarks"]} == {"card_not_available"}
    rolled = ada.command(match_id, ROLL)
    assert (rolled.status_code, rolled.json["code"]) == (409, "wrong_phase")


def test_after_three_building_rounds_the_first_seat_throws_as_many_dice_as_it_likes(ada: Account) -> None:
    match_id = ada.create(ruleset="machi_koro_2", seats=[{"kind": "me"}] * 2, first_seat=1)["match_id"]
    events: list[dict[str, Any]] = []
    for _ in range(6):
        events += ada.command(match_id, {"type": "pass"}).json["events"]
    rounds = [(turn["seat"], turn["phase"], turn["round"]) for turn in _built(events, "turn_started")]
    building = [(0, "setup", 1), (1, "setup", 2), (0, "setup", 2), (1, "setup", 3), (0, "setup", 3)]
    assert rounds == [*building, (1, "roll", 0)]
    assert [command["dice"] for command in _legal(ada, match_id)["commands"]] == [1, 2]
    assert ada.command(match_id, ROLL).status_code == 201


LOW = {"bakery": 2, "cafe": 1, "forest": 1, "sushi_bar": 1, "vineyard": 1}
LANDMARKS = {"park": 1, "temple": 1, "museum": 1, "launch_pad": 1, "loan_office": 1}
MARKET = {
    "rows": {"low": LOW, "landmarks": LANDMARKS},
    "decks": {"low": ["cafe", "flower_shop", "wheat_field"], "landmarks": ["airport", "forge"]},
}


def test_a_position_lays_out_rows_and_decks_and_a_deck_is_drawn_from_its_top(ada: Account) -> None:
    match_id = _board(ada, [], {"coins": 20}, {}, phase="build", market=MARKET)
    assert ada.get(f"/v1/matches/{match_id}").json["position"]["market"] == MARKET
    market = ada.state(match_id)["market"]
    assert (market["rows"]["low"], market["rows"]["landmarks"]) == (LOW, LANDMARKS)
    assert len(market["rows"]["high"]) == 5
    left = market["decks_remaining"]
    assert (left["low"], left["landmarks"]) == (3, 2)
    assert left["high"] == 40 - sum(market["rows"]["high"].values())

    answer = ada.command(match_id, {"type": "build", "card": "forest"}, "?embed=state").json
    assert _built(answer["events"], "market_refilled") == [{"row": "low", "cards": ["cafe", "flower_shop"]}]
    shown = answer["state"]["market"]
    assert shown["rows"]["low"] == {"bakery": 2, "cafe": 2, "flower_shop": 1, "sushi_bar": 1, "vineyard": 1}
    assert (shown["decks_remaining"]["low"], shown["rows"]["landmarks"]) == (1, LANDMARKS)


def test_rows_of_another_kind_of_market_are_refused_with_a_pointer(ada: Account) -> None:
    seats = [{"kind": "me"}] * 2
    players = [{"coins": 3, **EMPTY}] * 2
    for market, pointer in (
        ({"supply": {"mine": 1}}, "/position/market/supply"),
        ({"face_up": {"mine": 1}}, "/position/market/face_up"),
        ({"rows": {"low": {"mine": 1}}}, "/position/market/rows/low/mine"),
        ({"decks": {"high": ["mine", "cafe"]}}, "/position/market/decks/high/1"),
        ({"rows": {"landmarks": {"park": 2}}}, "/position/market/rows/landmarks/park"),
    ):
        position = {"active_seat": 0, "phase": "roll", "players": players, "market": market}
        body = {"ruleset": "machi_koro_2", "seats": seats, "position": position}
        answer = ada.post("/v1/matches", body)
        assert (answer.status_code, answer.json["errors"][0]["pointer"]) == (422, pointer), market


def test_a_position_may_begin_in_a_building_round(ada: Account) -> None:
    match_id = _board(ada, [], {"coins": 0}, {"coins": 2}, phase="setup", active_seat=1, market=MARKET)
    legal = _legal(ada, match_id)
    assert (legal["seat"], legal["phase"], legal["commands"][0]["type"]) == (1, "setup", "pass")
    built = ada.command(match_id, {"type": "build", "card": "sushi_bar"}).json
    assert _built(built["events"], "turn_started") == [
        {"turn": 2, "seat": 0, "phase": "setup", "extra": False, "round": 1}
    ]


def test_a_landmark_costs_what_the_builder_has_to_pay_now(ada: Account) -> None:
    rich = {"coins": 50, "landmarks": ["observatory"]}
    match_id = _board(ada, [], rich, {}, phase="build", market=MARKET)
    built = ada.command(match_id, {"type": "build", "card": "launch_pad"}, "?embed=state").json
    assert _built(built["events"], "landmark_built") == [{"seat": 0, "card": "launch_pad", "price": 33}]
    state = built["state"]
    assert (state["status"], state["winner"], state["result"]) == ("finished", 0, {"reason": "landmarks"})
    assert state["players"][0] == {
        "seat": 0,
        "name": "ada",
        "coins": 17,
        "establishments": {},
        "landmarks": ["observatory", "launch_pad"],
    }


def test_what_a_landmark_would_cost_is_told_where_it_cannot_be_built(ada: Account) -> None:
    match_id = _board(ada, [], {"coins": 11, "landmarks": ["radio_tower"]}, {}, phase="build", market=MARKET)
    answer = ada.get(f"/v1/matches/{match_id}/legal-commands?explain=true").json
    refused = {one["card"]: (one["cost"], one["code"]) for one in answer["unbuildable"]}
    assert refused["park"] == (16, "insufficient_coins")
    assert refused["launch_pad"] == (38, "insufficient_coins")
    assert refused["loan_office"] == (10, "loan_office_condition")
    assert refused["airport"][1] == "card_not_available"


def test_a_gift_is_asked_for_with_the_cards_that_can_be_given(ada: Account) -> None:
    giver = {"establishments": {"mine": 2, "stadium": 1}}
    match_id = _board(ada, [[4, 4]], giver, {"landmarks": ["moving_company"]}, {})
    state = ada.command(match_id, ROLL, "?embed=state").json["state"]
    assert (state["phase"], state["pending"]) == ("give", {"card": "moving_company", "copies": 1})
    legal = _legal(ada, match_id)["commands"]
    assert legal == [
        {"type": "give_establishment", "seat": 0, "card": "stadium"},
        {"type": "give_establishment", "seat": 0, "card": "mine"},
    ]
    refused = ada.command(match_id, {"type": "pass"})
    assert (refused.status_code, refused.json["code"]) == (409, "wrong_phase")
    given = ada.command(match_id, legal[1], "?embed=state").json
    assert _built(given["events"], "establishment_given") == [{"seat": 0, "card": "mine", "to_seat": 2}]
    assert given["state"]["players"][2]["establishments"] == {"mine": 1}


def test_each_copy_of_the_business_center_asks_for_a_trade_that_may_be_declined(ada: Account) -> None:
    match_id = _board(ada, [[6]], {"establishments": {"business_center": 2}}, {"establishments": {"mine": 1}})
    state = ada.command(match_id, {"type": "roll_dice", "dice": 1}, "?embed=state").json["state"]
    assert (state["phase"], state["pending"]) == ("swap", {"card": "business_center", "copies": 2})
    trade = {
        "type": "swap_establishments",
        "seat": 0,
        "give": "business_center",
        "with_seat": 1,
        "take": "mine",
    }
    assert _legal(ada, match_id)["commands"] == [{"type": "decline_swap", "seat": 0}, trade]
    declined = ada.command(match_id, {"type": "decline_swap"}, "?embed=state").json["state"]
    assert declined["pending"] == {"card": "business_center", "copies": 1}
    traded = ada.command(match_id, trade, "?embed=state").json["state"]
    assert [player["establishments"] for player in traded["players"]] == [
        {"business_center": 1, "mine": 1},
        {"business_center": 1},
    ]
    assert (traded["phase"], "pending" in traded) == ("build", False)


def test_scripted_dice_and_one_time_landmarks_are_told_event_by_event(ada: Account) -> None:
    match_id = _board(ada, [[6, 6], [3]], {"coins": 12, "landmarks": ["amusement_park"]}, {}, market=MARKET)
    rolled = ada.command(match_id, ROLL).json["events"]
    assert [event["type"] for event in rolled] == ["dice_rolled", "extra_turn_granted"]
    passed = ada.command(match_id, {"type": "pass"}, "?embed=state").json
    assert (passed["state"]["extra_turn"], passed["state"]["active_seat"]) == (True, 0)
    mismatch = ada.command(match_id, ROLL)
    assert (mismatch.status_code, mismatch.json["code"]) == (422, "dice_tape_mismatch")
    rolled = ada.command(match_id, {"type": "roll_dice", "dice": 1}).json["events"]
    assert [event["data"] for event in rolled] == [{"purpose": "roll", "values": [3], "total": 3}]


def test_the_park_tells_every_purse_and_what_the_bank_added(ada: Account) -> None:
    match_id = _board(ada, [], {"coins": 22}, {}, {"coins": 0}, {"coins": 4}, phase="build", market=MARKET)
    built = ada.command(match_id, {"type": "build", "card": "park"}).json["events"]
    assert _built(built, "coins_levelled") == [
        {"seat": 0, "card": "park", "coins": [5, 5, 5, 5], "from_bank": 3}
    ]


def test_a_match_of_five_built_in_players_ends_with_a_winner_and_all_106_cards(
    ada: Account, app: Flask
) -> None:
    names = ["random", "landmark_first", "greedy", "landmark_first", "random"]
    seats = [{"kind": "strategy", "strategy": name} for name in names]
    match = ada.create(ruleset="machi_koro_2", seats=seats, first_seat=0)
    match_id = match["match_id"]
    matches = app.extensions[EXTENSION].matches
    decisions.play(matches, [(match_id, match["version"])], decisions.TurnLimits(seconds=60))

    state = ada.state(match_id)
    assert (state["status"], state["result"]) == ("finished", {"reason": "landmarks"})
    winner = state["players"][state["winner"]]
    assert len(winner["landmarks"]) == 3 or "launch_pad" in winner["landmarks"]
    assert sum(_cards(state).values()) + sum(state["market"]["decks_remaining"].values()) == 106
    first = ada.get(f"/v1/matches/{match_id}/events?limit=200").json["items"]
    rounds = [turn["round"] for turn in _built(first, "turn_started") if turn["phase"] == "setup"]
    assert rounds == [1] * 5 + [2] * 5 + [3] * 5


def _cards(state: dict[str, Any]) -> Counter[str]:
    """All cards face up, in rows and cities."""
    found: Counter[str] = Counter()
    for row in state["market"]["rows"].values():
        found.update(row)
    for player in state["players"]:
        found.update(player["establishments"])
        found.update(player["landmarks"])
    return found
