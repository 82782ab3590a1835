"""What tests of pages share beside fixtures: marks for how a page is looked at, and what is looked for."""

import os
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Page, ViewportSize

from tests.marks import long_unless

DEADLINE_MS: Final = 180_000
DESK: Final[ViewportSize] = {"width": 1280, "height": 800}
PHONE: Final[ViewportSize] = {"width": 360, "height": 740}
LANGUAGES: Final = ("en", "uk", "ru", "cs", "it")

phone = pytest.mark.parametrize("screen", [PHONE], ids=["phone"])
dark = pytest.mark.parametrize("colours", ["dark"])
in_both_schemes = pytest.mark.parametrize("colours", long_unless(["light"], ["light", "dark"]))
# The words of Ukrainian are the longest.
in_every_language = pytest.mark.parametrize("locale", long_unless(["uk"], LANGUAGES))
whole = pytest.mark.parametrize("service", ["whole"])
"""The page is that of a service with relay and workers."""
anew = pytest.mark.parametrize("is_new", [True], ids=["anew"])
"""The page is in a window that has loaded nothing yet, and that no other test gets."""
moving = pytest.mark.parametrize("is_calm", [False], ids=["moving"])
"""What moves for visitors who want nothing else moves.

All these marks are for tests that use the fixture `page`."""

_SUMMARY: Final = """async (rules) => {
    const { violations } = await axe.run({resultTypes: ["violations"], ...rules});
    return violations.flatMap((rule) => rule.nodes.map((node) =>
        `${rule.id}: ${node.target.join(" ")}: ${node.failureSummary}`));
}"""
_COLOUR_RULES: Final = {"runOnly": ["color-contrast", "link-in-text-block"]}
"""The rules of axe that look at colours; what the others find does not depend on the scheme."""
_OVERFLOW: Final = """(width) => [...document.querySelectorAll("body *")]
    .filter((one) => one.getBoundingClientRect().right > width + 1)
    .filter((one) => !one.closest(".scrolls, .hidden, .skip"))
    .map((one) => one.outerHTML.slice(0, 120))"""


_ENLARGE: Final = """() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("html { font-size: 200% !important }");
    document.adoptedStyleSheets.push(sheet);
}"""
_CUT_OFF: Final = """() => [...document.querySelectorAll("body *")]
    .filter((one) => getComputedStyle(one).overflowX === "hidden" && !one.closest(".hidden, .skip"))
    .filter((one) => one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1)
    .filter((one) => one.title !== one.textContent)
    .map((one) => one.outerHTML.slice(0, 120))"""


_FITS: Final = """() => [...document.querySelectorAll(".standings tr")].map((row) => {
    const shown = [...row.cells].filter((cell) => getComputedStyle(cell).display !== "none");
    const plots = shown.filter((cell) => cell.querySelector(".forest")).length;
    return [plots, shown.slice(0, 3).every((cell) => cell.getBoundingClientRect().right < innerWidth - 12)];
})"""


@cache
def _axe() -> str:
    return (files("axe_playwright_python") / "axe.min.js").read_text()


def accessibility_faults(page: Page) -> list[str]:
    """What axe finds on the page as it is, in light and in dark."""
    page.evaluate(_axe())
    found: list[str] = []
    for scheme, rules in (("light", {}), ("dark", _COLOUR_RULES)):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]  # mypy takes it for any text
        found += [f"{scheme}: {fault}" for fault in page.evaluate(_SUMMARY, rules)]
    return found


def overflowing(page: Page) -> list[Any]:
    """What makes the page wider than its screen; empty if nothing does."""
    assert page.viewport_size
    width = page.viewport_size["width"]
    # Instead of scrolling, a phone lays out a wider page and shows it smaller.
    found = page.evaluate("() => Math.max(document.documentElement.scrollWidth, innerWidth)")
    return list(page.evaluate(_OVERFLOW, width)) or [f"{found} pixels"] if found > width else []


def standings_on_screen(page: Page) -> list[Any]:
    """Of each row of a table of ratings: how many plots it shows, and whether its first three cells fit."""
    return list(page.evaluate(_FITS))


def enlarge(page: Page) -> None:
    """Double the size of all letters."""
    page.evaluate(_ENLARGE)


def cut_off(page: Page) -> list[Any]:
    """Texts of which a part cannot be seen, and which no title tells in full."""
    return list(page.evaluate(_CUT_OFF))


def aria(page: Page, selector: str = "body") -> str:
    """Roles, names and states of what is there, as a screen reader finds them."""
    return page.locator(selector).aria_snapshot()


def shoot(page: Page, name: str, tmp_path: Path) -> Path:
    """A picture of the whole page in the folder that SCREENSHOTS names, or in the test's own."""
    path = Path(os.environ.get("SCREENSHOTS") or tmp_path) / f"{name}.png"
    page.screenshot(path=path, full_page=True, animations="disabled")
    return path
