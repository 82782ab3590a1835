"""Seeds of seats: first every account commits to one, then all open theirs, then the match starts."""

from typing import Any

import pytest
from msgspec.structs import replace

from domain import decide, evolve, fold
from domain.errors import RuleViolation
from domain.match import events as ev
from domain.match.branches import branch_command
from domain.match.chance import SeededChance, commitment, seat_commitment, table_key
from domain.match.commands import (
    AbortMatch,
    ChangeController,
    CommitSeatSeed,
    CreateMatch,
    ExpireSeatSeeds,
    OpenSeatSeed,
    RollDice,
    SeatPlan,
    TakeSeat,
)
from domain.match.seat_seeds import due_step, seat_seeds_of, seats_due
from domain.match.state import MatchState
from events.matches.entries import CODEC
from tests.domain.independent_dice import die
from tests.domain.kit import A, B, C, Scene, creation, seat_plan

MATCH_SEED = bytes(range(32))
MATCH_COMMITMENT = commitment(MATCH_SEED)
SEEDS = ("ada-" + "a" * 40, "bob-" + "b" * 40, "eve-" + "c" * 40)
OPEN = SeatPlan("open")
GREEDY = SeatPlan("strategy", "greedy", "greedy", "1")
WISH = ev.SeatSeeds(60_000)


def wish(*plans: SeatPlan, **members: Any) -> CreateMatch:
    dice = ev.Dice("committed", "k1", MATCH_COMMITMENT, seat_seeds=WISH)
    return replace(creation("base", plans=plans), dice=dice, **members)


def made(*plans: SeatPlan) -> Scene:
    return Scene(None).when(wish(*plans))


def commits(seat: int, seed: str = "") -> CommitSeatSeed:
    return CommitSeatSeed(seat, seat_commitment(MATCH_COMMITMENT, seat, seed or SEEDS[seat]))


def opens(seat: int) -> OpenSeatSeed:
    return OpenSeatSeed(seat, SEEDS[seat])


def two() -> Scene:
    return made(seat_plan(A), seat_plan(B))


# The course


def test_a_match_with_every_seat_taken_waits_for_commitments_instead_of_starting() -> None:
    scene = two()

    assert [type(event) for event in scene.events] == [ev.MatchCreated, ev.SeatTaken, ev.SeatTaken]
    assert (due_step(scene.state), seats_due(scene.state)) == ("commit", [A, B])
    scene.then_legal()
    scene.when(RollDice(A, 1)).then_rejected("match_not_started")


def test_who_plays_before_the_start_is_told_what_the_match_waits_for() -> None:
    for scene, missing in ((made(seat_plan(A), OPEN), "players"), (two(), "the seeds of its seats")):
        refusal = scene.when(RollDice(A, 1)).refusal
        assert refusal is not None
        assert refusal.detail == f"the match is waiting for {missing}"


def test_when_every_account_has_committed_seeds_are_opened_and_the_last_starts_the_match() -> None:
    scene = two().when(commits(B), commits(A))
    scene.then(
        ev.SeatSeedCommitted(B, seat_commitment(MATCH_COMMITMENT, B, SEEDS[B])),
        ev.SeatSeedCommitted(A, seat_commitment(MATCH_COMMITMENT, A, SEEDS[A])),
    )
    assert (due_step(scene.state), seats_due(scene.state)) == ("open", [A, B])

    scene = scene.when(opens(B)).then(ev.SeatSeedOpened(B, SEEDS[B]))
    assert seats_due(scene.state) == [A]

    scene = scene.when(opens(A)).then_includes(ev.SeatSeedOpened(A, SEEDS[A]), ev.TurnStarted(1, A))
    assert (scene.state.status, due_step(scene.state)) == ("running", None)


def test_between_the_last_seed_and_the_start_nothing_is_due() -> None:
    state = two().when(commits(A), commits(B), opens(A)).state
    state = evolve(state, ev.SeatSeedOpened(B, SEEDS[B]))

    assert (state.status, due_step(state), seats_due(state)) == ("open", None, [])


def test_a_seat_may_commit_while_others_are_still_open() -> None:
    scene = made(seat_plan(A), OPEN).when(commits(A))
    assert due_step(scene.state) is None

    scene = scene.when(TakeSeat(B, "account", "acc_1", "player 1"))
    assert (due_step(scene.state), seats_due(scene.state)) == ("commit", [B])


def test_built_in_players_commit_to_nothing() -> None:
    scene = made(seat_plan(A), GREEDY)
    assert seats_due(scene.state) == [A]

    scene.when(commits(B)).then_rejected("seat_seed_not_due")
    assert scene.when(commits(A), opens(A)).state.status == "running"


def test_the_dice_come_from_the_opened_seeds() -> None:
    chance = SeededChance(MATCH_SEED, "k1")
    state = fold(None, decide(None, wish(seat_plan(A), seat_plan(B), GREEDY), chance))
    for command in (commits(A), commits(B), opens(A), opens(B)):
        fold(state, decide(state, command, chance))

    seeds = (SEEDS[A], SEEDS[B], "")
    assert tuple(taken.seed for taken in state.controllers if taken) == seeds
    (rolled, *_) = decide(state, RollDice(state.active, 1), chance)
    assert isinstance(rolled, ev.DiceRolled)
    assert rolled.values == (die(table_key(MATCH_SEED, seeds), f"die|{state.active}|1|roll|1|0"),)


