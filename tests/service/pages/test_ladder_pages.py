"""The pages of ladders: figures that are the API's and lead to their matches, live rounds, operating."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from playwright.sync_api import Page, expect

from tests.service.contract import Account
from tests.service.ladder_kit import Operated, entries_of, finish_blocks, finish_round, publish, state_of
from tests.service.pages.rig import (
    accessibility_faults,
    cut_off,
    enlarge,
    in_every_language,
    overflowing,
    phone,
    standings_on_screen,
)
from tests.service.pages.seats import sign_in_as
from workers.ladders import live

HOSTILE = "<img src=x onerror=alert(1)> & <b>bold</b>"
RATIOS = """async ([test, lines]) => {
    const script = document.querySelector("script[type=module]").src.replace("ladder.js", "sequential.js");
    return (await import(script)).ratios(test, lines);
}"""


def lines(ladder: Operated, address: str) -> list[Any]:
    accept = {"Accept": "application/x-ndjson"}
    text = ladder.owner.client.get(f"{ladder.path}/{address}", headers=accept).text
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def ladder(ada: Account) -> Operated:
    """Three built-in players, one with a name that is markup."""
    ladder = Operated(ada, name="Base & <i>two</i>")
    ladder.enter("greedy", name=HOSTILE)
    ladder.enter("random")
    ladder.enter("landmark_first")
    return ladder


@pytest.fixture
def played(app: Flask, ladder: Operated) -> Operated:
    """A finished round and its table."""
    ladder.open_round(12)
    finish_blocks(app, ladder.id)
    publish(app, ladder.id)
    finish_round(app, ladder.id)
    return ladder


@pytest.fixture
def at(page: Page) -> Callable[..., Page]:
    """The page of a ladder."""

    def show(ladder: Operated, rest: str = "") -> Page:
        page.goto(f"/ladders/{ladder.id}{rest}")
        expect(page.locator(".answer")).to_be_visible()
        return page

    return show


def test_every_figure_of_the_standings_is_the_apis(played: Operated, at: Callable[..., Page]) -> None:
    page = at(played)
    standings = played.owner.client.get(f"{played.path}/standings").json["items"]
    rows = page.locator(".standings tbody tr")
    expect(rows).to_have_count(len(standings))
    for row, one in zip(rows.all(), standings, strict=True):
        rank, rating, wins, score = (row.locator("td").nth(at).inner_text().split() for at in (0, 2, 3, 4))
        expect(row.get_by_role("rowheader")).to_contain_text(one["name"])
        low, high = one["rank_interval"]
        assert [int(word) for word in rank if word.isdigit()] == [one["rank"], *sorted({low, high})]
        assert int(rating[0]) == pytest.approx(one["rating"], abs=0.5)
        assert wins == [str(one["wins"]), "/", str(one["matches"])]
        assert int(score[0].rstrip("%")) == pytest.approx(100 * one["score"], abs=0.5)
        by_seat = row.locator("td").nth(6).inner_text()
        assert [int(won) for won in by_seat.split(" · ")] == one["wins_by_seat"]
    expect(page.locator(".answer")).to_contain_text(f"{standings[0]['name']} is ahead.")
    expect(page.locator(".answer")).to_contain_text(
        f"{standings[0]['above_next']:.1f}".rstrip("0").rstrip(".")
    )


def test_points_lie_on_one_axis_in_the_order_of_the_ratings(
    played: Operated, at: Callable[..., Page]
) -> None:
    points = at(played).locator(".standings .forest circle")
    expect(points.first).to_be_attached()
    places = [float((one.get_attribute("cx") or "").rstrip("%")) for one in points.all()]
    assert len(places) > 1
    assert places == sorted(places, reverse=True)
    assert all(0 <= place <= 100 for place in places)


def test_the_crosstable_shows_each_pair_and_its_interval(played: Operated, at: Callable[..., Page]) -> None:
    page = at(played)
    names = {one["entry_id"]: one["name"] for one in played.shown()["entries"]}
    for one in played.owner.client.get(f"{played.path}/crosstable").json["items"]:
        against = f"{names[one['entry']]} against {names[one['opponent']]}: "
        cell = page.locator(f".heat a[aria-label^={json.dumps(against)}]")
        expect(cell).to_contain_text(f"{one['wins']} : {one['losses']}")
        cell.focus()
        expect(page.locator(".told")).to_contain_text("95 % interval")
        expect(page.locator(".told")).to_contain_text(against)


@pytest.mark.long
def test_ratings_of_seasons_stand_side_by_side_and_that_of_the_anchor_is_fixed(
    app: Flask, played: Operated, at: Callable[..., Page]
) -> None:
    assert played.owner.post(f"{played.path}/seasons", {}).status_code == 201
    played.open_round(6)
    finish_blocks(app, played.id)
    publish(app, played.id)
    rows = at(played).locator("section", has_text="Rating by season").last.locator("tbody tr")
    expect(rows).to_have_count(3)
    cells = {row.locator("th").inner_text(): row.locator("td small").all_inner_texts() for row in rows.all()}
    assert cells.pop(HOSTILE) == ["fixed", "fixed"]  # greedy
    assert all(" \u2013 " in text for found in cells.values() for text in found)


@pytest.mark.long
def test_a_number_leads_to_the_matches_it_is_made_of(played: Operated, at: Callable[..., Page]) -> None:
    page = at(played)
    entry = entries_of(played)[1]
    page.locator(f"tr[data-entry={entry}] td a").nth(1).click()
    matches = [one for one in lines(played, "matches") if entry in one["seats"]]
    links = page.locator(".played a")
    expect(links).to_have_count(len(matches))
    assert {link.get_attribute("href") for link in links.all()} == {
        f"/matches/{one['match_id']}" for one in matches
    }
    won = sum(one["seats"][one["winner"]] == entry for one in matches)
    expect(page.locator("#details")).to_contain_text(f"{won} of {len(matches)} matches won")
    page.get_by_role("link", name="Close").click()
    expect(page.locator("#details")).to_have_count(0)


def test_a_round_that_goes_on_changes_the_page(app: Flask, ladder: Operated, at: Callable[..., Page]) -> None:
    ladder.open_round(6)
    page = at(ladder)
    expect(page.locator(".now")).to_contain_text("0 of 6 blocks")
    expect(page.locator(".standings tbody")).to_contain_text("No match yet.")
    finish_blocks(app, ladder.id, 4)
    expect(page.locator(".now")).to_contain_text("4 of 6 blocks")
    expect(page.locator("progress")).to_have_js_property("value", 4)
    expect(page.locator(".answer")).to_contain_text("no official table yet")
    finish_blocks(app, ladder.id)
    publish(app, ladder.id)
    finish_round(app, ladder.id)
    expect(page.locator(".answer")).to_contain_text("counts 6 blocks")
    expect(page.locator(".now")).to_contain_text("No round is running.")


@pytest.mark.long
def test_a_round_with_a_public_value_shows_what_it_is_bound_to(
    app: Flask, ladder: Operated, at: Callable[..., Page]
) -> None:
    ladder.open_bound()
    page = at(ladder)
    bound = page.locator(".bound")
    expect(bound).to_contain_text("drand round 7. The value is published ")
    expect(bound.locator("dd")).to_have_count(1)
    bound.locator("summary").click()
    expect(bound).to_contain_text(ladder.shown()["rounds"][0]["public_value"]["commitment"])
    expect(page.locator("main")).to_contain_text(f"machi ladder verify {ladder.id} 1")
    assert accessibility_faults(page) == []


@pytest.mark.long
def test_the_value_of_a_finished_round_can_be_looked_up_and_checked(
    app: Flask, ladder: Operated, at: Callable[..., Page]
) -> None:
    ladder.open_due(app)
    expect(at(ladder).locator(".bound")).to_contain_text("is not recorded yet.")
    ladder.owner.post(f"{ladder.path}/rounds/1/public-value", {"value": "5f3c9a"})
    expect(at(ladder).locator(".bound")).to_contain_text("The value is recorded")
    finish_blocks(app, ladder.id)
    finish_round(app, ladder.id)
    bound = at(ladder).locator(".bound")
    expect(bound).to_contain_text("the round can be checked")
    bound.locator("summary").click()
    told = ladder.shown()["rounds"][0]["public_value"]
    assert bound.locator("dd").all_inner_texts() == ["5f3c9a", told["commitment"], told["seed"]]


def test_matches_that_are_being_played_are_links(
    ladder: Operated, at: Callable[..., Page], ada: Account, bob: Account
) -> None:
    """Anybody may tag a match with the id of a ladder; only those of the ladder are shown."""
    played = ada.create(tags=[ladder.id])["match_id"]
    bob.create(tags=[ladder.id])
    page = at(ladder)
    expect(page.locator(".latest a")).to_have_count(1)
    expect(page.locator(".latest a")).to_have_attribute("href", f"/matches/{played}")


def test_names_are_text_and_never_markup(played: Operated, at: Callable[..., Page]) -> None:
    page = at(played, f"#entry={entries_of(played)[0]}")
    expect(page.get_by_role("heading", name="Base & <i>two</i>")).to_be_visible()
    expect(page.locator("#details h2")).to_contain_text(HOSTILE)
    expect(page.get_by_role("rowheader", name=HOSTILE).first).to_be_visible()
    assert page.locator("main img, main i, main b").count() == 0


@phone
@in_every_language
def test_a_phone_shows_it_in_every_language_without_scrolling_sideways(
    played: Operated, at: Callable[..., Page], page: Page
) -> None:
    sign_in_as(page, played.owner)
    at(played, f"#entry={entries_of(played)[0]}")
    expect(page.locator(".played a").first).to_be_visible()
    page.locator(".operator summary").click()
    assert overflowing(page) == []
    rows = standings_on_screen(page)
    assert rows == [[0, True]] * len(rows)
    expect(page.locator(".plotted")).to_be_hidden()
    assert not re.search(r"\bladders?\.[a-z]|\{\w+\}", page.locator("main").inner_text())


@phone
@in_every_language
def test_the_form_of_a_new_ladder_fits_a_phone_in_every_language(page: Page, ada: Account) -> None:
    """It is open as long as there is no ladder."""
    sign_in_as(page, ada)
    page.goto("/ladders")
    expect(page.locator("form [name=name]")).to_be_visible()
    assert overflowing(page) == []


def test_a_ladder_with_results_is_no_barrier_in_light_or_dark(
    played: Operated, at: Callable[..., Page], page: Page
) -> None:
    sign_in_as(page, played.owner)
    at(played, f"#entry={entries_of(played)[0]}")
    page.locator(".operator summary").click()
    assert accessibility_faults(page) == []


@phone
def test_letters_of_double_size_fit_a_phone(played: Operated, at: Callable[..., Page], page: Page) -> None:
    at(played, f"#entry={entries_of(played)[0]}")
    enlarge(page)
    assert (overflowing(page), cut_off(page)) == ([], [])


@pytest.mark.long
def test_an_operator_makes_enters_runs_and_stops_by_clicks(page: Page, ada: Account) -> None:
    sign_in_as(page, ada)
    page.goto("/ladders")
    page.get_by_role("textbox", name="Name").fill("Mine")
    page.get_by_role("button", name="Create the ladder").click()
    page.wait_for_url("**/ladders/lad_*")
    for name in ("greedy", "random"):
        page.locator("select[name=strategy]").select_option(name)
        page.get_by_role("button", name="Enter a player").click()
        expect(page.locator(".standings")).to_contain_text(name)
    page.get_by_label("Blocks").first.fill("3")
    page.get_by_role("button", name="Open a round").click()
    expect(page.locator(".now")).to_contain_text("0 of 3 blocks. Running.")
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(".now")).to_contain_text("Stopped.")
    page.get_by_role("button", name="Resume").click()
    expect(page.locator(".now")).to_contain_text("Running.")
    shown = ada.client.get(f"/v1{page.url[page.url.index('/ladders') :]}").json
    assert (shown["name"], shown["config"]["seats"], shown["rounds"][0]["blocks"]) == ("Mine", 2, 3)
    page.goto("/ladders")
    expect(page.locator(".list a")).to_contain_text(["Mine"])
    expect(page.locator(".list a")).to_contain_text(["a round is running"])


@pytest.mark.long
def test_a_new_season_says_that_nothing_has_been_played_in_it(
    played: Operated, at: Callable[..., Page], page: Page
) -> None:
    assert played.owner.post(f"{played.path}/seasons", {}).status_code == 201
    expect(at(played).locator(".answer")).to_contain_text("Nothing has been played in this season yet.")
    expect(page.locator(".answer")).not_to_contain_text("A ladder needs entries")


@pytest.mark.long
def test_what_cannot_be_undone_is_asked_for_first(
    played: Operated, at: Callable[..., Page], page: Page
) -> None:
    sign_in_as(page, played.owner)
    at(played)
    page.locator(".operator summary").click()
    page.get_by_role("button", name="Open a new season").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Remove random").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(page.locator(f"tr[data-entry={entries_of(played)[1]}]")).to_contain_text("removed")
    assert played.shown()["season"] == 1
    page.get_by_role("button", name="Open a new season").click()
    page.get_by_role("dialog").get_by_role("button", name="Open a new season").click()
    season = page.locator(".head select")
    expect(season).to_be_visible()
    season.select_option("1")
    expect(page.locator(".answer")).to_contain_text("is ahead")
    expect(page).to_have_url(re.compile(r"\?season=1$"))


@pytest.mark.long
def test_an_operator_records_the_public_value_that_a_round_waits_for(
    app: Flask, ladder: Operated, at: Callable[..., Page], page: Page
) -> None:
    ladder.open_due(app)
    sign_in_as(page, ladder.owner)
    at(ladder)
    page.get_by_label("The value, exactly as published").fill("5f3c9a")
    page.get_by_role("button", name="Record the value").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Record 5f3c9a as the public value of round 1?")
    dialog.get_by_role("button", name="Cancel").click()
    assert ladder.shown()["rounds"][0]["public_value"]["value"] is None
    assert accessibility_faults(page) == []
    page.get_by_role("button", name="Record the value").click()
    dialog.get_by_role("button", name="Record the value").click()
    expect(page.locator(".now")).to_contain_text("Running.")
    expect(page.get_by_label("The value, exactly as published")).to_have_count(0)
    assert ladder.shown()["rounds"][0]["public_value"]["value"] == "5f3c9a"


@pytest.mark.long
def test_a_value_that_comes_too_early_is_refused_in_words(
    ladder: Operated, at: Callable[..., Page], page: Page, tolerated: list[str]
) -> None:
    tolerated.append("status of 409")
    ladder.open_bound()
    sign_in_as(page, ladder.owner)
    at(ladder)
    page.get_by_label("The value, exactly as published").fill("5f3c9a")
    page.get_by_role("button", name="Record the value").click()
    page.get_by_role("dialog").get_by_role("button", name="Record the value").click()
    refused = ladder.owner.post(f"{ladder.path}/rounds/1/public-value", {"value": "5f3c9a"})
    assert refused.json["code"] == "value_too_early"
    expect(page.get_by_role("alert")).to_contain_text("The value is not published yet.")


@pytest.mark.long
def test_a_refusal_is_shown_in_words(
    ada: Account, at: Callable[..., Page], page: Page, tolerated: list[str]
) -> None:
    tolerated.append("status of 409")
    sign_in_as(page, ada)
    ladder = Operated(ada)
    at(ladder)
    page.get_by_role("button", name="Open a round").click()
    assert ladder.open_round().json["code"] == "too_few_entries"
    expect(page.get_by_role("alert")).to_contain_text("There are too few entries for this.")


def test_only_the_operator_is_shown_the_forms(
    played: Operated, at: Callable[..., Page], bob: Account
) -> None:
    page = at(played)
    expect(page.locator(".operator")).to_have_count(0)
    sign_in_as(page, bob)
    expect(at(played).locator(".operator")).to_have_count(0)


@pytest.mark.long
def test_the_way_of_a_test_ends_where_the_api_says(
    app: Flask, played: Operated, at: Callable[..., Page]
) -> None:
    a, b = entries_of(played)[:2]
    opened = played.owner.post(f"{played.path}/tests", {"a": a, "b": b, "most_blocks": 20})
    assert opened.status_code == 202
    finish_blocks(app, played.id, 9)
    publish(app, played.id, tests=live.progress_of_tests((), played.id, state_of(app, played), 1))
    page = at(played)
    shown = page.locator(".test")
    expect(shown).to_contain_text("Undecided after 9 of at most 20 blocks.")
    test = played.owner.client.get(f"{played.path}/tests/2").json
    ways = page.evaluate(RATIOS, [test, lines(played, "results?test=2&kind=result")])
    assert len(ways) == test["blocks"] == 9
    assert ways[-1] == pytest.approx(test["llr"], abs=0.0006)
    points = (shown.locator("polyline").get_attribute("points") or "").split()
    assert len(points) == test["blocks"] + 1


@pytest.mark.long
def test_a_suspended_bot_is_marked_with_the_reason(app: Flask, ada: Account, at: Callable[..., Page]) -> None:
    ladder = Operated(ada, suspension={"most_faults": 0})
    ladder.enter("greedy")
    bot = ada.post(f"{ladder.path}/entries", {"kind": "bot", "version": "1"}).json["entry_id"]
    ladder.open_round(3)
    finish_blocks(app, ladder.id, timeouts=(1, 1))
    publish(app, ladder.id)
    page = at(ladder)
    row = page.locator(f"tr[data-entry={bot}]")
    expect(row).to_contain_text("suspended")
    row.get_by_role("rowheader").get_by_role("link").click()
    evidence = ladder.shown()["entries"][1]["evidence"]
    faults, of = len(evidence["faults"]), evidence["matches"]
    expect(page.locator("#details")).to_contain_text(f"{faults} of its last {of} matches had faults")


@pytest.mark.long
@pytest.mark.parametrize(
    ("button", "address", "accept"),
    [
        ("Results NDJSON", "results", "application/x-ndjson"),
        ("Results CSV", "results", "text/csv"),
        ("Matches CSV", "matches", "text/csv"),
    ],
)
def test_a_download_is_what_the_api_sends(
    played: Operated, at: Callable[..., Page], tmp_path: Path, button: str, address: str, accept: str
) -> None:
    page = at(played)
    with page.expect_download() as download:
        page.get_by_role("button", name=button).click()
    download.value.save_as(tmp_path / "saved")
    sent = played.owner.client.get(f"{played.path}/{address}", headers={"Accept": accept}).data
    assert (tmp_path / "saved").read_bytes() == sent


def test_the_history_is_downloaded_whole(played: Operated, at: Callable[..., Page], tmp_path: Path) -> None:
    page = at(played)
    with page.expect_download() as download:
        page.get_by_role("button", name="History NDJSON").click()
    download.value.save_as(tmp_path / "saved")
    saved = [json.loads(line) for line in (tmp_path / "saved").read_text().splitlines()]
    assert [one["sequence"] for one in saved] == list(range(1, played.shown()["version"] + 1))
