"""Whatever is forged in the record of a match is found, and named by the first event that fails."""

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from domain.audit.checkpoints import NO_HASH, Checkpoint, digest_of_match, message_of
from domain.audit.evidence import Evidence, Receipt
from domain.audit.files import ruleset_line
from domain.audit.report import Check
from domain.audit.verify import verify
from domain.canonical import sha256
from tests.audited import GAMES, UNSIGNED, Event, audited, chained, find, outcome, recorded
from tests.domain.audit.exported import check_of, scripted, told
from tests.domain.kit import A, creation


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
@pytest.mark.parametrize(("ruleset", "market"), GAMES)
def test_an_honest_match_passes_every_check(ruleset: str, market: str | None, seats: int) -> None:
    assert outcome(audited(recorded(ruleset, seats, seats, market=market))) == UNSIGNED


def test_of_a_running_match_only_the_luck_and_the_end_are_open() -> None:
    report = audited(recorded(decisions=40))
    assert report.verdict == "incomplete"
    assert {name: status for name, (status, _) in outcome(report).items()} == {
        "dice": "pending",
        "draws": "pending",
        "result": "pending",
        "checkpoint": "pending",
    }


def test_a_changed_die_breaks_the_chain_there() -> None:
    events = recorded()
    rolled = find(events, "dice_rolled", lambda event: event["data"]["purpose"] == "roll")
    rolled["data"]["values"][0] = rolled["data"]["values"][0] % 6 + 1
    rolled["data"]["total"] = sum(rolled["data"]["values"])
    report = audited(events)
    assert report.verdict == "failed"
    assert report.first_failed_sequence == rolled["sequence"]
    assert outcome(report)["chain"] == ("failed", rolled["sequence"])


def test_a_changed_die_is_found_with_the_chain_made_anew() -> None:
    events = recorded()
    rolled = find(events, "dice_rolled")
    rolled["data"]["values"][0] = rolled["data"]["values"][0] % 6 + 1
    rolled["data"]["total"] = sum(rolled["data"]["values"])
    found = outcome(audited(chained(events)))
    assert "chain" not in found
    assert found["dice"] == ("failed", rolled["sequence"])


def test_a_last_event_that_is_missing_leaves_a_seed_to_be_told() -> None:
    events = recorded()[:-1]
    found = audited(events)
    assert outcome(found) == {
        **UNSIGNED,
        "dice": ("skipped", None),
        "draws": ("skipped", None),
        "result": ("failed", len(events) + 1),
    }
    assert check_of(found, "result").detail == "the match is over and reveals no seed"


def test_two_events_that_are_swapped_are_out_of_their_places() -> None:
    events = recorded()
    events[20], events[21] = events[21], events[20]
    found = outcome(audited(events))
    assert found["sequence"] == found["chain"] == ("failed", 21)


def test_a_coin_too_many_is_found_with_the_chain_made_anew() -> None:
    events = recorded()
    income = find(events, "income_received")
    income["data"]["coins"] += 1
    found = outcome(audited(chained(events)))
    assert found["payments"] == ("failed", income["sequence"])


def test_a_payment_that_is_left_out_is_found() -> None:
    events = recorded()
    income = find(events, "income_received")
    del events[income["sequence"] - 1]
    assert outcome(audited(chained(events)))["payments"] == ("failed", income["sequence"])


def test_a_card_that_was_not_drawn_is_found() -> None:
    events = recorded("machi_koro_2")
    refill = find(events, "market_refilled", lambda event: event["sequence"] > 10)
    card = refill["data"]["cards"][0]
    twins = [one["data"]["cards"] for one in events if one["type"] == "market_refilled"]
    row = refill["data"]["row"]
    other = next(
        one
        for event in events
        if event["type"] == "market_refilled" and event["data"]["row"] == row
        for one in event["data"]["cards"]
        if one != card
    )
    assert twins
    refill["data"]["cards"][0] = other
    assert outcome(audited(chained(events)))["draws"] == ("failed", refill["sequence"])


def test_a_purchase_that_was_not_possible_is_found() -> None:
    events = recorded()
    built = find(events, "establishment_built")
    built["data"]["card"] = "mine"
    found = outcome(audited(chained(events)))
    assert found["decisions"] == ("failed", built["sequence"])


def test_another_winner_is_found() -> None:
    events = recorded()
    end = find(events, "match_finished")
    end["data"]["winner"] = (end["data"]["winner"] + 1) % 3
    assert outcome(audited(chained(events)))["result"] == ("failed", end["sequence"])


