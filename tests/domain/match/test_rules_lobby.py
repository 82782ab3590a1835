"""From the lobby to the first throw: seats, starting, calling off, the reveal, scripted dice."""

import pytest

from domain import RuleViolation, decide, fold, legal_commands
from domain.match import events as ev
from domain.match.chance import SeededChance, TapeChance
from domain.match.commands import (
    AbortMatch,
    Build,
    ChangeController,
    Command,
    EndReservation,
    ExpireClock,
    KeepTotal,
    Pass,
    RerollDice,
    Resign,
    RollDice,
    SeatPlan,
    TakeSeat,
)
from domain.match.legal import unbuildable
from domain.match.rulesets import CURRENT, digest
from tests.domain.kit import (
    A,
    B,
    C,
    Scene,
    ScriptedChance,
    city,
    creation,
    given,
    new_match,
    seat_plan,
)

OPEN = SeatPlan("open")


# Lobby


def test_a_match_with_every_seat_taken_starts_at_once() -> None:
    base = CURRENT["base"]
    scene = new_match("base", 2)

    scene.then(
        ev.MatchCreated(
            "base",
            "base@1",
            digest(base),
            ev.Options("four_player", "open"),
            2,
            None,
            ev.Dice("scripted"),
            "acc_0",
        ),
        ev.SeatTaken(A, "account", "acc_0", "player 0"),
        ev.SeatTaken(B, "account", "acc_1", "player 1"),
        ev.MatchStarted(
            A,
            (3, 3),
            ({"wheat_field": 1, "bakery": 1},) * 2,
            {id: 4 if id in ("stadium", "tv_station", "business_center") else 6 for id in _ids("base")},
            {},
        ),
        ev.TurnStarted(1, A),
    )


def _ids(ruleset: str) -> list[str]:
    return [card.id for card in CURRENT[ruleset].establishments if card.copies]


def test_a_match_with_open_seats_waits_for_them() -> None:
    scene = new_match("base", plans=[seat_plan(A), OPEN, OPEN])

    assert [type(event) for event in scene.events] == [ev.MatchCreated, ev.SeatTaken]
    scene.then_legal()
    scene.when(RollDice(A, 1)).then_rejected("match_not_started")
    scene.when(Resign(A)).then_rejected("match_not_started")


def test_the_match_starts_when_its_last_open_seat_is_taken() -> None:
    scene = new_match("base", plans=[OPEN, seat_plan(B), OPEN])
    waiting = scene.when(TakeSeat(C, "strategy", "random", "Random", "1", "seed"))
    waiting.then(ev.SeatTaken(C, "strategy", "random", "Random", "1", "seed"))

    full = waiting.when(TakeSeat(A, "account", "acc_9", "nine"))
    assert [type(event) for event in full.events] == [ev.SeatTaken, ev.MatchStarted, ev.TurnStarted]


@pytest.mark.parametrize("seat", [-1, 2, 10**30])
def test_only_a_seat_of_the_match_can_be_taken(seat: int) -> None:
    new_match("base", plans=[seat_plan(A), OPEN]).when(TakeSeat(seat, "account", "x", "x")).then_rejected(
        "validation_failed", "/seat"
    )


def test_a_taken_seat_cannot_be_taken() -> None:
    new_match("base", plans=[seat_plan(A), OPEN]).when(TakeSeat(A, "account", "x", "x")).then_rejected(
        "seat_taken", "/seat"
    )


def test_a_full_match_takes_nobody() -> None:
    new_match("base").when(TakeSeat(A, "account", "x", "x")).then_rejected("match_full")


def test_a_match_is_created_once() -> None:
    new_match("base").when(creation("base")).then_rejected("validation_failed")


@pytest.mark.parametrize("seat", [-1, 2, 10**30])
def test_the_first_seat_is_a_seat_of_the_match(seat: int) -> None:
    Scene(None).when(creation("base", 2, first_seat=seat)).then_rejected("validation_failed", "/first_seat")


@pytest.mark.parametrize("command", [RollDice(A, 1), Pass(A), Resign(A), ExpireClock(A)])
def test_nothing_is_played_before_a_match_is_created(command: Command) -> None:
    Scene(None).when(command).then_rejected("match_not_started")


def test_a_match_that_has_not_started_has_no_legal_commands() -> None:
    waiting = Scene(None).when(creation("base", plans=(seat_plan(A), SeatPlan("open")))).state

    assert legal_commands(waiting) == []
    assert unbuildable(waiting) == []