# What binds


def test_a_commitment_is_of_one_match_and_one_seat() -> None:
    ours = seat_commitment(MATCH_COMMITMENT, A, SEEDS[A])
    assert ours != seat_commitment(MATCH_COMMITMENT, B, SEEDS[A])
    assert ours != seat_commitment(commitment(b"another match"), A, SEEDS[A])

    # So what another seat has committed to cannot be opened by who copies it.
    scene = two().when(commits(A), CommitSeatSeed(B, ours), opens(A))
    scene.when(OpenSeatSeed(B, SEEDS[A])).then_rejected("seat_seed_mismatch", "/seed")


def test_no_seed_is_opened_before_every_seat_has_committed() -> None:
    two().when(commits(A)).when(opens(A)).then_rejected("seat_seed_not_due")
    two().when(commits(A)).when(opens(B)).then_rejected("seat_seed_not_due")
    made(seat_plan(A), OPEN).when(commits(A)).when(opens(A)).then_rejected("seat_seed_not_due")


def test_no_seed_is_opened_after_the_match_has_started() -> None:
    late = two().when(commits(A), commits(B), opens(A), opens(B)).when(opens(A))
    late.then_rejected("seat_seed_not_due")
    assert late.refusal is not None
    assert late.refusal.detail == "the match has started"


def test_a_seat_commits_once_and_opens_what_it_committed_to_once() -> None:
    scene = two().when(commits(A))
    scene.when(commits(A, "d" * 40)).then_rejected("seat_seed_not_due")

    scene = scene.when(commits(B))
    scene.when(OpenSeatSeed(A, "d" * 40)).then_rejected("seat_seed_mismatch", "/seed")
    scene.when(opens(A)).when(opens(A)).then_rejected("seat_seed_not_due")


def test_a_seat_that_commits_again_is_told_whether_it_has_committed_or_was_too_late() -> None:
    again = two().when(commits(A)).when(commits(A)).refusal
    late = (
        made(seat_plan(A), seat_plan(B), seat_plan(C)).when(commits(B), ExpireSeatSeeds(), commits(A)).refusal
    )

    assert again is not None
    assert again.detail == "seat 0 has already committed"
    assert late is not None
    assert late.detail == "seat 0 did not commit in time"


def test_nothing_is_committed_to_or_opened_when_the_match_is_on() -> None:
    scene = two().when(commits(A), commits(B), opens(A), opens(B))

    scene.when(commits(A)).then_rejected("seat_seed_not_due")
    scene.when(opens(A)).then_rejected("seat_seed_not_due")


def test_in_other_matches_no_seat_commits() -> None:
    scene = Scene(None).when(creation("base", plans=(seat_plan(A), OPEN)))

    scene.when(commits(A)).then_rejected("seat_seed_not_due")
    scene.when(ExpireSeatSeeds()).then_rejected("wrong_phase")


@pytest.mark.parametrize("seat", [-1, 2])
def test_a_seat_that_is_not_there_commits_to_nothing(seat: int) -> None:
    two().when(CommitSeatSeed(seat, MATCH_COMMITMENT)).then_rejected("validation_failed", "/seat")


@pytest.mark.parametrize("commitment", ["", "sha-256:" + "A" * 64, "sha-256:" + "a" * 63, "a" * 64])
def test_a_commitment_is_a_hash_as_this_project_writes_it(commitment: str) -> None:
    two().when(CommitSeatSeed(A, commitment)).then_rejected("validation_failed", "/commitment")


@pytest.mark.parametrize("seed", ["", "a" * 31, "a" * 65, "a" * 31 + '"', "a" * 31 + "\n"])
def test_a_seed_is_long_enough_that_nobody_guesses_it_from_its_hash(seed: str) -> None:
    scene = two().when(commits(A), commits(B))
    scene.when(OpenSeatSeed(A, seed)).then_rejected("validation_failed", "/seed")


# Seats that stay silent


def test_a_seat_that_does_not_commit_in_time_adds_no_seed_and_the_others_go_on() -> None:
    scene = made(seat_plan(A), seat_plan(B), seat_plan(C)).when(commits(B))

    scene = scene.when(ExpireSeatSeeds()).then(ev.SeatSeedForgone(A), ev.SeatSeedForgone(C))
    assert seats_due(scene.state) == [B]
    scene.when(commits(A)).then_rejected("seat_seed_not_due")
    scene.when(OpenSeatSeed(A, SEEDS[A])).then_rejected("seat_seed_not_due")
    assert scene.when(opens(B)).state.status == "running"


def test_if_nobody_commits_the_match_starts_without_seeds_of_seats() -> None:
    scene = two().when(ExpireSeatSeeds())

    scene.then_includes(ev.SeatSeedForgone(A), ev.SeatSeedForgone(B), ev.TurnStarted(1, A))


