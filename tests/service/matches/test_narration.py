"""The log of a match: every event in a sentence, as a page or as text, in the language of the reader."""

from collections.abc import Callable
from typing import Any

import pytest
import redis
from flask.testing import FlaskClient

from contract import names
from contract.names import declared
from domain.languages.names import LANGUAGES
from domain.languages.narrate import TELLINGS
from events.store import keys
from ops.servers import Server
from tests.service.contract import Account

ROLL = {"type": "roll_dice", "dice": 1}


@pytest.fixture
def board(ada: Account) -> str:
    """A board of Ada's, on which she has paid herself for a café and built one."""
    match_id = ada.board([[3], [1]], {"coins": 3}, {"establishments": {"cafe": 1}})
    for body in (ROLL, {"type": "build", "card": "cafe"}, ROLL):
        assert ada.command(match_id, body).status_code == 201
    return match_id


def log(match_id: str, query: str = "") -> str:
    return f"/v1/matches/{match_id}/log{query}"


def texts(page: Any) -> list[str]:
    return [line["text"] for line in page.json["items"]]


def test_a_match_is_told_event_by_event(ada: Account, board: str) -> None:
    page = ada.get(log(board))
    events = ada.get(f"/v1/matches/{board}/events").json["items"]

    assert [(line["sequence"], line["type"], line["time"]) for line in page.json["items"]] == [
        (event["sequence"], event["type"], event["time"]) for event in events
    ]
    assert page.json["next"] is None
    assert "Link" not in page.headers
    assert texts(page)[5:] == [
        "ada (seat 0) rolls one die: 3.",
        "ada (seat 0) pays 1 coin to ada (seat 1) for the Café.",
        "ada (seat 0) builds the Café for 2 coins.",
        "ada (seat 0) ends turn 1.",
        "Turn 2 begins: ada (seat 1) plays.",
        "ada (seat 1) rolls one die: 1.",
        "ada (seat 0) receives 1 coin from the bank for the Wheat Field.",
    ]
    assert [line["seat"] for line in page.json["items"]] == [None, 0, 1, None, 0, 0, 0, 0, 0, 1, 1, 0]


def test_pages_of_the_log_lead_from_the_first_event_to_the_last(ada: Account, board: str) -> None:
    whole = texts(ada.get(log(board)))
    found: list[str] = []
    path = log(board, "?limit=3")
    while path:
        page = ada.get(path)
        found += texts(page)
        path = page.headers["Link"].split(">")[0][1:] if "Link" in page.headers else ""
        assert (page.json["next"] is None) == (path == "")

    assert found == whole


@pytest.mark.parametrize("after", [1, 4, 5, 7, 11, 12])
def test_what_is_told_behind_an_event_is_what_the_whole_log_tells_there(
    ada: Account, board: str, after: int
) -> None:
    whole = ada.get(log(board)).json["items"]

    assert ada.get(log(board, f"?after={after}")).json["items"] == whole[after:]


def test_text_has_the_same_sentences_one_a_line(ada: Account, board: str) -> None:
    page = ada.get(log(board, "?lang=uk&after=4"))
    text = ada.get(log(board, "?lang=uk&after=4"), {"Accept": "text/plain"})

    assert text.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert text.text == "".join(f"{sentence}\n" for sentence in texts(page))
    assert text.headers["Match-Head"] == page.headers["Match-Head"]
    assert text.headers["Content-Language"] == "uk"


def test_text_goes_on_to_the_last_event_however_many_there_are(ada: Account) -> None:
    match_id = ada.create()["match_id"]
    ada.play_on(match_id, 450)
    version = ada.state(match_id)["version"]
    text = ada.get(log(match_id), {"Accept": "text/plain"}).text

    assert version > 900
    assert text.count("\n") == len(text.splitlines()) == version
    assert text.splitlines()[-100:] == texts(ada.get(log(match_id, f"?after={version - 100}")))


