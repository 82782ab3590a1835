"""The replay infers each command, decides it by the rules, and says what is recorded instead."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from domain.match import events as ev
from domain.match.chance import seat_commitment
from domain.match.commands import (
    AbortMatch,
    Build,
    ChangeController,
    CommitSeatSeed,
    ExpireClock,
    ExpireSeatSeeds,
    KeepDice,
    OpenSeatSeed,
    Pass,
    Resign,
    RollDice,
    SeatPlan,
    TakeSeat,
)
from domain.match.events import MOST_BANKED_MS
from tests.audited import Event, audited, chained, find
from tests.domain.audit.exported import Told, committed, failed, scripted, told
from tests.domain.kit import A, B, city, creation, seat_plan

THROWS = ((2,), (1,), (4,))
MINUTE = 60_000


def played() -> list[Event]:
    """A's bakery pays 1 and A builds a ranch; then both wheat fields pay 1, and B passes."""
    create = scripted(creation("base", 2, first_seat=A, throws=THROWS))
    return told([(create, 0), (RollDice(A, 1), 1), (Build(A, "ranch"), 2), (RollDice(B, 1), 3), (Pass(B), 4)])


def test_the_match_to_forge_is_honest() -> None:
    assert failed(audited(played())) == {}


# What is recorded and what is decided


def dropped(type: str) -> Callable[[list[Event]], None]:
    return lambda events: events.remove(find(events, type))


def changed(type: str, **data: Any) -> Callable[[list[Event]], None]:
    return lambda events: find(events, type)["data"].update(data)


def repeated(type: str) -> Callable[[list[Event]], None]:
    def forge(events: list[Event]) -> None:
        one = find(events, type)
        events.insert(one["sequence"], one)

    return forge


def became(type: str, other: str, data: dict[str, Any]) -> Callable[[list[Event]], None]:
    return lambda events: find(events, type).update(type=other, data=data)


INCOME = {"seat": 0, "card": "bakery", "copies": 1, "coins": 1}


@pytest.mark.parametrize(
    ("forge", "name", "sequence", "detail"),
    [
        (dropped("income_received"), "payments", 7, "income_received is missing"),
        (repeated("income_received"), "payments", 8, "income_received is too much"),
        (
            changed("income_received", coins=2),
            "payments",
            7,
            "it should be IncomeReceived(seat=0, card='bakery', copies=1, coins=1), "
            "not IncomeReceived(seat=0, card='bakery', copies=1, coins=2)",
        ),
        (changed("establishment_built", price=2), "payments", 8, "it should be EstablishmentBuilt("),
        (dropped("turn_ended"), "decisions", 9, "it should be TurnEnded("),
        (repeated("turn_started"), "decisions", 6, "turn_started is too much"),
        (became("turn_ended", "income_received", INCOME), "payments", 9, "it should be TurnEnded("),
        (
            became("income_received", "turn_ended", {"turn": 1, "seat": 0}),
            "payments",
            7,
            "it should be Incom",
        ),
        (became("turn_started", "build_passed", {"seat": 0}), "decisions", 5, "it should be TurnStarted("),
        (changed("dice_rolled", values=[3], total=3), "dice", 6, "it should be [2], not [3]"),
        (changed("dice_rolled", total=3), "dice", 6, "it should be DiceRolled("),
    ],
)
def test_the_first_difference_fails_the_check_of_its_kind(
    forge: Callable[[list[Event]], None], name: str, sequence: int, detail: str
) -> None:
    events = played()
    forge(events)
    found = failed(audited(chained(events)))

    assert found[name][0] == sequence
    assert found[name][1].startswith(detail)


def test_a_command_without_its_last_event_lacks_it() -> None:
    events = played()[:-1]
    assert failed(audited(events))["decisions"] == (len(events) + 1, "turn_started is missing")


def test_a_command_whose_dice_are_none_is_not_decided() -> None:
    events = played()
    find(events, "dice_rolled")["data"].update(values=[7], total=7)
    found = failed(audited(chained(events)))

    assert found["dice"] == (6, "[7] is no roll of 1 dice")
    assert found["decisions"] == (6, "the luck that the command needs is not recorded")


