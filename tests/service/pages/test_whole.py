"""Pages of the whole service: what needs workers, and what another site may show of it."""

from time import time_ns
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from tests.service.pages.rig import whole
from tests.service.served import wait_until

pytestmark = whole
STRATEGIES = [{"kind": "strategy", "strategy": "greedy"}, {"kind": "strategy", "strategy": "random"}]


@pytest.fixture
def match_id(page: Page) -> str:
    """A match of built-in players that has just begun."""
    account = page.request.post("/v1/accounts", data={"handle": f"ada_{time_ns()}"}).json()
    created = page.request.post(
        "/v1/matches",
        headers={"Authorization": f"Bearer {account['token']}"},
        data={"ruleset": "base", "seats": STRATEGIES},
    )
    assert created.ok, created.text()
    return str(created.json()["match_id"])


def test_built_in_players_move_while_somebody_watches(page: Page, match_id: str) -> None:
    page.goto(f"/matches/{match_id}")
    expect(page.locator("main")).not_to_be_empty()
    ended = f"/v1/matches/{match_id}/events?types=match_finished&wait=25"
    wait_until(lambda: page.request.get(ended).json()["items"])


@pytest.mark.long
def test_a_site_that_is_named_shows_an_embedded_table_and_no_other_page(
    page: Page, match_id: str, base_url: str, blog: str, tolerated: list[str]
) -> None:
    tolerated += [blog, "frame-ancestors"]
    framed = f"<iframe src='{base_url}/embed/matches/{match_id}'></iframe><iframe src='{base_url}/'></iframe>"
    page.goto(f"{blog}/?{quote(framed)}")
    embedded, home = page.frame_locator("iframe >> nth=0"), page.frame_locator("iframe >> nth=1")
    expect(embedded.locator("main")).not_to_be_empty()
    expect(home.locator("main")).to_have_count(0)