def test_another_seed_is_found() -> None:
    events = recorded()
    events[-1]["data"]["seed"] = "00" * 32
    detail = "the seed is not the one that the first event commits to"
    assert check_of(audited(chained(events)), "dice") == Check("dice", "failed", len(events), detail)


def test_an_actor_who_is_not_the_seat_is_found() -> None:
    events = recorded()
    passed = find(events, "build_passed")
    passed["actor"] = "seat:2" if passed["data"]["seat"] != 2 else "seat:1"
    assert outcome(audited(chained(events)))["decisions"] == ("failed", passed["sequence"])


def test_an_event_of_another_match_is_found() -> None:
    events, others = recorded(), recorded(seed=2)
    events[5] = {**others[5], "sequence": 6}
    assert outcome(audited(chained(events)))["sequence"] == ("failed", 6)


def test_a_command_that_comes_twice_is_found() -> None:
    events = recorded()
    last = events[-1]["command_id"]
    for event in events:
        if event["type"] == "build_passed":
            event["command_id"] = last
            break
    assert outcome(audited(chained(events)))["sequence"][0] == "failed"


@pytest.mark.parametrize(
    "change",
    [
        lambda event: event.pop("actor"),
        lambda event: event.update(surplus=1),
        lambda event: event.update(type="dice_stolen"),
        lambda event: event.update(schema=9),
        lambda event: event.update(time="2026-11-21T08:00:00+01:00"),
        lambda event: event["data"].pop("seat", None) or event["data"].clear(),
        lambda event: event["data"].update(surplus=1),
        lambda event: event.update(data=[]),
        lambda event: event.update(sequence="7"),
    ],
)
def test_what_is_no_event_is_named(change: Any) -> None:
    events = recorded()
    change(events[30])
    report = audited(events)
    assert outcome(report)["schema"] == ("failed", 31)
    assert report.verdict == "failed"


def test_no_events_at_all_are_no_match() -> None:
    assert outcome(audited([]))["sequence"] == ("failed", None)


def test_events_that_begin_in_the_middle_are_no_match() -> None:
    found = outcome(audited(recorded()[3:]))
    assert found["sequence"] == found["chain"] == found["decisions"] == ("failed", 1)


def test_rules_that_nobody_knows_leave_the_play_open() -> None:
    events = recorded()
    for event in events:
        event["rules_version"] = "base@99"
    events[0]["data"]["rules_version"] = "base@99"
    report = audited(chained(events))
    assert report.verdict == "incomplete"
    assert outcome(report)["decisions"] == ("pending", None)


@pytest.mark.parametrize(
    ("members", "check", "detail"),
    [
        (
            {"digest": "sha-256:" + "1" * 64},
            "ruleset",
            "the tables of 'base@1' have another digest here",
        ),
        ({"ruleset": "harbor"}, "ruleset", "'base@1' is no version of 'harbor'"),
        ({"seats": 1}, "decisions", "1 seats cannot play"),
        ({"seats": 10**9}, "decisions", "1000000000 seats cannot play"),
    ],
)
def test_a_table_that_the_rules_do_not_lay_is_found(members: dict[str, Any], check: str, detail: str) -> None:
    events = recorded()
    events[0]["data"].update(members)
    assert check_of(audited(chained(events)), check) == Check(check, "failed", 1, detail)


def test_an_event_by_other_rules_is_found() -> None:
    events = recorded()
    events[5]["rules_version"] = "base@2"
    detail = "an event by 'base@2' in a match by 'base@1'"
    assert check_of(audited(chained(events)), "ruleset") == Check("ruleset", "failed", 6, detail)


def test_tables_that_come_along_are_those_of_the_match() -> None:
    events, line = recorded(), ruleset_line("base@1")
    assert outcome(audited(events, ruleset=line)) == UNSIGNED
    detail = "the tables that came along are not those of the match"
    for name in ("rules_version", "digest", "tables"):
        found = audited(events, ruleset={**line, name: "other"})
        assert check_of(found, "ruleset") == Check("ruleset", "failed", None, detail)


def test_a_second_creation_is_not_followed_however_many_seats_it_claims() -> None:
    events = recorded(decisions=5)
    again = {**events[0], "data": {**events[0]["data"], "seats": 10**9}, "command_id": "again"}
    events.append(again)
    report = audited(chained(events))
    assert outcome(report)["decisions"] == ("failed", len(events))
    assert outcome(report)["dice"] == ("skipped", None)


