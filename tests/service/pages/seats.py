"""What tests of the table share: an account in the browser, and playing by what lights up."""

import json
from typing import Any, Final

from playwright.sync_api import Page

from tests.e2e.api import Api

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


def sign_in(page: Page, api: Api) -> None:
    """The browser has the account from its next page on."""
    account = {name: api.signed_up.json()[name] for name in ("account_id", "handle", "token")}
    stored = json.dumps(json.dumps(account))
    page.add_init_script(f"localStorage.setItem('machi.account', {stored})")


def play(page: Page, rounds: int = 100_000, seed: int = 7) -> dict[str, Any]:
    """Play on by clicks until the match is over, or for some clicks; what was clicked how often."""
    found: dict[str, Any] = page.evaluate(_PLAY, {"rounds": rounds, "seed": seed})
    return found
