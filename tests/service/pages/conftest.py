"""A browser, and pages in it that have to be content in the end.

The marks in `tests.service.pages.rig` choose a small screen, a scheme, a language, and the whole service.
"""

import os
import shutil
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, ViewportSize, expect, sync_playwright

from tests.e2e.stack import Stack, running
from tests.service.pages.rig import DEADLINE_MS, DESK, PHONE
from tests.service.served import Served

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
"""By their names on the PATH. Playwright's own is not asked for: it comes from no package registry."""

REPORT_VIOLATIONS = """addEventListener("securitypolicyviolation", (event) =>
    console.error(`${event.violatedDirective} forbids ${event.blockedURI} at ${event.sourceFile}`))"""


def browser_or_skip() -> str:
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip(
            f"no browser on the PATH, neither {' nor '.join(BROWSERS)}; Debian: apt-get install chromium"
        )
    return found


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    expect.set_options(timeout=DEADLINE_MS)
    home = {**os.environ, "HOME": str(tmp_path_factory.mktemp("home"))}
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=browser_or_skip(), env=home) as browser,
    ):
        yield browser


class _Echo(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(unquote(urlsplit(self.path).query).encode())

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture(scope="session")
def blog() -> Iterator[str]:
    """The origin of another site, whose pages are what is in their query."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Echo) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="session")
def whole_service(blog: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """The service with relay and workers, for pages on which built-in players move; shared by all tests.

    The other site may show its embedded tables.
    """
    with running(tmp_path_factory.mktemp("whole service") / "var", EMBED_ORIGINS=blog) as stack:
        yield stack


@pytest.fixture
def service() -> str:
    """`web`: without workers, quick to start; `whole`: with them."""
    return "web"


@pytest.fixture
def base_url(service: str, request: pytest.FixtureRequest) -> str:
    served: Served | Stack = request.getfixturevalue("whole_service" if service == "whole" else "web")
    return f"http://127.0.0.1:{served.port}"


@pytest.fixture
def screen() -> ViewportSize:
    return DESK


@pytest.fixture
def colours() -> str:
    return "light"


@pytest.fixture
def locale() -> str:
    return "en"


@pytest.fixture
def tolerated() -> list[str]:
    """Parts of complaints that a test brings about: it adds them."""
    return []


@pytest.fixture
def page(
    browser: Browser, base_url: str, screen: ViewportSize, colours: str, locale: str, tolerated: list[str]
) -> Iterator[Page]:
    """A page without a history. In the end, nothing was logged as an error, and nobody but us was asked."""
    complaints: list[str] = []

    def note(message: ConsoleMessage) -> None:
        if message.type == "error":
            complaints.append(f"{message.text} {message.location.get('url', '')}")

    def note_host(url: str) -> None:
        if not url.startswith((f"{base_url}/", "data:", "blob:")):
            complaints.append(f"asked another host: {url}")

    with browser.new_context(
        base_url=base_url,
        viewport=screen,
        is_mobile=screen == PHONE,
        has_touch=screen == PHONE,
        color_scheme="dark" if colours == "dark" else "light",
        locale=locale,
    ) as context:
        context.add_init_script(REPORT_VIOLATIONS)
        page = context.new_page()
        page.set_default_timeout(DEADLINE_MS)
        page.on("console", note)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: note_host(request.url))
        yield page
    assert [text for text in complaints if not any(part in text for part in tolerated)] == []
