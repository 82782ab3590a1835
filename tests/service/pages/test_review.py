"""The review of a match: asked for by one click, read by everybody, and left for the table or a branch."""

import re
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from playwright.sync_api import Page, Route, expect

from tests.e2e.api import Api
from tests.e2e.stack import Stack, wait_until
from tests.service.contract import Account
from tests.service.pages.rig import (
    PHONE,
    accessibility_faults,
    anew,
    cut_off,
    dark,
    enlarge,
    in_every_language,
    overflowing,
    phone,
    shoot,
    whole,
)
from tests.service.pages.seats import sign_in_as
from tests.service.reviewed import compute_reviews

NEARLY = {"coins": 30, "landmarks": ["train_station", "shopping_mall", "amusement_park"]}
"""A city that wins by its next landmark."""
ROLL = {"type": "roll_dice", "dice": 1}
WIN = {"type": "build", "card": "radio_tower"}
MOST_BYTES = 100_000
REFRESH_MS = 5_000
"""After that, the page has asked how a running match goes on."""
LOSSES = """async ([match, losses]) => {
    const found = document.querySelector("script[src*='/js/'], link[href*='/js/']");
    const from = (name) => new URL(name, found.src ?? found.href);
    const { mistakes } = await import(from("review_decisions.js"));
    const { render } = await import(from("page.js"));
    const command = { type: "pass", seat: 0 };
    const shared = { seat: 0, turn: 1, command, best: command, verdict: "mistake" };
    const decisions = losses.map((loss, version) => ({ ...shared, version, loss, low: loss, high: loss }));
    const place = document.createElement("div");
    render(mistakes({ match, review: { decisions, mistakes: losses.map((_, version) => version) },
        names: ["Ada"], cards: new Map() }), place);
    return [...place.querySelectorAll(".amount strong")].map((one) => one.textContent);
}"""
"""The losses as the page shows them."""
OVERLAPS = """async () => {
    const found = document.querySelector("script[src*='/js/'], link[href*='/js/']");
    const { curveOf } = await import(new URL("review_curve.js", found.src ?? found.href));
    const chances = [[333e3, 333e3, 333e3], [800e3, 150e3, 50e3], [400e3, 300e3, 300e3]];
    const moments = chances.map((chances, version) => ({ version, chances }));
    const match = { match_id: "mat_0" };
    const figure = curveOf({ match, names: ["Ada", "Bob", "Eve"], moments, turningPoint: 1 });
    document.querySelector("main").append(figure);
    const line = figure.querySelector("line.turning").getBoundingClientRect();
    return [...figure.querySelectorAll("text.label")].map((label) => label.getBoundingClientRect())
        .filter(({ left, right }) => left <= line.right && line.left <= right).length;
}"""
"""How many of the names of curves that are farthest apart at the turning point lie on its line."""
READ = """
- main:
  - heading /^Review/ [level=1]
  - heading "Chance of winning" [level=2]
  - figure "Chance of winning":
    - list
    - slider "Moment of the match"
  - heading "Luck and decisions" [level=2]
  - group "Luck and decisions":
    - table:
      - rowgroup:
        - row:
          - columnheader "Player"
          - columnheader "Luck"
          - columnheader "Own decisions"
          - columnheader "Result"
  - heading "Dearest mistakes" [level=2]
  - list:
    - listitem:
      - heading /Turn 1 blunder/ [level=3]
      - paragraph:
        - link "On the table"
        - button "Try the better move"
  - heading "All decisions" [level=2]
  - combobox "Verdict"
"""
"""What a screen reader finds, in this order."""


def missed(account: Account, **wishes: Any) -> str:
    """A match whose end seat 0 missed, so that seat 1 won."""
    found = account.board([[1], [1]], NEARLY, NEARLY, **wishes)
    for command in (ROLL, {"type": "pass"}, ROLL, WIN):
        assert account.command(found, command).status_code == 201
    return found


def review(app: Flask, account: Account, match_id: str) -> str:
    assert account.post(f"/v1/matches/{match_id}/reviews").status_code == 202
    compute_reviews(app)
    return match_id


@pytest.fixture
def match_id(ada: Account) -> str:
    return missed(ada)


@pytest.fixture
def reviewed(app: Flask, ada: Account, match_id: str) -> str:
    """The match, after somebody has asked for its review."""
    return review(app, ada, match_id)


def at_review(page: Page, match_id: str, query: str = "") -> Page:
    page.goto(f"/matches/{match_id}/review{query}")
    expect(page.locator(".chances")).to_be_visible()
    return page


