"""The guides as pages: all are there, their links lead somewhere, and everybody can read them."""

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from flask.testing import FlaskClient
from playwright.sync_api import Page, expect

from service.pages.guides import NAMES, SAMPLE_NAMES, render, topics
from tests.marks import long_unless
from tests.service.pages.rig import accessibility_faults, overflowing, phone, shoot
from tests.service.served import ROOT

LINK, ID = re.compile(r'<a href="([^"]*)"'), re.compile(r'<h\d id="([^"]+)"')
SHORT = ("readme",)
"""A guide with all that guides are made of: headings, tables, code, pictures, links."""
in_every_guide = pytest.mark.parametrize("name", NAMES)


def address(name: str) -> str:
    return f"/docs/guides/{name}"


def article(client: FlaskClient, name: str) -> str:
    answer = client.get(address(name))
    assert (answer.status_code, answer.mimetype) == (200, "text/html")
    return answer.text.partition("<article")[2].partition("</article>")[0]


def test_every_guide_of_the_repository_is_a_page_and_the_documentation_leads_to_it(
    client: FlaskClient,
) -> None:
    assert {*NAMES} == {"readme"} | {path.stem for path in (ROOT / "docs").glob("*.md")}
    led_to = {urlsplit(one).path for one in LINK.findall(client.get("/docs").text)}
    assert led_to >= {address(name) for name in NAMES}


def test_topics_are_ordered_as_in_the_readme() -> None:
    assert [*topics()] == ["Tutorials", "How-to guides", "Reference", "Explanation"]
    assert topics()["Tutorials"][0] == (
        "Play a match with curl",
        "/docs/guides/readme#play-a-match-in-five-calls",
    )


@in_every_guide
def test_every_link_of_a_guide_leads_to_a_place_that_exists(client: FlaskClient, name: str) -> None:
    for link in LINK.findall(article(client, name)):
        target = urlsplit(link)
        if target.scheme:
            assert target.scheme == "https"
            continue
        path = target.path or address(name)
        assert client.get(path).status_code == 200, link
        if target.fragment:
            assert target.fragment in ID.findall(client.get(path).text), link


def test_every_link_of_the_documentation_leads_to_a_place_that_exists(client: FlaskClient) -> None:
    for listed in topics().values():
        for topic in listed:
            target = urlsplit(topic.address)
            answer = client.get(target.path)
            assert answer.status_code == 200
            assert not target.fragment or target.fragment in ID.findall(answer.text)


@in_every_guide
def test_a_heading_of_a_guide_has_an_id_of_its_own(client: FlaskClient, name: str) -> None:
    html = article(client, name)
    ids = ID.findall(html)
    assert len(ids) == len(set(ids)) == len(re.findall(r"<h\d", html))


@pytest.mark.parametrize(
    "text",
    ["a <b>c</b>", "<script>alert(1)</script>", "<!-- a -->", "| a |\n|-|\n| <img src=x> |", "# <i>a</i>"],
)
def test_markup_in_a_guide_is_text(text: str) -> None:
    html = render(text, "README.md")
    assert not re.search(r"<(b|script|!--|img|i)\b", html)
    assert "&lt;" in html


@pytest.mark.parametrize("target", ["javascript:alert(1)", "data:text/html,a", "vbscript:a"])
def test_a_link_that_would_be_a_script_is_none(target: str) -> None:
    assert "href" not in render(f"[a]({target})", "README.md")


def test_links_lead_to_pages_or_are_text() -> None:
    assert render("[a](bots.md#b)", "docs/x.md") == '<p><a href="/docs/guides/bots#b">a</a></p>\n'
    assert render("[docs/bots.md](docs/bots.md)", "README.md") == (
        '<p><a href="/docs/guides/bots">Write a bot</a></p>\n'
    )
    assert render("[v](vectors/dice.json)", "docs/x.md") == '<p><a href="/docs/files/dice.json">v</a></p>\n'
    assert render("[a](adr/) [b](../ops/x.py)", "docs/x.md") == "<p>a b</p>\n"


@pytest.mark.parametrize("name", SAMPLE_NAMES)
def test_a_file_for_readers_is_what_lies_in_the_repository(client: FlaskClient, name: str) -> None:
    answer = client.get(f"/docs/files/{name}")
    (path,) = (ROOT / "docs").rglob(name)
    assert answer.data == path.read_bytes()


@pytest.mark.parametrize(
    "path", ["guides/nothing", "guides/0001", "guides/..", "files/bots.md", "files/..", "files/"]
)
def test_there_are_no_other_guides_and_files(client: FlaskClient, path: str) -> None:
    assert client.get(f"/docs/{path}").status_code == 404


@pytest.mark.parametrize("name", long_unless(SHORT, NAMES))
def test_a_guide_opens_without_barriers_and_fits_a_phone(page: Page, name: str, tmp_path: Path) -> None:
    page.goto(address(name))
    expect(page.locator("aside a").first).to_be_visible()
    assert page.title().endswith("Machi Koro")
    assert accessibility_faults(page) == []
    page.set_viewport_size({"width": 360, "height": 740})
    assert overflowing(page) == []
    shoot(page, f"guide-{name}", tmp_path)


@phone
def test_a_guide_on_a_phone_begins_with_its_contents_folded(page: Page) -> None:
    page.goto(address("bots"))
    expect(page.locator("aside nav")).to_be_hidden()
    page.locator("aside summary").click()
    page.locator("aside nav a").nth(1).click()
    expect(page).to_have_url(re.compile("#"))


def test_commands_are_copied_without_what_they_print(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(address("readme"))
    page.locator(".code", has_text='-H "Idempotency-Key: roll-1"').get_by_role("button", name="Copy").click()
    expect(page.locator("#said")).to_have_text("Copied.")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("curl -s localhost:8000/v1/matches/$MATCH/commands")
    assert copied.endswith("| python3 -m json.tool")
