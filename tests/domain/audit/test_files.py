"""Export files: which lines a match has, in which order, and how many of them are read."""

import json
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from domain.audit import bounds
from domain.audit.bounds import Meter, TooMuch
from domain.audit.checkpoints import Checkpoint
from domain.audit.evidence import EventLines, Evidence
from domain.audit.files import (
    Unreadable,
    event_line,
    manifest_line,
    read_exports,
    reveal_line,
    ruleset_line,
    signature_line,
)
from domain.match.commands import SeatPlan
from domain.match.events import Dice, DiceRevealed
from domain.match.rulesets import BASE, digest
from tests.domain.kit import A, Scene, creation, new_match, seat_plan

Line = dict[str, Any]

MANIFEST: Line = {"kind": "manifest", "format": 1, "match_id": "mat_1"}
RULESET: Line = {"kind": "ruleset", "digest": "sha-256:1"}
EVENTS: list[Line] = [{"kind": "event", "event": {"sequence": number}} for number in (1, 2, 3)]
REVEAL: Line = {"kind": "reveal", "seed": "00"}
SIGNATURE: Line = {"kind": "signature", "checkpoint": {"number": 7}, "key": {"key_id": "k1"}}
WHOLE = [MANIFEST, RULESET, *EVENTS, REVEAL, SIGNATURE]


def text(*lines: Line | bytes) -> list[bytes]:
    return [line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in lines]


def read(*lines: Line | bytes) -> list[Evidence]:
    return [*read_exports(text(*lines))]


def refused(*lines: Line | bytes) -> tuple[int, str]:
    """The line at fault, and what is wrong with it."""
    with pytest.raises(Unreadable) as caught:
        read(*lines)
    assert str(caught.value) == f"line {caught.value.line}: {caught.value.detail}"
    return caught.value.line, caught.value.detail


# Reading


def test_a_match_has_everything_that_its_lines_say() -> None:
    (match,) = read(*WHOLE)

    assert match.match_id == "mat_1"
    assert (match.manifest, match.ruleset, match.reveal) == (MANIFEST, RULESET, REVEAL)
    assert (match.checkpoint, match.key) == ({"number": 7}, {"key_id": "k1"})
    assert [*match.events] == [{"sequence": 1}, {"sequence": 2}, {"sequence": 3}]


def test_a_match_without_events_seed_and_signature_can_be_read() -> None:
    (match,) = read(MANIFEST, RULESET)

    assert [*match.events] == []
    assert (match.reveal, match.checkpoint, match.key) == (None, None, None)


@pytest.mark.parametrize("lines", [[SIGNATURE], [REVEAL], [REVEAL, SIGNATURE], [EVENTS[0], SIGNATURE]])
def test_any_line_after_the_ruleset_may_be_missing(lines: list[Line]) -> None:
    (match,) = read(MANIFEST, RULESET, *lines)
    assert (match.reveal is not None, match.key is not None) == (REVEAL in lines, SIGNATURE in lines)


def test_events_are_a_sequence_that_is_decoded_on_access() -> None:
    events = EventLines(text(*EVENTS))

    assert (len(events), events[0], events[-1]) == (3, {"sequence": 1}, {"sequence": 3})
    assert [*events[1:]] == [{"sequence": 2}, {"sequence": 3}]


def test_files_may_be_put_together() -> None:
    other = {**MANIFEST, "match_id": "mat_2"}
    first, second = read(*WHOLE, other, RULESET, EVENTS[0])

    assert (first.match_id, len(first.events)) == ("mat_1", 3)
    assert (second.match_id, len(second.events), second.reveal) == ("mat_2", 1, None)


def test_empty_lines_are_passed_over_and_counted() -> None:
    (match,) = read(b"\n", MANIFEST, b" \r\n", RULESET, b"")
    assert match.match_id == "mat_1"
    assert refused(b"\n", MANIFEST, b"\n", b"{}")[0] == 4


def test_the_matches_before_a_fault_are_read() -> None:
    found = read_exports(text(*WHOLE, MANIFEST, b"x"))

    assert next(found).match_id == "mat_1"
    with pytest.raises(Unreadable, match="line 9: no JSON: "):
        next(found)


# Refusals


@pytest.mark.parametrize(
    ("lines", "line", "kind"),
    [
        ([MANIFEST, EVENTS[0]], 2, "event"),
        ([MANIFEST, REVEAL], 2, "reveal"),
        ([MANIFEST, SIGNATURE], 2, "signature"),
        ([MANIFEST, RULESET, RULESET], 3, "ruleset"),
        ([MANIFEST, RULESET, EVENTS[0], RULESET], 4, "ruleset"),
        ([MANIFEST, RULESET, REVEAL, EVENTS[0]], 4, "event"),
        ([MANIFEST, RULESET, REVEAL, REVEAL], 4, "reveal"),
        ([MANIFEST, RULESET, SIGNATURE, REVEAL], 4, "reveal"),
        ([MANIFEST, RULESET, SIGNATURE, SIGNATURE], 4, "signature"),
        ([MANIFEST, {"kind": "gift"}], 2, "gift"),
        ([MANIFEST, RULESET, {"kind": "gift"}], 3, "gift"),
        ([MANIFEST, RULESET, {"kind": ["event"]}], 3, ["event"]),
        ([MANIFEST, RULESET, {}], 3, None),
    ],
)
def test_a_line_out_of_its_place_is_refused(lines: list[Line], line: int, kind: object) -> None:
    assert refused(*lines) == (line, f"a line of kind {kind!r} has no place here")


