"""Matches that cannot be: which member is at fault, under which code; and no match is made."""

from typing import Any

import pytest

from tests.service.contract import Account

HUGE = 10**30
CLOCK = {"decision_ms": 5000, "on_timeout": "forfeit"}
SEATS = [{"kind": "me"}, {"kind": "me"}]

NEW_MATCHES: list[tuple[dict[str, Any], str, str]] = [
    ({"ruleset": "chess"}, "validation_failed", "/ruleset"),
    ({"ruleset": 5}, "validation_failed", "/ruleset"),
    ({"seats": [{"kind": "me"}]}, "validation_failed", "/seats"),
    ({"seats": SEATS * 3}, "validation_failed", "/seats"),
    ({"seats": [{"kind": "me"}, {"kind": "ghost"}]}, "validation_failed", "/seats/1/kind"),
    ({"seats": [{"kind": "me"}, {"kind": "bot", "bot": "nobody"}]}, "validation_failed", "/seats/1/bot"),
    ({"seats": [{"kind": "me"}, {}]}, "validation_failed", "/seats/1/kind"),
    ({"seats": [{"kind": "me"}, "me"]}, "validation_failed", "/seats/1"),
    ({"seats": [{"kind": "me"}, {"kind": ["me"]}]}, "validation_failed", "/seats/1/kind"),
    ({"seats": [{"kind": "me"}, {"kind": "open", "seed": "x"}]}, "unknown_field", "/seats/1/seed"),
    ({"seats": [{"kind": "me", "seed": "a b"}, {"kind": "me"}]}, "validation_failed", "/seats/0/seed"),
    (
        {"seats": [{"kind": "me"}, {"kind": "account", "handle": "nobody"}]},
        "validation_failed",
        "/seats/1/handle",
    ),
    (
        {"seats": [{"kind": "me"}, {"kind": "strategy", "strategy": "psychic"}]},
        "validation_failed",
        "/seats/1/strategy",
    ),
    ({"seats": [{"kind": "me"}] * 5, "options": {"box": "four_player"}}, "validation_failed", "/options/box"),
    ({"options": {"box": "six_player"}}, "validation_failed", "/options/box"),
    ({"options": {"market": "rows"}}, "validation_failed", "/options/market"),
    ({"options": {"max_copies": 3}}, "validation_failed", "/options/max_copies"),
    ({"options": {"max_copies": True}}, "validation_failed", "/options/max_copies"),
    ({"options": {"card_costs": {"castle": 4}}}, "unknown_card", "/options/card_costs/castle"),
    ({"options": {"card_costs": {"mine": -1}}}, "validation_failed", "/options/card_costs/mine"),
    ({"options": {"card_costs": {"mine": "4"}}}, "validation_failed", "/options/card_costs/mine"),
    ({"options": {"card_costs": {"a/b~c": 4}}}, "validation_failed", "/options/card_costs/a~1b~0c"),
    ({"options": {"colour": "red"}}, "unknown_field", "/options/colour"),
    ({"first_seat": 2}, "validation_failed", "/first_seat"),
    ({"first_seat": "0"}, "validation_failed", "/first_seat"),
    ({"clock": {"decision_ms": 1, "on_timeout": "forfeit"}}, "validation_failed", "/clock/decision_ms"),
    ({"clock": {"decision_ms": 5000.0, "on_timeout": "forfeit"}}, "validation_failed", "/clock/decision_ms"),
    ({"clock": {"decision_ms": 5000, "on_timeout": "cry"}}, "validation_failed", "/clock/on_timeout"),
    ({"clock": {"bank_ms": 5000, "on_timeout": "forfeit"}}, "validation_failed", "/clock/decision_ms"),
    ({"clock": {**CLOCK, "bank_ms": -1}}, "validation_failed", "/clock/bank_ms"),
    ({"clock": {**CLOCK, "bank_ms": 86_400_001}}, "validation_failed", "/clock/bank_ms"),
    ({"clock": {**CLOCK, "increment_ms": 86_400_001}}, "validation_failed", "/clock/increment_ms"),
    ({"bank_ms": 5000}, "unknown_field", "/bank_ms"),
    ({"dice": {"mode": "loaded"}}, "validation_failed", "/dice/mode"),
    ({"dice": {"mode": "scripted"}}, "validation_failed", "/dice/throws"),
    ({"dice": {"mode": "scripted", "throws": [[7]]}}, "validation_failed", "/dice/throws/0/0"),
    ({"dice": {"mode": "scripted", "throws": [[1], [1, 2, 3]]}}, "validation_failed", "/dice/throws/1"),
    ({"dice": {"mode": "scripted", "throws": [[1]] * 2001}}, "validation_failed", "/dice/throws"),
    ({"dice": {"mode": "committed", "seat_seeds": None}}, "validation_failed", "/dice/seat_seeds"),
    (
        {"dice": {"mode": "committed", "seat_seeds": {"within_ms": 999}}},
        "validation_failed",
        "/dice/seat_seeds/within_ms",
    ),
    (
        {"dice": {"mode": "committed", "seat_seeds": {"within": 999}}},
        "unknown_field",
        "/dice/seat_seeds/within",
    ),
    (
        {"dice": {"mode": "scripted", "throws": [[1]], "seat_seeds": {}}},
        "unknown_field",
        "/dice/seat_seeds",
    ),
    (
        {
            "dice": {"mode": "committed", "seat_seeds": {}},
            "seats": [{"kind": "strategy", "strategy": "random"}] * 2,
        },
        "validation_failed",
        "/dice/seat_seeds",
    ),
    (
        {"dice": {"mode": "committed", "seat_seeds": {}}, "seats": [{"kind": "me", "seed": "x"}, SEATS[0]]},
        "validation_failed",
        "/seats/0/seed",
    ),
    (
        {"seats": [{"kind": "me"}, {"kind": "strategy", "strategy": "uct"}]},
        "validation_failed",
        "/seats/1/strategy",
    ),
    ({"visibility": "secret"}, "validation_failed", "/visibility"),
    ({"tags": ["a b"]}, "validation_failed", "/tags/0"),
    ({"colour": "red"}, "unknown_field", "/colour"),
]


