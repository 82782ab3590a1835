"""What the dice of a match were made of: shown as far as it may be known, and recomputed by other code."""

import hashlib
import hmac
from collections.abc import Iterator
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.domain.independent_dice import die, pick, table_key
from tests.service.contract import Account

ROLL = {"type": "roll_dice", "dice": 1}


def fairness(account: Account, match_id: str) -> dict[str, Any]:
    answer = account.get(f"/v1/matches/{match_id}/fairness")
    assert answer.status_code == 200, answer.text
    return dict(answer.json)


def played(account: Account, commands: int, **wishes: Any) -> str:
    """A running match after so many commands: the last legal one each time."""
    match_id = str(account.create(**wishes)["match_id"])
    client, path = FlaskClient(account.client.application), f"/v1/matches/{match_id}"
    for _ in range(commands):
        legal = client.get(f"{path}/legal-commands").json["commands"]
        sent = client.post(f"{path}/commands", json=legal[-1], headers=account.authorization)
        assert sent.status_code == 201
    return match_id


def resign(account: Account, match_id: str) -> None:
    while account.state(match_id)["status"] == "running":
        account.command(match_id, {"type": "resign"})


def picks(shown: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What says where each die, card and first seat comes from."""
    for throw in shown["throws"]:
        yield from throw["dice"]
    yield from [draw["pick"] for draw in shown["draws"] if draw["pick"]]
    if shown["first_seat"]:
        yield shown["first_seat"]["pick"]


def events(account: Account, match_id: str, types: str) -> list[dict[str, Any]]:
    return list(account.get(f"/v1/matches/{match_id}/events?limit=500&types={types}").json["items"])


def test_before_the_end_addresses_and_results_are_shown_and_nothing_secret(ada: Account) -> None:
    match_id = played(ada, 30, ruleset="machi_koro_2")
    shown = fairness(ada, match_id)
    assert (shown["mode"], shown["seed"], shown["table_key"]) == ("committed", None, None)
    assert shown["throws"]
    assert shown["draws"]
    assert shown["first_seat"]
    for one in picks(shown):
        assert {name: value for name, value in one.items() if value is not None}.keys() == {"address"}
    first = shown["throws"][0]
    seat = first["seat"]
    assert [one["address"] for one in first["dice"]] == [
        f"die|{seat}|{first['seat_turn']}|roll|1|{i}" for i in range(len(first["values"]))
    ]
    assert shown["draws"][0]["pick"]["address"] == f"draw|{shown['draws'][0]['row']}|1"
    assert shown["first_seat"]["pick"]["address"] == "first_seat"


@pytest.mark.parametrize(
    "wishes",
    [
        {"ruleset": "base", "options": {"market": "limited"}},
        {"ruleset": "harbor", "seats": [{"kind": "me"}] * 4},
        {"ruleset": "machi_koro_2", "seats": [{"kind": "me"}] * 3},
    ],
    ids=["base", "harbor", "machi_koro_2"],
)
def test_after_the_end_everybody_can_recompute_it(ada: Account, wishes: dict[str, Any]) -> None:
    match_id = played(ada, 30, **wishes)
    before = fairness(ada, match_id)
    resign(ada, match_id)
    shown = fairness(ada, match_id)
    seed = bytes.fromhex(shown["seed"])
    assert shown["commitment"] == before["commitment"] == f"sha-256:{hashlib.sha256(seed).hexdigest()}"
    key = table_key(seed, shown["seat_seeds"])
    assert shown["table_key"] == key.hex()
    for one in picks(shown):
        assert one["digest"] == hmac.digest(key, one["address"].encode(), "sha256").hex()
    for throw in shown["throws"]:
        for recorded, one in zip(throw["values"], throw["dice"], strict=True):
            digest = bytes.fromhex(one["digest"])
            assert one["value"] == recorded == die(key, stem(one))
            assert digest[one["byte_index"]] == one["byte"]
            assert all(byte >= 252 for byte in digest[: one["byte_index"]])
    for draw in shown["draws"]:
        assert_drawn(draw, key)
    first = shown["first_seat"]
    assert first["pick"]["place"] == first["seat"] == pick(key, "first_seat", first["seats"])


def stem(one: dict[str, Any]) -> str:
    """The address without its block."""
    return str(one["address"].rpartition("|")[0])


def assert_drawn(draw: dict[str, Any], key: bytes) -> None:
    """The card lies where the number of the digest counts to."""
    deck = [left["card"] for left in draw["deck"] for _ in range(left["copies"])]
    one = draw["pick"]
    assert draw["left"] == len(deck)
    start = 2 * one["number_index"]
    assert int.from_bytes(bytes.fromhex(one["digest"])[start : start + 2]) == one["number"]
    assert one["place"] == one["number"] % len(deck) == pick(key, stem(one), len(deck))
    assert deck[one["place"]] == draw["card"]


def test_everything_that_was_thrown_and_drawn_is_in_it_once(ada: Account) -> None:
    match_id = played(ada, 30, ruleset="harbor", options={"market": "limited"})
    shown = fairness(ada, match_id)
    thrown = events(ada, match_id, "dice_rolled")
    assert [(one["sequence"], one["purpose"], one["values"]) for one in shown["throws"]] == [
        (event["sequence"], event["data"]["purpose"], event["data"]["values"]) for event in thrown
    ]
    drawn = [(one["sequence"], one["row"], one["card"]) for one in shown["draws"]]
    assert drawn == [
        (event["sequence"], event["data"]["row"], card)
        for event in events(ada, match_id, "market_refilled")
        for card in event["data"]["cards"]
    ]
    assert [one["number"] for one in shown["draws"]] == [*range(1, len(drawn) + 1)]
    (started,) = events(ada, match_id, "match_started")
    assert shown["first_seat"]["sequence"] == started["sequence"]
    assert shown["first_seat"]["seat"] == started["data"]["first_seat"]


def test_what_is_shown_before_the_end_is_shown_after_it_too(ada: Account) -> None:
    match_id = played(ada, 20, ruleset="machi_koro_2")
    before = fairness(ada, match_id)
    resign(ada, match_id)
    after = fairness(ada, match_id)
    for earlier, later in zip(picks(before), picks(after), strict=True):
        assert stem(later) == earlier["address"]
    for name in ("throws", "draws"):
        for earlier, later in zip(before[name], after[name], strict=True):
            said = later.keys() - {"dice", "pick"}
            assert {member: earlier[member] for member in said} == {member: later[member] for member in said}


def test_scripted_throws_are_said_to_be_scripted_and_have_no_address(ada: Account) -> None:
    board = ada.board([[6]], {}, {})
    ada.command(board, ROLL)
    for _ in range(2):
        shown = fairness(ada, board)
        assert (shown["mode"], shown["first_seat"]) == ("scripted", None)
        (throw,) = shown["throws"]
        assert (throw["scripted"], throw["values"], throw["dice"]) == (True, [6], [])
        resign(ada, board)
    assert shown["seed"]
    assert shown["table_key"]


def test_the_cards_of_a_board_are_drawn_from_its_seed_though_its_dice_are_scripted(ada: Account) -> None:
    match_id = ada.board([], {}, {}, ruleset="base", options={"market": "limited"})
    resign(ada, match_id)
    shown = fairness(ada, match_id)
    assert shown["draws"]
    for draw in shown["draws"]:
        assert_drawn(draw, bytes.fromhex(shown["table_key"]))


def test_cards_from_a_given_deck_have_no_address(ada: Account) -> None:
    market = {"face_up": {"cafe": 1}, "deck": ["mine", "forest", "mine"]}
    match_id = ada.board(
        [], {}, {}, ruleset="base", options={"market": "limited"}, position={"market": market}
    )
    shown = fairness(ada, match_id)
    assert [(one["card"], one["left"], one["pick"]) for one in shown["draws"]] == [
        ("mine", 3, None),
        ("forest", 2, None),
        ("mine", 1, None),
    ]
    assert {"card": "mine", "copies": 2} in shown["draws"][0]["deck"]


def test_the_seed_of_a_seat_is_in_the_key(ada: Account, bob: Account) -> None:
    match_id = ada.create(seats=[{"kind": "me"}, {"kind": "open"}])["match_id"]
    assert fairness(ada, match_id)["first_seat"] is None
    bob.post(f"/v1/matches/{match_id}/seats", {"seed": 'mine"and"only'})
    assert fairness(ada, match_id)["seat_seeds"] == ["", 'mine"and"only']
    resign(ada, match_id)
    shown = fairness(ada, match_id)
    assert shown["table_key"] == table_key(bytes.fromhex(shown["seed"]), shown["seat_seeds"]).hex()
    assert shown["first_seat"]["pick"]["place"] == shown["first_seat"]["seat"]


def test_a_match_that_was_called_off_before_it_began_tells_its_seed_all_the_same(ada: Account) -> None:
    match_id = ada.create(seats=[{"kind": "me"}, {"kind": "open"}])["match_id"]
    ada.post(f"/v1/matches/{match_id}/abort")
    shown = fairness(ada, match_id)
    assert (shown["throws"], shown["draws"], shown["first_seat"]) == ([], [], None)
    assert shown["commitment"] == f"sha-256:{hashlib.sha256(bytes.fromhex(shown['seed'])).hexdigest()}"


def test_it_can_be_kept_for_ever_once_the_match_is_over(ada: Account) -> None:
    match_id = ada.create(visibility="private")["match_id"]
    path = f"/v1/matches/{match_id}/fairness"
    running = ada.get(path)
    assert running.headers["Cache-Control"] == "private, no-cache"
    assert ada.get(path, {"If-None-Match": running.headers["ETag"]}).status_code == 304
    ada.command(match_id, {"type": "resign"})
    over = ada.get(path, {"If-None-Match": running.headers["ETag"]})
    assert over.status_code == 200
    assert over.headers["Cache-Control"] == "private, max-age=31536000, immutable"
    assert over.headers["Match-Head"].startswith(f"v={over.json['version']};")


def test_that_of_a_private_match_is_for_its_players(ada: Account, bob: Account) -> None:
    match_id = ada.create(visibility="private")["match_id"]
    answer = bob.get(f"/v1/matches/{match_id}/fairness")
    assert (answer.status_code, answer.json["code"]) == (404, "match_not_found")


def test_a_branch_with_the_same_dice_has_the_addresses_and_the_key_of_its_origin(ada: Account) -> None:
    match_id = ada.create(ruleset="harbor", options={"market": "limited"}, first_seat=0)["match_id"]
    versions = [ada.command(match_id, body).json["version"] for body in (ROLL, {"type": "pass"}, ROLL)]
    resign(ada, match_id)
    wish = {"from_version": versions[1], "dice": "same"}
    branch = ada.post(f"/v1/matches/{match_id}/branches", wish).json["match_id"]
    ada.command(branch, ROLL)
    running = fairness(ada, branch)
    assert (running["seed"], running["first_seat"]) == (None, None)
    resign(ada, branch)
    origin, shown = fairness(ada, match_id), fairness(ada, branch)
    for name in ("commitment", "seed", "table_key", "seat_seeds"):
        assert shown[name] == origin[name]
    assert [throw["dice"] for throw in shown["throws"]] == [throw["dice"] for throw in origin["throws"][1:]]
    assert [throw["values"] for throw in shown["throws"]] == [
        throw["values"] for throw in origin["throws"][1:]
    ]