@pytest.mark.parametrize(
    ("lines", "line", "detail"),
    [
        ([], 1, "there is no match in it"),
        ([b"\n", b"\n"], 2, "there is no match in it"),
        ([RULESET], 1, "a file begins with its manifest"),
        ([b"\n", {}], 2, "a file begins with its manifest"),
        ([MANIFEST], 1, "the match has no ruleset"),
        ([MANIFEST, b"\n"], 2, "the match has no ruleset"),
        ([MANIFEST, MANIFEST], 2, "the match has no ruleset"),
        ([b"[1]"], 1, "no JSON object"),
        ([MANIFEST, RULESET, {"kind": "event"}], 3, "the event is no JSON object"),
        ([MANIFEST, RULESET, {"kind": "event", "event": [1]}], 3, "the event is no JSON object"),
        ([MANIFEST, RULESET, {**SIGNATURE, "key": None}], 3, "the key is no JSON object"),
        ([MANIFEST, RULESET, {**SIGNATURE, "checkpoint": 1}], 3, "the checkpoint is no JSON object"),
        ([{"kind": "manifest", "match_id": "mat_1"}], 1, "format None is not 1"),
        ([{**MANIFEST, "format": 2}], 1, "format 2 is not 1"),
        ([{**MANIFEST, "format": True}], 1, "format True is not 1"),
        ([{**MANIFEST, "match_id": 1}], 1, "the manifest names no match"),
        ([{"kind": "manifest", "format": 1}], 1, "the manifest names no match"),
    ],
)
def test_what_is_no_export_is_refused_with_its_line(
    lines: list[Line | bytes], line: int, detail: str
) -> None:
    assert refused(*lines) == (line, detail)


# Limits


def test_a_meter_counts_lines_bytes_and_values_up_to_their_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, most in (("MOST_LINES", 3), ("MOST_BYTES", 20), ("MOST_VALUES", 4), ("LONGEST_LINE", 10)):
        monkeypatch.setattr(bounds, name, most)

    for whole, more in (
        ([b"", b"", b""], "3 lines"),
        ([b"x" * 10, b"x" * 10], "20 bytes"),
        ([b"1,2,3", b"1,2,3"], "4 values"),
    ):
        meter = Meter()
        for line in whole:
            meter.count(line)
        with pytest.raises(TooMuch, match=f"^the match has more than {more}$"):
            meter.count(b"1,")
    with pytest.raises(TooMuch, match=r"^the line has more than 10 bytes$"):
        Meter().count(b"x" * 11)


def test_a_match_has_at_most_so_many_lines_its_empty_ones_included(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "MOST_LINES", 4)

    assert len(read(MANIFEST, RULESET, b"\n", EVENTS[0])) == 1
    assert refused(MANIFEST, RULESET, b"\n", *EVENTS[:2]) == (5, "the match has more than 4 lines")


def test_each_match_of_a_file_has_limits_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "MOST_LINES", 4)

    assert len(read(MANIFEST, RULESET, *EVENTS[:2], MANIFEST, RULESET, *EVENTS[:2])) == 2
    assert refused(MANIFEST, RULESET, MANIFEST, RULESET, *EVENTS)[0] == 7


# Writing


def test_the_manifest_says_what_the_file_holds() -> None:
    state = new_match("base").state

    assert manifest_line("mat_1", state, "sha-256:9") == {
        "kind": "manifest",
        "format": 1,
        "match_id": "mat_1",
        "rules_version": "base@1",
        "status": "running",
        "visibility": "public",
        "events": state.version,
        "head_hash": "sha-256:9",
    }


def test_the_ruleset_comes_with_its_tables_and_their_digest() -> None:
    line = ruleset_line("base@1")

    assert line.keys() == {"kind", "rules_version", "digest", "tables"}
    assert (line["kind"], line["rules_version"], line["digest"]) == ("ruleset", "base@1", digest(BASE))
    assert line["tables"] == msgspec.to_builtins(BASE)
    with pytest.raises(KeyError):
        ruleset_line("base@99")


def test_an_event_stands_in_its_line_as_it_is() -> None:
    assert event_line({"sequence": 1}) == {"kind": "event", "event": {"sequence": 1}}


def test_the_line_with_the_seed_says_what_it_is_checked_by() -> None:
    plans = [replace(seat_plan(A), seed="mine"), SeatPlan("open")]
    command = replace(creation("base", plans=plans), dice=Dice("committed", "k1", "sha-256:1"))
    state = Scene(None).when(command).state

    assert reveal_line(state, DiceRevealed("k1", "00ff")) == {
        "kind": "reveal",
        "key_id": "k1",
        "seed": "00ff",
        "commitment": "sha-256:1",
        "seat_seeds": ["mine", ""],
    }


def test_the_signature_comes_with_the_public_key_of_the_checkpoint() -> None:
    checkpoint = Checkpoint(
        number=7,
        match_id="mat_1",
        match_digest="sha-256:1",
        rules_version="base@1",
        status="finished",
        version=300,
        head_hash="sha-256:2",
        time="2026-11-20T12:00:54.821Z",
        key_id="k1",
        previous_hash="sha-256:3",
        hash="sha-256:4",
        signature="abc=",
    )

    assert signature_line(checkpoint, "xyz=") == {
        "kind": "signature",
        "checkpoint": msgspec.to_builtins(checkpoint),
        "key": {"key_id": "k1", "algorithm": "Ed25519", "public_key": "xyz="},
    }
