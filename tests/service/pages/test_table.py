"""The table: matches played by clicks, by keys and by touch, watched, replayed, and picked up again."""

import re
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.api import Api
from tests.e2e.stack import Stack
from tests.marks import long
from tests.service.pages.rig import (
    DESK,
    PHONE,
    accessibility_faults,
    aria,
    cut_off,
    enlarge,
    moving,
    overflowing,
    phone,
    shoot,
    whole,
)
from tests.service.pages.seats import CHOICES, is_due, play, reach, sign_in, wish

ME = {"kind": "me"}
GREEDY = {"kind": "strategy", "strategy": "greedy"}
LATE: Final = {
    "coins": 6,
    "landmarks": ["train_station", "shopping_mall"],
    "establishments": {
        "wheat_field": 2,
        "ranch": 3,
        "bakery": 2,
        "cafe": 1,
        "tv_station": 1,
        "business_center": 1,
    },
}
"""A city with which a match of `base` is over after some more turns."""

_COUNT: Final = """() => {
    window.changes = { added: 0, removed: 0 };
    new MutationObserver((all) => all.forEach(({ addedNodes, removedNodes }) => {
        changes.added += addedNodes.length;
        changes.removed += removedNodes.length;
    })).observe(document.querySelector(".log"), { childList: true, subtree: true });
    new MutationObserver((all) => (changes.added += 1000 * all.length)).observe(
        document.querySelector(".ticks"), { childList: true, subtree: true, attributes: true });
}"""
"""Count what comes and goes in the log; what happens to the marks of the time line counts a thousand."""
_LINES: Final = """(all) => all.map((one) => {
    const text = document.createRange();
    text.selectNodeContents(one);
    return new Set([...text.getClientRects()].map(({ y }) => y)).size;
})"""
"""On how many lines the text of each is."""
_IS_PLAYED_BACK: Final = """() => {
    const { value, max } = document.querySelector(".track input");
    return 2 < value && value < max / 2;
}"""
_ANIMATED: Final = """() => {
    window.animated = new Set();
    const look = () => {
        for (const one of document.getAnimations())
            for (const { offset, computedOffset, easing, composite, ...moving } of one.effect.getKeyframes())
                Object.keys(moving).forEach((name) => animated.add(name));
        requestAnimationFrame(look);
    };
    look();
}"""
"""Note the properties that anything animates."""


_FLIGHTS: Final = """async ([events, before]) => {
    const address = document.querySelector("script[src*='/js/'], link[href*='/js/']");
    const { flights } = await import((address.src ?? address.href).replace(/[^/]*$/, "motion.js"));
    return events.map((event) => flights(event, before));
}"""
"""What flies with each event."""
_OVERLAPPING: Final = """(centre) => {
    const boxes = [...centre.querySelectorAll(".task span, .seat, .seat > *, .die, .total, .actions > *")]
        .filter((one) => one.checkVisibility());
    const [left, right] = [centre.getBoundingClientRect().left, centre.getBoundingClientRect().right];
    return boxes.flatMap((one) => boxes.map((other) => [one, other]))
        .filter(([one, other]) => !one.contains(other) && !other.contains(one))
        .map((pair) => pair.map((one) => one.getBoundingClientRect()))
        .filter(([a, b]) => a.left < left || a.right > right ||
            (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1))
        .map((pair) => pair.map(({ x, y, width, height }) => [x, y, width, height].map(Math.round)));
}"""
_OPACITY: Final = """(one) => {
    let seen = 1;
    for (let at = one; at; at = at.parentElement) seen *= getComputedStyle(at).opacity;
    return seen;
}"""


@pytest.fixture
def api(shared_stack: Stack) -> Api:
    return Api(shared_stack)


def new_match(api: Api, *seats: dict[str, str], ruleset: str = "base", **more: Any) -> str:
    wish = {"ruleset": ruleset, "seats": list(seats), **more}
    return str(api.sure("POST", "/v1/matches", wish).json()["match_id"])


def at_table(page: Page, match_id: str, hash: str = "") -> Page:
    page.goto(f"/matches/{match_id}{hash}")
    expect(page.locator(".city").first).to_be_visible()
    return page


def played(page: Page, api: Api, rounds: int) -> str:
    """A match that the visitor, on both seats, has played for so many clicks."""
    sign_in(page, api)
    match_id = new_match(api, ME, ME, first_seat=0)
    at_table(page, match_id)
    play(page, rounds=rounds)
    return match_id


def lit(page: Page) -> list[list[str]]:
    """The cards of each city whose numbers are lit up."""
    found: list[list[str]] = page.locator(".city").evaluate_all(
        "cities => cities.map((city) => [...city.querySelectorAll('.glows')].map((one) => one.dataset.card))"
    )
    return found


def expect_moment(page: Page, version: int) -> None:
    expect(page.locator(".track input")).to_have_value(str(version))


def at_first_roll(page: Page) -> int:
    """Follow the first link of the luck; the version of the moment that it leads to."""
    link = page.locator(".luck ol a").first
    version = int(str(link.get_attribute("href")).removeprefix("#v="))
    link.click()
    expect_moment(page, version)
    return version


@whole
def test_from_the_first_visit_to_the_first_roll_takes_two_clicks(page: Page) -> None:
    page.goto("/")
    page.locator(".games button.primary").click()
    page.wait_for_url("**/matches/**")
    page.get_by_role("button", name="Roll one die").click()
    expect(page.get_by_role("img", name="Dice:")).to_be_visible()
    page.goto("/")
    expect(page.locator(".matches a").first).to_contain_text("guest-")


