"""The pages of tournaments: a bracket, the rounds of a Swiss tournament, and a round robin."""

import re
from typing import Any

import pytest
from flask import Flask
from playwright.sync_api import Page, expect

from tests.service.contract import Account
from tests.service.ladder_kit import Operated
from tests.service.ladders.test_tournaments import NAMES, cup, end_round, shown, start
from tests.service.pages.rig import accessibility_faults, in_every_language, overflowing, phone
from tests.service.pages.seats import sign_in_as


def play(app: Flask, ladder: Operated) -> Any:
    """Play it to its end; what the API shows of it then."""
    start(ladder)
    while shown(ladder)["status"] == "running":
        end_round(app, ladder)
    return shown(ladder)


def at(page: Page, ladder: Operated, rest: str = "") -> Page:
    page.goto(f"/ladders/{ladder.id}{rest}")
    expect(page.locator(".tournament h2")).to_be_visible()
    return page


def places(page: Page) -> list[list[str]]:
    """The place and the name in each row."""
    rows = page.locator(".places tbody tr").all()
    return [[row.locator("td").first.inner_text(), row.locator("th").inner_text()] for row in rows]


@pytest.mark.long
def test_a_knock_out_shows_its_bracket_its_ties_and_its_winner(app: Flask, ada: Account, page: Page) -> None:
    ladder = cup(ada, "knock_out")
    found = play(app, ladder)
    at(page, ladder)

    winner = found["items"][0]["name"]
    stages = page.locator(".stage")
    expect(stages).to_have_count(found["planned"])
    expect(stages.last).to_contain_text("Final")
    expect(stages.first.locator(".tie.faint")).to_have_count(3)
    expect(stages.last.locator(".won")).to_contain_text(winner)
    expect(page.locator(".tournament > p").first).to_have_text(f"{winner} has won the tournament.")
    assert places(page) == [[str(one["place"]), one["name"]] for one in found["items"]]
    final = [one for one in found["rounds"] if one["number"] == found["planned"]]
    wins = [sum(round["tables"][0]["players"][which]["wins"] for round in final) for which in (0, 1)]
    assert [int(one) for one in stages.last.locator(".tie a span:last-child").all_inner_texts()] == wins
    assert accessibility_faults(page) == []


def test_the_list_of_ladders_tells_tournaments_apart(ada: Account, page: Page) -> None:
    open_one, tournament = Operated(ada), cup(ada, "knock_out")
    page.goto("/ladders")
    expect(page.locator(f"a[href='/ladders/{tournament.id}']")).to_contain_text("Knock-out")
    expect(page.locator(f"a[href='/ladders/{open_one.id}']")).not_to_contain_text("Knock-out")


@pytest.mark.long
@phone
def test_on_a_phone_a_running_round_takes_no_room_from_the_name_of_its_ladder(
    ada: Account, page: Page
) -> None:
    running, idle = cup(ada, "swiss"), cup(ada, "swiss")
    start(running)
    page.goto("/ladders")
    expect(page.locator(".live")).to_be_visible()
    names = [page.locator(f"a[href='/ladders/{one.id}'] strong") for one in (running, idle)]
    beside, alone = (name.evaluate("(name) => name.getBoundingClientRect().width") for name in names)
    assert beside == alone


def test_a_swiss_tournament_shows_its_rounds_its_pairings_and_its_points(
    app: Flask, ada: Account, page: Page
) -> None:
    ladder = cup(ada, "swiss", rounds=3)
    found = play(app, ladder)
    at(page, ladder)

    rounds = page.locator(".pairings")
    expect(rounds).to_have_count(3)
    expect(rounds.first.locator("li")).to_have_count(3)
    last = found["rounds"][-1]
    expect(rounds.first).to_contain_text(last["tables"][0]["players"][0]["name"])
    expect(rounds.first.locator("li.faint")).to_contain_text(last["byes"][0]["name"])
    points = page.locator(".places tbody td:nth-child(3)").all_inner_texts()
    assert [float(one) for one in points] == [one["points"] for one in found["items"]]
    assert accessibility_faults(page) == []