def test_a_table_that_all_have_left_is_not_played_on() -> None:
    events = recorded(seats=2)
    passed = find(events, "build_passed")
    own = passed["data"]["seat"]
    left = [
        {
            **passed,
            "type": "seat_resigned",
            "data": {"seat": seat, "reason": "command"},
            "command_id": "leave",
        }
        for seat in (own, 1 - own)
    ]
    place = passed["sequence"] - 1
    forged = chained([*events[:place], *left, *events[place:]])
    found = audited(forged)
    assert outcome(found)["decisions"] == ("failed", place + 2)
    assert check_of(found, "decisions").detail == "nobody could play on from there"


def test_a_receipt_is_of_the_history_or_not() -> None:
    events = recorded()
    kept = Receipt(20, events[19]["hash"])
    evidence = Evidence(match_id=events[0]["match_id"], events=events)
    assert outcome(verify(evidence, lambda *_: True, kept)) == UNSIGNED
    other = Receipt(20, events[20]["hash"])
    assert outcome(verify(evidence, lambda *_: True, other))["receipt"] == ("failed", 20)
    ahead = Receipt(len(events) + 1, events[19]["hash"])
    assert outcome(verify(evidence, lambda *_: True, ahead))["receipt"] == ("failed", len(events) + 1)


FREE = {"creator", "tags", "visibility", "name", "id", "kind", "version", "clock", "reason", "strategy"}
"""What the rules do not depend on: only the chain and the checkpoint guard it."""


CHOSEN = {
    "establishments_swapped": {"give", "take", "with_seat"},
    "establishment_given": {"card", "to_seat"},
    "establishment_built": {"card"},
}
"""Where a player had a choice, another lawful choice is no fault by itself: what follows from it is, if it
ever shows."""


def facts(event: Event) -> list[tuple[Any, Any]]:
    """Every number, text and truth value in an event's data that play depends on: holder and place."""
    found: list[tuple[Any, Any]] = []

    def walk(holder: Any, key: Any) -> None:
        value = holder[key]
        if isinstance(value, dict):
            for name in value:
                walk(value, name)
        elif isinstance(value, list):
            for place in range(len(value)):
                walk(value, place)
        elif value is not None:
            found.append((holder, key))

    for name in event["data"]:
        if name not in FREE:
            walk(event["data"], name)
    return found


@pytest.mark.long
@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(st.data())
def test_any_changed_fact_is_found_with_the_chain_made_anew(data: st.DataObject) -> None:
    ruleset, market = data.draw(st.sampled_from(GAMES))
    events = recorded(ruleset, 3, 7, market=market)
    event = data.draw(st.sampled_from(events))
    places = [(holder, key) for holder, key in facts(event) if key not in CHOSEN.get(event["type"], ())]
    if not places:
        return
    holder, key = data.draw(st.sampled_from(places))
    old = holder[key]
    if isinstance(old, bool):
        holder[key] = not old
    elif isinstance(old, int):
        holder[key] = data.draw(st.integers(-3, 40).filter(lambda new: new != old))
    else:
        holder[key] = data.draw(
            st.sampled_from(["", "cafe", "mine", "roll", "low", "x"]).filter(lambda new: new != old)
        )
    report = audited(chained(events))
    assert report.verdict == "failed", (event, old)
    # The seeds of the seats show in the dice alone.
    if event["type"] not in ("match_created", "seat_taken"):
        assert report.first_failed_sequence is not None
        assert report.first_failed_sequence <= event["sequence"]


def test_a_seed_that_is_revealed_before_the_end_is_found() -> None:
    events = recorded()
    for place in (5, len(events) - 1):
        early = {**events[-1], "command_id": "early"}
        found = audited(chained([*events[:place], early, *events[place:]]))
        result = check_of(found, "result")
        assert (result.first_failed_sequence, result.detail) == (
            place + 1,
            "the seed is revealed before the end",
        )


def test_a_reveal_line_that_says_something_else_is_found() -> None:
    events = recorded()
    data = events[-1]["data"]
    line = {"kind": "reveal", **data, "commitment": events[0]["data"]["dice"]["commitment"]}
    assert outcome(audited(events, reveal={**line, "seat_seeds": ["", "", ""]})) == UNSIGNED
    for wrong in ({"seat_seeds": ["", "", "x"]}, {"seed": "00"}, {"key_id": "k2"}):
        found = outcome(audited(events, reveal={**line, "seat_seeds": ["", "", ""], **wrong}))
        assert found["dice"] == ("failed", len(events))
    begun = audited(recorded(decisions=9), reveal={**line, "seat_seeds": ["", "", ""]})
    dice = check_of(begun, "dice")
    assert dice.status == "failed"
    assert dice.detail == "the line with the seed says something else than the events"