def test_a_command_at_a_table_that_the_rules_never_lay_is_none() -> None:
    """A total of 99 is kept."""
    position = ev.Position(A, "roll", (city(0, "radio_tower"), city(0)))
    create = scripted(creation("base", position=position, throws=THROWS))
    events = told([(create, 0), (RollDice(A, 1), 1), (KeepDice(A), 2)])
    find(events, "dice_rolled")["data"]["total"] = 99
    kept = find(events, "dice_kept")["sequence"]

    found = failed(audited(chained(events)))
    assert found["decisions"] == (kept, "no such command is possible: IndexError")


def test_the_replay_continues_from_what_is_recorded() -> None:
    """One coin too many is one fault: all that follows from it is not."""
    events = played()
    find(events, "income_received")["data"]["coins"] = 50
    assert failed(audited(chained(events))).keys() == {"payments"}


# What no command can be


def forged_end(*commands: tuple[Any, int], type: str, data: dict[str, Any], actor: str) -> list[Event]:
    """A new match in which these commands are given, and then an event that no command causes."""
    create = scripted(creation("base", plans=[seat_plan(A), SeatPlan("open")]))
    events = told([(create, 0), *commands])
    forged = {**events[-1], "type": type, "data": data, "actor": actor, "command_id": "forged"}
    return chained([*events, forged])


@pytest.mark.parametrize(
    ("type", "data", "actor", "detail"),
    [
        (
            "turn_ended",
            {"turn": 1, "seat": 0},
            "seat:0",
            "unknown_command: no command begins with turn_ended",
        ),
        (
            "seat_taken",
            {"seat": 1, "kind": "robot", "id": "r", "name": "r", "version": "", "seed": ""},
            "service",
            "validation_failed: nobody of kind 'robot' has a seat",
        ),
        (
            "controller_changed",
            {"seat": 0, "kind": "open", "id": "r", "name": "r", "version": ""},
            "service",
            "validation_failed: nobody of kind 'open' has a seat",
        ),
        (
            "match_aborted",
            {"reason": "turn_limit"},
            "service",
            "validation_failed: nobody calls off for 'turn_limit'",
        ),
        (
            "seat_taken",
            {"seat": 1, "kind": "account", "id": "acc_1", "name": "bo", "version": "", "seed": ""},
            "account:acc_2",
            "not_your_seat: the actor is 'account:acc_2', not 'account:acc_1'",
        ),
        ("dice_rolled", {"purpose": "roll", "values": [2], "total": 2}, "seat:-1", ""),
        (
            "clock_expired",
            {"seat": 0, "policy": "forfeit"},
            "service",
            "match_not_started: the match is waiting for players",
        ),
    ],
)
def test_what_no_command_can_be_is_refused(type: str, data: dict[str, Any], actor: str, detail: str) -> None:
    events = forged_end(type=type, data=data, actor=actor)
    found = failed(audited(events))

    if detail:
        assert found["decisions"] == (len(events), detail)
    else:
        assert "schema" in found


@pytest.mark.parametrize("type", ["seat_seed_forgone", "seat_seed_withheld"])
def test_no_time_runs_out_for_seeds_that_nobody_was_asked_for(type: str) -> None:
    events = forged_end(type=type, data={"seat": 0}, actor="service")
    found = failed(audited(events))["dice"]
    assert found == (len(events), "wrong_phase: no seat has a seed to commit to or open")


def test_every_event_of_a_command_has_its_actor() -> None:
    events = played()
    find(events, "turn_ended")["actor"] = "seat:1"
    assert failed(audited(chained(events)))["decisions"] == (
        8,
        "not_your_seat: the actor is 'seat:0', not 'seat:0'",
    )


@pytest.mark.parametrize("reason", ["creator", "dice_tape_exhausted", "dice_tape_mismatch"])
def test_a_match_is_called_off_for_these_reasons(reason: str) -> None:
    create = scripted(creation("base", plans=[seat_plan(A), SeatPlan("open")]))
    assert failed(audited(told([(create, 0), (AbortMatch(reason), 1)]))) == {}


