"""In a real browser, the reference is whole, finds what is searched for, and keeps no token."""

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.marks import long_unless
from tests.service.contract import Account
from tests.service.pages.rig import accessibility_faults, in_both_schemes, overflowing, phone, shoot
from tests.service.written_document import operations, written_document

KEPT = """(async () => JSON.stringify([
    {...localStorage}, {...sessionStorage}, document.cookie, location.href,
    await indexedDB.databases(), await caches.keys()]))()"""

STATUSES_AND_FIELDS = """Object.fromEntries([...document.querySelectorAll(".operation")].map((one) => {
    const statuses = [...one.querySelectorAll(".status")].map((status) => status.textContent);
    return [one.id, [statuses, one.querySelectorAll("form label code").length]];
}))"""


def opened(page: Page, operation_id: str) -> Locator:
    """An operation, opened by its address."""
    page.goto(f"/docs#{operation_id}")
    operation = page.locator(f"#{operation_id}")
    expect(operation.locator("form")).to_be_visible()
    return operation


def test_the_reference_shows_every_operation_in_the_order_of_its_tags(page: Page) -> None:
    document = written_document()
    addresses = {
        document["paths"][path][method]["operationId"]: (path, method) for path, method in operations()
    }
    ids = [
        document["paths"][path][method]["operationId"]
        for tag in document["tags"]
        for path, method in operations()
        if document["paths"][path][method]["tags"] == [tag["name"]]
    ]
    page.goto("/docs")
    expect(page.locator(".operation")).to_have_count(len(operations()))
    assert page.locator(".operation").evaluate_all("(all) => all.map((one) => one.id)") == ids
    expect(page.locator(".tag > p")).to_have_text([tag["description"] for tag in document["tags"]])
    summaries = page.locator(".operation > summary").all_inner_texts()
    for one, summary in zip(ids, summaries, strict=True):
        path, method = addresses[one]
        operation, told = document["paths"][path][method], summary.replace("\u200b", "")
        assert (method.upper() in told, path in told, operation["summary"] in told) == (True, True, True)


def test_every_operation_opens_with_its_parameters_and_responses(page: Page) -> None:
    document = written_document()
    page.goto("/docs")
    expect(page.locator(".operation").first).to_be_attached()
    page.evaluate("for (const one of document.querySelectorAll('.operation')) one.open = true")
    expect(page.locator(".operation form")).to_have_count(len(operations()))
    shown = page.evaluate(STATUSES_AND_FIELDS)
    for path, method in operations():
        operation = document["paths"][path][method]
        count = len(operation.get("parameters", ())) + len(document["paths"][path].get("parameters", ()))
        assert shown[operation["operationId"]] == [[*operation["responses"]], count]


def test_members_are_shown_as_deep_as_they_lie(page: Page) -> None:
    operation = opened(page, "create_match")
    for name in ("seats", "MySeat"):
        inner = operation.locator("li", has=page.locator(f"> .name:text-is('{name}')")).last
        inner.locator("> details > summary").click()
    expect(inner.locator(".name")).to_have_text(["MySeat", "kind", "seed"])


def test_an_operation_is_found_by_any_of_its_words(page: Page) -> None:
    page.goto("/docs")
    page.get_by_label("Search operations").fill("invitations/ ACCEPT")
    visible = page.locator(".operation:visible")
    expect(visible).to_have_count(1)
    expect(visible).to_contain_text("accept")
    expect(page.locator("#found")).to_have_text("1 operation")
    expect(page.locator(".tag:visible")).to_have_count(1)


@pytest.mark.long
def test_an_operation_can_be_tried_out_and_the_token_is_kept_nowhere(page: Page, ada: Account) -> None:
    operation = opened(page, "show_me")
    page.get_by_label("Token to try with").fill(ada.token)
    operation.get_by_role("button", name="Send").click()
    expect(operation.locator(".answer")).to_contain_text('"handle": "ada"')
    expect(operation.locator(".curl")).to_contain_text("Bearer $TOKEN")
    assert ada.token not in page.content()
    assert ada.token not in page.evaluate(KEPT)
    page.reload()
    expect(page.get_by_label("Token to try with")).to_have_value("")


@pytest.mark.long
def test_a_body_and_the_parts_of_an_address_are_sent_as_they_were_written(page: Page, ada: Account) -> None:
    operation = opened(page, "create_match")
    page.get_by_label("Token to try with").fill(ada.token)
    operation.get_by_label("Request body").fill(
        '{"ruleset": "base", "seats": [{"kind": "me"}, {"kind": "open"}]}'
    )
    expect(operation.locator(".curl")).to_contain_text('"kind": "open"')
    operation.get_by_role("button", name="Send").click()
    expect(operation.locator(".answer")).to_contain_text("201")
    match_id = ada.get("/v1/matches").json["items"][0]["match_id"]
    shown = opened(page, "show_match")
    shown.get_by_label("match_id").fill(match_id)
    expect(shown.locator(".curl")).to_contain_text(f"/v1/matches/{match_id}'")
    shown.get_by_role("button", name="Send").click()
    expect(shown.locator(".answer")).to_contain_text('"status": "open"')


def test_a_command_is_tried_out_without_the_examples_of_headers(page: Page) -> None:
    """`If-Match: "42"` would have every command refused, and a key of an example would have it done once."""
    operation = opened(page, "post_command")
    for name in ("If-Match", "Idempotency-Key"):
        field = operation.get_by_label(name, exact=True)
        expect(field).to_have_value("")
        expect(field).to_have_attribute("placeholder", "")


@pytest.mark.long
def test_the_home_page_leads_to_the_reference(page: Page) -> None:
    page.goto("/")
    page.click("nav a[href='/docs']")
    expect(page).to_have_url("/docs")
    expect(page.locator(".operation").first).to_be_visible()


@pytest.mark.long
def test_nothing_in_an_open_operation_is_a_barrier(page: Page) -> None:
    operation = opened(page, "post_command")
    operation.locator("details > summary").first.click()
    assert accessibility_faults(page) == []


@pytest.mark.long
@phone
@in_both_schemes
@pytest.mark.parametrize("operation_id", long_unless(["create_match"], ["create_match", "list_events"]))
def test_an_open_operation_fits_a_phone(page: Page, operation_id: str, colours: str, tmp_path: Path) -> None:
    opened(page, operation_id).locator("details > summary").first.click()
    assert (overflowing(page), page.evaluate("innerWidth")) == ([], 360)
    shoot(page, f"docs-{operation_id}-{colours}-phone", tmp_path)