def test_a_recorded_seed_of_a_seat_that_nobody_holds_is_passed_over() -> None:
    """No command records one, but the fold of forged events does not fail either."""
    state = evolve(made(seat_plan(A), OPEN).state, ev.SeatSeedOpened(B, SEEDS[B]))
    assert state.controllers[B] is None


def test_a_seed_that_is_kept_back_calls_the_match_off_under_the_seats_name() -> None:
    chance = SeededChance(MATCH_SEED, "k1")
    state = two().when(commits(A), commits(B), opens(A)).state

    assert decide(state, ExpireSeatSeeds(), chance) == (
        ev.SeatSeedWithheld(B),
        ev.MatchAborted("seat_seed_withheld"),
        ev.DiceRevealed("k1", MATCH_SEED.hex()),
    )


def test_nothing_runs_out_while_seats_are_open_or_the_match_is_on() -> None:
    made(seat_plan(A), OPEN).when(commits(A)).when(ExpireSeatSeeds()).then_rejected("wrong_phase")
    started = two().when(commits(A), commits(B), opens(A), opens(B))
    started.when(ExpireSeatSeeds()).then_rejected("wrong_phase")


def test_the_creator_calls_the_match_off_only_until_every_seat_has_committed() -> None:
    scene = two().when(commits(A))
    scene.when(AbortMatch()).then_ends_with(ev.MatchAborted("creator"))

    # From here on seeds are told, and then the table is laid out: who saw them could pick its matches.
    scene = scene.when(commits(B))
    scene.when(AbortMatch()).then_rejected("wrong_phase")
    scene.when(opens(A), opens(B)).when(AbortMatch()).then_rejected("wrong_phase")


def test_nobody_calls_a_match_off_for_a_seed_that_no_seat_has_kept_back() -> None:
    two().when(commits(A)).when(AbortMatch("seat_seed_withheld")).then_rejected("wrong_phase")


def test_no_seat_changes_hands_while_its_seed_is_due() -> None:
    command = ChangeController(A, "strategy", "random", "random")
    two().when(command).then_rejected("wrong_phase")


# Making such a match


def _refused(command: CreateMatch) -> tuple[str, str]:
    with pytest.raises(RuleViolation) as refusal:
        decide(None, command, SeededChance(MATCH_SEED, "k1"))
    return refusal.value.code, refusal.value.pointer


def test_seats_do_not_commit_where_that_has_no_sense() -> None:
    scripted = ev.Dice("scripted", seat_seeds=WISH)
    refused = ("validation_failed", "/dice/seat_seeds")

    assert _refused(wish(GREEDY, GREEDY)) == refused
    assert _refused(replace(wish(seat_plan(A), OPEN), dice=scripted)) == refused


def test_no_step_is_due_in_a_match_that_was_called_off() -> None:
    for scene in (two(), two().when(commits(A))):
        over = scene.when(AbortMatch()).state
        assert (due_step(over), seats_due(over)) == (None, [])


@pytest.mark.parametrize("within_ms", [1_000, 86_400_000])
def test_the_time_for_a_step_may_be_a_second_or_a_day(within_ms: int) -> None:
    command = wish(seat_plan(A), OPEN)
    dice = replace(command.dice, seat_seeds=ev.SeatSeeds(within_ms))
    found = seat_seeds_of(Scene(None).when(replace(command, dice=dice)).state)

    assert found == ev.SeatSeeds(within_ms)


@pytest.mark.parametrize("within_ms", [0, 999, 86_400_001])
def test_the_time_for_a_step_is_a_second_to_a_day(within_ms: int) -> None:
    command = wish(seat_plan(A), OPEN)
    dice = replace(command.dice, seat_seeds=ev.SeatSeeds(within_ms))

    assert _refused(replace(command, dice=dice)) == ("validation_failed", "/dice/seat_seeds/within_ms")


def test_no_seed_is_told_with_a_seat_that_is_to_commit_to_one() -> None:
    told = replace(seat_plan(B), seed="told")
    assert _refused(wish(seat_plan(A), told)) == ("validation_failed", "/seats/1/seed")

    command = TakeSeat(B, "account", "acc_1", "player 1", seed="told")
    made(seat_plan(A), OPEN).when(command).then_rejected("validation_failed", "/seed")


def test_a_branch_with_the_same_dice_has_the_opened_seeds_and_commits_to_nothing() -> None:
    state: MatchState = two().when(commits(A), commits(B), opens(A), opens(B)).state
    origin = ev.Origin("mat_" + "0" * 26, state.version, "sha-256:" + "0" * 64, "same")
    command = branch_command(state, origin, (seat_plan(A), seat_plan(B)), "acc_0")

    branch = fold(None, decide(None, command, SeededChance(MATCH_SEED, "k1")))
    assert branch.status == "running"
    assert tuple(taken.seed for taken in branch.controllers if taken) == SEEDS[:2]


def test_a_match_without_such_seeds_records_nothing_of_them() -> None:
    created = decide(None, creation("base", 2), SeededChance(MATCH_SEED, "k1"))[:1]
    assert b"seat_seeds" not in CODEC.encode(created)