def test_seats_are_taken_and_change_hands() -> None:
    create = scripted(creation("base", plans=[seat_plan(A), SeatPlan("open")], first_seat=A, throws=THROWS))
    commands: Told = [
        (create, 0),
        (TakeSeat(B, "strategy", "greedy", "Greedy", "1"), 1),
        (ChangeController(A, "strategy", "random", "Random", "1"), 2),
        (RollDice(A, 1), 3),
        (Resign(A), 4),
    ]
    assert failed(audited(told(commands))) == {}


def test_a_roll_that_the_rules_need_is_recorded() -> None:
    events = played()
    rolled = find(events, "dice_rolled")
    rolled.update(type="dice_kept", data={"seat": 0, "declined": "reroll", "total": 2})
    assert failed(audited(chained(events)))["decisions"][0] == 6


# The beginning


def created(**members: Any) -> dict[str, tuple[int | None, str]]:
    """What fails if the first event of the match has these members."""
    events = played()
    events[0]["data"].update(members)
    return failed(audited(chained(events)))


def dice(**members: Any) -> dict[str, Any]:
    return {**played()[0]["data"]["dice"], **members}


def with_bank(**members: int) -> dict[str, Any]:
    return {"decision_ms": 1, "on_timeout": "forfeit", **members}


@pytest.mark.parametrize(
    ("members", "detail"),
    [
        (
            {"options": {"box": "", "market": "open", "max_copies": None, "card_costs": {}}},
            "the options are not",
        ),
        ({"options": {"box": "six_player", "market": "open"}}, "this ruleset has no box 'six_player'"),
        ({"options": {"box": "four_player", "market": "rows"}}, "this ruleset has no market 'rows'"),
        (
            {"options": {"box": "four_player", "market": "open", "max_copies": 3}},
            "this ruleset has no option max_copies 3",
        ),
        (
            {"options": {"box": "four_player", "market": "open", "card_costs": {"mine": 101}}},
            "the cost must be 0 to 100, not 101",
        ),
        ({"visibility": "secret"}, "no match is 'secret'"),
        ({"clock": {"decision_ms": 0, "on_timeout": "forfeit"}}, "no match has such a clock"),
        ({"clock": {"decision_ms": 1, "on_timeout": "wait"}}, "no match has such a clock"),
        ({"clock": with_bank(bank_ms=-1)}, "no match has such a clock"),
        ({"clock": with_bank(bank_ms=MOST_BANKED_MS + 1)}, "no match has such a clock"),
        ({"clock": with_bank(increment_ms=-1)}, "no match has such a clock"),
        ({"clock": with_bank(increment_ms=MOST_BANKED_MS + 1)}, "no match has such a clock"),
        ({"dice": dice(mode="loaded")}, "no match has such dice"),
        ({"dice": dice(mode="committed")}, "no match has such dice"),
        ({"dice": dice(throws=[[2], [1, 2, 3]])}, "no match has such dice"),
        ({"dice": dice(throws=[[2], []])}, "no match has such dice"),
        ({"dice": dice(throws=[[2], [7]])}, "no match has such dice"),
        ({"dice": dice(throws=[[0], [1]])}, "no match has such dice"),
        ({"dice": dice(seed_of="mat_2")}, "no match has such dice"),
    ],
)
def test_a_creation_that_the_service_never_accepts_is_refused(members: dict[str, Any], detail: str) -> None:
    sequence, found = created(**members)["decisions"]
    assert sequence == 1
    assert found.startswith(f"validation_failed: {detail}")


def test_the_seats_of_a_new_match_are_open_reserved_or_taken_by_an_account_or_a_strategy() -> None:
    events = played()
    find(events, "seat_taken")["data"]["kind"] = "robot"
    assert failed(audited(chained(events)))["decisions"] == (
        1,
        "validation_failed: nobody of kind 'robot' has a seat",
    )


