"""Signed ends of matches and kept receipts, held against the events that came."""

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from domain.audit.checkpoints import NO_HASH, Checkpoint, digest_of_match, message_of
from domain.audit.evidence import Evidence, Receipt
from domain.audit.report import Check
from domain.audit.signatures import check_checkpoint, check_receipt
from domain.canonical import sha256

EVENTS = [
    {"hash": f"sha-256:{number}", "time": f"2026-11-20T12:00:0{number}.000Z", "rules_version": "base@1"}
    for number in (1, 2, 3)
]
SIGNED = Checkpoint(
    number=7,
    match_id="mat_1",
    match_digest=digest_of_match("mat_1"),
    rules_version="base@1",
    status="finished",
    version=3,
    head_hash="sha-256:3",
    time="2026-11-20T12:00:03.000Z",
    key_id="k1",
    previous_hash=NO_HASH,
)


def evidence(checkpoint: object = None, events: list[dict[str, str]] = EVENTS) -> Evidence:
    return Evidence(match_id="mat_1", events=events, checkpoint=checkpoint)  # type: ignore[arg-type]


def signed(**members: Any) -> dict[str, Any]:
    """The checkpoint with some other members, its hash made anew."""
    changed = replace(SIGNED, **members)
    found: dict[str, Any] = msgspec.to_builtins(replace(changed, hash=sha256(message_of(changed))))
    return found


def checked(checkpoint: object, status: str = "finished") -> Check:
    return check_checkpoint(evidence(checkpoint), status, lambda *_: True)


def test_a_checkpoint_of_the_end_passes_with_the_name_of_the_match_or_without() -> None:
    passed = Check("checkpoint", "passed")

    assert checked(signed()) == checked(signed(match_id=None)) == passed


def test_without_a_checkpoint_the_end_is_open() -> None:
    assert checked(None) == Check("checkpoint", "pending", None, "there is no checkpoint")


@pytest.mark.parametrize("members", [{"match_digest": digest_of_match("mat_2")}, {"match_id": "mat_2"}])
def test_a_checkpoint_of_another_match_fails(members: dict[str, str]) -> None:
    assert checked(signed(**members)) == Check(
        "checkpoint", "failed", None, "the checkpoint is of another match"
    )


@pytest.mark.parametrize(("version", "first_failed"), [(2, 3), (4, 4), (9, 4), (0, 1)])
def test_a_checkpoint_of_more_or_fewer_events_fails_at_the_first_that_is_there_or_missing(
    version: int, first_failed: int
) -> None:
    detail = f"{version} events were signed, 3 are there"
    assert checked(signed(version=version)) == Check("checkpoint", "failed", first_failed, detail)


def test_a_checkpoint_of_another_history_fails_at_the_last_event() -> None:
    detail = "another history was signed: its last hash differs"
    assert checked(signed(head_hash="sha-256:2")) == Check("checkpoint", "failed", 3, detail)


@pytest.mark.parametrize(
    "members", [{"rules_version": "base@2"}, {"time": "2026-11-20T12:00:02.000Z"}, {"status": "aborted"}]
)
def test_a_checkpoint_that_contradicts_the_last_event_or_the_result_fails(members: dict[str, str]) -> None:
    detail = "what was signed says something else of the end"
    assert checked(signed(**members)) == Check("checkpoint", "failed", 3, detail)


def test_the_signed_status_is_not_compared_where_the_match_could_not_be_replayed() -> None:
    assert checked(signed(status="aborted"), status="").status == "passed"


def test_what_is_wrong_with_the_checkpoint_itself_comes_first() -> None:
    found = check_checkpoint(evidence(signed(match_id="mat_2")), "finished", lambda *_: False)
    assert found == Check("checkpoint", "failed", None, "line 7 is not signed by a trusted key 'k1'")


@pytest.mark.parametrize("checkpoint", [{}, {**signed(), "number": "7"}, {**signed(), "more": 1}, [], "x"])
def test_what_is_no_checkpoint_fails(checkpoint: object) -> None:
    found = checked(checkpoint)
    assert (found.name, found.status, found.first_failed_sequence) == ("checkpoint", "failed", None)
    assert found.detail.startswith("it is no checkpoint: ")


def test_nothing_was_signed_of_a_match_without_events() -> None:
    for checkpoint, first_failed in ((signed(), 1), (signed(version=0), 0)):
        found = check_checkpoint(evidence(checkpoint, []), "", lambda *_: True)
        assert (found.status, found.first_failed_sequence) == ("failed", first_failed)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_receipt_of_any_event_of_the_history_passes(version: int) -> None:
    kept = Receipt(version, f"sha-256:{version}")
    assert check_receipt(evidence(), kept) == Check("receipt", "passed")


def test_a_receipt_of_another_history_fails_at_its_event() -> None:
    detail = "the receipt is of another history"
    assert check_receipt(evidence(), Receipt(2, "sha-256:3")) == Check("receipt", "failed", 2, detail)


@pytest.mark.parametrize("version", [0, -1, 4])
def test_a_receipt_of_an_event_that_is_not_there_fails_behind_the_last(version: int) -> None:
    detail = f"the receipt is of event {version}, 3 are there"
    assert check_receipt(evidence(), Receipt(version, "sha-256:3")) == Check("receipt", "failed", 4, detail)
