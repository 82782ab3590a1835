"""What a screen reader finds on each page: headings, names, roles and states, in their order.

The table is read in `test_table.py`, the frame around all pages in `test_frame.py`.
"""

from typing import Final

import pytest
from flask import Flask
from playwright.sync_api import FilePayload, Page, expect

from tests.golden import vectors
from tests.service.contract import Account
from tests.service.ladder_kit import Operated, finish_blocks, finish_round, publish
from tests.service.pages.seats import sign_in_as

HOME: Final = """
- main:
  - heading "Build a city, roll the dice, get there first." [level=1]
  - 'button "Play now: Machi Koro"'
  - button "Machi Koro with Harbor"
  - button "Machi Koro 2"
  - link "More options"
  - link "Puzzles"
  - heading "Being played now" [level=2]
  - list:
    - listitem:
      - link /Machi Koro · turn 1 ada 1 0 landmarks 3 coins ada 2 0 landmarks 3 coins/
  - heading "Finished" [level=2]
  - paragraph:
    - link "Check a match"
"""
NEW: Final = """
- main:
  - heading "New match" [level=1]
  - group "Game":
    - radio "Machi Koro" [checked]
    - radio "Machi Koro with Harbor"
    - radio "Machi Koro 2"
  - group "Players (2 to 5)":
    - list:
      - listitem:
        - combobox "Seat 1"
        - button "Remove seat 1"
      - listitem:
        - combobox "Seat 2"
        - 'combobox "Seat 2: Built-in player"'
        - button "Remove seat 2"
      - listitem:
        - combobox "Seat 3"
        - 'combobox "Seat 3: Built-in player"'
    - button "Add a seat"
  - group "Rules":
    - combobox "Box"
    - combobox "Market"
    - combobox "Copies of a card"
    - combobox "Who begins"
    - group: Other prices
  - group "Table":
    - combobox "Who can watch"
    - checkbox "Everybody sees the chances of winning while the match is running"
    - combobox "Time for each decision"
    - checkbox /Each player adds a secret/
  - button "Start"
"""
LADDERS: Final = """
- main:
  - heading "Ladders" [level=1]
  - list:
    - listitem:
      - link /Base Machi Koro · 2 seats · 2 entries/
  - paragraph:
    - link "Account"
"""
LADDER: Final = """
- main:
  - heading "Base" [level=1]
  - heading "What happens now" [level=2]
  - heading "Standings" [level=2]
  - table "Standings":
    - rowgroup:
      - row:
        - columnheader "Rank"
        - columnheader "Entry"
        - columnheader "Rating and its 95 % interval"
        - columnheader "Rating"
        - columnheader "Wins"
        - columnheader "Score"
        - columnheader "Without luck"
        - columnheader "Wins by seat"
        - columnheader "Faults"
    - rowgroup:
      - row /greedy 1500 fixed/:
        - rowheader "greedy":
          - link "greedy"
  - heading "Against each other" [level=2]
  - table "Against each other":
    - rowgroup:
      - row:
        - columnheader "greedy"
        - columnheader "random"
    - rowgroup:
      - row:
        - rowheader "greedy"
        - cell /greedy against random/
"""
VERIFIED: Final = """
- main:
  - heading "Verify a match" [level=1]
  - group:
    - heading "What to verify" [level=2]
    - button /Drop export files here/
    - textbox "Or the id of a match"
    - button "Verify"
  - status: Verified
  - article:
    - heading /Verified mat_/ [level=2]
    - list:
      - listitem:
        - group: /Passed Form/
      - listitem:
        - group: /Passed Order/
      - listitem:
        - group: /Passed Hash chain/
  - region "What this page cannot know":
    - heading "What this page cannot know" [level=2]
    - list
"""
ACCOUNT: Final = """
- main:
  - heading "ada" [level=1]
  - heading "Your matches" [level=2]
  - heading "Invitations" [level=2]
  - combobox "Who may seat you in a match"
  - region "May seat you":
    - heading "May seat you" [level=3]
    - textbox "Handle"
    - button "Add"
  - region "Blocked":
    - heading "Blocked" [level=3]
    - textbox "Handle"
    - button "Add"
  - heading "Tokens" [level=2]
  - table "Tokens":
    - rowgroup:
      - row:
        - columnheader "Name"
        - columnheader "Scopes"
        - columnheader "Expires"
  - textbox "Name"
  - group "Scopes":
    - checkbox "play" [checked]
    - checkbox "make matches"
  - button "Make a token"
  - heading "This browser" [level=2]
  - button "Copy the token"
  - heading "Delete account" [level=2]
  - button "Delete account…"
"""
SIGNED_OUT: Final = """
- main:
  - heading "Account" [level=1]
  - heading "New here?" [level=2]
  - textbox "Handle"
  - button "Register"
  - paragraph:
    - button "Go on as a guest"
  - heading "You have a token?" [level=2]
  - textbox "Token"
  - button "Use it in this browser"
"""
DOCS: Final = """
- main:
  - heading "Documentation" [level=1]
  - heading "Tutorials" [level=2]
  - list:
    - listitem:
      - link "Play a match with curl"
  - heading "How-to guides" [level=2]
  - heading "Reference" [level=2]
  - list:
    - listitem:
      - link /^The API/
  - heading "API reference" [level=2]
  - heading "matches" [level=3]
  - group:
    - text: POST
    - code: "/v1/matches"
"""


@pytest.fixture
def ladder(app: Flask, ada: Account) -> Operated:
    """A ladder of two built-in players with a finished round."""
    ladder = Operated(ada, name="Base")
    ladder.enter("greedy")
    ladder.enter("random")
    ladder.open_round(6)
    finish_blocks(app, ladder.id)
    publish(app, ladder.id)
    finish_round(app, ladder.id)
    return ladder


@pytest.mark.usefixtures("app")
@pytest.mark.parametrize(
    ("path", "read"),
    [("/new", NEW), ("/account", SIGNED_OUT), ("/docs", DOCS)],
    ids=["new", "signed out", "docs"],
)
def test_a_screen_reader_finds_what_a_page_offers(page: Page, path: str, read: str) -> None:
    page.goto(path)
    expect(page.locator("body")).to_match_aria_snapshot(read)


def test_a_screen_reader_finds_what_is_played(page: Page, ada: Account) -> None:
    ada.create()
    page.goto("/")
    expect(page.locator("body")).to_match_aria_snapshot(HOME)


def test_a_screen_reader_finds_what_can_be_done_with_an_account(page: Page, ada: Account) -> None:
    sign_in_as(page, ada)
    page.goto("/account")
    expect(page.locator("body")).to_match_aria_snapshot(ACCOUNT)


def test_a_screen_reader_finds_the_tables_of_a_ladder_by_their_names(page: Page, ladder: Operated) -> None:
    page.goto("/ladders")
    expect(page.locator("body")).to_match_aria_snapshot(LADDERS)
    page.goto(f"/ladders/{ladder.id}")
    expect(page.locator("body")).to_match_aria_snapshot(LADDER)


def test_a_screen_reader_finds_the_verdict_before_its_reasons(page: Page) -> None:
    page.goto("/verify")
    file = (vectors.FOLDER / f"{next(iter(vectors.RECIPES))}.ndjson").read_bytes()
    page.set_input_files("#files", FilePayload(name="match.ndjson", mimeType="text/plain", buffer=file))
    expect(page.locator("body")).to_match_aria_snapshot(VERIFIED)
