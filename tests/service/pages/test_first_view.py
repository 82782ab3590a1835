"""The first view of a page: what is known is shown at once, the rest as it comes, and nothing moves."""

import re
from typing import Any, Final

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.api import Api
from tests.e2e.stack import Stack
from tests.marks import long_unless
from tests.service.contract import Account
from tests.service.ladder_kit import Operated
from tests.service.pages.rig import DESK, PHONE, anew, moving, whole
from tests.service.pages.seats import sign_in

pytestmark = [anew, moving]

_WATCH: Final = """window.moved = [];
new PerformanceObserver((list) => list.getEntries().forEach(({ value, sources }) =>
    moved.push([value, ...sources.map(({ node }) => node?.outerHTML?.slice(0, 80))])))
    .observe({ type: "layout-shift", buffered: true });"""
_SHOWN: Final = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"

MOST_BYTES: Final = 100_000
LONG: Final = 300
"""Events of a match: five times as many as its page reads at first."""
MOMENT: Final = 100

LEAST: Final = 0.0005
"""Lighthouse tells shifts of layout in thousandths."""

on_phone_and_desk = pytest.mark.parametrize(
    "screen", [PHONE, pytest.param(DESK, marks=pytest.mark.long)], ids=["phone", "desk"]
)


@pytest.fixture
def waiting(page: Page) -> list[Route]:
    """Requests of the API that wait for an answer."""
    waiting: list[Route] = []
    page.add_init_script(_WATCH)
    page.route("**/v1/**", lambda route: waiting.append(route))
    return waiting


def answer(page: Page, waiting: list[Route]) -> None:
    """Let the service answer, the newest request first, and whatever is asked for later."""
    while waiting:
        route = waiting.pop()
        with page.expect_response(route.request.url):
            route.continue_()
        page.evaluate(_SHOWN)
    page.unroute("**/v1/**")
    while waiting:
        waiting.pop().continue_()


def moved(page: Page) -> list[Any]:
    """What moved, and how much of the screen; nothing if that is too little for anybody to see."""
    page.evaluate(_SHOWN)
    found: list[Any] = page.evaluate("moved")
    return found if sum(share for share, *_ in found) >= LEAST else []


@pytest.mark.long
@pytest.mark.parametrize("path", ["/", "/ladders"])
def test_a_heading_and_a_place_for_the_rest_are_there_before_any_answer(
    page: Page, waiting: list[Route], path: str
) -> None:
    page.goto(path)
    expect(page.locator("h1")).to_be_visible()
    expect(page.locator(".awaited")).to_be_visible()
    answer(page, waiting)
    expect(page.locator(".awaited")).to_have_count(0)


@pytest.mark.long
def test_a_table_has_its_place_before_any_answer(
    page: Page, waiting: list[Route], tolerated: list[str]
) -> None:
    tolerated.append("status of 404")
    page.goto("/matches/mat_00000000000000000000000000")
    expect(page.locator("header.site")).to_be_visible()
    content = page.evaluate("getComputedStyle(document.querySelector('main'), '::before').height")
    assert float(content.removesuffix("px")) > 100
    answer(page, waiting)


@pytest.mark.long
@on_phone_and_desk
@whole
def test_nothing_on_the_home_page_moves_as_answers_come(
    page: Page, waiting: list[Route], shared_stack: Stack
) -> None:
    api = Api(shared_stack)
    sign_in(page, api)
    for _ in range(3):
        api.sure("POST", "/v1/matches", {"ruleset": "base", "seats": [{"kind": "me"}, {"kind": "me"}]})
    page.goto("/")
    expect(page.locator("h1")).to_be_visible()
    answer(page, waiting)
    expect(page.locator("footer")).to_be_visible()
    assert moved(page) == []


@on_phone_and_desk
@whole
@pytest.mark.parametrize("is_own", long_unless([False], [False, True]), ids=["to watch", "to play"])
def test_nothing_on_a_table_moves_as_answers_come(
    page: Page, waiting: list[Route], shared_stack: Stack, is_own: bool
) -> None:
    api = Api(shared_stack)
    wish = {"ruleset": "base", "seats": [{"kind": "me"}, {"kind": "me"}]}
    match_id = api.sure("POST", "/v1/matches", wish).json()["match_id"]
    if is_own:
        sign_in(page, api)
    page.goto(f"/matches/{match_id}")
    expect(page.locator("header.site")).to_be_visible()
    answer(page, waiting)
    expect(page.locator(".log li").first).to_be_attached()
    assert moved(page) == []


@pytest.mark.long
@on_phone_and_desk
def test_nothing_on_a_ladder_moves_as_answers_come(page: Page, waiting: list[Route], ada: Account) -> None:
    ladder = Operated(ada, name="Base")
    ladder.enter("greedy")
    ladder.enter("random")
    ladder.open_round(6)
    page.goto(f"/ladders/{ladder.id}")
    expect(page.locator("header.site")).to_be_visible()
    answer(page, waiting)
    expect(page.locator(".standings")).to_be_visible()
    assert moved(page) == []


def play(api: Api, match_id: str, events: int) -> int:
    """Play by dice alone until the match has so many events; its version."""
    path, version = f"/v1/matches/{match_id}", 0
    while version < events:
        *_, last = api.get(f"{path}/legal-commands")["commands"]
        chosen = last if last["type"] == "roll_dice" else {"type": "pass"}
        version = api.sure("POST", f"{path}/commands", chosen).json()["version"]
    return version


@pytest.mark.long
@whole
def test_the_first_view_of_a_long_match_is_small_and_the_rest_follows(
    page: Page, shared_stack: Stack
) -> None:
    api = Api(shared_stack)
    wish = {"ruleset": "base", "seats": [{"kind": "me"}] * 4}
    match_id = api.sure("POST", "/v1/matches", wish).json()["match_id"]
    version = play(api, match_id, LONG)
    sign_in(page, api)
    network = page.context.new_cdp_session(page)
    network.send("Network.enable")
    came: list[int] = []
    network.on("Network.loadingFinished", lambda answer: came.append(answer["encodedDataLength"]))
    others: list[Route] = []
    page.route(re.compile(rf"/replay\?from=(1|{MOMENT + 1})&"), lambda route: others.append(route))
    page.goto(f"/matches/{match_id}")
    expect(page.locator(".log li").first).to_have_attribute("aria-current", "step")
    assert 30_000 < sum(came) < MOST_BYTES
    page.locator("body").press("Home")
    expect(page.locator(".track input")).to_have_value(str(version))
    others.pop().continue_()
    expect(page.locator(".track input")).to_have_value("1")
    expect(page.locator(".log li")).to_have_count(1)
    page.locator("body").press("End")
    page.get_by_role("tab", name="Luck").click()
    expect(page.locator(".luck tbody tr")).to_have_count(4)

    page.goto(f"/matches/{match_id}#v={MOMENT}")
    network.send("Network.clearBrowserCache")
    came.clear()
    page.reload()
    expect(page.locator(".log [aria-current=step] a")).to_have_attribute("href", f"#v={MOMENT}")
    expect(page.locator(".track input")).to_have_attribute("max", str(version))
    assert 30_000 < sum(came) < MOST_BYTES
    page.locator("body").press("ArrowRight")
    page.unroute_all()  # which lets go of what waits
    expect(page.locator(".track input")).to_have_value(str(MOMENT + 1))
    expect(page.locator(".log li")).to_have_count(MOMENT + 1)
