"""Puzzles: a visitor chooses a command on the table, and is told whether it is the best, and why."""

import re
from pathlib import Path

import pytest
from flask import Flask
from msgspec.structs import replace
from playwright.sync_api import Page, Route, expect

from events.matches.puzzles import Puzzle, Puzzles, shipped
from service.context import EXTENSION
from tests.service.contract import Account
from tests.service.pages.rig import (
    PHONE,
    accessibility_faults,
    anew,
    aria,
    dark,
    in_every_language,
    overflowing,
    shoot,
)

_LINES = """(labels) => labels.map((label) => {
    const [text, field] = [document.createRange(), label.querySelector("select")];
    text.setStart(label, 0);
    text.setEndBefore(field);
    return [text, field].map((one) => one.getBoundingClientRect().toJSON());
})"""

pytestmark = pytest.mark.usefixtures("ada")


@pytest.fixture(autouse=True)
def puzzles(app: Flask, ada: Account) -> dict[str, Puzzle]:
    """The shipped puzzles, by id."""
    Puzzles(app.extensions[EXTENSION].events_redis).add_shipped()
    return {one.puzzle_id: one for one in shipped()}


def open_puzzles(page: Page, puzzle_id: str) -> None:
    page.goto(f"/puzzles/{puzzle_id}")
    expect(page.locator(".city")).not_to_have_count(0)


def of_a_build(puzzles: dict[str, Puzzle], ruleset: str = "base") -> Puzzle:
    """A puzzle whose best and whose obvious command are builds."""
    return next(
        one
        for one in puzzles.values()
        if one.rules_version.startswith(ruleset)
        and {one.candidates[0].command.type, one.candidates[one.obvious].command.type} == {"build"}
    )


def choose(page: Page, card: str) -> None:
    page.locator(f".market button[data-card={card}], .city.own button[data-card={card}]").first.click()


def test_whoever_finds_the_best_move_is_told_so_and_goes_on_to_the_next(
    page: Page, puzzles: dict[str, Puzzle]
) -> None:
    puzzle = of_a_build(puzzles)
    open_puzzles(page, puzzle.puzzle_id)
    choose(page, puzzle.candidates[0].command.card)
    expect(page.locator(".answer h2")).to_have_text("That is the best move.")
    expect(page.locator(".answer h2")).to_be_focused()
    expect(page.locator(".candidates tbody tr")).to_have_count(len(puzzle.candidates))
    expect(page.locator(".answer")).to_contain_text("1 of 1 right")
    page.get_by_role("button", name="Next puzzle").click()
    expect(page.locator(".answer h2")).to_have_count(0)
    expect(page).not_to_have_url(re.compile(puzzle.puzzle_id))


@pytest.mark.long
def test_whoever_takes_the_obvious_move_learns_what_it_costs(page: Page, puzzles: dict[str, Puzzle]) -> None:
    puzzle = of_a_build(puzzles)
    obvious = puzzle.candidates[puzzle.obvious]
    open_puzzles(page, puzzle.puzzle_id)
    choose(page, obvious.command.card)
    expect(page.locator(".answer h2")).to_have_text("There is a better move.")
    expect(page.locator("#said")).to_have_count(0)
    expect(page.locator(".answer")).to_contain_text(f"costs {round(obvious.loss / 10_000)} percentage points")
    page.reload()
    expect(page.locator(".answer")).to_contain_text("0 of 1 right")


@pytest.mark.long
@pytest.mark.parametrize(
    ("locale", "told"),
    [
        ("en", "Take coins from seat 2"),
        ("uk", "Взяти монети в гравця на місці 2"),
        ("ru", "Взять монеты у игрока на месте 2"),  # noqa: RUF001
        ("cs", "Vzít mince hráči na místě 2"),
        ("it", "Prendi monete da chi è al posto 2"),
    ],
)
def test_a_seat_within_a_sentence_is_named_as_the_language_does(
    page: Page, puzzles: dict[str, Puzzle], told: str
) -> None:
    """No shipped puzzle is about whose coins to take: that choice is made up here."""

    def add_choice(route: Route) -> None:
        answer = route.fetch()
        found = answer.json()
        taking = {"type": "take_coins", "seat": found["active_seat"], "from_seat": 1}
        route.fulfill(response=answer, json={**found, "commands": [*found["commands"], taking]})

    page.route("**/v1/puzzles/pzl_*", add_choice)
    open_puzzles(page, next(iter(puzzles)))
    expect(page.locator(".actions button").last).to_have_text(told)