def test_a_round_robin_shows_its_places_while_it_is_played(app: Flask, ada: Account, page: Page) -> None:
    ladder = cup(ada, "round_robin", rounds=2)
    start(ladder)
    end_round(app, ladder)
    at(page, ladder)

    expect(page.locator(".tournament > p").first).to_have_text("Round 2 of 2.")
    assert [name for _, name in places(page)] == [one["name"] for one in shown(ladder)["items"]]
    expect(page.locator(".bracket")).to_have_count(0)


@pytest.mark.long
def test_an_earlier_tournament_is_shown_with_its_season_and_an_ordinary_season_has_none(
    app: Flask, ada: Account, page: Page
) -> None:
    ladder = cup(ada, "knock_out", names=NAMES[:2])
    play(app, ladder)
    ada.post(f"{ladder.path}/seasons", {"schedule": None})
    page.goto(f"/ladders/{ladder.id}")
    expect(page.locator(".standings, .awaited").first).to_be_visible()
    expect(page.locator(".tournament")).to_have_count(0)
    at(page, ladder, "?season=1")

    expect(page.locator(".stage")).to_have_count(1)


@pytest.mark.long
def test_the_operator_makes_a_tournament_and_starts_it(ada: Account, page: Page) -> None:
    sign_in_as(page, ada)
    page.goto("/ladders")
    summary = page.locator("details.panel summary")
    expect(summary).to_be_visible()
    if not page.get_by_role("textbox", name="Name").is_visible():  # other tests have made ladders
        summary.click()
    page.get_by_role("textbox", name="Name").fill("Spring cup")
    page.get_by_label("Tournament").select_option(label="Swiss tournament")
    page.get_by_label("Rounds (empty").fill("2")
    page.get_by_role("button", name="Create the ladder").click()
    expect(page.locator(".tournament > p").first).to_have_text("The tournament has not started yet.")
    path = "/v1" + page.url[page.url.index("/ladders/") :]
    for name in NAMES[:4]:
        ada.post(f"{path}/entries", {"kind": "strategy", "strategy": name})
    page.reload()
    page.get_by_role("button", name="Start the tournament").click()

    expect(page.locator(".tournament > p").first).to_have_text("Round 1 of 2.")


@pytest.mark.long
@phone
@in_every_language
@pytest.mark.parametrize("kind", ["knock_out", "swiss"])
def test_a_tournament_fits_a_phone_in_every_language(app: Flask, ada: Account, page: Page, kind: str) -> None:
    ladder = cup(ada, kind)
    play(app, ladder)
    at(page, ladder)

    assert not re.search(r"tournament\.[a-z_]", page.locator(".tournament").inner_text())
    assert overflowing(page) == []


@pytest.mark.long
def test_after_a_cup_a_new_season_shows_nothing_of_it_under_what_happens_now(
    app: Flask, ada: Account, page: Page
) -> None:
    ladder = cup(ada, "knock_out", names=NAMES[:2])
    play(app, ladder)
    match_id = ada.create(tags=[ladder.id])["match_id"]
    page.goto(f"/ladders/{ladder.id}")
    now = page.locator(".now")
    expect(now).to_contain_text("Round 1 was opened")
    expect(now.locator(f"a[href='/matches/{match_id}']")).to_be_visible()
    ada.post(f"{ladder.path}/seasons", {"schedule": None})
    page.reload()
    expect(page.locator(".answer")).to_contain_text("Nothing has been played in this season yet.")
    expect(now).to_contain_text("No round is running.")
    expect(now).not_to_contain_text("was opened")
    expect(now.get_by_role("link")).to_have_count(0)
    page.goto(f"/ladders/{ladder.id}?season=1")
    expect(now).to_contain_text("Round 1 was opened")
    expect(now.locator(f"a[href='/matches/{match_id}']")).to_be_visible()
