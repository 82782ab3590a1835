"""What tests of the table share: an account in the browser, and playing by what lights up."""

import json
import re
from collections.abc import Callable
from random import Random
from typing import Any, Final

from playwright.sync_api import Locator, Page

from tests.e2e.api import Api
from tests.service.contract import Account

OVER: Final = "document.querySelector('.actions [data-act=again]')"

_PLAY: Final = """async ({rounds, seed}) => {
    // Click as a hasty player would: landmarks first, then any card, now and then a pass.
    const counts = {};
    let state = seed;
    const chance = () => (state = (state * 48271) % 2147483647) / 2147483647;
    const any = (list) => list[Math.floor(chance() * list.length)];
    const all = (selector) => [...document.querySelectorAll(selector)];
    for (let done = 0; done < rounds; ) {
        if (document.querySelector(".actions [data-act=again]")) return {counts, isOver: true};
        const track = document.querySelector(".track input");
        if (track.value !== track.max) {
            document.querySelector("[data-act=last]").click();
        } else {
            const landmarks = all(".landmark .can"), cards = all(".card.can");
            const commands = all("[data-command]");
            const chosen = landmarks.at(-1) ?? (cards.length && chance() < 0.85 ? any(cards) : any(commands));
            if (chosen) {
                const kind = chosen.dataset.command ?? (chosen.closest(".landmark") ? "landmark" : "card");
                counts[kind] = (counts[kind] ?? 0) + 1;
                chosen.click();
                done++;
            }
        }
        await new Promise((go) => setTimeout(go, 15));
    }
    return {counts, isOver: false};
}"""


CHOICES: Final = ".landmark .can, .card.can, [data-command]"
"""What the visitor can do now, in the order of the page."""

_NEWS: Final = """(choices) => {
    if (document.querySelector(".actions [data-act=again]")) return "over";
    const track = document.querySelector(".track input");
    return track.value !== track.max ? "behind" : document.querySelector(choices) && "due";
}"""
_LOOK_MS: Final = 20
"""Playwright's own way is to look at every frame, which makes the browser draw frames all the time."""
_WAY: Final = """(wished) => {
    const held = document.activeElement;
    if (held === wished) return "";
    return held.compareDocumentPosition(wished) & Node.DOCUMENT_POSITION_PRECEDING ? "Shift+Tab" : "Tab";
}"""
"""The key that leads to an element from where the focus is."""
_KINDS: Final = """(all) => all.map((one) => one.dataset.command ?? one.closest("ul").className)"""


def is_due(page: Page, catch_up: Callable[[], None]) -> bool:
    """Wait until the visitor has something to do; False if the match is over instead."""
    while (news := _news(page)) == "behind":
        catch_up()
    return bool(news == "due")


def _news(page: Page) -> str:
    return str(page.wait_for_function(_NEWS, arg=CHOICES, polling=_LOOK_MS).json_value())


def wish(page: Page, chance: Random) -> int:
    """What to do, as a hasty player would: landmarks first, then any card, now and then a pass."""
    kinds: list[str] = page.locator(CHOICES).evaluate_all(_KINDS)
    landmarks = [at for at, kind in enumerate(kinds) if kind == "skyline"]
    cards = [at for at, kind in enumerate(kinds) if kind == "cards"]
    commands = [at for at, kind in enumerate(kinds) if kind not in {"skyline", "cards"}]
    if landmarks:
        return landmarks[-1]
    return chance.choice(cards if cards and (not commands or chance.random() < 0.85) else commands)


def reach(wished: Locator) -> None:
    """Press Tab, or Shift and Tab, until the focus is there."""
    for _ in range(60):
        way = wished.evaluate(_WAY)
        if not way:
            return
        wished.page.keyboard.press(way)
    raise AssertionError(f"out of reach: {wished}")


def sign_in(page: Page, api: Api) -> None:
    """The browser has the account from its next page on."""
    keep_account(page, api.signed_up.json())


def sign_in_as(page: Page, account: Account) -> None:
    """The browser has this account from its next page on."""
    keep_account(page, {"account_id": account.id, "handle": account.handle, "token": account.token})


def keep_account(page: Page, signed_up: dict[str, Any]) -> None:
    """The browser has the account of this answer from its next page on."""
    account = {name: signed_up[name] for name in ("account_id", "handle", "token")}
    stored = json.dumps(json.dumps(account))
    page.add_init_script(f"localStorage.setItem('machi.account', {stored})")


def as_pages_say(sentence: str) -> str:
    """An English sentence of the log as pages show it, whose seats count from 1."""
    return re.sub(r"(?: \(seat (\d)\))( (?=\d))?|(?<= seat )(\d)(?=[.: ])", _counted, sentence)


def _counted(found: re.Match[str]) -> str:
    namesake, gap, seat = found.groups()
    return f" {int(namesake) + 1}{': ' if gap else ''}" if namesake else str(int(seat) + 1)


def play(page: Page, rounds: int = 100_000, seed: int = 7) -> dict[str, Any]:
    """Play on by clicks until the match is over, or for some clicks; what was clicked how often."""
    found: dict[str, Any] = page.evaluate(_PLAY, {"rounds": rounds, "seed": seed})
    return found