@pytest.mark.long
def test_the_first_puzzle_of_each_ruleset_can_be_chosen_and_solved_by_keyboard(page: Page) -> None:
    page.goto("/puzzles")
    for ruleset in ("base", "harbor", "machi_koro_2"):
        game = page.get_by_label("Game")
        if game.input_value() != ruleset:  # a visitor cannot choose what is chosen, which would load anew
            game.select_option(ruleset)
        expect(page.locator(".answer h2")).to_have_count(0)
        expect(page.locator(".city")).not_to_have_count(0)
        page.locator("button.can, .actions button").first.focus()
        page.keyboard.press("Enter")
        expect(page.locator(".answer h2")).to_be_visible()
        assert "best" in aria(page, ".answer") or "better" in aria(page, ".answer")


@pytest.mark.long
def test_the_solution_leads_to_the_match_and_its_review(
    page: Page, app: Flask, puzzles: dict[str, Puzzle]
) -> None:
    known = of_a_build(puzzles)
    position = replace(known.position, turn=known.position.turn + 1)
    puzzle = replace(known, match_id="mat_01", version=7, position=position)
    Puzzles(app.extensions[EXTENSION].events_redis).add("base", [puzzle])
    open_puzzles(page, puzzle.puzzle_id)
    expect(page.locator("a[href*=mat_01]")).to_have_count(0)
    choose(page, puzzle.candidates[0].command.card)
    for path in ("#v=7", "/review"):
        expect(page.locator(f"a[href='/matches/mat_01{path}']")).to_be_visible()


@pytest.mark.long
def test_the_losses_of_all_candidates_fit_beside_the_table(page: Page, puzzles: dict[str, Puzzle]) -> None:
    puzzle = of_a_build(puzzles, "machi_koro_2")
    open_puzzles(page, puzzle.puzzle_id)
    choose(page, puzzle.candidates[puzzle.obvious].command.card)
    expect(page.locator(".candidates .own")).to_contain_text("Your move")
    assert page.locator(".answer .scrolls").evaluate("it => it.scrollWidth <= it.clientWidth")


@pytest.mark.parametrize("locale", ["ru"])
def test_the_choice_of_a_game_stays_within_its_panel(page: Page, puzzles: dict[str, Puzzle]) -> None:
    page.set_viewport_size({"width": 320, "height": 800})
    open_puzzles(page, of_a_build(puzzles).puzzle_id)
    assert page.locator(".filters").evaluate("it => it.scrollWidth <= it.clientWidth")


