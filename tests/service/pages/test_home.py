"""The home page, the form of a new match, and the end of an account."""

import re
from pathlib import Path
from time import time_ns

import pytest
from playwright.sync_api import Page, expect

from service.matches.match_schemas import ClockSchema
from service.matches.new_match_schemas import NewMatchOptionsSchema, NewMatchSchema
from tests.marks import long_unless
from tests.service.contract import Account
from tests.service.pages.rig import (
    PHONE,
    accessibility_faults,
    anew,
    in_every_language,
    overflowing,
    phone,
    shoot,
)

_MIDDLES = """(one) => [one, one.parentElement].map((of) => of.getBoundingClientRect())
    .map(({ y, height }) => y + height / 2)"""
PREVIEWS = re.compile(r"/v1/matches\?status=running")


@pytest.mark.long
@anew
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


@pytest.mark.long
def test_a_refused_match_says_why_and_at_which_field(page: Page, tolerated: list[str]) -> None:
    tolerated.append("status of 422")
    page.goto("/new")
    box, label = page.get_by_role("checkbox", name="Each player adds a secret").evaluate(_MIDDLES)
    assert abs(box - label) < 2
    kind = page.locator("form li").nth(1).locator("select").first
    kind.select_option("account")
    handle = page.get_by_label("Handle")
    handle.fill("nobody_of_this_name")
    page.get_by_role("button", name="Start").click()
    refusal = page.get_by_role("alert")
    expect(refusal.locator("p:not(.faint)")).to_have_text(["No account has this handle."])
    expect(refusal.locator("code")).to_have_count(1)  # the request id
    expect(refusal.get_by_role("button")).to_have_count(0)
    expect(handle).to_be_focused()
    expect(handle).to_have_attribute("aria-invalid", "true")
    handle.fill("another")
    expect(handle).not_to_have_attribute("aria-invalid", "true")
    kind.select_option("strategy")
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/matches/mat_*")


@pytest.mark.long
def test_the_form_offers_the_chances_of_winning_only_for_games_that_have_them(page: Page) -> None:
    page.goto("/new")
    chances = page.get_by_role("checkbox", name="Everybody sees the chances")
    chances.check()
    page.get_by_role("radio", name="Machi Koro with Millionaire's Row", exact=True).check()
    expect(chances).to_have_count(0)
    with page.expect_request(lambda one: one.url.endswith("/v1/matches") and one.method == "POST") as asked:
        page.get_by_role("button", name="Start").click()
    assert asked.value.post_data_json["options"]["commentary"] is False
    page.wait_for_url("**/matches/mat_*")


@pytest.mark.parametrize("locale", ["cs"])
def test_refusals_of_an_account_are_in_the_language_of_the_page(
    page: Page, bob: Account, tolerated: list[str]
) -> None:
    tolerated += ["status of 409", "status of 401"]
    page.goto("/account")
    page.locator("[name=handle]").fill(bob.handle)
    page.locator("[name=handle]").press("Enter")
    expect(page.locator("#said")).to_have_text("Toto jméno je obsazené. Zvolte jiné.")
    page.locator("[name=token]").fill("unknown")
    page.locator("[name=token]").press("Enter")
    expect(page.locator("#said")).to_have_text("Tento token neexistuje nebo byl smazán.")


@pytest.mark.parametrize("locale", ["uk"])
def test_the_forms_tell_what_a_handle_may_be(page: Page) -> None:
    page.goto("/account")
    field = page.locator("[name=handle]")
    expect(field).to_have_accessible_description(re.compile("латинських літер"))
    field.fill("Олена")
    field.press("Enter")
    expect(field).to_have_js_property("validity.patternMismatch", True)
    page.goto("/new")
    page.locator("form li").nth(1).locator("select").first.select_option("account")
    expect(page.locator("[name='seats/1/handle']")).to_have_attribute("title", re.compile("латинських літер"))


