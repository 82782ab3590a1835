"""Whoever clicks twice wants something once, however slow the line is."""

import re

from playwright.sync_api import Page, Route, expect

from tests.service.contract import Account
from tests.service.pages.seats import sign_in_as

TABLE = re.compile(r"^http://[^/]+/matches/")


def test_a_second_click_begins_no_second_match(page: Page) -> None:
    posts: list[Route] = []
    visits: list[Route] = []
    page.route("**/v1/matches", lambda route: posts.append(route))
    page.route(TABLE, lambda route: visits.append(route))
    page.goto("/new")
    start = page.get_by_role("button", name="Start")
    with page.expect_request("**/v1/matches"):
        start.click()
    start.click()
    box = start.bounding_box()
    assert box
    with page.expect_request(TABLE):
        posts[0].continue_()
    page.mouse.click(box["x"] + 5, box["y"] + 5)
    visits[0].continue_()
    page.wait_for_url(TABLE)
    assert len(posts) == 1


def test_a_second_click_takes_no_second_seat(page: Page, ada: Account, bob: Account) -> None:
    match_id = ada.create(seats=[{"kind": "me"}, {"kind": "open"}, {"kind": "open"}])["match_id"]
    posts: list[Route] = []
    page.route(f"**/v1/matches/{match_id}/seats", lambda route: posts.append(route))
    sign_in_as(page, bob)
    page.goto(f"/matches/{match_id}")
    join = page.get_by_role("button", name="Take a seat")
    with page.expect_request("**/seats"):
        join.click()
    join.click()
    posts[0].continue_()
    expect(join).to_have_count(0)
    assert len(posts) == 1


def test_the_second_half_of_a_double_click_deletes_no_other_token(page: Page, ada: Account) -> None:
    for name in ("first", "second"):
        assert ada.post("/v1/me/tokens", {"name": name, "scopes": ["play"]}).status_code == 201
    sign_in_as(page, ada)
    page.goto("/account")
    delete = page.locator("table.tokens").get_by_role("button")
    expect(delete).to_have_count(2)
    delete.first.scroll_into_view_if_needed()
    box = delete.first.bounding_box()
    assert box
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if request.method == "DELETE" else None)
    page.mouse.click(box["x"] + 5, box["y"] + 5)
    expect(delete).to_have_count(1)
    page.mouse.down(click_count=2)
    page.mouse.up(click_count=2)
    page.get_by_role("link", name="Machi Koro").first.click()
    assert len(asked) == 1
