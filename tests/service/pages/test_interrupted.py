"""A table over a bad line: nothing is lost, nothing is doubled, and a click counts once."""

import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.api import Api
from tests.e2e.stack import Stack, running
from tests.service.pages.rig import anew, moving
from tests.service.pages.seats import as_pages_say, play, sign_in
from tests.workers.kit import wait_until

ME = {"kind": "me"}
CUTS = 20
INTERRUPTED = ("ERR_", "Failed to load resource")


class Wire:
    """A port that leads to another one, and can be cut."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._ends: set[socket.socket] = set()
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.create_connection(("127.0.0.1", self._target))
                with self._lock:
                    self._ends |= {near, far}
                for ends in ((near, far), (far, near)):
                    threading.Thread(target=self._carry, args=ends, daemon=True).start()

    def _carry(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                target.sendall(data)
        self._end(source, target)

    def _end(self, *ends: socket.socket) -> None:
        with self._lock:
            self._ends -= {*ends}
        for end in ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def cut(self) -> None:
        """End all connections, wherever they are; new ones may begin."""
        self._end(*self._ends)

    def close(self) -> None:
        self._listener.close()
        self.cut()


@pytest.fixture
def wire(shared_stack: Stack) -> Iterator[Wire]:
    wire = Wire(shared_stack.port)
    yield wire
    wire.close()


@pytest.fixture
def base_url(wire: Wire) -> str:
    return f"http://127.0.0.1:{wire.port}"


@anew
@moving
def test_a_line_that_is_cut_again_and_again_loses_and_doubles_nothing(
    page: Page, wire: Wire, shared_stack: Stack, tolerated: list[str]
) -> None:
    tolerated += INTERRUPTED
    api = Api(shared_stack)
    sign_in(page, api)
    match_id = str(api.sure("POST", "/v1/matches", {"ruleset": "base", "seats": [ME, ME]}).json()["match_id"])
    page.goto(f"/matches/{match_id}")
    expect(page.locator("[data-command]").first).to_be_visible()
    for number in range(CUTS):
        wire.cut()
        play(page, rounds=1, seed=number + 1)
    wait_until(lambda: len(commands(api, match_id)) == CUTS)
    version = api.sure("GET", f"/v1/matches/{match_id}").json()["version"]
    expect(page.locator(".track input")).to_have_attribute("max", str(version))
    page.keyboard.press("End")
    told = api.sure("GET", f"/v1/matches/{match_id}/log?limit=500").json()["items"]
    expect(page.locator(".log li").first).to_have_text(as_pages_say(told[-1]["text"]))
    lines = page.locator(".log li").all_inner_texts()
    assert lines == [as_pages_say(line["text"]) for line in reversed(told)][: len(lines)]
    assert len(commands(api, match_id)) == CUTS


def commands(api: Api, match_id: str) -> set[str]:
    """The ids of the commands of players."""
    return {event["command_id"] for event in events(api, match_id)[4:]}


def events(api: Api, match_id: str) -> list[dict[str, str]]:
    found = api.sure("GET", f"/v1/matches/{match_id}/events?limit=500").json()["items"]
    return [event for event in found if event["type"] != "match_started"]


def test_a_click_while_the_service_is_away_counts_once_when_it_is_back(
    browser: Browser, tmp_path: Path
) -> None:
    with running(tmp_path / "var") as stack:
        api = Api(stack)
        wish = {"ruleset": "base", "seats": [ME, ME], "first_seat": 0}
        match_id = api.sure("POST", "/v1/matches", wish).json()["match_id"]
        with browser.new_context(base_url=f"http://127.0.0.1:{stack.port}", locale="en") as context:
            page = context.new_page()
            sign_in(page, api)
            page.goto(f"/matches/{match_id}")
            roll = page.get_by_role("button", name="Roll one die")
            expect(roll).to_be_visible()
            stack.kill("the events server")
            roll.click()
            expect(page.get_by_role("button", name="Pass")).to_be_visible()
        rolled = [event for event in events(api, match_id) if event["type"] == "dice_rolled"]
        assert len(rolled) == 1