def test_a_manifest_that_says_something_else_is_found() -> None:
    events = recorded()
    manifest = {
        "kind": "manifest",
        "format": 1,
        "match_id": events[0]["match_id"],
        "rules_version": "base@1",
        "status": "finished",
        "visibility": "public",
        "events": len(events),
        "head_hash": events[-1]["hash"],
    }
    assert outcome(audited(events, manifest=manifest)) == UNSIGNED
    for name, value in {"status": "running", "visibility": "private", "rules_version": "base@2"}.items():
        found = audited(events, manifest={**manifest, name: value})
        assert outcome(found) == {**UNSIGNED, "sequence": ("failed", None)}
        assert check_of(found, "sequence").detail == f"the manifest has another {name!r}"
    found = audited(events, manifest={**manifest, "head_hash": "x"})
    assert outcome(found) == {**UNSIGNED, "chain": ("failed", len(events))}


# What is open, and why


def of_status(events: Sequence[Event], status: str, *, is_signed: bool = True) -> Check:
    """The check of a checkpoint that tells this status of the match with these events."""
    match_id, last = events[0]["match_id"], events[-1]
    line = Checkpoint(
        number=1,
        match_id=match_id,
        match_digest=digest_of_match(match_id),
        rules_version=last["rules_version"],
        status=status,
        version=len(events),
        head_hash=last["hash"],
        time=last["time"],
        key_id="k1",
        previous_hash=NO_HASH,
    )
    members = msgspec.structs.asdict(msgspec.structs.replace(line, hash=sha256(message_of(line))))
    evidence = Evidence(match_id=match_id, events=events, checkpoint=members)
    return check_of(verify(evidence, lambda *_: is_signed), "checkpoint")


def test_a_checkpoint_tells_the_status_of_the_match() -> None:
    events = recorded()
    assert of_status(events, "finished").status == "passed"

    found = of_status(events, "aborted")
    assert (found.status, found.detail) == ("failed", "what was signed says something else of the end")


def test_a_checkpoint_of_a_match_that_cannot_be_read_to_its_end_may_tell_any_status() -> None:
    events = recorded()
    events[30]["type"] = "dice_stolen"
    assert [of_status(events, status).status for status in ("finished", "aborted")] == ["passed", "passed"]


def test_a_checkpoint_that_no_trusted_key_has_signed_is_found() -> None:
    assert of_status(recorded(), "finished", is_signed=False).status == "failed"


def test_a_report_names_the_match_and_counts_all_its_events() -> None:
    events = recorded()
    whole = audited(events)
    assert (whole.match_id, whole.version) == (events[0]["match_id"], len(events))

    events[30]["type"] = "dice_stolen"
    assert audited(events).version == len(events)


def test_what_follows_on_an_event_that_is_none_is_skipped_from_there() -> None:
    events = recorded()
    rolled = find(
        events, "dice_rolled", lambda event: event["sequence"] > 20 and event["data"]["purpose"] == "roll"
    )
    rolled["type"] = "dice_stolen"  # the first event of its command, so that all before it are whole
    found = audited(events)

    for name in ("sequence", "chain", "decisions", "dice", "draws", "payments", "result"):
        detail = f"from event {rolled['sequence']} on"
        assert check_of(found, name) == Check(name, "skipped", None, detail)
    assert check_of(found, "ruleset").status == "passed"


def test_without_events_there_is_no_match_to_play() -> None:
    found = audited([])
    for name in ("ruleset", "decisions", "dice", "draws", "payments", "result"):
        assert check_of(found, name) == Check(name, "skipped", None, "there is no match to play")


def test_of_a_match_that_cannot_be_played_on_the_rules_are_still_known() -> None:
    events = recorded(decisions=5)
    found = audited(chained([*events, {**events[0], "command_id": "again"}]))

    assert check_of(found, "ruleset").status == "passed"
    assert check_of(found, "payments") == Check("payments", "skipped", None, "the match cannot be played on")


def test_scripted_dice_are_checked_without_a_seed_and_draws_are_not() -> None:
    create = scripted(creation("machi_koro_2", 2, first_seat=A, throws=((2,),)))
    found = audited(told([(create, 0)]))

    assert check_of(found, "dice").status == "passed"
    assert check_of(found, "draws").status == "pending"


def test_a_seed_that_is_not_in_hex_is_not_the_one() -> None:
    events = recorded()
    events[-1]["data"]["seed"] = "no hex"
    detail = "the seed is not the one that the first event commits to"
    assert check_of(audited(chained(events)), "dice") == Check("dice", "failed", len(events), detail)
