"""The inbox over the API: pages, long polls and streams, each from any sequence on."""

import json
import threading
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.service.contract import Account
from tests.service.ladder_kit import Operated, finish_blocks, finish_round
from tests.service.notified import Messenger
from tests.service.open_streams import LINES, SSE, Stream
from tests.service.polls import LONG_S
from tests.service.served import ACCOUNT_STREAMS, Served, wait_until

INBOX = "/v1/me/events"


def items(account: Account, query: str = "") -> list[dict[str, Any]]:
    answer = account.get(f"{INBOX}{query}")
    assert answer.status_code == 200, answer.text
    return list(answer.json["items"])


def refused(account: Account, query: str, **headers: str) -> tuple[int, str]:
    answer = account.get(f"{INBOX}{query}", {name.replace("_", "-"): text for name, text in headers.items()})
    return answer.status_code, answer.json["code"]


def seat(account: Account) -> dict[str, str]:
    return {"kind": "account", "handle": account.handle}


def test_an_inbox_begins_with_the_first_request(ada: Account, messenger: Messenger) -> None:
    ada.create()
    messenger.notify()
    assert items(ada) == []
    second = ada.create()
    messenger.notify()
    (one,) = items(ada)
    assert (one["type"], one["sequence"], one["account_id"]) == ("turn", 1, ada.id)
    assert one["data"] == {
        "match_id": second["match_id"],
        "version": second["version"],
        "match_url": f"/v1/matches/{second['match_id']}",
    }


def test_turns_ends_and_invitations_of_an_account_are_in_its_inbox(
    ada: Account, bob: Account, messenger: Messenger
) -> None:
    items(bob)
    bob.patch("/v1/me", {"seating": "allowed"})
    match_id = ada.create(seats=[{"kind": "me"}, seat(bob)], first_seat=1)["match_id"]
    assert bob.post(f"/v1/me/invitations/{match_id}/accept").status_code == 201
    assert ada.command(match_id, {"type": "resign"}).status_code == 201
    messenger.notify()
    assert [one["type"] for one in items(bob)] == ["invited", "turn", "match_finished"]
    assert [one["type"] for one in items(bob, "?types=invited,match_finished")] == [
        "invited",
        "match_finished",
    ]


def test_the_addresses_of_a_finished_round_lead_to_it_without_a_token(
    ada: Account, app: Flask, client: FlaskClient, messenger: Messenger
) -> None:
    ladder = Operated(ada)
    for name in ("greedy", "random"):
        ladder.enter(name)
    items(ada)
    opened = ladder.open_round(1).json
    finish_blocks(app, ladder.id)
    finish_round(app, ladder.id)
    messenger.notify()
    (news,) = [one["data"] for one in items(ada, "?types=ladder_round_finished")]
    shown, job = client.get(news["ladder_url"]), client.get(news["round_url"])
    assert (shown.status_code, shown.json["ladder_id"]) == (200, ladder.id)
    assert (job.status_code, job.json["job_id"], job.json["round"]) == (200, opened["job_id"], news["round"])
    assert client.get(job.json["result"]).status_code == 200


def test_pages_follow_each_other(ada: Account, messenger: Messenger) -> None:
    items(ada)
    for _ in range(5):
        ada.create()
    messenger.notify()
    first = ada.get(f"{INBOX}?limit=2").json
    assert ([one["sequence"] for one in first["items"]], first["next"]) == ([1, 2], "2")
    rest = ada.get(f"{INBOX}?after=2").json
    assert ([one["sequence"] for one in rest["items"]], rest["next"]) == ([3, 4, 5], None)


def test_a_poll_waits_for_the_next_notification(ada: Account, messenger: Messenger) -> None:
    items(ada)
    found: list[Any] = []
    poll = threading.Thread(target=lambda: found.extend(items(ada, f"?wait={LONG_S}")))
    poll.start()
    wait_until(lambda: messenger.services.watcher._subscriptions)
    ada.create()
    messenger.notify()
    poll.join(LONG_S)
    assert [one["type"] for one in found] == ["turn"]


@pytest.mark.parametrize(
    ("query", "headers", "code"),
    [
        ("?after=1", {}, "cursor_ahead"),
        ("?types=dice_rolled", {}, "invalid_parameter"),
        ("?follow=true", {}, "invalid_parameter"),
        ("?limit=5", {"Accept": SSE}, "invalid_parameter"),
        ("", {"Accept": SSE, "Last_Event_ID": "1"}, "cursor_ahead"),
        ("", {"Accept": LINES, "Last_Event_ID": "x"}, "invalid_parameter"),
    ],
)
def test_requests_that_cannot_be_met_are_refused(
    ada: Account, query: str, headers: dict[str, str], code: str
) -> None:
    assert refused(ada, query, **headers) == (400, code)


def opened(web: Served, account: Account, query: str = "", **headers: str) -> Stream:
    return Stream(web, "", query, INBOX, Authorization=f"Bearer {account.token}", **headers)


def test_each_notification_arrives_as_it_happens_and_a_cut_stream_is_resumed(
    web: Served, app: Flask, ada: Account, messenger: Messenger
) -> None:
    with opened(web, ada, Accept=SSE) as stream:
        assert stream.response.headers["Content-Type"] == "text/event-stream; charset=utf-8"
        blocks = stream.blocks()
        assert next(blocks) == {"retry": "2000"}
        ada.create()
        messenger.notify()
        first = next(blocks)
    for _ in range(2):
        ada.create()
        messenger.notify()
    with opened(web, ada, Accept=SSE, Last_Event_ID=first["id"]) as stream:
        blocks = stream.blocks()
        next(blocks)
        assert [next(blocks)["id"] for _ in range(2)] == ["2", "3"]
        ada.create()
        messenger.notify()
        block = next(blocks)
    assert (first["id"], block["id"]) == ("1", "4")
    assert json.loads(block["data"]) == items(ada)[3]


def test_lines_are_those_of_the_page_and_go_on_if_they_are_followed(
    web: Served, ada: Account, messenger: Messenger
) -> None:
    items(ada)
    ada.create()
    messenger.notify()
    with opened(web, ada, Accept=LINES) as stream:
        assert list(stream.lines()) == items(ada)
    with opened(web, ada, "?follow=true&after=1", Accept=LINES) as stream:
        ada.create()
        messenger.notify()
        assert next(stream.lines())["sequence"] == 2


def test_streams_of_inboxes_count_among_the_streams_of_the_account(web: Served, ada: Account) -> None:
    streams = [opened(web, ada, Accept=SSE) for _ in range(ACCOUNT_STREAMS)]
    try:
        with opened(web, ada, Accept=SSE) as one_more:
            assert one_more.status == 429
    finally:
        for stream in streams:
            stream.__exit__()


@pytest.mark.long
def test_a_stream_ends_with_its_token(web: Served, ada: Account) -> None:
    made = ada.post("/v1/me/tokens", {"name": "bot", "scopes": ["play"]}).json
    with Stream(web, "", "", INBOX, Authorization=f"Bearer {made['token']}", Accept=SSE) as stream:
        assert next(stream.blocks()) == {"retry": "2000"}
        ada.delete(f"/v1/me/tokens/{made['token_id']}")
        with pytest.raises(Exception, match=r"IncompleteRead|Connection"):
            stream.response.read()
