"""The home page, and the form of a new match."""

import re

from playwright.sync_api import Page, expect

PREVIEWS = re.compile(r"/v1/matches\?status=running")


def test_the_home_page_asks_for_news_only_while_somebody_looks(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.clock.install()
    with page.expect_response(PREVIEWS):
        page.goto("/")
    page.wait_for_load_state("networkidle")
    page.evaluate("Object.defineProperty(document, 'hidden', {value: true, configurable: true})")
    before = len(asked)
    page.clock.run_for(60_000)
    assert len(asked) == before
    page.evaluate("delete document.hidden")
    with page.expect_response(PREVIEWS):
        page.clock.run_for(10_000)


def test_a_refused_match_says_why_and_at_which_field(page: Page, tolerated: list[str]) -> None:
    tolerated.append("status of 422")
    page.goto("/new")
    kind = page.locator("form li").nth(1).locator("select").first
    kind.select_option("account")
    handle = page.get_by_label("Handle")
    handle.fill("nobody_of_this_name")
    page.get_by_role("button", name="Start").click()
    refusal = page.get_by_role("alert")
    expect(refusal).to_contain_text("no account has the handle 'nobody_of_this_name'")
    expect(refusal.get_by_role("button")).to_have_count(0)
    expect(handle).to_be_focused()
    expect(handle).to_have_attribute("aria-invalid", "true")
    handle.fill("another")
    expect(handle).not_to_have_attribute("aria-invalid", "true")
    kind.select_option("strategy")
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/matches/mat_*")
