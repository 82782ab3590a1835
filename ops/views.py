"""Measure the first views of pages of a running service, on a phone and on a desktop.

`python -m ops.views URL ...` prints the bytes on the wire with all headers, of files and of the API, the
requests, and when the largest part was painted, as Chromium counts them, in a window that has loaded nothing
yet. Where an address names a moment (`#v=57`), the match is played back from there, and the longest time
between two frames with coins or cards in the air is printed, too. Nothing is simulated, so other work of the
machine affects the results.

Needs the packages of the tests and a Chromium (CHROME_PATH).
"""

import argparse
import sys
from typing import Any, Final, NamedTuple

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

from ops.lighthouse import chromium

SCREENS: Final = {"phone": (360, 740), "desk": (1280, 800)}
"""Width and height in pixels."""
PLAYED_MS: Final = 10_000

_PAINTED: Final = """() => new Promise((tell) =>
    new PerformanceObserver((list) => tell(list.getEntries().at(-1).startTime))
        .observe({ type: "largest-contentful-paint", buffered: true }))"""
_FRAMES: Final = """(duration) => new Promise((tell) => {
    const frames = [];
    const end = performance.now() + duration;
    let last = 0;
    const look = (now) => {
        const isFlying = document.querySelector(".flying");
        if (isFlying && last) frames.push(now - last);
        last = isFlying ? now : 0;
        if (now < end) requestAnimationFrame(look);
        else tell(frames);
    };
    requestAnimationFrame(look);
})"""
"""The times between frames while something is in the air, in milliseconds."""


class Came(NamedTuple):
    """What came over the wire."""

    files: int
    """Bytes."""
    api: int
    """Bytes."""
    requests: int


def main(arguments: list[str]) -> int:
    """Print the measurements of the first view of each page; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m ops.views", description=__doc__)
    parser.add_argument("url", nargs="+", help="address of a page of a running service")
    urls: list[str] = parser.parse_args(arguments).url
    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=chromium()) as browser:
        for url in urls:
            for form in SCREENS:
                print(f"{url}, {form}: {_measured(browser, url, form)}")
    return 0


def _measured(browser: Browser, url: str, form: str) -> str:
    width, height = SCREENS[form]
    context = browser.new_context(viewport={"width": width, "height": height}, locale="en")
    page = context.new_page()
    came = _count(context.new_cdp_session(page))
    page.goto(url)
    page.wait_for_load_state("networkidle")
    found = _told(came)
    said = f"files {found.files:,} bytes, API {found.api:,} bytes, {found.requests} requests"
    said += f", largest part after {page.evaluate(_PAINTED):.0f} ms"
    if "#v=" in url:
        said += f", {_played(page)}"
    context.close()
    return said


def _count(network: CDPSession) -> dict[str, dict[str, Any]]:
    """The requests from now on by id, each with its `url`, and its `bytes` once it has ended."""
    came: dict[str, dict[str, Any]] = {}

    def ask(event: dict[str, Any]) -> None:
        came[event["requestId"]] = {"url": event["request"]["url"], "bytes": 0}

    def end(event: dict[str, Any]) -> None:
        came[event["requestId"]]["bytes"] = event["encodedDataLength"]

    network.on("Network.requestWillBeSent", ask)
    network.on("Network.loadingFinished", end)
    network.send("Network.enable")
    return came


def _told(came: dict[str, dict[str, Any]]) -> Came:
    api = sum(one["bytes"] for one in came.values() if "/v1/" in one["url"])
    return Came(sum(one["bytes"] for one in came.values()) - api, api, len(came))


def _played(page: Page) -> str:
    """How smoothly coins and cards moved while the match was played back."""
    page.get_by_role("button", name="Play", exact=True).click()
    frames = sorted(page.evaluate(_FRAMES, PLAYED_MS))
    if not frames:
        return "nothing moved"
    late = sum(one > 1.5 * 1000 / 60 for one in frames)
    return f"{len(frames)} frames with something in the air, {late} late, the longest {frames[-1]:.1f} ms"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
