"""Events as CloudEvents: by `Accept`, page by page and one by one."""

import json
from datetime import datetime
from typing import Any

import pytest

from tests.service.contract import Account

BATCH = "application/cloudevents-batch+json"
SINGLE = "application/cloudevents+json"
ROLL = {"type": "roll_dice", "dice": 1}


@pytest.fixture
def match_id(ada: Account) -> str:
    """A match with a few events."""
    found = str(ada.create()["match_id"])
    ada.command(found, ROLL)
    return found


def test_a_page_is_a_batch_of_cloud_events(ada: Account, match_id: str) -> None:
    path = f"/v1/matches/{match_id}/events"
    plain, answer = ada.get(path), ada.get(path, {"Accept": BATCH})
    assert (answer.status_code, answer.mimetype) == (200, BATCH)
    batch: list[dict[str, Any]] = json.loads(answer.text)
    assert [one["data"] for one in batch] == plain.json["items"]
    assert answer.headers["Match-Head"] == plain.headers["Match-Head"]
    for one in batch:
        event = one.pop("data")
        assert one == {
            "specversion": "1.0",
            "id": f"{match_id}/{event['sequence']}",
            "source": "/v1/matches",
            "type": f"machi_koro.match.{event['type']}",
            "subject": match_id,
            "time": event["time"],
            "datacontenttype": "application/json",
        }
        assert datetime.fromisoformat(one["time"]).tzinfo is not None
    assert len({one["id"] for one in batch}) == len(batch)


def test_batches_have_limits_and_links_as_pages_have(ada: Account, match_id: str) -> None:
    answer = ada.get(f"/v1/matches/{match_id}/events?limit=2", {"Accept": BATCH})
    assert len(json.loads(answer.text)) == 2
    assert answer.headers["Link"] == f'</v1/matches/{match_id}/events?limit=2&after=2>; rel="next"'
    assert ada.get(f"/v1/matches/{match_id}/events?types=dice_rolled&wait=1", {"Accept": BATCH}).text.count(
        "machi_koro.match.dice_rolled"
    )
    refused = ada.get(f"/v1/matches/{match_id}/events?follow=true", {"Accept": BATCH})
    assert (refused.status_code, refused.json["code"]) == (400, "invalid_parameter")


def test_one_event_is_one_cloud_event_with_an_entity_tag_of_its_own(ada: Account, match_id: str) -> None:
    path = f"/v1/matches/{match_id}/events/1"
    plain, cloud = ada.get(path), ada.get(path, {"Accept": SINGLE})
    assert (cloud.mimetype, cloud.json["data"]) == (SINGLE, plain.json)
    assert cloud.headers["ETag"] != plain.headers["ETag"]
    for answer in (plain, cloud):
        assert "Accept" in answer.headers["Vary"]
    again = ada.get(path, {"Accept": SINGLE, "If-None-Match": cloud.headers["ETag"]})
    assert again.status_code == 304
    assert ada.get(path, {"Accept": SINGLE, "If-None-Match": plain.headers["ETag"]}).status_code == 200


def test_who_accepts_anything_gets_plain_json(ada: Account, match_id: str) -> None:
    for accept in ("*/*", "application/json", "application/*"):
        answer = ada.get(f"/v1/matches/{match_id}/events", {"Accept": accept})
        assert answer.mimetype == "application/json"
