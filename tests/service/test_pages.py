"""The pages; in a real browser, the reference is whole, needs no other host, and keeps no token."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml
from flask.testing import FlaskClient

from tests.service.browser import Page, opened
from tests.service.contract import Account
from tests.service.served import ROOT, Served

DOCUMENT: dict[str, Any] = yaml.load((ROOT / "openapi.yaml").read_text(), yaml.CSafeLoader)
OPERATIONS = [
    operation
    for item in DOCUMENT["paths"].values()
    for name, operation in item.items()
    if name != "parameters"
]

TEXTS = "[...document.querySelectorAll({selector})].map(found => found.textContent.trim())"
KEPT = """(async () => JSON.stringify([
    {...localStorage}, {...sessionStorage}, document.cookie, location.href,
    await indexedDB.databases(), await caches.keys()]))()"""


@pytest.fixture
def page(web: Served, tmp_path: Path) -> Iterator[Page]:
    """A page of a browser that has to be content in the end, and has asked nobody but us."""
    with opened(tmp_path) as found:
        yield found
        assert found.complaints == []
        assert {urlsplit(url).netloc for url in found.requests if not url.startswith("data:")} == {
            f"127.0.0.1:{web.port}"
        }


def texts(page: Page, selector: str) -> list[str]:
    """The texts of all elements that fit."""
    found: list[str] = page.value(TEXTS.format(selector=json.dumps(selector)))
    return found


def test_the_reference_shows_every_operation_in_the_order_of_its_tags(web: Served, page: Page) -> None:
    page.open(f"http://127.0.0.1:{web.port}/docs")
    page.wait_for(f"document.querySelectorAll('.opblock').length >= {len(OPERATIONS)}")
    assert texts(page, ".info h1")[0].startswith(DOCUMENT["info"]["title"])
    assert texts(page, ".opblock-tag small") == [tag["description"] for tag in DOCUMENT["tags"]]
    shown = [text.replace("\u200b", "") for text in texts(page, ".opblock-summary-description")]
    assert sorted(shown) == sorted(operation["summary"] for operation in OPERATIONS)


def test_an_operation_can_be_tried_out_and_the_token_is_kept_nowhere(
    web: Served, page: Page, ada: Account
) -> None:
    page.open(f"http://127.0.0.1:{web.port}/docs")
    page.click(".btn.authorize")
    page.type(".auth-container input", ada.token)
    page.click(".auth-btn-wrapper .authorize")
    page.click(".auth-btn-wrapper .btn-done")
    page.click("#operations-accounts-show_me .opblock-summary-control")
    page.click("#operations-accounts-show_me .try-out__btn")
    page.click("#operations-accounts-show_me .execute")
    page.wait_for("!!document.querySelector('.live-responses-table .response-col_status')")
    [shown] = texts(page, ".live-responses-table tbody")
    assert '"handle": "ada"' in shown
    assert ada.token not in page.value(KEPT)


def test_a_command_is_tried_out_without_the_examples_of_headers(web: Served, page: Page) -> None:
    """`If-Match: "42"` would have every command refused, and a key of an example would have it done once."""
    page.open(f"http://127.0.0.1:{web.port}/docs")
    operation = "#operations-commands-post_command"
    page.click(f"{operation} .opblock-summary-control")
    page.click(f"{operation} .try-out__btn")
    inputs = f"{operation} tr[data-param-in=header] input"
    page.wait_for(f"document.querySelectorAll('{inputs}').length == 2")
    assert page.value(f"[...document.querySelectorAll('{inputs}')].map(found => found.value)") == ["", ""]


def test_the_first_page_leads_to_the_reference(web: Served, page: Page) -> None:
    page.open(f"http://127.0.0.1:{web.port}/")
    page.click("nav a")
    page.wait_for("location.pathname == '/docs' && document.querySelectorAll('.opblock').length > 0")


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