@pytest.mark.parametrize(
    ("wish", "code", "pointer"), NEW_MATCHES, ids=[str(case[0])[:60] for case in NEW_MATCHES]
)
def test_a_match_that_cannot_be_is_not_made(ada: Account, wish: Any, code: str, pointer: str) -> None:
    answer = ada.post("/v1/matches", {"ruleset": "base", "seats": SEATS, **wish})
    assert (answer.status_code, answer.json["code"]) == (422, code), answer.text
    assert pointer in [fault["pointer"] for fault in answer.json["errors"]]
    assert ada.get("/v1/matches").json["items"] == []


def test_a_seat_for_an_unknown_handle_is_refused_with_a_fault_that_says_so(ada: Account) -> None:
    seats = [{"kind": "me"}, {"kind": "account", "handle": "nobody"}]
    refused = ada.post("/v1/matches", {"ruleset": "base", "seats": seats}).json
    assert (refused["code"], refused["errors"][0]["code"]) == ("validation_failed", "account_not_found")


CITY = {"coins": 3, "establishments": {"wheat_field": 1}, "landmarks": []}


def _position(*players: dict[str, Any], **members: Any) -> dict[str, Any]:
    cities = [{**CITY, **player} for player in players] or [CITY, CITY]
    return {"active_seat": 0, "phase": "roll", "players": cities, **members}


POSITIONS: list[tuple[dict[str, Any], str, str]] = [
    (_position({"coins": -1}, {}), "validation_failed", "/position/players/0/coins"),
    (_position({"coins": HUGE}, {}), "validation_failed", "/position/players/0/coins"),
    (_position({}, {}, {}), "validation_failed", "/position/players"),
    (
        _position({"establishments": {"castle": 1}}, {}),
        "unknown_card",
        "/position/players/0/establishments/castle",
    ),
    (
        _position({"establishments": {"stadium": 2}}, {}),
        "major_already_owned",
        "/position/players/0/establishments/stadium",
    ),
    (
        _position({}, {"establishments": {"mine": 7}}),
        "validation_failed",
        "/position/players/1/establishments/mine",
    ),
    (_position({"landmarks": ["castle"]}, {}), "unknown_card", "/position/players/0/landmarks/0"),
    (_position(phase="setup"), "validation_failed", "/position/phase"),
    (_position(active_seat=2), "validation_failed", "/position/active_seat"),
    (_position(market={"supply": {"mine": 99}}), "validation_failed", "/position/market/supply/mine"),
    (_position(market={"deck": ["mine"]}), "validation_failed", "/position/market/deck"),
    (_position(market={"supply": {"castle": 1}}), "unknown_card", "/position/market/supply/castle"),
]


@pytest.mark.parametrize(("position", "code", "pointer"), POSITIONS, ids=[case[2] for case in POSITIONS])
def test_a_position_that_breaks_the_rules_is_refused(
    ada: Account, position: dict[str, Any], code: str, pointer: str
) -> None:
    answer = ada.post("/v1/matches", {"ruleset": "base", "seats": SEATS, "position": position})
    assert (answer.status_code, answer.json["code"]) == (422, code), answer.text
    assert answer.json["errors"][0]["pointer"] == pointer