@pytest.mark.long
def test_a_guest_asks_for_a_review_with_one_click_and_reads_it(page: Page, app: Flask, match_id: str) -> None:
    at_review(page, match_id)
    expect(page.locator(".legend li")).to_have_count(2)
    page.get_by_role("button", name="Review this match").click()
    expect(page.get_by_role("progressbar")).to_be_visible()
    expect(page.locator(".site nav")).to_contain_text("guest-")
    compute_reviews(app)
    expect(page.locator(".of-seats tbody tr")).to_have_count(2)
    expect(page.locator(".lead")).to_contain_text("wins!")
    expect(page.locator("#said")).to_have_text("The review is ready.")


def test_no_curve_has_its_name_on_the_line_of_the_turning_point(page: Page, match_id: str) -> None:
    assert at_review(page, match_id).evaluate(OVERLAPS) == 0


@pytest.mark.long
def test_who_comes_later_reads_the_same_review_without_an_account(page: Page, reviewed: str) -> None:
    at_review(page, reviewed)
    expect(page.locator(".site nav")).not_to_contain_text("guest-")
    expect(page.get_by_role("button", name="Review this match")).to_have_count(0)
    winner = page.locator(".of-seats tbody tr").nth(1)
    expect(winner.locator(".result")).to_have_text("100.0%")
    expect(page.locator(".judge")).to_contain_text("sha-256:")
    expect(page.locator(".judge")).to_contain_text("How a review is computed · Puzzles")


@pytest.mark.long
def test_the_review_of_a_match_with_more_events_than_a_page_of_its_log_is_complete(
    page: Page, app: Flask, ada: Account
) -> None:
    match_id = ada.board([[6]] * 171, NEARLY, NEARLY)
    ada.play_on(match_id, commands=341)
    assert ada.command(match_id, WIN).status_code == 201
    assert ada.get(f"/v1/matches/{match_id}").json["version"] > 500
    at_review(page, review(app, ada, match_id))


@pytest.mark.long
def test_keys_lead_along_the_curve_and_the_pointer_to_the_table(page: Page, reviewed: str) -> None:
    at_review(page, reviewed)
    moment, told = page.get_by_role("slider", name="Moment of the match"), page.locator(".told")
    moment.press("Home")
    first = page.locator(".legend").inner_text()
    expect(told.get_by_role("link")).to_have_attribute("href", f"/matches/{reviewed}#v=5")
    while "Decision of" not in told.inner_text():
        moment.press("ArrowRight")
    expect(moment).to_have_attribute(
        "aria-valuetext", re.compile(r"^Turn 1: .* builds nothing\. Decision of .*%")
    )
    assert page.locator(".legend").inner_text() != first
    moment.press("End")
    expect(page.locator(".legend strong")).to_have_text(["0.0%", "100.0%"])
    field = page.locator(".field")
    field.hover(position={"x": 2, "y": 40})
    expect(moment).to_have_value("0")
    field.click(position={"x": 2, "y": 40})
    page.wait_for_url(re.compile(rf"/matches/{reviewed}#v=\d+$"))


@pytest.mark.long
def test_a_mistake_says_what_would_have_been_better_and_a_branch_plays_on_from_there(
    page: Page, reviewed: str
) -> None:
    at_review(page, reviewed)
    mistake = page.locator(".mistakes li")
    expect(mistake).to_have_count(1)
    expect(mistake.locator("h3")).to_contain_text("blunder")
    expect(mistake.locator("dd").first).to_have_text("Pass")
    expect(mistake.locator("dd").nth(1)).to_have_text("Build Radio Tower")
    expect(mistake.locator(".forest .range")).to_be_attached()
    link = mistake.get_by_role("link", name="On the table")
    expect(link).to_have_attribute("href", re.compile(rf"^/matches/{reviewed}#v=\d+$"))
    mistake.get_by_role("button", name="Try the better move").click()
    page.wait_for_url(lambda url: reviewed not in url)
    expect(page.locator(".task")).to_contain_text("guest-")
    expect(page.locator(".task")).to_contain_text("wins!")


@pytest.mark.long
def test_the_better_move_of_a_private_match_is_tried_in_private(page: Page, app: Flask, ada: Account) -> None:
    match_id = review(app, ada, missed(ada, visibility="private"))
    sign_in_as(page, ada)
    at_review(page, match_id).get_by_role("button", name="Try the better move").click()
    page.wait_for_url(lambda url: match_id not in url)
    branch = ada.get(f"/v1/matches/{page.url.rpartition('/')[2]}").json
    assert (branch["visibility"], branch["status"], branch["winner"]) == ("private", "finished", 0)


@pytest.mark.long
def test_a_decision_that_is_too_close_to_call_is_not_said_to_have_certainly_lost_nothing(
    page: Page, reviewed: str
) -> None:
    about = at_review(page, reviewed).locator(".of-seats").locator("xpath=ancestor::section").last
    expect(about).to_contain_text("Accuracy: the share of decisions without a certain loss.")
    expect(about).to_contain_text("it can lie below 0 or above 100")


