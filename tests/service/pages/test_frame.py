"""What holds for every page, in a real browser: it opens, in every language and scheme, for everybody."""

import json
from pathlib import Path
from time import time_ns

import pytest
from flask.testing import FlaskClient
from playwright.sync_api import Page, expect

from service.pages.assets import FOLDER
from tests.service.pages.rig import (
    PHONE,
    accessibility_faults,
    anew,
    aria,
    cut_off,
    dark,
    enlarge,
    in_every_language,
    overflowing,
    phone,
    shoot,
)
from tests.service.pages.seats import keep_account

MATCH = "mat_00000000000000000000000000"
PATHS = {
    "home": "/",
    "new": "/new",
    "table": f"/matches/{MATCH}",
    "embedded": f"/embed/matches/{MATCH}",
    "review": f"/matches/{MATCH}/review",
    "verify": "/verify",
    "verify-match": f"/matches/{MATCH}/verify",
    "ladders": "/ladders",
    "ladder": "/ladders/lad_00000000000000000000000000",
    "ratings": "/ratings",
    "account": "/account",
    "docs": "/docs",
    "guide": "/docs/guides/readme",
    "missing": "/nothing/here",
}
NOT_THERE = "status of 404"
in_every_page = pytest.mark.parametrize("path", PATHS.values(), ids=PATHS.keys())


def shown(page: Page, path: str) -> Page:
    """The page as soon as its script has begun and its requests have been answered."""
    page.goto(path)
    page.locator("main").wait_for(state="attached")
    page.wait_for_load_state("networkidle")
    return page


@pytest.fixture(autouse=True)
def _empty(client: FlaskClient, tolerated: list[str]) -> None:
    """A service without matches and ladders, so that the addresses above name none."""
    tolerated.append(NOT_THERE)


_APART = """(all) => all.filter((label) => {
    const text = document.createRange();
    text.setStartAfter(label.querySelector("input"));
    text.setEndAfter(label.lastChild);
    return text.getBoundingClientRect().left < label.querySelector("input").getBoundingClientRect().right;
}).map((label) => label.textContent)"""


@anew
@in_every_language
@in_every_page
def test_a_page_opens_without_barriers_fits_a_phone_and_asks_for_its_files_at_once(
    page: Page, path: str, locale: str
) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    shown(page, path)
    expect(page.locator("html")).to_have_attribute("lang", locale)
    assert page.title().endswith("Machi Koro")
    # A browser fetches the icon for its tab by itself.
    files = [url for url in asked if "/assets/" in url and not url.endswith("icon.svg")]
    assert len(files) == len(set(files))
    links = page.locator("link[rel=modulepreload]").evaluate_all("(all) => all.map((one) => one.href)")
    assert {url for url in files if url.endswith(".js")} == set(links)
    assert accessibility_faults(page) == []
    assert overflowing(page) == []
    page.set_viewport_size(PHONE)
    assert overflowing(page) == []


@in_every_language
def test_a_page_speaks_the_language_of_the_browser(page: Page, locale: str) -> None:
    page.goto("/new")
    expect(page.locator("html")).to_have_attribute("lang", locale)
    expect(page.locator(".choices select").first).to_have_value(locale)
    games = json.loads((FOLDER / "languages" / f"{locale}.json").read_text())["game"]
    expect(page.locator("fieldset").first.locator("label")).to_have_text(list(games.values()))


@pytest.mark.long
@phone
@dark
@pytest.mark.parametrize("path", ["/", "/new"])
def test_a_page_opens_on_a_phone_in_the_dark(page: Page, path: str) -> None:
    shown(page, path)
    assert overflowing(page) == []
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(21, 24, 29)"


@pytest.mark.long
@phone
@pytest.mark.parametrize("path", ["/", "/new", "/ladders", "/account"])
def test_letters_of_double_size_fit_a_phone(page: Page, path: str) -> None:
    shown(page, path)
    enlarge(page)
    assert (overflowing(page), cut_off(page)) == ([], [])


@pytest.mark.long
@phone
@pytest.mark.parametrize("locale", ["uk"])
def test_on_a_phone_the_text_of_a_choice_stands_beside_its_button(page: Page, locale: str) -> None:
    choices = shown(page, "/new").locator("label:has([type=radio], [type=checkbox])")
    expect(choices).to_have_count(8)
    assert choices.evaluate_all(_APART) == []


@phone
@in_every_language
def test_all_sections_are_in_sight_on_a_phone(page: Page) -> None:
    shown(page, "/new")
    links = page.locator(".site nav a")
    ends = links.evaluate_all("(all) => all.map((one) => one.getBoundingClientRect().right)")
    assert len(ends) == 5
    assert max(ends) <= PHONE["width"]


@phone
def test_a_long_handle_takes_no_row_of_its_own_and_is_told_in_full(page: Page) -> None:
    handle = f"{time_ns():w>32}"
    keep_account(page, page.request.post("/v1/accounts", data={"handle": handle}).json())
    shown(page, "/new")
    links = page.locator(".site nav a")
    expect(links.last).to_have_accessible_name(handle)
    expect(links.last).to_have_attribute("title", handle)
    assert len(set(links.evaluate_all("(all) => all.map((one) => one.getBoundingClientRect().y)"))) == 1
    assert overflowing(page) == []


def test_the_keyboard_skips_to_the_content_and_reaches_every_section(page: Page) -> None:
    shown(page, "/new")
    page.keyboard.press("Tab")
    expect(page.locator("a.skip")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    shown(page, "/new")
    page.keyboard.press("Tab")
    reached = []
    for _ in range(8):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate("document.activeElement.getAttribute('href') ?? document.activeElement.tagName")
        )
    assert reached == ["/", "/new", "/ladders", "/verify", "/docs", "/account", "SELECT", "SELECT"]
    page.locator("nav a[href='/ladders']").press("Enter")
    expect(page).to_have_url("/ladders")
    expect(page.locator("nav a[aria-current=page]")).to_have_attribute("href", "/ladders")


def test_a_screen_reader_finds_the_frame(page: Page) -> None:
    shown(page, "/account")
    frame = aria(page, "header.site")
    assert "navigation" in frame
    for name in ("Ladders", "Verify", "Docs", "Language", "Colours"):
        assert name in frame


@pytest.mark.long
def test_language_and_colours_that_were_chosen_stay(page: Page) -> None:
    shown(page, "/verify")
    page.get_by_label("Language").select_option("uk")
    expect(page.locator("html")).to_have_attribute("lang", "uk")
    page.locator(".choices select").nth(1).select_option("dark")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    shown(page, "/account")
    expect(page.locator("html")).to_have_attribute("lang", "uk")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"
    shown(page, "/account?lang=cs")
    expect(page.locator("html")).to_have_attribute("lang", "cs")


def test_a_language_can_be_chosen_where_the_address_names_a_moment(page: Page) -> None:
    shown(page, "/verify#v=3")
    page.get_by_label("Language").select_option("uk")
    expect(page.locator("html")).to_have_attribute("lang", "uk")
    assert page.url.endswith("/verify#v=3")


def test_an_embedded_table_has_no_frame_of_its_own(page: Page) -> None:
    shown(page, PATHS["embedded"])
    expect(page.locator("header.site")).to_have_count(0)


def test_a_picture_of_a_page_can_be_taken(page: Page, tmp_path: Path) -> None:
    assert shoot(shown(page, "/"), "home", tmp_path).stat().st_size > 1000
