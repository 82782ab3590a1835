"""In a real browser, the reference is whole, and keeps no token."""

from playwright.sync_api import Page, expect

from tests.service.contract import Account
from tests.service.written_document import operations, written_document

KEPT = """(async () => JSON.stringify([
    {...localStorage}, {...sessionStorage}, document.cookie, location.href,
    await indexedDB.databases(), await caches.keys()]))()"""


def test_the_reference_shows_every_operation_in_the_order_of_its_tags(page: Page) -> None:
    document = written_document()
    summaries = [document["paths"][path][method]["summary"] for path, method in operations()]
    page.goto("/docs")
    expect(page.locator(".opblock")).to_have_count(len(summaries))
    expect(page.locator(".info h1")).to_contain_text(document["info"]["title"])
    expect(page.locator(".opblock-tag small")).to_have_text([tag["description"] for tag in document["tags"]])
    shown = page.locator(".opblock-summary-description").all_text_contents()
    told = [text.replace("\u200b", "").strip() for text in shown]
    assert sorted(told) == sorted(summaries)


def test_an_operation_can_be_tried_out_and_the_token_is_kept_nowhere(page: Page, ada: Account) -> None:
    page.goto("/docs")
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
    page.goto("/docs")
    operation = "#operations-commands-post_command"
    page.click(f"{operation} .opblock-summary-control")
    page.click(f"{operation} .try-out__btn")
    inputs = page.locator(f"{operation} tr[data-param-in=header] input")
    expect(inputs).to_have_count(2)
    assert [one.input_value() for one in inputs.all()] == ["", ""]


def test_the_first_page_leads_to_the_reference(page: Page) -> None:
    page.goto("/")
    page.click("nav a[href='/docs']")
    expect(page).to_have_url("/docs")
    expect(page.locator(".opblock").first).to_be_visible()