@pytest.mark.long
def test_the_form_offers_every_option_of_a_match_except_what_only_programs_wish(page: Page) -> None:
    page.goto("/new")
    page.locator("[name='options/box']").select_option("five players")
    page.locator("[name='options/market']").select_option("ten kinds from a deck")
    page.locator("[name='options/max_copies']").select_option("at most two (for beginners)")
    page.locator("[name=firstSeat]").select_option("Seat 2")
    page.get_by_text("Other prices").click()
    page.get_by_label("Mine").fill("7")
    page.get_by_label("Time for each decision").select_option("30 seconds")
    page.get_by_label("Time bank of each player").select_option("5:00")
    page.get_by_label("Added to the bank after each turn").select_option("0:10")
    page.get_by_role("checkbox", name="Everybody sees the chances").check()
    page.get_by_role("checkbox", name="Each player adds a secret").check()
    with page.expect_request(lambda one: one.url.endswith("/v1/matches") and one.method == "POST") as asked:
        page.get_by_role("button", name="Start").click()
    body = asked.value.post_data_json
    assert body.keys() == NewMatchSchema().fields.keys() - {"position", "tags"}
    assert body["options"] == {
        "box": "five_player",
        "market": "limited",
        "max_copies": 2,
        "card_costs": {"mine": 7},
        "commentary": True,
        "rated": False,
    }
    assert body["options"].keys() == NewMatchOptionsSchema().fields.keys()
    assert body["clock"] == {
        "decision_ms": 30_000,
        "on_timeout": "default_command",
        "bank_ms": 300_000,
        "increment_ms": 10_000,
    }
    assert body["clock"].keys() == ClockSchema().fields.keys()
    page.wait_for_url("**/matches/mat_*")


@pytest.mark.parametrize(("removed", "begins"), [(1, "1"), (3, "")])
def test_whoever_begins_stays_the_same_when_a_seat_is_removed(page: Page, removed: int, begins: str) -> None:
    page.goto("/new")
    first = page.locator("[name=firstSeat]")
    first.select_option("Seat 3")
    page.get_by_role("button", name=f"Remove seat {removed}").click()
    expect(first).to_have_value(begins)
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/matches/mat_*")


def test_the_form_shows_what_a_rated_match_requires_whatever_was_chosen_before(page: Page) -> None:
    page.goto("/new")
    visibility = page.get_by_label("Who can watch")
    kind = page.locator("form li").nth(1).locator("select").first
    for choice in ("private", "public", "private"):
        visibility.select_option(choice)
    kind.select_option("open")
    kind.select_option("strategy")
    page.get_by_role("checkbox", name="Rated").check()
    expect(visibility).to_have_value("public")
    expect(kind).to_have_value("open")


def test_another_game_begins_with_the_market_that_the_form_shows(page: Page) -> None:
    page.goto("/new")
    market = page.locator("[name='options/market']")
    for choice in ("limited", "open", "limited"):
        market.select_option(choice)
    page.get_by_role("radio", name="Machi Koro with Harbor", exact=True).check()
    expect(page.get_by_label("Harbor", exact=True)).to_be_attached()
    expect(market).to_have_value("open")


@pytest.mark.long
def test_who_may_seat_the_visitor_is_shown_as_it_is_after_a_change_elsewhere(page: Page, handle: str) -> None:
    seating = page.get_by_label("Who may seat you in a match")
    for choice in ("anybody", "nobody"):
        with page.expect_response("**/v1/me/tokens"):
            seating.select_option(choice)
    token = page.evaluate("JSON.parse(localStorage.getItem('machi.account')).token")
    headers = {"Authorization": f"Bearer {token}"}
    page.request.patch("/v1/me", headers=headers, data={"seating": "anybody"})
    expect(seating).to_have_value("anybody")


@pytest.mark.long
def test_who_may_seat_the_visitor_is_shown_as_before_where_the_change_fails(
    page: Page, handle: str, tolerated: list[str]
) -> None:
    tolerated.append("net::ERR_FAILED")
    seating = page.get_by_label("Who may seat you in a match")
    page.route("**/v1/me", lambda route: route.abort())
    seating.select_option("nobody")
    expect(seating).to_have_value("allowed")


@pytest.mark.parametrize("price", ["101", "2.5"])
def test_start_leads_to_a_price_that_cannot_be(page: Page, price: str) -> None:
    page.goto("/new")
    summary = page.get_by_text("Other prices")
    mine = page.get_by_label("Mine")
    summary.click()
    mine.fill(price)
    summary.click()
    expect(mine).to_be_hidden()
    page.get_by_role("button", name="Start").click()
    expect(mine).to_be_focused()
    mine.fill("7")
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/matches/mat_*")


