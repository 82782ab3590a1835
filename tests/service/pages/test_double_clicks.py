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
