"""The pages; in a real browser, the reference is whole, needs no other host, and keeps no token."""

import os
import re
import shutil
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from flask.testing import FlaskClient
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from tests.service.contract import Account
from tests.service.served import Served
from tests.service.written_document import operations, written_document

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
"""By their names on the PATH. Playwright's own is not asked for: it comes from no package registry."""
DEADLINE_MS = 180_000

KEPT = """(async () => JSON.stringify([
    {...localStorage}, {...sessionStorage}, document.cookie, location.href,
    await indexedDB.databases(), await caches.keys()]))()"""


def browser_or_skip() -> str:
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip(
            f"no browser on the PATH, neither {' nor '.join(BROWSERS)}; Debian: apt-get install chromium"
        )
    return found


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    expect.set_options(timeout=DEADLINE_MS)
    home = {**os.environ, "HOME": str(tmp_path_factory.mktemp("home"))}
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=browser_or_skip(), env=home) as browser,
    ):
        yield browser


class Visit:
    """A page without a history; nothing on it may fail, and it may ask nobody but us."""

    def __init__(self, page: Page, host: str) -> None:
        self.page = page
        self._host = host
        self._complaints: list[str] = []
        self._asked: list[str] = []
        page.set_default_timeout(DEADLINE_MS)
        page.on("console", self._note)
        page.on("pageerror", lambda error: self._complaints.append(str(error)))
        page.on("request", lambda request: self._asked.append(request.url))

    def _note(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self._complaints.append(message.text)

    def assert_good(self) -> None:
        assert self._complaints == []
        assert {urlsplit(url).netloc for url in self._asked if not url.startswith("data:")} == {self._host}


@pytest.fixture(scope="module")
def visit(web: Served, browser: Browser) -> Iterator[Visit]:
    """A visit to the reference by way of the first page: one for all tests, for it takes long to draw."""
    host = f"127.0.0.1:{web.port}"
    with browser.new_context(base_url=f"http://{host}") as context:
        visit = Visit(context.new_page(), host)
        visit.page.goto("/")
        visit.page.click("nav a >> nth=0")
        yield visit


@pytest.fixture
def page(visit: Visit) -> Iterator[Page]:
    """The reference; what a test opens there stays open, so each opens an operation of its own."""
    yield visit.page
    visit.assert_good()


def test_the_first_page_leads_to_the_reference(page: Page) -> None:
    expect(page).to_have_url(re.compile(r"/docs(#.*)?$"))  # with the operation that a test has opened
    expect(page.locator(".opblock").first).to_be_visible()


def test_the_reference_shows_every_operation_in_the_order_of_its_tags(page: Page) -> None:
    document = written_document()
    summaries = [document["paths"][path][method]["summary"] for path, method in operations()]
    expect(page.locator(".opblock")).to_have_count(len(summaries))
    expect(page.locator(".info h1")).to_contain_text(document["info"]["title"])
    expect(page.locator(".opblock-tag small")).to_have_text([tag["description"] for tag in document["tags"]])
    shown = page.locator(".opblock-summary-description").all_text_contents()
    told = [text.replace("\u200b", "").strip() for text in shown]
    assert sorted(told) == sorted(summaries)


def test_an_operation_can_be_tried_out_and_the_token_is_kept_nowhere(page: Page, ada: Account) -> None:
    page.click(".btn.authorize")
    page.fill(".auth-container input", ada.token)
    page.click(".auth-btn-wrapper .authorize")
    page.click(".auth-btn-wrapper .btn-done")
    page.click("#operations-accounts-show_me .opblock-summary-control")
    page.click("#operations-accounts-show_me .try-out__btn")
    page.click("#operations-accounts-show_me .execute")
    expect(page.locator(".live-responses-table tbody")).to_contain_text('"handle": "ada"')
    assert ada.token not in page.evaluate(KEPT)


def test_a_command_is_tried_out_without_the_examples_of_headers(page: Page) -> None:
    """`If-Match: "42"` would have every command refused, and a key of an example would have it done once."""
    operation = "#operations-commands-post_command"
    page.click(f"{operation} .opblock-summary-control")
    page.click(f"{operation} .try-out__btn")
    inputs = page.locator(f"{operation} tr[data-param-in=header] input")
    expect(inputs).to_have_count(2)
    assert [one.input_value() for one in inputs.all()] == ["", ""]


@pytest.mark.parametrize("path", ["/", "/docs", "/docs/"])
def test_a_page_allows_what_it_needs_and_nothing_inline_but_styles(client: FlaskClient, path: str) -> None:
    answer = client.get(path)
    policies = answer.headers.getlist("Content-Security-Policy")
    assert (answer.mimetype, len(policies)) == ("text/html", 1)
    policy = dict(part.split(" ", 1) for part in policies[0].split("; "))
    assert (policy["default-src"], policy["frame-ancestors"]) == ("'none'", "'none'")
    assert "'unsafe-inline'" not in policy.get("script-src", "")
    assert set(policy.values()) <= {"'none'", "'self'", "'self' data:", "'self' 'unsafe-inline'"}
    assert "<style" not in answer.text
    assert " style=" not in answer.text
    assert "<script>" not in answer.text
    assert "://" not in answer.text


@pytest.mark.parametrize(
    ("name", "media_type"),
    [
        ("swagger-ui-bundle.js", "text/javascript"),
        ("swagger-ui.css", "text/css"),
        ("docs.js", "text/javascript"),
        ("page.css", "text/css"),
        ("icon.svg", "image/svg+xml"),
    ],
)
def test_a_file_of_the_pages_is_what_it_says_and_is_sent_once(
    client: FlaskClient, name: str, media_type: str
) -> None:
    answer = client.get(f"/docs/{name}")
    assert answer.mimetype == media_type
    assert answer.data
    assert "max-age" in answer.headers["Cache-Control"]
    again = client.get(f"/docs/{name}", headers={"If-None-Match": answer.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")


@pytest.mark.parametrize(
    "name",
    [
        "docs.html",
        "index.css",
        "LICENSE",
        "..",
        "../pages.py",
        "%2e%2e/pages.py",
        "swagger-ui.js",
        "/page.css",
    ],
)
def test_there_are_no_other_files(client: FlaskClient, name: str) -> None:
    answer = client.get(f"/docs/{name}")
    assert (answer.status_code, answer.json["code"]) == (404, "not_found")