@pytest.mark.long
def test_a_seat_that_is_reserved_is_offered_to_nobody_else(page: Page) -> None:
    names = [f"{name}-{time_ns()}" for name in ("ada", "bob")]
    ada, bob = [page.request.post("/v1/accounts", data={"handle": name}).json() for name in names]
    for seat in ({"kind": "open"}, {"kind": "account", "handle": bob["handle"]}):
        page.request.post(
            "/v1/matches",
            headers={"Authorization": f"Bearer {ada['token']}"},
            data={"ruleset": "base", "seats": [{"kind": "me"}, seat]},
        )
    free = page.get_by_role("link", name=f"{names[0]} · open seat")
    reserved = page.get_by_role("link", name=f"{names[0]} · {names[1]}, invited")
    page.goto("/")
    expect(free).to_be_visible()
    expect(reserved).to_have_count(0)
    page.evaluate("(account) => localStorage.setItem('machi.account', JSON.stringify(account))", bob)
    page.reload()
    expect(free).to_be_visible()
    expect(reserved).to_be_visible()


@pytest.mark.long
@phone
@pytest.mark.parametrize("locale", ["ru"])
def test_choices_have_the_whole_width_of_a_phone(page: Page) -> None:
    page.goto("/new")
    expect(page.locator("form.new")).to_be_visible()
    choices = page.locator("fieldset > label > select")
    widths = choices.evaluate_all("(all) => all.map((one) => one.offsetWidth)")
    assert len(widths) > 4
    assert min(widths) > PHONE["width"] * 0.75


@pytest.fixture
def handle(page: Page) -> str:
    """The account of this browser, whose page is open."""
    handle = f"ada-{time_ns()}"
    page.goto("/account?lang=en")
    page.get_by_label("Handle").fill(handle)
    page.get_by_role("button", name="Register").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(handle)
    return handle


@pytest.mark.long
def test_an_account_is_deleted_by_keyboard_once_its_handle_is_typed(
    page: Page, handle: str, tolerated: list[str]
) -> None:
    tolerated.append("status of 400")
    opener = page.get_by_role("button", name="Delete account")
    opener.press("Enter")
    dialog = page.get_by_role("dialog", name=f"Delete the account {handle}?")
    field = dialog.get_by_label(f"Type {handle} to confirm")
    expect(field).to_be_focused()
    page.keyboard.type("another")
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("alert")).to_contain_text("This is not the handle of the account.")
    expect(field).to_be_focused()
    expect(field).to_have_attribute("aria-invalid", "true")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(opener).to_be_focused()
    opener.press("Enter")
    expect(dialog.get_by_role("alert")).to_have_count(0)
    page.keyboard.type(handle)
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_have_text(f"The account {handle} is deleted.")
    expect(page.get_by_label("Token")).to_be_visible()
    assert page.evaluate("localStorage.getItem('machi.account')") is None


@pytest.mark.long
def test_an_invitation_appears_on_the_page_of_the_account(page: Page, handle: str) -> None:
    expect(page.get_by_text("Nobody has invited you.")).to_be_visible()
    host = page.request.post("/v1/accounts", data={"handle": f"bob-{time_ns()}"}).json()
    page.request.post(
        "/v1/matches",
        headers={"Authorization": f"Bearer {host['token']}"},
        data={"ruleset": "base", "seats": [{"kind": "me"}, {"kind": "account", "handle": handle}]},
    )
    expect(page.get_by_role("link", name=f"Match of {host['handle']}")).to_be_visible()
    page.get_by_role("button", name="Accept").click()
    expect(page.get_by_role("link", name=f"{host['handle']} · {handle}")).to_be_visible()


@pytest.mark.long
def test_signing_out_asks_first_whether_the_token_is_kept(page: Page, handle: str) -> None:
    page.get_by_text("Sign out here…").click()
    expect(page.get_by_text("Have you kept it?")).to_be_visible()
    assert handle in page.evaluate("localStorage.getItem('machi.account')")
    page.get_by_role("button", name="Sign out here").click()
    page.wait_for_url(lambda url: url.endswith("/"))
    assert page.evaluate("localStorage.getItem('machi.account')") is None


def delete_elsewhere(page: Page, handle: str) -> None:
    """Delete the account of the page, which does not learn of it."""
    token = page.evaluate("JSON.parse(localStorage.getItem('machi.account')).token")
    gone = page.request.delete(f"/v1/me?handle={handle}", headers={"Authorization": f"Bearer {token}"})
    assert gone.status == 204


