"""Ladders after an update of the service that brought newer versions of built-in players."""

import pytest
from flask import Flask
from msgspec.structs import replace

from runtime.strategies import OFFERED, STRATEGIES
from tests.service.contract import Account
from tests.service.ladder_kit import Operated, entries_of, state_of

NEWER = replace(STRATEGIES["random"], version="99")


@pytest.fixture
def updated(ladder: Operated, monkeypatch: pytest.MonkeyPatch) -> Operated:
    """A ladder whose second entry, `random`, is of an older version than the service plays now."""
    for catalogue in (STRATEGIES, OFFERED):
        monkeypatch.setitem(catalogue, "random", NEWER)
    return ladder


def states_of(ladder: Operated) -> list[tuple[str, str, str | None]]:
    """Name, version and reason of removal of all entries."""
    entries = ladder.shown()["entries"]
    return [(one["name"], one["player"]["version"], one["removed_for"]) for one in entries]


def test_a_round_is_paired_without_the_players_of_which_there_is_a_newer_version(
    updated: Operated, app: Flask
) -> None:
    assert updated.open_round(4).status_code == 202
    assert states_of(updated)[1] == ("random", "1", "version_gone")
    (opened,) = state_of(app, updated).rounds
    assert {frozenset(block.table) for block in opened.blocks} == {frozenset({0, 2})}


def test_a_player_is_entered_again_in_its_newer_version_under_the_same_name(updated: Operated) -> None:
    updated.enter("random")
    assert states_of(updated)[1::2] == [("random", "1", "version_gone"), ("random", "99", None)]


def test_a_refusal_names_the_players_that_would_have_been_removed_and_removes_none(
    updated: Operated,
) -> None:
    greedy, random, _ = entries_of(updated)
    refused = updated.owner.post(f"{updated.path}/tests", {"a": greedy, "b": random})
    assert (refused.status_code, refused.json["code"]) == (409, "entry_not_active")
    assert "there is a newer version of random, to be entered again" in refused.json["detail"]
    assert [gone for _, _, gone in states_of(updated)] == [None, None, None]


def test_a_bot_that_enters_itself_removes_nobody(updated: Operated, bob: Account) -> None:
    entered = bob.post(f"{updated.path}/entries", {"kind": "bot", "version": "1"})
    assert entered.status_code == 201, entered.text
    assert [gone for _, _, gone in states_of(updated)] == [None] * 4