@pytest.mark.parametrize("width", [1280, 375, 320])
def test_nothing_of_the_answer_is_cut_off_and_labels_stand_at_their_fields(
    page: Page, puzzles: dict[str, Puzzle], width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    puzzle = of_a_build(puzzles)
    open_puzzles(page, puzzle.puzzle_id)
    choose(page, puzzle.candidates[puzzle.obvious].command.card)
    expect(page.locator(".candidates th", has_text="Lost")).to_be_visible()
    assert page.locator(".answer .scrolls").evaluate("it => it.scrollWidth <= it.clientWidth")
    assert page.locator(".answer dd").evaluate_all(
        "all => all.every((it) => it.scrollWidth <= it.clientWidth)"
    )
    labels = page.locator(".filters label").evaluate_all(_LINES)
    assert len(labels) == 2
    assert all(text["bottom"] <= field["top"] and text["left"] == field["left"] for text, field in labels)


@pytest.mark.long
def test_the_effect_of_a_card_stays_within_the_window(page: Page, puzzles: dict[str, Puzzle]) -> None:
    page.set_viewport_size({"width": 1280, "height": 420})
    open_puzzles(page, of_a_build(puzzles).puzzle_id)
    shown = page.locator(".effect:visible")
    for card in page.locator(".city.own [data-card], .market [data-card]").all():
        card.hover()
        expect(shown).to_have_count(1)
        box = shown.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 1280


@pytest.mark.long
def test_what_was_kept_and_cannot_be_read_counts_as_nothing(page: Page, puzzles: dict[str, Puzzle]) -> None:
    puzzle = of_a_build(puzzles)
    open_puzzles(page, puzzle.puzzle_id)
    page.evaluate("localStorage.setItem('machi.puzzles', '{')")
    page.reload()
    expect(page.locator(".answer")).to_contain_text("0 of 0 right")


@pytest.mark.long
@anew
def test_puzzles_go_on_after_a_page_of_the_list(page: Page, app: Flask, puzzles: dict[str, Puzzle]) -> None:
    known = of_a_build(puzzles)
    copies = [
        replace(known, version=turn, position=replace(known.position, turn=turn)) for turn in range(1, 150)
    ]
    Puzzles(app.extensions[EXTENSION].events_redis).add("base", copies)
    found = sorted(one.puzzle_id for one in [*copies, *puzzles.values()] if one.ruleset == "base")
    *tried, last = found
    open_puzzles(page, last)
    page.evaluate(
        "tried => localStorage.setItem('machi.puzzles', JSON.stringify(tried))", dict.fromkeys(tried, True)
    )
    page.goto("/puzzles")
    expect(page.locator(".city")).not_to_have_count(0)
    expect(page).to_have_url(re.compile(f"{last}$"))
    expect(page.locator(".answer")).to_contain_text(f"{len(set(tried))} of {len(set(tried))} right")


def test_an_unknown_puzzle_is_said_to_be_unknown(page: Page, tolerated: list[str]) -> None:
    tolerated.append("status of 404")
    page.goto(f"/puzzles/pzl_{'0' * 32}")
    expect(page.locator("main")).to_contain_text("There is nothing at this address")


@in_every_language
def test_a_puzzle_opens_without_barriers_and_fits_a_phone(
    page: Page, puzzles: dict[str, Puzzle], locale: str, tmp_path: Path
) -> None:
    puzzle = of_a_build(puzzles)
    open_puzzles(page, puzzle.puzzle_id)
    choose(page, puzzle.candidates[puzzle.obvious].command.card)
    expect(page.locator(".answer h2")).to_be_visible()
    assert "puzzles." not in page.locator("main").inner_text()
    assert accessibility_faults(page) == []
    assert overflowing(page) == []
    shoot(page, f"puzzle-{locale}", tmp_path)
    page.set_viewport_size(PHONE)
    assert accessibility_faults(page) == []
    assert overflowing(page) == []
    shoot(page, f"puzzle-{locale}-phone", tmp_path)


@pytest.mark.long
@dark
def test_a_puzzle_in_the_dark_has_no_barriers(page: Page, puzzles: dict[str, Puzzle], tmp_path: Path) -> None:
    open_puzzles(page, of_a_build(puzzles, "machi_koro_2").puzzle_id)
    assert accessibility_faults(page) == []
    shoot(page, "puzzle-dark", tmp_path)


@pytest.mark.long
def test_puzzles_of_a_number_of_seats_are_chosen(page: Page, puzzles: dict[str, Puzzle]) -> None:
    page.goto("/puzzles")
    page.get_by_label("Game").select_option("harbor")
    page.get_by_label("Players").select_option("3")
    wanted = [one.puzzle_id for one in puzzles.values() if (one.ruleset, one.seats) == ("harbor", 3)]
    expect(page).to_have_url(re.compile("|".join(wanted)))
    expect(page.locator(".puzzle .city")).to_have_count(3)
