"""Pages that are kept from test to test: opening one takes more of the processor than most tests take."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Final

import pytest
from playwright.sync_api import Browser, Error, Page, ViewportSize

from tests.service.pages.rig import DEADLINE_MS, PHONE

REPORT_VIOLATIONS: Final = """addEventListener("securitypolicyviolation", (event) =>
    console.error(`${event.violatedDirective} forbids ${event.blockedURI} at ${event.sourceFile}`))"""
MOST: Final = 4
"""Of pages at a time: each is a process with its memory."""
STILL: Final = "/healthz"
"""Nothing goes on there. For a page of another site the browser would begin a new process."""


class KeptPages:
    """Pages by what cannot be changed about them: the service, the kind of screen, and the language."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._kept: dict[tuple[str, bool, str], Page] = {}

    @contextmanager
    def new(self, base_url: str, screen: ViewportSize, locale: str) -> Iterator[Page]:
        """A page that is not kept, in a window that has loaded nothing yet."""
        page = self._opened(base_url, screen, locale)
        yield page
        page.context.close()

    @contextmanager
    def taken(self, base_url: str, screen: ViewportSize, locale: str) -> Iterator[Page]:
        """A page that remembers nothing; what it is told to do at each start ends with the test."""
        key = (base_url, screen == PHONE, locale)
        page = self._kept.pop(key, None) or self._opened(base_url, screen, locale)
        page.set_viewport_size(screen)
        with ExitStack() as scripts, pytest.MonkeyPatch.context() as patch:
            add = page.add_init_script
            patch.setattr(page, "add_init_script", lambda script: scripts.enter_context(add(script)))
            yield page
        if not self._is_forgotten(page, base_url):
            page.context.close()
            return
        self._kept[key] = page
        if len(self._kept) > MOST:
            self._kept.pop(next(iter(self._kept))).context.close()

    def _opened(self, base_url: str, screen: ViewportSize, locale: str) -> Page:
        is_phone = screen == PHONE
        context = self._browser.new_context(
            base_url=base_url, viewport=screen, is_mobile=is_phone, has_touch=is_phone, locale=locale
        )
        context.add_init_script(REPORT_VIOLATIONS)
        page = context.new_page()
        page.set_default_timeout(DEADLINE_MS)
        return page

    def _is_forgotten(self, page: Page, base_url: str) -> bool:
        """False where the page went on loading what its test had it load, and so would not leave."""
        page.unroute_all(behavior="ignoreErrors")
        try:
            page.goto(STILL)
        except Error:
            return False
        page.evaluate("sessionStorage.clear()")
        page.context.clear_permissions()
        session = page.context.new_cdp_session(page)
        session.send("Storage.clearDataForOrigin", {"origin": base_url, "storageTypes": "all"})
        session.send("Page.resetNavigationHistory")
        session.detach()
        return True