@pytest.mark.parametrize("visibility", ["public", "unlisted", "private"])
@pytest.mark.parametrize("policy", ["default_command", "strategy", "forfeit"])
def test_a_match_may_have_a_clock_of_a_millisecond_and_be_seen_by_few(visibility: str, policy: str) -> None:
    create = replace(creation("base", clock=ev.Clock(1, policy)), visibility=visibility)
    assert failed(audited(told([(scripted(create), 0)]))) == {}


def test_a_bank_and_its_increment_may_be_as_long_as_a_day() -> None:
    clock = ev.Clock(1, "forfeit", MOST_BANKED_MS, MOST_BANKED_MS)
    assert failed(audited(told([(scripted(creation("base", clock=clock)), 0)]))) == {}


def test_scripted_throws_are_of_one_or_two_dice() -> None:
    create = scripted(creation("base", 2, first_seat=A, throws=((2,), (1, 6))))
    assert failed(audited(told([(create, 0), (RollDice(A, 1), 1)]))) == {}


def test_nothing_comes_before_the_creation() -> None:
    events = played()[5:]
    assert failed(audited(chained(events)))["decisions"] == (1, "the first event makes no match")


# Clocks


def with_clock(*commands: tuple[Any, int]) -> dict[str, tuple[int | None, str]]:
    """What fails in a match with a minute for each decision."""
    create = creation("base", 2, first_seat=A, clock=ev.Clock(MINUTE, "default_command"), throws=THROWS)
    return failed(audited(told([(scripted(create), 5 * MINUTE), *commands])))


def test_a_clock_runs_out_after_its_time_since_the_last_event_and_no_sooner() -> None:
    too_early = "clock_not_expired: the clock had not run out"

    assert with_clock((ExpireClock(A), 6 * MINUTE)) == {}
    assert with_clock((ExpireClock(A), 6 * MINUTE - 1)) == {"decisions": (6, too_early)}
    assert with_clock((RollDice(A, 1), 7 * MINUTE), (ExpireClock(A), 8 * MINUTE)) == {}
    assert with_clock((RollDice(A, 1), 7 * MINUTE), (ExpireClock(A), 8 * MINUTE - 1)) == {
        "decisions": (8, too_early)
    }


SEEDS = ("ada-" + "a" * 40, "bob-" + "b" * 40)


def with_seeds(*commands: tuple[Any, int]) -> dict[str, tuple[int | None, str]]:
    """What fails in a match whose two seats have a minute for each step of their seeds."""
    create = committed(creation("base", 2, first_seat=A), seat_seeds=ev.SeatSeeds(MINUTE))
    return failed(audited(told([(create, 5 * MINUTE), *commands])))


def commits(seat: int) -> CommitSeatSeed:
    create = committed(creation("base", 2))
    return CommitSeatSeed(seat, seat_commitment(create.dice.commitment, seat, SEEDS[seat]))


def test_the_time_for_seeds_of_seats_runs_from_the_last_event() -> None:
    too_early = "clock_not_expired: the clock had not run out"
    first = (commits(A), 6 * MINUTE)
    both = (first, (commits(B), 7 * MINUTE), (OpenSeatSeed(A, SEEDS[A]), 8 * MINUTE))

    assert with_seeds((ExpireSeatSeeds(), 6 * MINUTE)) == {}
    assert with_seeds(first, (ExpireSeatSeeds(), 7 * MINUTE)) == {}
    assert with_seeds(first, (ExpireSeatSeeds(), 7 * MINUTE - 1)) == {"dice": (5, too_early)}
    assert with_seeds(*both, (ExpireSeatSeeds(), 9 * MINUTE)) == {}
    assert with_seeds(*both, (ExpireSeatSeeds(), 9 * MINUTE - 1))["dice"] == (7, too_early)
    assert with_seeds(*both, (OpenSeatSeed(B, SEEDS[B]), 8 * MINUTE)) == {}


def test_a_match_may_have_commentary_or_be_rated() -> None:
    with_commentary = scripted(creation("base", 2, first_seat=A, throws=THROWS, options={"commentary": True}))
    plans = [seat_plan(A), SeatPlan("open")]
    clock = ev.Clock(MINUTE, "forfeit")
    is_rated = committed(creation("base", plans=plans, clock=clock, options={"rated": True}))

    for create in (with_commentary, is_rated):
        assert failed(audited(told([(create, 0)]))) == {}