@whole
@moving
@pytest.mark.parametrize("ruleset", ["base", "harbor", "machi_koro_2"])
def test_a_whole_match_is_played_by_clicks_alone(page: Page, api: Api, ruleset: str) -> None:
    sign_in(page, api)
    match_id = new_match(api, ME, GREEDY, ruleset=ruleset)
    at_table(page, match_id)
    assert play(page)["isOver"]
    match = api.sure("GET", f"/v1/matches/{match_id}").json()
    assert match["status"] == "finished"
    expect(page.locator(".task")).to_contain_text(match["seats"][match["winner"]]["name"])
    expect_moment(page, match["version"])
    assert api.sure("GET", f"/v1/matches/{match_id}/verification").json()["verdict"] == "verified"
    page.get_by_role("button", name="Watch the replay").click()
    page.wait_for_function(_IS_PLAYED_BACK)


@pytest.mark.long
@whole
def test_a_turn_is_played_by_keys_alone(page: Page, api: Api) -> None:
    sign_in(page, api)
    at_table(page, new_match(api, ME, ME, first_seat=0))
    for name in ("Roll one die", "Pass"):
        expect(page.get_by_role("button", name=name)).to_be_visible()
        for _ in range(20):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.textContent.trim()") == name:
                break
        page.keyboard.press("Enter")
    expect(page.locator(".log")).to_contain_text("Turn 2 begins")
    page.locator("body").press("Home")
    page.keyboard.press("ArrowLeft")
    expect_moment(page, 1)
    page.keyboard.press("ArrowRight")
    expect_moment(page, 2)
    page.keyboard.press("PageDown")
    expect(page.locator(".log [aria-current=step]")).to_contain_text("Turn 1 begins")
    page.keyboard.press("End")
    expect(page.locator(".time")).to_contain_text("live")


@whole
@pytest.mark.parametrize(
    "begun",
    [
        {"ruleset": "machi_koro_2", "first_seat": 0},
        *long(
            {"ruleset": "base", "first_seat": 0},
            {"ruleset": "harbor", "first_seat": 0},
            {"position": {"active_seat": 0, "phase": "roll", "players": [LATE, LATE]}},
        ),
    ],
    ids=["machi_koro_2", "base", "harbor", "the end"],
)
def test_a_match_is_played_to_its_end_by_keys_alone(page: Page, api: Api, begun: dict[str, Any]) -> None:
    """After each act, the focus is somewhere in the table, and all that can be done is in reach."""
    sign_in(page, api)
    match_id = new_match(api, ME, GREEDY, **begun)
    at_table(page, match_id)
    for key in ("Tab", "Enter"):
        page.keyboard.press(key)
    chance = Random(7)
    while is_due(page, lambda: page.keyboard.press("End")):
        reach(page.locator(CHOICES).nth(wish(page, chance)))
        page.keyboard.press(chance.choice(["Enter", "Space"]))
        assert page.evaluate("document.activeElement.closest('main') && document.activeElement !== main")
    assert api.sure("GET", f"/v1/matches/{match_id}").json()["status"] == "finished"


@pytest.mark.long
@whole
def test_the_focus_goes_on_to_the_dice_and_leaves_whoever_is_elsewhere(page: Page, api: Api) -> None:
    sign_in(page, api)
    at_table(page, new_match(api, ME, ME, first_seat=0))
    roll, actions = page.get_by_role("button", name="Roll one die"), page.get_by_role("group", name="Actions")
    roll.press("Enter")
    expect(actions).to_be_focused()
    expect(page.get_by_role("button", name="Pass")).to_be_visible()
    expect(actions).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Pass")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator(".city.own .landmark button").first).to_be_focused()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Space")
    expect(roll).to_be_focused()
    page.keyboard.press("Enter")
    expect(actions).to_be_focused()
    page.locator(".log a").first.focus()
    expect(page.get_by_role("button", name="Pass")).to_be_visible()
    expect(page.locator(".log a:focus")).to_be_visible()


@whole
@phone
@pytest.mark.parametrize("locale", ["uk"])
@pytest.mark.parametrize("ruleset", [*long("base", "harbor"), "machi_koro_2"])
def test_a_whole_match_is_played_by_touch_on_a_phone_in_ukrainian(page: Page, api: Api, ruleset: str) -> None:
    sign_in(page, api)
    match_id = new_match(api, ME, GREEDY, ruleset=ruleset, first_seat=0)
    at_table(page, match_id)
    chance = Random(7)
    while is_due(page, page.locator("[data-act=last]").tap):
        assert overflowing(page) == []
        page.locator(CHOICES).nth(wish(page, chance)).tap()
    expect(page.locator(".log")).to_contain_text("Починається хід")
    expect(page.locator("html")).to_have_attribute("lang", "uk")
    assert api.sure("GET", f"/v1/matches/{match_id}").json()["status"] == "finished"


