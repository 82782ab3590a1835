"""A match keeps the rules that it was made with: a change of a table is a new version, beside the old one."""

from collections.abc import Iterator
from random import Random

import pytest
from msgspec.structs import replace

from bench.matches import new_match
from domain.audit.report import Report
from domain.match.commands import Build, Pass, RollDice
from domain.match.events import Dice
from domain.match.legal import legal_commands
from domain.match.rules import _rules
from domain.match.rulesets import BASE, CURRENT, VERSIONS, Ruleset
from events import Matches
from events.store.errors import RulesChanged
from events.store.memory import MemoryStore
from tests.audited import audited, outcome, shown
from tests.events.example_matches import SEEDS, play

UNSIGNED = {"checkpoint": ("pending", None)}


def doctored(version: str) -> Ruleset:
    """The base game, but a wheat field costs 4."""
    cards = [replace(card, cost=(4,)) if card.id == "wheat_field" else card for card in BASE.establishments]
    return replace(BASE, version=version, establishments=tuple(cards))


@pytest.fixture(autouse=True)
def forgetful() -> Iterator[None]:
    """No tables of one test are left for another."""
    _rules.cache_clear()
    yield
    _rules.cache_clear()


def base_match(matches: Matches) -> str:
    return matches.create(new_match("base", ["random"] * 2, Dice("committed"), first_seat=0)).match_id


def audit(matches: Matches, match_id: str) -> Report:
    return audited(shown(matches, match_id))


def test_a_new_version_leaves_old_matches_as_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    matches = Matches(MemoryStore(), SEEDS)
    finished, running = base_match(matches), base_match(matches)
    play(matches, matches.load(finished), Random(1))
    matches.execute(running, RollDice(0, 1), "seat:0")
    before = legal_commands(matches.load(running).state)

    monkeypatch.setitem(VERSIONS, "base@2", doctored("base@2"))
    monkeypatch.setitem(CURRENT, "base", VERSIONS["base@2"])
    restarted = Matches(matches.store, SEEDS)

    assert outcome(audit(restarted, finished)) == UNSIGNED
    assert legal_commands(restarted.load(running).state) == before
    assert Build(0, "wheat_field") in before
    play(restarted, restarted.load(running), Random(2))
    assert outcome(audit(restarted, running)) == UNSIGNED
    assert {event["rules_version"] for event in shown(restarted, running)} == {"base@1"}


def test_new_matches_are_by_the_new_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(VERSIONS, "base@2", doctored("base@2"))
    monkeypatch.setitem(CURRENT, "base", VERSIONS["base@2"])
    matches = Matches(MemoryStore(), SEEDS)
    match_id = base_match(matches)
    assert matches.load(match_id).state.rules.prices[0] == (4,)
    play(matches, matches.load(match_id), Random(1))
    assert outcome(audit(matches, match_id)) == UNSIGNED
    assert {event["rules_version"] for event in shown(matches, match_id)} == {"base@2"}


def test_a_table_that_is_edited_in_its_place_is_refused_and_found(monkeypatch: pytest.MonkeyPatch) -> None:
    matches = Matches(MemoryStore(), SEEDS)
    match_id = base_match(matches)
    play(matches, matches.load(match_id), Random(1), decisions=20)
    events = shown(matches, match_id)

    _rules.cache_clear()
    monkeypatch.setitem(VERSIONS, "base@1", doctored("base@1"))
    restarted = Matches(matches.store, SEEDS)

    with pytest.raises(RulesChanged):
        restarted.load(match_id)
    with pytest.raises(RulesChanged):
        restarted.execute(match_id, Pass(0), "seat:0")
    assert [type(one) for one in restarted.load_many([match_id])] == [RulesChanged]
    assert outcome(audited(events))["ruleset"] == ("failed", 1)
