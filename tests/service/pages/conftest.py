"""A browser, and pages in it that have to be content in the end.

The marks in `tests.service.pages.rig` choose a small screen, a scheme, a language, and the whole service.
"""

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Error,
    Page,
    Request,
    ViewportSize,
    expect,
    sync_playwright,
)

from tests.e2e.stack import Stack
from tests.service.pages.kept import KeptPages
from tests.service.pages.rig import DEADLINE_MS, DESK
from tests.service.served import Served

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""By their names on the PATH. Without the parts that draw windows, Chromium opens a page for 40 % less of the
processor. Playwright's own is not asked for: it comes from no package registry."""

LEFT_OUT = (
    # Pages of Chromium itself in each new window, which cost it more than twice as much as ours.
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxFullPopup",
    # What Playwright leaves out and a page could notice; Chromium goes by the last list alone.
    "AimEnabled",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "HttpsFirstBalancedModeAutoEnable",
    "HttpsUpgrades",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
    "ThirdPartyStoragePartitioning",
)
"""Features of Chromium; it ignores names that it does not know."""
PLAINLY_DRAWN = ("--disable-gpu", "--disable-software-rasterizer")
"""Without a graphics card, Chromium would imitate one, which takes a sixth more of the processor."""


def browser_or_skip() -> str:
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        names = " nor ".join(BROWSERS)
        pytest.skip(f"no browser on the PATH, neither {names}; Debian: apt-get install {BROWSERS[0]}")
    return found


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    expect.set_options(timeout=DEADLINE_MS)
    home = {**os.environ, "HOME": str(tmp_path_factory.mktemp("home"))}
    left_out = f"--disable-features={','.join(LEFT_OUT)}"
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(
            executable_path=browser_or_skip(), env=home, args=[left_out, *PLAINLY_DRAWN]
        ) as browser,
    ):
        yield browser


@pytest.fixture
def service() -> str:
    """`web`: without workers, quick to start; `whole`: with them."""
    return "web"


@pytest.fixture
def base_url(service: str, request: pytest.FixtureRequest) -> str:
    served: Served | Stack = request.getfixturevalue("shared_stack" if service == "whole" else "web")
    if service == "web":
        for redis in ("events_redis", "queue_redis"):  # a test before may have killed or changed one
            request.getfixturevalue(redis)
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
def is_new() -> bool:
    """Whether the page is in a window of its own, which has loaded nothing yet."""
    return False


@pytest.fixture
def is_calm() -> bool:
    """Whether the visitor wants nothing to move: each frame that is drawn costs, where nobody looks at it."""
    return True


@pytest.fixture(scope="session")
def kept_pages(browser: Browser) -> KeptPages:
    return KeptPages(browser)


@pytest.fixture
def page(
    kept_pages: KeptPages,
    base_url: str,
    screen: ViewportSize,
    colours: str,
    locale: str,
    is_new: bool,
    is_calm: bool,
    tolerated: list[str],
) -> Iterator[Page]:
    """A page without a history. In the end, nothing was logged as an error, and nobody but us was asked."""
    complaints: list[str] = []

    def note(message: ConsoleMessage) -> None:
        if message.type == "error":
            complaints.append(f"{message.text} {message.location.get('url', '')}")

    def note_error(error: Error) -> None:
        complaints.append(str(error))

    def note_host(request: Request) -> None:
        if not request.url.startswith((f"{base_url}/", "data:", "blob:")):
            complaints.append(f"asked another host: {request.url}")

    watched = {"console": note, "pageerror": note_error, "request": note_host}
    take = kept_pages.new if is_new else kept_pages.taken
    with take(base_url, screen, locale) as page:
        page.emulate_media(
            color_scheme="dark" if colours == "dark" else "light",
            reduced_motion="reduce" if is_calm else "no-preference",
        )
        for event, listen in watched.items():
            page.on(event, listen)
        yield page
        for event, listen in watched.items():
            page.remove_listener(event, listen)
    assert [text for text in complaints if not any(part in text for part in tolerated)] == []