def test_text_of_nothing_new_is_empty(ada: Account, board: str) -> None:
    version = ada.state(board)["version"]

    assert ada.get(log(board, f"?after={version}"), {"Accept": "text/plain"}).text == ""
    assert ada.get(log(board, f"?after={version}")).json == {"items": [], "next": None, "language": "en"}


@pytest.mark.parametrize("accept", ["application/json", "text/plain"])
def test_a_log_can_be_asked_for_by_its_head_alone(ada: Account, board: str, accept: str) -> None:
    # Not held against the document, which knows no answers without a body.
    client = FlaskClient(ada.client.application)
    answer = client.head(log(board), headers={"Accept": accept})

    assert (answer.status_code, answer.data) == (200, b"")
    assert answer.headers["Match-Head"] == ada.get(log(board)).headers["Match-Head"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_match_is_told_in_the_language_asked_for(ada: Account, board: str, language: str) -> None:
    by_query = ada.get(log(board, f"?lang={language}"), {"Accept-Language": "it"})
    by_header = ada.get(log(board), {"Accept-Language": f"de, {language}-XX;q=0.8"})
    ended = TELLINGS[language].sentences["turn_ended"].split("{name}")[1].format(turn=1)

    assert by_query.json == by_header.json
    assert by_query.json["language"] == by_query.headers["Content-Language"] == language
    assert "Accept, Accept-Language" in by_query.headers["Vary"]
    assert texts(by_query)[8].endswith(ended)


def test_every_language_and_every_page_of_a_log_has_an_etag_of_its_own(ada: Account, board: str) -> None:
    pages = [log(board, f"?lang={language}&after={after}") for language in LANGUAGES for after in (0, 7)]
    etags = {path: ada.get(path).headers["ETag"] for path in pages}

    assert len({*etags.values()}) == len(pages)


def test_a_log_that_is_held_is_not_sent_again_until_it_goes_on(ada: Account, board: str) -> None:
    held = {"If-None-Match": ada.get(log(board, "?lang=cs")).headers["ETag"]}
    same = ada.get(log(board), {**held, "Accept-Language": "cs"})
    other = ada.get(log(board), {**held, "Accept-Language": "it"})
    ada.command(board, {"type": "pass"})
    later = ada.get(log(board, "?lang=cs"), held)

    assert (same.status_code, other.status_code, later.status_code) == (304, 200, 200)
    assert same.headers["Vary"] == "Accept, Accept-Language, Accept-Encoding"
    assert same.headers["Match-Head"] == other.headers["Match-Head"]


@pytest.mark.parametrize("accept", ["application/json", "text/plain"])
def test_a_log_ahead_of_the_match_is_refused(ada: Account, board: str, accept: str) -> None:
    version = ada.state(board)["version"]
    ahead = ada.get(log(board, f"?after={version + 1}"), {"Accept": f"{accept}, application/problem+json"})

    assert (ahead.status_code, ahead.json["code"]) == (400, "cursor_ahead")
    assert ahead.json["max_version"] == version


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ("?lang=de", "/lang"),
        ("?lang=", "/lang"),
        ("?limit=0", "/limit"),
        ("?limit=501", "/limit"),
        ("?after=-1", "/after"),
        ("?after=1&after=2", "/after"),
        ("?wait=5", "/wait"),
    ],
)
def test_a_parameter_that_makes_no_sense_is_refused(
    ada: Account, board: str, query: str, pointer: str
) -> None:
    answer = ada.get(log(board, query))

    assert (answer.status_code, answer.json["code"]) == (400, "invalid_parameter")
    assert [error["pointer"] for error in answer.json["errors"]] == [pointer]


def test_text_has_no_limit(ada: Account, board: str) -> None:
    answer = ada.get(log(board, "?limit=5"), {"Accept": "text/plain"})

    assert (answer.status_code, answer.json["errors"][0]["pointer"]) == (400, "/limit")


def test_a_form_that_there_is_not_is_not_acceptable(ada: Account, board: str) -> None:
    answer = ada.get(log(board), {"Accept": "text/html"})

    assert (answer.status_code, answer.json["code"]) == (406, "not_acceptable")