@pytest.mark.long
@whole
def test_a_card_that_cannot_be_built_says_why(page: Page, api: Api) -> None:
    sign_in(page, api)
    at_table(page, new_match(api, ME, ME, first_seat=0))
    page.get_by_role("button", name="Roll one die").click()
    dear = page.locator(".market [data-card=mine]")
    expect(dear).to_have_attribute("aria-disabled", "true")
    expect(dear).to_have_accessible_name(re.compile("not enough"))
    landmark = page.locator(".city.own .landmark [data-card=radio_tower]").first
    expect(landmark).to_have_accessible_name(re.compile("Radio Tower, costs 22 coins.* not enough"))
    dear.press("Enter")
    expect(page.locator("#said")).to_contain_text("not enough")
    edges = [page.locator(f"{place} [data-card]").nth(at) for place in (".city", ".market") for at in (0, -1)]
    for card in [landmark, *edges]:
        card.hover()
        said, time = card.locator(".effect").bounding_box(), page.locator(".time").bounding_box()
        assert said
        assert time
        assert 0 < said["x"] < said["x"] + said["width"] < DESK["width"]
        assert said["y"] + said["height"] < time["y"]
    assert dear.locator(".effect").evaluate(_OPACITY) == 1, "why not can be read"


@whole
@phone
def test_a_landmark_waits_for_the_end_of_the_building_rounds_and_both_texts_about_it_can_be_read(
    page: Page, api: Api
) -> None:
    """Nothing is sold out: the market shows the landmark."""
    sign_in(page, api)
    at_table(page, new_match(api, ME, ME, first_seat=0, ruleset="machi_koro_2"))
    page.locator("button.unfold").click()
    landmark = page.locator("#market").get_by_role("button", name=re.compile(", (landmark|orange),")).first
    expect(landmark).to_have_accessible_name(re.compile("Only after the building rounds$"))
    landmark.press("Enter")
    expect(page.locator("#said")).to_have_text("Only after the building rounds")
    said, effect = page.locator("#said").bounding_box(), landmark.locator(".effect").bounding_box()
    assert said
    assert effect
    assert said["y"] + said["height"] < effect["y"]


@pytest.mark.long
@whole
def test_whoever_resigns_is_asked_first(page: Page, api: Api) -> None:
    sign_in(page, api)
    match_id = new_match(api, ME, ME, first_seat=0)
    at_table(page, match_id)
    page.get_by_role("tab", name="More").press("Enter")
    page.locator("summary", has_text="Resign").press("Enter")
    assert api.sure("GET", f"/v1/matches/{match_id}").json()["status"] == "running"
    page.get_by_role("button", name="Resign").press("Enter")
    expect(page.locator(".task")).to_contain_text("wins!")
    what_if = page.get_by_role("button", name="What if?")
    expect(what_if).to_be_disabled()
    page.get_by_role("button", name="One event back").click()
    expect(what_if).to_be_disabled()
    page.get_by_role("button", name="To the start").click()
    expect(what_if).to_be_enabled()
    page.get_by_role("tab", name="Luck").click()
    expect(page.locator("#beside")).to_have_text("No dice have been rolled yet.")


@whole
def test_an_address_leads_to_a_moment_and_a_branch_goes_on_from_there(page: Page, api: Api) -> None:
    match_id = played(page, api, rounds=8)
    version = api.sure("GET", f"/v1/matches/{match_id}").json()["version"]
    at_table(page, match_id, "#v=9")
    assert version > 9
    expect_moment(page, 9)
    expect(page.locator(".actions [data-command]")).to_have_count(0)
    page.get_by_role("tab", name="More").click()
    page.get_by_role("button", name="What if?").click()
    page.wait_for_url(lambda url: match_id not in url)
    branch = api.sure("GET", f"/v1/matches/{page.url.rpartition('/')[2]}").json()
    assert branch["origin"]["match_id"] == match_id


@whole
def test_two_browsers_at_one_table_see_each_other_move(
    page: Page, browser: Browser, api: Api, base_url: str
) -> None:
    sign_in(page, api)
    match_id = new_match(api, ME, {"kind": "open"}, first_seat=0)
    at_table(page, match_id)
    link = page.get_by_label("Invitation link:").input_value()
    with browser.new_context(base_url=base_url) as context:
        guest = context.new_page()
        guest.goto(link)
        guest.get_by_role("button", name="Take a seat").click()
        page.get_by_role("button", name="Roll one die").click()
        page.get_by_role("button", name="Pass").click()
        expect(guest.get_by_role("button", name="Roll one die")).to_be_visible()
        expect(guest).to_have_title("● Your turn · Machi Koro")
        guest.get_by_role("button", name="Roll one die").click()
        expect(page.locator(".log")).to_contain_text("guest-")


@pytest.mark.long
@whole
@phone
def test_whoever_has_the_link_to_a_private_match_sees_it_and_joins(
    page: Page, api: Api, tmp_path: Path
) -> None:
    seats = (ME, {"kind": "open"}, GREEDY)
    options = {"market": "limited", "card_costs": {"mine": 7}}
    clock = {"decision_ms": 90_000, "on_timeout": "forfeit"}
    match_id = new_match(api, *seats, visibility="private", options=options, clock=clock, first_seat=1)
    code = api.sure("GET", f"/v1/matches/{match_id}").json()["invitation_code"]
    page.goto(f"/matches/{match_id}?code={code}")
    handle = api.signed_up.json()["handle"]
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Match of {handle}, open seat, greedy")
    for told in ("1 seat is open.", "ten kinds from a deck", "Mine: 7", "1:30 (the player is out)"):
        expect(page.locator("main")).to_contain_text(told)
    assert overflowing(page) == []
    assert accessibility_faults(page) == []
    shoot(page, "invitation", tmp_path)
    page.get_by_role("button", name="Take a seat").click()
    page.get_by_role("button", name="Roll one die").click()
    expect(page.locator(".log")).to_contain_text("rolls")


