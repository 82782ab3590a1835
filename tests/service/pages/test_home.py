"""The home page."""

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