def test_the_mark_of_a_dearest_mistake_on_the_curve_is_explained(page: Page, reviewed: str) -> None:
    mark = at_review(page, reviewed).locator(".plot text.mistake")
    expect(mark).to_have_text("◆")
    expect(page.get_by_text("◆ marks these decisions on the curve.")).to_be_visible()


def test_a_loss_never_shows_the_limit_of_a_verdict_that_it_has_not_reached(page: Page, reviewed: str) -> None:
    at_review(page, reviewed)
    shown = page.evaluate(LOSSES, [{"match_id": reviewed}, [149_999, 99_651, 100_000, 49_960, 1]])
    assert shown == ["14.9", "9.9", "10.0", "4.9", "0.0"]


@pytest.mark.long
@phone
def test_a_loss_and_its_interval_are_not_torn_apart_on_a_phone(page: Page, reviewed: str) -> None:
    at_review(page, reviewed).get_by_label("Verdict").select_option("blunder")
    page.locator(".decisions summary").click()
    amount = page.locator(".candidates .amount").last
    amount.locator("small").evaluate("(one) => { one.textContent = '88.8 to 100.0'; }")
    assert amount.evaluate("(one) => one.getClientRects().length") == 1


def test_decisions_are_chosen_by_player_and_verdict_and_show_what_else_there_was(
    page: Page, reviewed: str
) -> None:
    at_review(page, reviewed)
    rows = page.locator(".decisions > li")
    every = rows.count()
    page.get_by_label("Player").select_option("0")
    assert 0 < rows.count() < every
    page.get_by_label("Verdict").select_option("blunder")
    expect(rows).to_have_count(1)
    expect(page.locator(".filters output")).to_have_text("1 decision")
    expect(rows.locator("table")).to_have_count(0)
    rows.locator("summary").press("Enter")
    expect(rows.locator("tbody th").first).to_have_text("Build Radio Tower")
    expect(rows.locator("tr.own")).to_contain_text("Pass")
    page.get_by_label("Player").select_option("1")
    expect(rows).to_have_count(0)


@pytest.mark.long
def test_the_table_leads_to_the_review_once_the_match_is_over(
    page: Page, ada: Account, match_id: str
) -> None:
    page.goto(f"/matches/{match_id}")
    page.locator(".actions").get_by_role("link", name="Review").click()
    page.wait_for_url(f"**/matches/{match_id}/review")
    running = ada.create()["match_id"]
    page.goto(f"/matches/{running}")
    page.get_by_role("tab", name="More").click()
    expect(page.locator("#beside")).to_contain_text("The review comes when the match is over.")
    page.goto(f"/matches/{running}/review")
    expect(page.locator("main")).to_contain_text("The review comes when the match is over.")
    assert ada.post(f"/v1/matches/{running}/abort", {}).status_code == 200
    page.reload()
    expect(page.locator("main")).to_contain_text("ended without a winner")


def test_everybody_follows_the_chances_of_a_running_match_that_allows_it(page: Page, ada: Account) -> None:
    match_id = ada.board([[1]], NEARLY, NEARLY, options={"commentary": True}, visibility="public")
    page.clock.install()
    page.goto(f"/matches/{match_id}")
    page.get_by_role("tab", name="More").click()
    page.locator("#beside").get_by_role("link", name="Chance of winning").click()
    page.wait_for_url(f"**/matches/{match_id}/review")
    expect(page.locator(".legend strong")).to_have_text([re.compile(r"^\d+\.\d%$")] * 2)
    expect(page.locator("main")).to_contain_text("The review comes when the match is over.")
    moment = page.get_by_role("slider")
    before = str(moment.get_attribute("max"))
    assert ada.command(match_id, ROLL).status_code == 201
    page.clock.run_for(REFRESH_MS)
    expect(moment).not_to_have_attribute("max", before)
    assert ada.command(match_id, WIN).status_code == 201
    page.clock.run_for(REFRESH_MS)
    expect(page.get_by_role("button", name="Review this match")).to_be_visible()


def test_a_screen_reader_finds_the_moment_the_numbers_and_the_mistakes(page: Page, reviewed: str) -> None:
    expect(at_review(page, reviewed).locator("body")).to_match_aria_snapshot(READ)


@in_every_language
def test_a_review_opens_without_barriers_and_fits_a_phone(page: Page, reviewed: str, locale: str) -> None:
    at_review(page, reviewed)
    for summary in page.locator(".decisions summary").all():
        summary.click()
    assert "review." not in page.locator("main").inner_text()
    assert accessibility_faults(page) == []
    assert overflowing(page) == []
    page.set_viewport_size(PHONE)
    assert accessibility_faults(page) == []
    assert overflowing(page) == []