@pytest.mark.long
@whole
def test_an_invitation_shows_who_joins_and_its_page_the_new_account(
    page: Page, api: Api, shared_stack: Stack
) -> None:
    seats = [{"kind": "open"}] * 3
    match_id = new_match(api, *seats, visibility="private", first_seat=1)
    code = api.sure("GET", f"/v1/matches/{match_id}").json()["invitation_code"]
    page.goto(f"/matches/{match_id}?code={code}")
    expect(page.locator(".lobby")).to_contain_text("3 seats are open.")
    friend = Api(shared_stack)
    friend.sure("POST", f"/v1/matches/{match_id}/seats", {"code": code})
    expect(page.locator(".lobby")).to_contain_text("2 seats are open.")
    expect(page.locator("h1")).to_contain_text(friend.wish["handle"])
    expect(page.locator(".site nav")).to_contain_text("Account")
    page.get_by_role("button", name="Take a seat").click()
    expect(page.locator(".site nav")).to_contain_text("guest-")
    expect(page.locator(".lobby")).to_contain_text("1 seat is open.")
    Api(shared_stack).sure("POST", f"/v1/matches/{match_id}/seats", {"code": code})
    page.get_by_role("button", name="Roll one die").click()


@whole
@phone
def test_a_phone_shows_the_link_above_the_seats_of_a_match_that_waits(page: Page, api: Api) -> None:
    sign_in(page, api)
    at_table(page, new_match(api, ME, {"kind": "open"}))
    link, seat = (
        page.get_by_label("Invitation link:").bounding_box(),
        page.locator(".city").first.bounding_box(),
    )
    assert link
    assert seat
    assert link["y"] + link["height"] < seat["y"]
    expect(page.get_by_role("button", name="Market")).to_be_hidden()


@pytest.mark.long
@whole
def test_an_invitation_to_a_match_that_begins_without_the_visitor_says_so(
    page: Page, api: Api, tolerated: list[str]
) -> None:
    tolerated.append("status of 404")
    match_id = new_match(api, ME, {"kind": "open"}, visibility="private")
    code = api.sure("GET", f"/v1/matches/{match_id}").json()["invitation_code"]
    page.goto(f"/matches/{match_id}?code={code}")
    expect(page.get_by_role("button", name="Take a seat")).to_be_visible()
    api.sure("POST", f"/v1/matches/{match_id}/seats", {})
    expect(page.locator(".task")).to_have_text("This invitation is over: the match has begun, or was ended.")
    expect(page.get_by_role("button", name="Take a seat")).to_have_count(0)


@pytest.mark.long
@whole
def test_the_table_of_a_match_that_waits_shows_who_joins_and_who_declines(
    page: Page, api: Api, shared_stack: Stack
) -> None:
    shy, bold = Api(shared_stack), Api(shared_stack)
    sign_in(page, api)
    invited = {"kind": "account", "handle": shy.wish["handle"]}
    match_id = new_match(api, ME, invited, {"kind": "open"}, {"kind": "open"})
    at_table(page, match_id)
    names = page.locator(".city h2")
    expect(names).to_have_text(
        [api.wish["handle"], f"{shy.wish['handle']}, invited", "Open seat", "Open seat"]
    )
    shy.sure("POST", f"/v1/me/invitations/{match_id}/decline", {})
    expect(names.nth(1)).to_have_text("Open seat")
    bold.sure("POST", f"/v1/matches/{match_id}/seats", {})
    expect(page.locator(".lobby")).to_contain_text("2 seats are open.")
    expect(names).to_contain_text([bold.wish["handle"]])


@pytest.mark.long
@whole
def test_an_invited_account_is_told_on_the_home_page_and_named_at_the_table(
    page: Page, api: Api, shared_stack: Stack
) -> None:
    host, handle = Api(shared_stack), api.signed_up.json()["handle"]
    new_match(host, ME, {"kind": "account", "handle": handle}, first_seat=1)
    sign_in(page, api)
    page.goto("/")
    page.get_by_role("link", name=f"Match of {host.signed_up.json()['handle']}").click()
    expect(page.locator(".city h2").last).to_have_text(f"{handle}, invited")
    page.get_by_role("button", name="Take a seat").click()
    expect(page.get_by_role("button", name="Roll one die")).to_be_visible()


@pytest.mark.long
@whole
def test_a_match_that_nobody_joined_can_be_begun_anew(page: Page, api: Api) -> None:
    sign_in(page, api)
    match_id = new_match(api, ME, {"kind": "open"})
    at_table(page, match_id)
    page.get_by_role("button", name="End this match").click()
    page.get_by_role("button", name="Play again").click()
    page.wait_for_url(lambda url: match_id not in url)
    expect(page.get_by_label("Invitation link:")).to_be_visible()


@pytest.mark.long
@whole
def test_a_match_with_seeds_of_its_players_is_played_again_with_theirs(page: Page, api: Api) -> None:
    sign_in(page, api)
    match_id = new_match(api, ME, GREEDY, dice={"mode": "committed", "seat_seeds": {}})
    at_table(page, match_id)
    page.locator("#tab-more").click()
    page.locator("summary:text('Resign')").click()
    page.locator("details button:text('Resign')").click()
    page.get_by_role("button", name="Play again").click()
    page.wait_for_url(lambda url: match_id not in url)
    again = api.sure("GET", f"/v1/matches/{page.url.rpartition('/')[2]}").json()
    assert [one["seat"] for one in again["seat_seeds"]["seats"]] == [0, 1]