@pytest.mark.long
def test_an_account_that_is_deleted_elsewhere_is_forgotten(
    page: Page, handle: str, tolerated: list[str]
) -> None:
    tolerated.append("status of 401")
    delete_elsewhere(page, handle)
    page.get_by_role("button", name="Delete account").click()
    page.get_by_role("dialog").get_by_label("confirm").fill(handle)
    page.get_by_role("dialog").get_by_role("button", name="Delete account").click()
    expect(page.get_by_label("Token")).to_be_visible()


@anew  # else the browser would keep for the next tests that there are no puzzles
@pytest.mark.parametrize("path", long_unless(["/"], ["/", "/ladders", "/ratings", "/puzzles", "/account"]))
def test_a_token_that_was_deleted_elsewhere_leaves_each_page_as_visitors_see_it(
    page: Page, handle: str, tolerated: list[str], path: str
) -> None:
    tolerated.append("status of 401")
    page.goto("/healthz")
    delete_elsewhere(page, handle)
    page.goto(path)
    expect(page.locator("header").get_by_role("link", name="Account")).to_be_visible()
    expect(page.locator("h1")).not_to_contain_text("token")
    expect(page.get_by_role("alert")).to_have_count(0)
    assert page.evaluate("localStorage.getItem('machi.account')") is None


@pytest.mark.long
def test_whoever_has_a_token_that_was_deleted_elsewhere_begins_a_match_as_a_guest(
    page: Page, handle: str, tolerated: list[str]
) -> None:
    tolerated.append("status of 401")
    page.goto("/new")
    start = page.get_by_role("button", name="Start")
    expect(start).to_be_visible()
    delete_elsewhere(page, handle)
    start.click()
    expect(page.get_by_role("alert")).to_contain_text("This token is unknown or was deleted.")
    start.click()
    page.wait_for_url("**/matches/mat_*")
    expect(page.locator("header").get_by_role("link", name="guest-")).to_be_visible()


@pytest.mark.parametrize("locale", ["it"])
def test_a_token_without_rights_is_not_asked_for(page: Page, handle: str) -> None:
    page.goto("/account?lang=it")
    form = page.locator("form", has=page.locator("[name=scope]"))
    play = form.get_by_label("giocare")
    form.locator("[name=name]").fill("mio bot")
    play.uncheck()
    form.get_by_role("button").click()
    expect(play).to_have_js_property("validationMessage", "Scegli almeno un permesso.")
    expect(form.locator("[name=name]")).to_have_value("mio bot")
    form.get_by_label("creare partite").check()
    form.get_by_role("button").click()
    expect(page.get_by_role("rowheader", name="mio bot")).to_be_visible()
    expect(form.locator("[name=name]")).to_have_value("")
    expect(play).to_be_checked()


@pytest.mark.parametrize("locale", ["ru"])
def test_a_refused_token_keeps_its_name_and_the_reason_is_in_the_language_of_the_page(
    page: Page, handle: str, tolerated: list[str]
) -> None:
    tolerated.append("status of 422")
    page.goto("/account?lang=ru")
    name = page.locator("[name=name]")
    name.fill("   ")
    name.press("Enter")
    expect(page.locator("#said")).to_have_text("Какое-то значение недопустимо. Проверьте, что вы ввели.")
    expect(name).to_have_value("   ")


@pytest.mark.parametrize("locale", ["cs"])
def test_a_reserved_handle_is_refused_in_the_language_of_the_page(page: Page, tolerated: list[str]) -> None:
    tolerated.append("status of 422")
    page.goto("/account")
    page.locator("[name=handle]").fill("admin")
    page.locator("[name=handle]").press("Enter")
    expect(page.locator("#said")).to_have_text("Toto jméno je vyhrazené. Zvolte jiné.")


@phone
@in_every_language
def test_the_question_whether_to_delete_an_account_is_no_barrier_in_any_language(
    page: Page, handle: str, locale: str, tmp_path: Path
) -> None:
    page.goto(f"/account?lang={locale}")
    page.locator("main section").last.get_by_role("button").last.click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("heading")).to_contain_text(handle)
    expect(dialog).not_to_contain_text("account.")
    assert overflowing(page) == []
    assert accessibility_faults(page) == []
    box = dialog.bounding_box()
    assert box
    assert box["width"] <= PHONE["width"]
    shoot(page, f"deletion-{locale}", tmp_path)
