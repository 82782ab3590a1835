"""Events that are missing, foreign, misplaced, repeated or changed are found without the rules."""

from typing import Any

import pytest

from domain.audit.evidence import Evidence
from domain.audit.order import check_chain, check_sequence, read_events
from domain.audit.report import Check, Findings
from tests.audited import EVENT, Event, chained

Where = int | None


def of_commands(ids: str) -> list[Event]:
    """Valid events of these commands, a letter for each event."""
    return chained([{**EVENT, "command_id": id} for id in ids])


def failed(events: list[Event], **more: Any) -> dict[str, tuple[Where, str]]:
    """The checks that fail: where, and what is said."""
    findings = Findings()
    evidence = Evidence(match_id="mat_1", events=events, **more)
    found = read_events(evidence, findings)
    check_sequence(evidence, found, findings)
    check_chain(evidence, found, findings)
    checks = [findings.check(name) for name in ("schema", "sequence", "chain")]
    return {one.name: (one.first_failed_sequence, one.detail) for one in checks if one.status == "failed"}


@pytest.mark.parametrize("ids", ["a", "abc", "aab", "abbbcc"])
def test_events_in_order_with_their_hashes_have_no_fault(ids: str) -> None:
    events = of_commands(ids)
    assert failed(events) == {}
    assert failed(events, manifest={"events": len(ids), "head_hash": events[-1]["hash"]}) == {}


def test_events_are_read_up_to_the_first_that_is_none() -> None:
    events = of_commands("abcd")
    del events[2]["actor"]
    findings = Findings()

    found = read_events(Evidence(match_id="mat_1", events=events), findings)
    assert [one.place for one in found] == [1, 2]
    assert findings.check("schema") == Check("schema", "failed", 3, "Object missing required field `actor`")


@pytest.mark.parametrize(
    "event", [[], "x", None, {**EVENT, "sequence": "3"}, {**EVENT, "data": {"turn": {}}}]
)
def test_whatever_comes_in_the_place_of_an_event_is_named(event: Any) -> None:
    assert failed([*of_commands("ab"), event])["schema"][0] == 3


def test_an_event_out_of_its_place_is_named() -> None:
    first, second, third = of_commands("abc")
    assert failed([first, third, second])["sequence"] == (2, "event 3 stands in its place")
    assert failed([second, third])["sequence"] == (1, "event 2 stands in its place")


def test_an_event_of_another_match_is_named() -> None:
    events = chained(
        [{**event, "match_id": f"mat_{place}"} for place, event in enumerate(of_commands("ab"), 1)]
    )
    assert failed(events) == {"sequence": (2, "the event is of match 'mat_2'")}


@pytest.mark.parametrize(("ids", "place", "again"), [("aba", 3, "a"), ("aabba", 5, "a"), ("abcb", 4, "b")])
def test_a_command_that_comes_again_is_named(ids: str, place: int, again: str) -> None:
    assert failed(of_commands(ids)) == {"sequence": (place, f"command {again!r} comes again")}


def at(time: str, id: str, actor: str = "seat:0") -> Event:
    return {**EVENT, "time": f"2026-11-20T12:00:0{time}Z", "command_id": id, "actor": actor}


def test_no_command_comes_before_the_last_one() -> None:
    assert failed(chained([at("1.000", "a"), at("1.000", "b"), at("1.001", "c")])) == {}
    found = failed(chained([at("1.000", "a"), at("0.999", "b"), at("0.998", "c")]))
    assert found == {"sequence": (2, "its time 2026-11-20T12:00:00.999Z is before that of the last event")}


@pytest.mark.parametrize("other", [at("1.001", "a"), at("0.999", "a"), at("1.000", "a", "seat:1")])
def test_the_events_of_a_command_have_one_time_and_actor(other: Event) -> None:
    found = failed(chained([at("0.000", "x"), at("1.000", "a"), other]))
    assert found == {"sequence": (3, "the events of one command have one time and actor")}


def test_a_match_has_events_and_as_many_as_the_manifest_says() -> None:
    assert failed([]) == {"sequence": (None, "there are no events")}
    assert failed([], manifest={"events": 0}) == {"sequence": (None, "there are no events")}

    events = of_commands("ab")
    hash = events[-1]["hash"]
    for wrong in (1, 3, None, "2", True):
        assert failed(events, manifest={"events": wrong, "head_hash": hash}) == {
            "sequence": (3, f"the manifest says {wrong!r} events, 2 are there")
        }
    (one,) = of_commands("a")
    assert "sequence" in failed([one], manifest={"events": True, "head_hash": one["hash"]})


def test_an_event_that_names_another_hash_before_it_is_named() -> None:
    first, second, third = of_commands("abc")
    assert failed([{**second, "sequence": 1}])["chain"] == (1, "it names another hash before")
    changed = chained([{**first, "rules_version": "base@2"}])
    assert failed([*changed, second, third]) == {"chain": (2, "it names another hash before")}


@pytest.mark.parametrize("place", [1, 2, 3])
def test_an_event_whose_hash_is_not_that_of_its_members_is_named(place: int) -> None:
    events = of_commands("abc")
    events[place - 1]["rules_version"] = "base@2"
    assert failed(events) == {"chain": (place, "its hash is not that of its members")}


def test_another_last_hash_in_the_manifest_is_named_if_all_events_were_read() -> None:
    events = of_commands("ab")
    manifest = {"events": 2, "head_hash": "sha-256:1"}
    assert failed(events, manifest=manifest) == {"chain": (2, "the manifest names another last hash")}

    assert failed([events[0], {}], manifest=manifest).keys() == {"schema"}
    assert failed([], manifest={**manifest, "events": 0}).keys() == {"sequence"}