@pytest.mark.parametrize("copies", [0, 2])
def test_every_city_of_harbor_holds_one_town_hall(ada: Account, copies: int) -> None:
    players = {"establishments": {"town_hall": 1}}, {"establishments": {"town_hall": copies}}
    wish = {"ruleset": "harbor", "seats": SEATS, "position": _position(*players)}
    refused = ada.post("/v1/matches", wish)
    assert (refused.status_code, refused.json["code"]) == (422, "validation_failed")
    assert refused.json["errors"][0]["pointer"] == "/position/players/1/establishments/town_hall"


@pytest.mark.parametrize("path", ["/v1/matches", "/v1/ladders"])
def test_what_is_never_sold_has_no_price(ada: Account, path: str) -> None:
    asked = {"name": "A ladder", "seats": 2} if path == "/v1/ladders" else {"seats": SEATS}
    wish = {"ruleset": "harbor", "options": {"card_costs": {"mine": 4, "town_hall": 1}}, **asked}
    refused = ada.post(path, wish)
    assert (refused.status_code, refused.json["code"]) == (422, "validation_failed")
    assert refused.json["errors"][0]["pointer"] == "/options/card_costs/town_hall"


MARKETS: list[tuple[str, str, dict[str, Any], str, str]] = [
    ("base", "open", {"supply": {"bakery": 6, "cafe": 7}}, "validation_failed", "supply/cafe"),
    ("base", "open", {"supply": {"harbor": 1}}, "unknown_card", "supply/harbor"),
    ("base", "limited", {"face_up": {"cafe": 7}}, "validation_failed", "face_up/cafe"),
    ("base", "limited", {"face_up": {"castle": 1}}, "unknown_card", "face_up/castle"),
    ("base", "limited", {"deck": ["cafe"] * 7}, "validation_failed", "deck/6"),
    ("base", "limited", {"deck": ["cafe", "castle"]}, "unknown_card", "deck/1"),
    (
        "base",
        "limited",
        {"face_up": {"cafe": 5}, "deck": ["cafe", "mine", "cafe"]},
        "validation_failed",
        "deck/2",
    ),
    (
        "machi_koro_2",
        "rows",
        {"rows": {"landmarks": {"park": 2}}},
        "validation_failed",
        "rows/landmarks/park",
    ),
    ("machi_koro_2", "rows", {"rows": {"low": {"park": 1}}}, "unknown_card", "rows/low/park"),
    ("machi_koro_2", "rows", {"rows": {"attic": {"park": 1}}}, "unknown_field", "rows/attic"),
    (
        "machi_koro_2",
        "rows",
        {"rows": {"low": {"cafe": 3}}, "decks": {"low": ["cafe", "bakery", "cafe", "cafe"]}},
        "validation_failed",
        "decks/low/3",
    ),
    ("machi_koro_2", "rows", {"decks": {"low": ["cafe", "park"]}}, "unknown_card", "decks/low/1"),
]


@pytest.mark.parametrize(
    ("ruleset", "kind", "market", "code", "member"), MARKETS, ids=[f"{case[1]}-{case[4]}" for case in MARKETS]
)
def test_a_market_that_the_box_cannot_make_is_refused_with_a_pointer_to_the_card(
    ada: Account, ruleset: str, kind: str, market: dict[str, Any], code: str, member: str
) -> None:
    options = {} if kind == "rows" else {"market": kind}
    wish = {"ruleset": ruleset, "seats": SEATS, "options": options, "position": _position(market=market)}
    answer = ada.post("/v1/matches", wish)
    assert (answer.status_code, answer.json["code"]) == (422, code), answer.text
    assert [fault["pointer"] for fault in answer.json["errors"]] == [f"/position/market/{member}"]


def test_cards_that_the_cities_hold_are_missing_from_a_given_deck(ada: Account) -> None:
    holders = ({"establishments": {"cafe": 2}}, {"establishments": {"cafe": 1}})
    board = {"ruleset": "base", "seats": SEATS, "options": {"market": "limited"}}

    def given(*deck: str) -> dict[str, Any]:
        return {**board, "position": _position(*holders, market={"face_up": {"cafe": 1}, "deck": deck})}

    assert ada.post("/v1/matches", given("cafe", "mine", "cafe")).status_code == 201
    refused = ada.post("/v1/matches", given("cafe", "mine", "cafe", "cafe"))
    assert (refused.status_code, refused.json["code"]) == (422, "validation_failed")
    assert refused.json["errors"][0]["pointer"] == "/position/market/deck/3"


def test_a_given_table_has_one_active_seat(ada: Account) -> None:
    wish = {"ruleset": "base", "seats": SEATS, "position": _position(active_seat=1)}
    refused = ada.post("/v1/matches", {**wish, "first_seat": 0})
    assert (refused.status_code, refused.json["code"]) == (422, "validation_failed")
    assert refused.json["errors"][0]["pointer"] == "/first_seat"
    assert ada.post("/v1/matches", {**wish, "first_seat": 1}).json["active_seat"] == 1