@anew
@whole
@pytest.mark.long
def test_the_first_view_of_a_review_that_workers_compute_is_small(
    page: Page, shared_stack: Stack, tmp_path: Path
) -> None:
    api = Api(shared_stack)
    wish = {"ruleset": "machi_koro_2", "seats": [{"kind": "strategy", "strategy": "greedy"}] * 5}
    match_id = api.sure("POST", "/v1/matches", wish).json()["match_id"]
    wait_until(lambda: api.get(f"/v1/matches/{match_id}")["status"] == "finished")
    review = api.sure("POST", f"/v1/matches/{match_id}/reviews", {}).json()
    wait_until(lambda: api.send("GET", f"/v1/matches/{match_id}/reviews/{review['review_id']}").status == 200)
    network = page.context.new_cdp_session(page)
    network.send("Network.enable")
    came: list[int] = []
    network.on("Network.loadingFinished", lambda answer: came.append(answer["encodedDataLength"]))
    logs: list[Route] = []
    page.route("**/log?*", lambda route: logs.append(route))
    at_review(page, match_id)
    expect(page.locator(".decisions > li").first).to_be_visible()
    assert 30_000 < sum(came) < MOST_BYTES, api.get(f"/v1/matches/{match_id}")["version"]
    told = page.locator(".chances .told")
    before = told.inner_text()
    logs.pop().continue_()
    expect(told).not_to_have_text(before)
    shoot(page, "review", tmp_path)


@pytest.mark.long
@phone
@dark
def test_a_review_in_large_letters_fits_a_phone(page: Page, reviewed: str) -> None:
    at_review(page, reviewed)
    enlarge(page)
    assert (overflowing(page), cut_off(page)) == ([], [])


def test_the_page_tells_that_accuracy_counts_certain_losses_and_luck_by_stage_own_rolls(
    page: Page, ada: Account, reviewed: str
) -> None:
    job = ada.get(f"/v1/matches/{reviewed}/reviews").json["items"][0]
    decisions = ada.get(f"/v1/matches/{reviewed}/reviews/{job['review_id']}").json["decisions"]
    at_review(page, reviewed)
    expect(page.get_by_text("Accuracy: the share of decisions without a certain loss.")).to_be_visible()
    expect(page.get_by_text("an average own roll brought")).to_be_visible()
    for seat, row in enumerate(page.locator(".of-seats tbody tr").all()):
        certain = [one["low"] > 0 for one in decisions if one["seat"] == seat]
        share = 100 * certain.count(False) // len(certain)
        expect(row.locator("td").last).to_have_text(f"{share}%")


@pytest.mark.long
def test_a_choice_that_needed_no_simulation_shows_no_chance_by_the_network_alone(
    page: Page, reviewed: str
) -> None:
    def estimated(route: Route) -> None:
        """The review, in which the network alone judged the last decision, and was wrong."""
        answer = route.fetch()
        found = answer.json()
        (only,) = found["decisions"][-1]["candidates"]
        assert (only["rollouts"], only["is_exact"]) == (0, False)
        only["chances"] = [300_000, 700_000]
        route.fulfill(response=answer, json=found)

    page.route("**/reviews/rev_*", estimated)
    at_review(page, reviewed)
    last = page.locator(".decisions > li").last
    last.locator("summary").press("Enter")
    expect(last.locator("tr.own td").first).to_have_text("\N{EN DASH}")
    expect(last.locator("tr.own td").last).to_have_text("not needed")


@pytest.mark.long
@pytest.mark.parametrize("status", ["finished", "running"])
def test_a_match_of_a_game_without_reviews_says_so_and_nothing_leads_to_one(
    page: Page, ada: Account, status: str
) -> None:
    match_id = ada.board([[1]], NEARLY, NEARLY, ruleset="millionaires_row")
    if status == "finished":
        assert ada.command(match_id, ROLL).status_code == 201
        assert ada.command(match_id, WIN).status_code == 201
    sign_in_as(page, ada)
    page.goto(f"/matches/{match_id}/review")
    expect(page.locator(".panel")).to_have_text("Matches of this game have no reviews.")
    expect(page.get_by_role("button", name="Review this match")).to_have_count(0)
    page.goto(f"/matches/{match_id}")
    page.get_by_role("tab", name="More").click()
    expect(page.get_by_role("link", name="Verify").first).to_be_visible()
    expect(page.get_by_role("link", name="Review")).to_have_count(0)
    expect(page.locator("#beside")).not_to_contain_text("The review comes")
    other = missed(ada)
    page.goto("/account")
    expect(page.locator(f"a[href='/matches/{match_id}']")).to_be_visible()
    expect(page.locator(f"a[href='/matches/{other}/review']")).to_be_visible()
    expect(page.locator(f"a[href='/matches/{match_id}/review']")).to_have_count(0)