# Reserved seats

RESERVED = SeatPlan("reserved", "acc_9", "nine")


def test_a_match_waits_for_the_account_that_a_seat_is_reserved_for() -> None:
    scene = new_match("base", plans=[seat_plan(A), RESERVED])
    scene.then_ends_with(ev.SeatReserved(B, "acc_9", "nine"))
    assert scene.state.status == "open"

    come = scene.when(TakeSeat(B, "account", "acc_9", "nine"))
    assert [type(event) for event in come.events] == [ev.SeatTaken, ev.MatchStarted, ev.TurnStarted]
    assert come.state.reservations == {}


@pytest.mark.parametrize(("kind", "id"), [("account", "acc_0"), ("account", "x"), ("strategy", "acc_9")])
def test_a_reserved_seat_is_taken_by_nobody_else(kind: str, id: str) -> None:
    new_match("base", plans=[seat_plan(A), RESERVED]).when(TakeSeat(B, kind, id, "x")).then_rejected(
        "seat_reserved", "/seat"
    )


def test_a_reserved_seat_leaves_the_other_open_seats_to_anybody() -> None:
    scene = new_match("base", plans=[seat_plan(A), RESERVED, OPEN])
    scene.when(TakeSeat(C, "account", "x", "x")).then(ev.SeatTaken(C, "account", "x", "x"))


@pytest.mark.parametrize(("account", "reason"), [("acc_9", "declined"), ("acc_0", "withdrawn")])
def test_a_seat_whose_reservation_ended_is_open_for_anybody(account: str, reason: str) -> None:
    scene = new_match("base", plans=[seat_plan(A), RESERVED]).when(EndReservation(B, account))
    scene.then(ev.ReservationEnded(B, reason))
    assert scene.when(TakeSeat(B, "account", "x", "x")).state.status == "running"


def test_a_reservation_is_ended_once_and_by_nobody_else() -> None:
    scene = new_match("base", plans=[seat_plan(A), RESERVED])
    scene.when(EndReservation(B, "x")).then_rejected("not_your_seat", "/seat")
    scene.when(EndReservation(A, "acc_9")).then_rejected("invitation_not_found", "/seat")
    scene.when(EndReservation(7, "acc_9")).then_rejected("invitation_not_found", "/seat")
    scene.when(EndReservation(B, "acc_9")).when(EndReservation(B, "acc_9")).then_rejected(
        "invitation_not_found", "/seat"
    )
    scene.when(AbortMatch()).when(EndReservation(B, "acc_9")).then_rejected("match_finished")


# Calling off


def test_a_match_is_called_off_before_the_first_throw() -> None:
    new_match("base", plans=[seat_plan(A), OPEN]).when(AbortMatch()).then(ev.MatchAborted("creator"))
    new_match("base").when(AbortMatch()).then(ev.MatchAborted("creator"))
    new_match("machi_koro_2").when(Pass(A), AbortMatch()).then_ends_with(ev.MatchAborted("creator"))


def test_a_match_is_not_called_off_after_the_first_throw() -> None:
    new_match("base").when(RollDice(A, 1), dice=[(6,)]).when(AbortMatch()).then_rejected("wrong_phase")


def test_a_match_that_is_over_is_not_called_off() -> None:
    new_match("base").when(Resign(A)).when(AbortMatch()).then_rejected("match_finished")
    new_match("base").when(AbortMatch()).when(AbortMatch()).then_rejected("match_finished")


def test_nothing_is_played_in_a_match_that_was_called_off() -> None:
    scene = new_match("base").when(AbortMatch())

    scene.then_legal()
    scene.when(RollDice(A, 1)).then_rejected("match_finished")
    scene.when(Resign(A)).then_rejected("match_finished")
    scene.when(ChangeController(A, "account", "x", "x")).then_rejected("match_finished")


# Scripted dice


def _tape(scene: Scene, *throws: tuple[int, ...]) -> TapeChance:
    return TapeChance(throws, ScriptedChance())


def _play(scene: Scene, chance: TapeChance, *commands: Command) -> tuple[ev.Event, ...]:
    state = scene.state
    events: tuple[ev.Event, ...] = ()
    for command in commands:
        events = decide(state, command, chance)
        state = fold(state.copy(), events)
    return events