# Banks of time


def banked() -> list[Event]:
    """A rolls after a minute, of which 30 s come from the bank, and passes at once; B runs out of time."""
    clock = ev.Clock(30_000, "default_command", 45_000, 5_000)
    create = scripted(creation("base", 2, first_seat=A, throws=THROWS, clock=clock))
    events = told(
        [(create, 0), (RollDice(A, 1), MINUTE), (Pass(A), MINUTE + 1), (ExpireClock(B), 2 * MINUTE + 15_001)]
    )
    changes = [event["data"] for event in events if event["type"] == "bank_changed"]
    assert changes == [
        {"seat": A, "spent_ms": 30_000, "added_ms": 0, "left_ms": 15_000},
        {"seat": A, "spent_ms": 0, "added_ms": 5_000, "left_ms": 20_000},
        {"seat": B, "spent_ms": 45_000, "added_ms": 0, "left_ms": 0},
    ]
    return events


def test_a_match_with_banks_is_replayed() -> None:
    assert failed(audited(banked())) == {}


@pytest.mark.parametrize(
    "data",
    [
        {"left_ms": 16_000},
        {"seat": B},
        {"added_ms": 1, "left_ms": 15_001},
        {"spent_ms": 45_001, "left_ms": -1},
        {"spent_ms": -1, "left_ms": 45_001},
    ],
)
def test_a_bank_has_what_it_had_less_what_was_spent(data: dict[str, int]) -> None:
    events = banked()
    change = find(events, "bank_changed")
    change["data"].update(data)
    found = failed(audited(chained(events)))
    assert found.get("decisions", found.get("schema"))


def test_a_bank_is_not_charged_for_more_time_than_has_passed() -> None:
    events = banked()
    rolled = find(events, "dice_rolled")
    for event in events:
        if event["command_id"] == rolled["command_id"]:
            event["time"] = event["time"].replace(":01:00.000Z", ":00:59.999Z")
    found = failed(audited(chained(events)))
    detail = "bank_overcharged: the bank was charged for more time than had passed"
    assert found["decisions"] == (rolled["sequence"], detail)


def test_the_time_of_a_decision_runs_from_the_one_before() -> None:
    clock = ev.Clock(30_000, "forfeit", 45_000)
    create = scripted(creation("base", 2, first_seat=A, throws=THROWS, clock=clock))
    events = told([(create, 0), (RollDice(A, 1), 10_000), (Pass(A), 10_000 + 30_001)])
    change = find(events, "bank_changed")
    assert change["data"]["spent_ms"] == 1
    assert failed(audited(events)) == {}

    for event in events:
        if event["command_id"] == change["command_id"]:
            event["time"] = event["time"].replace(":00:40.001Z", ":00:40.000Z")
    detail = "bank_overcharged: the bank was charged for more time than had passed"
    assert failed(audited(chained(events)))["decisions"][1] == detail


def test_a_bank_may_be_charged_less_than_what_has_passed_because_of_an_outage() -> None:
    events = banked()
    change = find(events, "bank_changed")
    change["data"].update(spent_ms=10_000, left_ms=35_000)
    find(events, "bank_changed", lambda one: one["data"]["added_ms"] > 0)["data"].update(left_ms=40_000)
    assert failed(audited(chained(events))) == {}


def test_an_increment_that_is_due_cannot_be_left_out() -> None:
    events = banked()
    events.remove(find(events, "bank_changed", lambda one: one["data"]["added_ms"] > 0))
    assert "decisions" in failed(audited(chained(events)))


@pytest.mark.parametrize("later_ms", [44_999, 45_000])
def test_a_clock_with_a_bank_expires_only_after_both(later_ms: int) -> None:
    clock = ev.Clock(30_000, "forfeit", 15_000)
    create = scripted(creation("base", 2, first_seat=A, throws=THROWS, clock=clock))
    found = failed(audited(told([(create, 0), (ExpireClock(A), later_ms)])))
    assert ("decisions" in found) == (later_ms < 45_000)
