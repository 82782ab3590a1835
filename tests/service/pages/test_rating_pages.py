"""Rated matches in the browser: how one is made, where it is marked, and the board afterwards."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from playwright.sync_api import Page, expect

from tests.service.contract import Account
from tests.service.pages.rig import (
    accessibility_faults,
    in_every_language,
    overflowing,
    phone,
    standings_on_screen,
)
from tests.service.pages.seats import sign_in_as
from tests.service.rated import RATED, compute_ratings, play_rated

BOARD = "/ratings?ruleset=base&seats=2"


@pytest.fixture
def board(app: Flask, ada: Account, sign_up: Callable[[str], Account]) -> Any:
    """The ratings of three people after rated matches."""
    bob, markup = sign_up("bob"), sign_up("a_very_long_handle_of_31_letters")
    for winner, loser in ((ada, bob), (ada, markup), (bob, markup), (ada, bob)):
        play_rated(winner, loser)
    compute_ratings(app)
    return ada.client.get("/v1/ratings?ruleset=base&seats=2").json


def test_the_board_shows_what_the_api_says_after_rated_matches(page: Page, board: Any) -> None:
    page.goto(BOARD)
    rows = page.locator(".standings tbody tr")
    expect(rows).to_have_count(3)
    for row, one in zip(rows.all(), board["items"], strict=True):
        expect(row.get_by_role("rowheader")).to_contain_text(one["handle"])
        rating, wins = (row.locator("td").nth(at).inner_text().split() for at in (2, 3))
        assert int(rating[0]) == pytest.approx(one["rating"], abs=0.5)
        assert wins == [str(one["wins"]), "/", str(one["matches"])]
        expect(row).to_contain_text("provisional")
    expect(page.get_by_text("4 of 4 results counted")).to_be_visible()
    assert accessibility_faults(page) == []


@pytest.mark.long
def test_the_home_page_and_the_own_page_lead_to_the_board(page: Page, board: Any, ada: Account) -> None:
    page.goto("/")
    page.get_by_role("link", name="Player ratings").click()
    page.wait_for_url("**/ratings")
    sign_in_as(page, ada)
    page.goto("/account")
    own = page.locator("section", has_text="Your ratings")
    expect(own).to_contain_text(f"{board['items'][0]['rating']:.0f}")
    own.get_by_role("link", name="Machi Koro, 2 seats").click()
    page.wait_for_url("**/ratings?ruleset=base&seats=2")
    expect(page.locator("tr[aria-current=true]")).to_contain_text("ada")


@pytest.mark.long
@pytest.mark.usefixtures("board")
def test_every_board_can_be_chosen(page: Page) -> None:
    page.goto(BOARD)
    page.get_by_label("Game").select_option("Machi Koro with Harbor")
    expect(page.get_by_text("Nobody has finished a rated match here yet.")).to_be_visible()
    page.get_by_label("Table").select_option("5 seats")
    page.wait_for_url("**/ratings?ruleset=harbor&seats=5")
    page.get_by_label("Game").select_option("Machi Koro")
    expect(page).to_have_url(re.compile("ruleset=base&seats=5"))


@pytest.mark.long
@phone
@in_every_language
@pytest.mark.usefixtures("board")
def test_the_board_fits_a_phone(page: Page) -> None:
    page.goto(BOARD)
    expect(page.locator(".standings tbody tr")).to_have_count(3)
    assert overflowing(page) == []


@pytest.mark.long
def test_a_rated_match_is_made_by_one_click_in_the_form(page: Page, ada: Account) -> None:
    sign_in_as(page, ada)
    page.goto("/new")
    page.get_by_role("button", name="Remove seat 3").click()
    page.get_by_role("checkbox", name="Rated").check()
    expect(page.get_by_label("Time for each decision")).to_have_value("60")
    expect(page.get_by_role("checkbox", name="Everybody sees the chances")).not_to_be_checked()
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/matches/mat_*")
    assert ada.get(f"/v1/matches/{page.url.rpartition('/')[2]}").json["rated"] is True
    expect(page.get_by_text("This match is rated")).to_be_visible()
    assert accessibility_faults(page) == []


@pytest.mark.long
def test_who_is_invited_sees_that_the_match_is_rated_and_so_do_those_who_watch(
    page: Page, ada: Account, bob: Account
) -> None:
    seats = [{"kind": "me"}, {"kind": "account", "handle": "bob"}]
    match_id = ada.post("/v1/matches", {**RATED, "seats": seats}).json["match_id"]
    sign_in_as(page, bob)
    page.goto("/account")
    expect(page.locator("li", has_text="Match of ada")).to_contain_text("rated")
    page.goto(f"/matches/{match_id}")
    expect(page.get_by_text("This match is rated")).to_be_visible()

    assert bob.post(f"/v1/me/invitations/{match_id}/accept").status_code == 201

    expect(page.locator(".task a.rated")).to_have_attribute("href", BOARD)
    page.goto("/")
    expect(page.locator("main")).to_contain_text("rated")


@phone
@in_every_language
@pytest.mark.usefixtures("board")
def test_a_phone_shows_rank_name_and_rating_without_scrolling(page: Page) -> None:
    page.goto(BOARD)
    expect(page.locator(".standings tbody tr")).to_have_count(3)
    assert standings_on_screen(page) == [[0, True]] * 4