def test_scripted_throws_are_used_up_in_order_by_rolls_rerolls_and_the_boats() -> None:
    scene = given("harbor", city(1, "train_station", "radio_tower", "harbor", tuna_boat=1), city(1))
    chance = _tape(scene, (1, 2), (6, 6), (3, 4), (5,))

    events = _play(scene, chance, RollDice(A, 2), RerollDice(A), KeepTotal(A))
    assert ev.DiceRolled("boats", (3, 4), 7) in events
    events = _play(scene, chance, RollDice(A, 2), RerollDice(A), KeepTotal(A), Pass(A), RollDice(B, 1))
    assert events[0] == ev.DiceRolled("roll", (5,), 5)


@pytest.mark.parametrize(("throw", "dice"), [((1, 2), 1), ((3,), 2)])
def test_a_scripted_throw_of_another_number_of_dice_is_a_mismatch(throw: tuple[int, ...], dice: int) -> None:
    scene = given("base", city(1, "train_station"), city(1))

    with pytest.raises(RuleViolation) as refused:
        _play(scene, _tape(scene, throw), RollDice(A, dice))
    assert refused.value.code == "dice_tape_mismatch"
    assert refused.value.detail == f"scripted roll 1 has {len(throw)} dice, not {dice}"


def test_an_empty_tape_is_exhausted() -> None:
    scene = given("base", city(1), city(1))

    with pytest.raises(RuleViolation) as refused:
        _play(scene, _tape(scene, (3,)), RollDice(A, 1), Pass(A), RollDice(B, 1))
    assert refused.value.code == "dice_tape_exhausted"


@pytest.mark.parametrize(
    ("throws", "code"),
    [([(6, 6)], "dice_tape_exhausted"), ([(6, 6), (3,)], "dice_tape_mismatch")],
    ids=["exhausted", "mismatch"],
)
def test_a_tape_that_fails_at_the_throw_of_the_boats_leaves_the_state_as_it_was(
    throws: list[tuple[int, ...]], code: str
) -> None:
    scene = given("harbor", city(1, "train_station"), city(1, "harbor", tuna_boat=1))
    before = scene.state.copy()

    with pytest.raises(RuleViolation) as refused:
        decide(scene.state, RollDice(A, 2), _tape(scene, *throws))
    assert refused.value.code == code
    assert scene.state == before


@pytest.mark.parametrize("reason", ["dice_tape_exhausted", "dice_tape_mismatch"])
def test_a_match_whose_tape_cannot_go_on_may_be_called_off_after_the_first_throw(reason: str) -> None:
    new_match("base").when(RollDice(A, 1), AbortMatch(reason), dice=[(6,)]).then_ends_with(
        ev.MatchAborted(reason)
    )


def test_no_choice_is_open_in_a_match_that_was_called_off() -> None:
    scene = given("base", city(1, "radio_tower"), city(1)).when(
        RollDice(A, 1), AbortMatch("dice_tape_exhausted"), dice=[(6,)]
    )

    scene.then_ends_with(ev.MatchAborted("dice_tape_exhausted")).then_legal()
    assert (scene.state.pending_card, scene.state.pending_copies) == ("", 0)


def test_draws_and_the_first_seat_of_scripted_dice_come_as_in_any_match() -> None:
    seeded = SeededChance(bytes(32), "k1")
    tape = TapeChance([], seeded)
    command = creation("machi_koro_2", 4)

    assert decide(None, command, tape) == decide(None, command, SeededChance(bytes(32), "k1"))


# The reveal


def test_the_seed_is_revealed_when_the_match_is_won_resigned_or_called_off() -> None:
    seed = bytes(range(32))
    won = given("base", city(16, "train_station", "shopping_mall", "radio_tower"), city(), phase="build")
    for scene, command in (
        (won, Build(A, "amusement_park")),
        (new_match("base"), Resign(B)),
        (new_match("base"), AbortMatch()),
    ):
        events = decide(scene.state, command, SeededChance(seed, "k7"))
        assert events[-1] == ev.DiceRevealed("k7", seed.hex())


def test_nothing_is_revealed_while_the_match_goes_on() -> None:
    scene = new_match("base", 3)
    for command in (RollDice(A, 1), Resign(A), Resign(B)):
        events = decide(scene.state, command, SeededChance(bytes(32), "k7"))
        assert ev.DiceRevealed not in [type(event) for event in events]