@pytest.mark.parametrize("accept", ["application/json", "text/plain"])
def test_the_log_of_a_private_match_is_for_those_who_may_see_it(
    client: FlaskClient, ada: Account, bob: Account, accept: str
) -> None:
    private = ada.create(visibility="private")["match_id"]
    headers = {"Accept": accept}
    hidden = [bob.get(log(private), headers), client.get(log(private), headers=headers)]

    assert [(answer.status_code, answer.json["code"]) for answer in hidden] == [(404, "match_not_found")] * 2
    assert all("Match-Head" not in answer.headers for answer in hidden)
    assert ada.get(log(private), headers).status_code == 200


def test_anybody_can_read_the_log_of_a_public_match(client: FlaskClient, board: str) -> None:
    assert client.get(log(board)).status_code == 200
    assert client.get(log("mat_" + "0" * 26)).json["code"] == "match_not_found"


def test_an_open_match_is_told_as_far_as_it_is(ada: Account, sign_up: Callable[[str], Account]) -> None:
    match_id = ada.create(
        seats=[{"kind": "open"}, {"kind": "me"}, {"kind": "strategy", "strategy": "random"}]
    )
    told = texts(ada.get(log(match_id["match_id"])))

    assert told == [
        "A new match of Machi Koro for 3 players: four-player box; dice from a secret seed.",
        "ada takes seat 1.",
        "The built-in player random takes seat 2.",
    ]


def test_a_branch_is_told_from_where_it_begins(ada: Account, board: str) -> None:
    version = ada.state(board)["version"]
    body = {"from_version": version, "dice": "fresh"}
    branch = ada.post(f"/v1/matches/{board}/branches", body).json["match_id"]
    ada.command(branch, {"type": "pass"})

    assert texts(ada.get(log(branch))) == [
        f"A new match of Machi Koro for 2 players: four-player box; continues match {board} after event "
        f"{version}; dice from a secret seed.",
        "ada takes seat 0.",
        "ada takes seat 1.",
        "The match continues in turn 2: ada (seat 1) plays; dice: 1; coins: ada (seat 0) 1, ada (seat 1) 4.",
        "ada (seat 1) builds nothing.",
        "ada (seat 1) ends turn 2.",
        "Turn 3 begins: ada (seat 0) plays.",
    ]


@pytest.mark.parametrize("accept", ["application/json", "text/plain"])
def test_a_match_whose_events_cannot_be_read_is_not_told_in_part(
    ada: Account, events_server: Server, board: str, accept: str
) -> None:
    with redis.Redis.from_url(events_server.admin_url) as admin:
        (first, _), *_ = admin.xrange(keys.match(board), count=1)
        admin.xdel(keys.match(board), first)
    answer = ada.get(log(board), {"Accept": accept})

    assert (answer.status_code, answer.json["code"]) == (500, "stream_corrupt")


@pytest.mark.parametrize("language", LANGUAGES)
def test_there_is_a_sentence_for_everything_that_the_document_names(language: str) -> None:
    sentences = TELLINGS[language].sentences
    parts = TELLINGS[language].parts
    asked = {"reroll", "add_two", "take_coins", "swap", "give"}
    reasons = [{f"match_finished:{one}", f"match_aborted:{one}"} for one in declared(names.EndReason).names]

    assert [reason for reason in reasons if not reason & sentences.keys()] == []
    assert {f"clock_expired:{policy}" for policy in declared(names.TimeoutPolicy).names} <= sentences.keys()
    assert {f"clock:{policy}" for policy in declared(names.TimeoutPolicy).names} <= parts.keys()
    assert {f"dice:{mode}" for mode in declared(names.DiceMode).names} <= parts.keys()
    assert {f"box:{box}" for box in declared(names.Box).names} <= parts.keys()
    assert {f"turn_started:{phase}" for phase in declared(names.PositionPhase).names} <= sentences.keys()
    assert {
        f"choice_requested:{phase}" for phase in asked & {*declared(names.Phase).names}
    } <= sentences.keys()
    assert {f"seat_taken:{kind}" for kind in {*declared(names.SeatKind).names} - {"open"}} <= sentences.keys()