@pytest.mark.long
@whole
def test_what_luck_did_leads_to_its_rolls(page: Page, api: Api) -> None:
    sign_in(page, api)
    match_id = new_match(api, ME, ME)
    at_table(page, match_id)
    play(page, rounds=16)
    page.get_by_role("tab", name="Luck").click()
    expect(page.locator(".luck td").first).to_be_visible()
    assert set(page.locator(".luck td").evaluate_all(_LINES)) == {1}
    rolled = at_first_roll(page)
    expect(page.locator(".dice")).to_have_accessible_name(re.compile("Dice:"))
    event = api.sure("GET", f"/v1/matches/{match_id}/events/{rolled}").json()
    assert event["type"] == "dice_rolled"


@pytest.mark.long
@whole
@phone
def test_all_seats_are_in_sight_in_short_and_lead_to_their_cities(page: Page, api: Api) -> None:
    landmarks = ["train_station", "shopping_mall", "radio_tower"]
    cards = {"wheat_field": 1, "bakery": 1}
    players = [{"coins": 9 - n, "landmarks": landmarks[:n], "establishments": cards} for n in (0, 3, 1, 2, 0)]
    position = {"active_seat": 2, "phase": "roll", "players": players}
    at_table(page, new_match(api, *[ME] * 5, options={"box": "five_player"}, position=position))
    seats = page.locator(".seats button")
    for at, built in enumerate((0, 3, 1, 2, 0)):
        told = re.compile(f" {at + 1}, {9 - built} coins, {built} of 4 landmarks")
        expect(seats.nth(at)).to_have_accessible_name(told)
        expect(seats.nth(at)).to_be_in_viewport(ratio=1)
    expect(page.locator(".seats [aria-current=true]")).to_have_attribute("data-seat", "2")
    seats.nth(3).click()
    expect(page.locator(".city").nth(3).get_by_role("heading")).to_be_in_viewport(ratio=1)


@pytest.mark.long
@whole
@pytest.mark.parametrize("count", [3, 5])
def test_no_screen_is_so_narrow_that_seats_and_what_is_said_overlap(page: Page, api: Api, count: int) -> None:
    at_table(page, new_match(api, *[ME] * count, options={"box": "five_player"}))
    for width in (360, 920, 1024, 1280, 1920):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.locator(".centre").evaluate(_OVERLAPPING) == []
    assert overflowing(page) == []


