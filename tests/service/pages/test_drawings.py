"""Every card has a picture of its own, and a browser finds no fault with any."""

import re
from collections.abc import Iterator

import msgspec
import pytest
from playwright.sync_api import Browser, Page, Route

from contract.catalogue import Card
from domain.match.rulesets import CURRENT
from service.catalogue.catalogue import present_cards
from service.pages.assets import assets

COLOURS = ("blue", "green", "red", "purple", "orange", "gold")

SHOWN = """async (things) => {
    const { render, html } = await import("/vendor/lit-html.js");
    const drawings = await import("/js/drawings.js");
    return things.map(([name, ...given]) => {
        const place = document.createElement("div");
        render(drawings[name](...given), place);
        document.body.append(place);
        return place.innerHTML.replace(/<!--.*?-->/g, "");
    });
}"""
"""The markup of what the functions of the module draw."""

TABLE = re.compile(r"export const (\w+) = \{\n(.*?)\n\};", re.DOTALL)


def cards() -> dict[str, Card]:
    """A card of every id; some ids are in several rulesets."""
    return {card.id: card for id in CURRENT for card in present_cards(id, "en")}


def pictures() -> dict[str, list[str]]:
    """The ids in each table of pictures."""
    text = assets()["js/pictures.js"].body.decode()
    return {name: re.findall(r"^  (\w+): \[", table, re.MULTILINE) for name, table in TABLE.findall(text)}


def serve(route: Route) -> None:
    name = route.request.url.removeprefix("http://drawings/")
    asset = assets().get(name)
    if asset is None:
        route.fulfill(body="<!doctype html><body>", content_type="text/html")
    else:
        route.fulfill(body=asset.body, content_type=asset.media_type)


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    """A page with no service behind it."""
    with browser.new_page() as page:
        page.route("**/*", serve)
        page.goto("http://drawings/")
        yield page


def shown(page: Page, *things: tuple[object, ...]) -> list[str]:
    """What the browser made of it, if it has nothing to complain about."""
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    markup: list[str] = page.evaluate(SHOWN, [list(thing) for thing in things])
    assert complaints == []
    return markup


def test_every_card_has_one_picture_and_nothing_else_has_one() -> None:
    ids = [id for table in pictures().values() for id in table]
    assert sorted(ids) == sorted(cards())


def test_every_landmark_has_a_silhouette() -> None:
    landmarks = {card.id for ruleset in CURRENT.values() for card in ruleset.landmarks}
    assert landmarks <= set(pictures()["LANDMARKS"])


def test_a_browser_draws_every_card_and_no_two_alike(page: Page) -> None:
    plain = [{**msgspec.to_builtins(card), "colour": "blue"} for card in cards().values()]
    markup = shown(page, *[("drawing", card) for card in plain])
    assert len(set(markup)) == len(plain)


def test_a_silhouette_shows_whether_the_landmark_stands(page: Page) -> None:
    landmarks = [msgspec.to_builtins(cards()[id]) for id in pictures()["LANDMARKS"]]
    built = shown(page, *[("skyline", card, True) for card in landmarks])
    planned = shown(page, *[("skyline", card, False) for card in landmarks])
    assert len({*built, *planned}) == 2 * len(landmarks)
    assert all('class="plan"' in one for one in planned)
    assert not any('class="plan"' in one for one in built)


@pytest.mark.parametrize("kind", ["establishment", "landmark"])
def test_an_unknown_card_borrows_the_picture_of_a_relative(page: Page, kind: str) -> None:
    known = [{**msgspec.to_builtins(card), "colour": None} for card in cards().values()]
    symbols = {card["symbol"] for card in known} | {"new"}
    unknown = [{"id": "new", "kind": kind, "symbol": symbol, "colour": None} for symbol in symbols]
    pictures = shown(page, *[("drawing", card) for card in known])
    assert set(shown(page, *[("drawing", card) for card in unknown])) <= set(pictures)


def test_the_shape_of_a_badge_tells_the_colours_of_establishments_apart(page: Page) -> None:
    badges = shown(page, *[("badge", colour) for colour in COLOURS])
    shapes = [re.findall(r' d="(.*?)"', one)[0] for one in badges]
    assert len(set(shapes)) == 5
    assert shapes[-2] == shapes[-1], "landmarks share theirs"


def test_a_die_shows_its_pips_and_a_coin_its_number(page: Page) -> None:
    dice = shown(page, *[("die", value, False) for value in range(7)])
    assert [one.count("M") for one in dice] == list(range(7))
    coins = shown(page, *[("coin", amount) for amount in (0, 7, 99)])
    assert [re.sub(r"<.*?>|\s", "", one) for one in coins] == ["0", "7", "99"]


def test_nothing_drawn_needs_an_inline_style_or_speaks_to_screen_readers(page: Page) -> None:
    card = msgspec.to_builtins(cards()["bakery"])
    drawn = (("drawing", card), ("skyline", card, True), ("badge", "red"), ("die", 3, True), ("coin", 5))
    for one in shown(page, *drawn):
        assert "style=" not in one
        assert 'aria-hidden="true"' in one
        assert 'focusable="false"' in one