@pytest.mark.long
@whole
def test_a_finished_match_leads_to_its_luck_its_check_and_a_link_to_a_moment(page: Page, api: Api) -> None:
    """Whoever opens the link reads what happened then."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    sign_in(page, api)
    match_id = new_match(api, ME, GREEDY, first_seat=0)
    at_table(page, match_id)
    play(page)
    actions = page.locator(".actions")
    expect(actions.get_by_role("link", name="Check the dice")).to_have_attribute(
        "href", f"/matches/{match_id}/verify"
    )
    actions.get_by_role("button", name="Who was lucky?").click()
    version = at_first_roll(page)
    actions.get_by_role("button", name="Copy a link to this moment").click()
    expect(page.locator("#said")).to_have_text("Copied.")
    link = page.evaluate("navigator.clipboard.readText()")
    assert link.endswith(f"/matches/{match_id}#v={version}")
    page.goto("/")
    page.goto(link)
    told = api.sure("GET", f"/v1/matches/{match_id}/log?after={version - 1}&limit=1").json()["items"][0]
    assert "rolls" in told["text"]
    expect(page.locator(".task")).to_have_text(told["text"])


@pytest.mark.long
@whole
def test_a_roll_lights_the_numbers_of_cards_that_it_can_pay(page: Page, api: Api) -> None:
    """A 3 pays the bakery of the roller and the café of the others."""
    city = {"coins": 3, "landmarks": [], "establishments": {"wheat_field": 1, "bakery": 1, "cafe": 1}}
    position = {"active_seat": 0, "phase": "roll", "players": [city, city]}
    dice = {"mode": "scripted", "throws": [[3]]}
    match_id = new_match(api, ME, ME, dice=dice, position=position)
    api.sure("POST", f"/v1/matches/{match_id}/commands", {"type": "roll_dice", "dice": 1})
    at_table(page, match_id)
    assert lit(page) == [["bakery"], ["cafe"]]


@pytest.mark.long
@whole
def test_the_numbers_that_the_last_roll_pays_stay_lit_once_the_match_is_over(page: Page, api: Api) -> None:
    landmarks = ["train_station", "shopping_mall", "amusement_park"]
    city = {"coins": 30, "landmarks": landmarks, "establishments": {"ranch": 1, "bakery": 1, "cafe": 1}}
    position = {"active_seat": 0, "phase": "roll", "players": [city, city]}
    match_id = new_match(api, ME, ME, dice={"mode": "scripted", "throws": [[3]]}, position=position)
    for command in ({"type": "roll_dice", "dice": 1}, {"type": "build", "card": "radio_tower"}):
        api.sure("POST", f"/v1/matches/{match_id}/commands", command)
    at_table(page, match_id)
    expect(page.locator(".task")).to_contain_text("wins!")
    assert lit(page) == [["bakery"], ["cafe"]]


@pytest.mark.long
@whole
@pytest.mark.parametrize(
    ("throw", "card", "first", "second", "where"),
    [
        (4, "corn_field", 1, 2, [True, False]),
        (2, "general_store", 2, 0, [False, False]),
        (5, "french_restaurant", 1, 3, [False, False]),
        (5, "french_restaurant", 2, 0, [False, True]),
        (1, "sushi_bar", 2, 3, [False, False]),
        (1, "sushi_bar", 0, 4, [False, True]),
    ],
)
def test_a_card_that_waits_for_landmarks_is_not_lit_where_it_cannot_pay(
    page: Page, api: Api, throw: int, card: str, first: int, second: int, where: list[bool]
) -> None:
    built = ["train_station", "shopping_mall", "amusement_park", "harbor"]
    cities = [
        {"coins": 9, "landmarks": built[:count], "establishments": {"town_hall": 1, card: 1}}
        for count in (first, second)
    ]
    position = {"active_seat": 0, "phase": "roll", "players": cities}
    dice = {"mode": "scripted", "throws": [[throw]]}
    match_id = new_match(api, ME, ME, ruleset="harbor_millionaires_row", dice=dice, position=position)
    api.sure("POST", f"/v1/matches/{match_id}/commands", {"type": "roll_dice", "dice": 1})
    at_table(page, match_id)
    assert lit(page) == [[card] if is_lit else [] for is_lit in where]


@whole
def test_an_embedded_table_shows_a_match_and_offers_nothing_to_click_for(page: Page, api: Api) -> None:
    sign_in(page, api)
    match_id = new_match(api, ME, ME, first_seat=0)
    page.goto(f"/embed/matches/{match_id}")
    expect(page.locator(".city").first).to_be_visible()
    expect(page.locator("[data-command], .can")).to_have_count(0)
    page.goto(f"/embed/matches/{new_match(api, ME, {'kind': 'open'})}")
    expect(page.get_by_label("Invitation link:")).to_be_visible()
    expect(page.get_by_role("button", name="Take a seat")).to_have_count(0)


@pytest.mark.long
@whole
def test_the_panel_beside_the_table_is_as_high_as_the_screen_leaves_room(page: Page, api: Api) -> None:
    at_table(page, new_match(api, ME, ME, first_seat=0))
    for width, height, is_large in (
        (3840, 2160, False),
        (1366, 768, False),
        (1366, 600, False),
        (1024, 768, False),
        (1366, 1200, True),
    ):
        page.set_viewport_size({"width": width, "height": height})
        if is_large:
            enlarge(page)
        side, time = page.locator(".side").bounding_box(), page.locator(".time").bounding_box()
        assert side
        assert time
        assert time["y"] + time["height"] <= height
        assert 0 < time["y"] - side["y"] - side["height"] < 40


@pytest.mark.long
@whole
@pytest.mark.parametrize("screen", [{"width": 1366, "height": 650}], ids=["laptop"])
def test_a_low_screen_shows_the_last_row_of_a_large_market_before_the_end_of_the_page(
    page: Page, api: Api
) -> None:
    at_table(page, new_match(api, ME, ME, ME, ME, ruleset="harbor"))
    page.evaluate("scrollTo(0, 330)")
    card, time = page.locator(".market .card").last.bounding_box(), page.locator(".time").bounding_box()
    assert card
    assert time
    assert card["y"] + card["height"] < time["y"]


@whole
def test_the_table_is_no_barrier_and_makes_sense_to_a_screen_reader(page: Page, api: Api) -> None:
    sign_in(page, api)
    at_table(page, new_match(api, ME, GREEDY, ruleset="harbor", first_seat=0))
    expect(page.get_by_role("button", name="Roll one die")).to_be_visible()
    read = aria(page, "main")
    for words in (
        "Your turn: roll the dice.",
        "City of greedy",
        "3 coins",
        "0 of 6 landmarks",
        "Wheat Field, blue, 1",
    ):
        assert words in read
    assert accessibility_faults(page) == []


@pytest.mark.long
@whole
@pytest.mark.parametrize("screen", [PHONE, {"width": 768, "height": 1024}], ids=["phone", "tablet"])
def test_the_count_of_events_of_a_long_match_stays_on_one_line(page: Page, api: Api) -> None:
    at_table(page, new_match(api, ME, ME), "#v=2")
    count = page.locator(".time > .faint")
    expect(count).to_have_text(re.compile(r"^2/\d+$"))
    count.evaluate(
        "(one) => { [...one.childNodes].find(({ nodeType }) => nodeType === 3).data = '1146/1146'; }"
    )
    expect(count).to_have_text("1146/1146")
    assert count.evaluate_all(_LINES) == [1]
    assert overflowing(page) == []


@pytest.mark.long
@whole
def test_the_heading_of_a_table_names_open_and_reserved_seats(
    page: Page, api: Api, shared_stack: Stack
) -> None:
    host, guest = api.wish["handle"], Api(shared_stack).wish["handle"]
    sign_in(page, api)
    at_table(page, new_match(api, ME, {"kind": "account", "handle": guest}, {"kind": "open"}))
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_have_text(f"Match of {host}, {guest}, invited, open seat")


@pytest.mark.long
@whole
def test_open_seats_are_told_apart_by_a_screen_reader(page: Page, api: Api) -> None:
    sign_in(page, api)
    at_table(page, new_match(api, ME, {"kind": "open"}, {"kind": "open"}))
    cities = page.get_by_role("region", name=re.compile("^City of open seat [23]$", re.IGNORECASE))
    expect(cities).to_have_count(2)
    assert accessibility_faults(page) == []


@whole
def test_names_are_text_whatever_they_contain(page: Page, api: Api) -> None:
    """Handles cannot have markup; the answer of a service that let some through is made up here."""
    sign_in(page, api)
    match_id = new_match(api, ME, ME, first_seat=0)
    name = "<img src=x onerror=alert(1)>"

    def rename(route: Any) -> None:
        answer = route.fetch()
        handle = api.signed_up.json()["handle"]
        route.fulfill(response=answer, body=answer.text().replace(f'"{handle}"', f'"{name}"'))

    page.route(re.compile(r"/v1/matches/[^/?]+(/(replay|log|luck|legal-commands)\b.*)?$"), rename)
    at_table(page, match_id)
    expect(page.locator(".city h2").first).to_have_text(f"{name} 1")
    expect(page.locator("main img")).to_have_count(0)
    page.unroute_all(behavior="wait")


@pytest.mark.long
@whole
def test_a_step_changes_one_line_of_the_log_and_no_mark_of_the_time_line(page: Page, api: Api) -> None:
    match_id = played(page, api, rounds=8)
    at_table(page, match_id, "#v=12")
    expect(page.locator(".log li")).to_have_count(12)
    page.evaluate(_COUNT)
    page.keyboard.press("ArrowRight")
    expect(page.locator(".log [aria-current=step] a")).to_have_attribute("href", "#v=13")
    assert page.evaluate("changes") == {"added": 1, "removed": 0}
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".log li")).to_have_count(12)
    expect(page.locator(".log [aria-current=step] a")).to_have_attribute("href", "#v=12")
    assert page.evaluate("changes") == {"added": 1, "removed": 1}


@pytest.mark.long
@whole
def test_the_address_names_the_moment_at_which_a_replay_is_stopped(page: Page, api: Api) -> None:
    match_id = played(page, api, rounds=8)
    at_table(page, match_id, "#v=5")
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_url(re.compile("^[^#]+$"))
    page.get_by_role("button", name="Pause").click()
    page.wait_for_url(f"**#v={page.locator('.track input').input_value()}")
    assert not page.url.endswith("#v=5")


@pytest.mark.long
@whole
def test_play_pressed_three_times_at_once_stops_at_the_last_event(page: Page, api: Api) -> None:
    sign_in(page, api)
    match_id = new_match(api, ME, ME, first_seat=0)
    for command in ({"type": "roll_dice", "dice": 1}, {"type": "pass"}):
        head = api.sure("POST", f"/v1/matches/{match_id}/commands", command).json()["version"]
    at_table(page, match_id, f"#v={head - 1}")
    expect(page.locator(".track input")).to_have_attribute("max", str(head))
    button = page.get_by_role("button", name="Play", exact=True)
    button.evaluate("button => { for (const _ of '123') button.click(); }")
    expect(page.locator(".time > span")).to_have_text("live")
    expect_moment(page, head)


@pytest.mark.long
@whole
@moving
def test_coins_move_by_what_needs_no_layout(page: Page, api: Api) -> None:
    match_id = played(page, api, rounds=12)
    at_table(page, match_id, "#v=5")
    page.evaluate(_ANIMATED)
    page.get_by_label("Speed").select_option("4")
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_function("() => animated.has('transform')")
    assert set(page.evaluate("[...animated]")) <= {"transform", "opacity"}


@pytest.mark.long
@whole
def test_players_of_the_same_name_are_numbered_wherever_they_are_named(page: Page, api: Api) -> None:
    sign_in(page, api)
    match_id = new_match(api, ME, GREEDY, GREEDY, first_seat=1)
    own = api.signed_up.json()["handle"]
    names = [own, "greedy 1", "greedy 2"]
    at_table(page, match_id)
    expect(page.locator(".city h2")).to_have_text(names)
    play(page, rounds=1)
    log = page.locator(".log")
    expect(log).to_contain_text("Turn 1 begins: greedy 1 plays.")
    expect(log).to_contain_text(f"{own} takes seat 1.")
    expect(log).to_contain_text("The built-in player greedy takes seat 3.")
    expect(log).not_to_contain_text("(seat")
    page.get_by_role("tab", name="Luck").click()
    expect(page.locator(".luck tbody th")).to_contain_text(names)
    page.goto("/")
    expect(page.locator(f".previews [href='/matches/{match_id}'] .who")).to_have_text(names)
    expect(page.locator(f".matches [href='/matches/{match_id}'] strong")).to_have_text(" · ".join(names))
    page.goto("/account")
    expect(page.locator(f"[href='/matches/{match_id}']")).to_have_text(" · ".join(names))


@pytest.mark.long
@whole
@pytest.mark.parametrize(
    ("locale", "told"),
    [
        ("en", "23 hr 59 min"),
        ("uk", "23 год 59 хв"),
        ("ru", "23 ч 59 мин"),
        ("cs", "23 h 59 min"),
        ("it", "23 h 59 min"),
    ],
)
def test_a_long_clock_counts_hours(page: Page, api: Api, locale: str, told: str) -> None:
    sign_in(page, api)
    clock = {"decision_ms": 86_400_000, "on_timeout": "default_command"}
    at_table(page, new_match(api, ME, ME, clock=clock))
    expect(page.locator(".clock")).to_have_text(told)


@pytest.mark.long
@whole
def test_each_seat_shows_its_time_bank_and_that_of_the_seat_to_act_runs_down(page: Page, api: Api) -> None:
    sign_in(page, api)
    clock = {"decision_ms": 3_600_000, "on_timeout": "forfeit", "bank_ms": 90_000, "increment_ms": 5_000}
    match_id = new_match(api, ME, ME, clock=clock, first_seat=0)
    deadline = datetime.fromisoformat(api.sure("GET", f"/v1/matches/{match_id}/state").json()["deadline"])
    at_table(page, match_id)
    hidden = page.locator(".city .time-bank .hidden")
    expect(hidden).to_have_text(["Time bank: 1:30", "Time bank: 1:30"])
    page.clock.set_fixed_time(deadline - timedelta(seconds=65))
    expect(hidden).to_have_text(["Time bank: 1:05", "Time bank: 1:30"])
    expect(page.locator(".clock")).to_have_text("1:05")
    assert accessibility_faults(page) == []
    assert overflowing(page) == []
    page.clock.set_fixed_time(deadline - timedelta(milliseconds=3_600_000 + 90_000))
    for command in ({"type": "roll_dice", "dice": 1}, {"type": "pass"}):
        api.sure("POST", f"/v1/matches/{match_id}/commands", command)
    expect(hidden).to_have_text(["Time bank: 1:35", "Time bank: 1:30"])
    told = r"The time bank of .+ grows by 0:05 to 1:35\."
    expect(page.locator(".log")).to_contain_text(re.compile(told))


@pytest.mark.long
@whole
@phone
@pytest.mark.parametrize("locale", ["en", "uk"])
def test_the_widest_roll_fits_and_one_tap_leads_from_the_dice_to_the_market(
    page: Page, api: Api, locale: str
) -> None:
    owner = {"establishments": {"town_hall": 1}, "landmarks": ["harbor", "train_station", "radio_tower"]}
    other = {"establishments": {"town_hall": 1}, "landmarks": []}
    players = [{"coins": 9, **owner}, {"coins": 0, **other}]
    throws = {"mode": "scripted", "throws": [[6, 5]]}
    position = {"active_seat": 0, "phase": "roll", "players": players}
    match_id = new_match(api, ME, ME, ruleset="harbor", dice=throws, position=position)
    sign_in(page, api)
    at_table(page, match_id)
    page.locator("[data-command=roll_dice]").last.click()
    expect(page.locator("[data-command=reroll_dice]")).to_be_visible()
    assert overflowing(page) == []
    page.locator("[data-command=keep_dice]").click()
    page.locator("[data-command=add_two]").click()
    expect(page.locator(".total")).to_have_text("13")
    assert overflowing(page) == []

    unfold, card = page.locator(".unfold.primary"), page.locator(".market .card.can").first
    unfold.tap()
    offered, bar = card.bounding_box(), page.locator(".centre").bounding_box()
    assert offered
    assert bar
    assert 0 < offered["y"] < offered["y"] + offered["height"] < bar["y"]
    assert bar["y"] > PHONE["height"] / 2, "within reach of a thumb"
    assert (overflowing(page), accessibility_faults(page)) == ([], [])
    card.tap()
    expect(page.locator(".unfold")).to_have_attribute("aria-expanded", "false")


@pytest.mark.long
@whole
@phone
@pytest.mark.parametrize("locale", ["uk"])
def test_a_trade_of_cards_with_long_names_fits_a_phone(page: Page, api: Api) -> None:
    give, take = "furniture_factory", "fruit_and_vegetable_market"
    players = [
        {"coins": 0, "establishments": {"business_center": 1, give: 1}, "landmarks": []},
        {"coins": 0, "establishments": {take: 1}, "landmarks": []},
    ]
    throws = {"mode": "scripted", "throws": [[6]]}
    position = {"active_seat": 0, "phase": "roll", "players": players}
    match_id = new_match(api, ME, ME, dice=throws, position=position)
    sign_in(page, api)
    at_table(page, match_id)
    page.locator("[data-command=roll_dice]").tap()
    page.locator(f".city button.can[data-card={give}]").tap()
    page.locator(f".city button.can[data-card={take}]").tap()
    expect(page.locator("[data-command=swap_establishments]")).to_be_visible()
    assert overflowing(page) == []


@pytest.mark.long
@whole
@pytest.mark.parametrize("screen", [PHONE, DESK], ids=["phone", "desk"])
def test_letters_of_double_size_fit(page: Page, api: Api) -> None:
    sign_in(page, api)
    at_table(page, new_match(api, ME, {"kind": "strategy", "strategy": "expected_value"}, first_seat=0))
    enlarge(page)
    assert (overflowing(page), cut_off(page)) == ([], [])


@pytest.mark.long
def test_levelled_coins_and_traded_cards_fly_like_payments(page: Page) -> None:
    page.goto("/")
    events = [
        {"type": "coins_levelled", "data": {"seat": 0, "card": "park", "coins": [4, 4, 4], "from_bank": 1}},
        {
            "type": "establishments_swapped",
            "data": {"seat": 0, "give": "cafe", "with_seat": 2, "take": "mine"},
        },
        {"type": "establishment_given", "data": {"seat": 1, "card": "cafe", "to_seat": 0}},
        {"type": "turn_ended", "data": {"seat": 1}},
    ]
    before = {"players": [{"coins": 9}, {"coins": 0}, {"coins": 4}]}
    assert page.evaluate(_FLIGHTS, [events, before]) == [
        [{"from": 0, "to": None, "coins": 5}, {"from": None, "to": 1, "coins": 4}],
        [{"from": 0, "to": 2, "card": "cafe"}, {"from": 2, "to": 0, "card": "mine"}],
        [{"from": 1, "to": 0, "card": "cafe"}],
        [],
    ]
