"""Rounds that are bound to a public value."""

import msgspec
import pytest

from domain.ladder import decide
from domain.ladder import events as ev
from domain.ladder.events import Event, PublicValue
from domain.ladder.state import LadderState, fold
from domain.match.chance import commitment
from tests.domain.ladder.decided import CONFIG, TWO, ladder, opened, refused, strategy

SEED = bytes(range(32))


OPENED_MS = 1_700_000_000_000


PINNED = PublicValue("drand round 7", OPENED_MS + 60_000, commitment(SEED), "k1")


def waiting(pinned: PublicValue = PINNED) -> LadderState:
    """A ladder whose first round waits for its public value."""
    state = ladder(strategy("greedy"), strategy("random"))
    return fold(state, decide.open_round(state, "rated", [(0, 1)], OPENED_MS, "job_1", public_value=pinned))


def recorded(state: LadderState) -> LadderState:
    return fold(state, decide.record_value(state, 1, "5f", PINNED.at_ms))


@pytest.mark.parametrize("wait_ms", [0, 59_999, 30 * 86_400_000 + 1])
def test_a_round_is_not_bound_to_a_value_that_comes_too_soon_or_too_late(wait_ms: int) -> None:
    with refused("validation_failed") as refusal:
        waiting(msgspec.structs.replace(PINNED, at_ms=OPENED_MS + wait_ms))

    assert refusal.value.pointer == "/public_value/at"
    assert refusal.value.detail == "the value must be published between 60 seconds and 30 days from now"


def test_a_round_is_bound_to_a_value_up_to_30_days_later() -> None:
    latest = msgspec.structs.replace(PINNED, at_ms=OPENED_MS + 30 * 86_400_000)

    assert waiting(latest).rounds[0].public_value == latest


def test_a_value_is_that_of_its_round_and_so_is_the_seed() -> None:
    state = waiting()
    fold(state, decide.open_round(state, "test", [(0, 1)], OPENED_MS, "job_2", public_value=PINNED))

    fold(state, decide.record_value(state, 2, "60", PINNED.at_ms))
    assert [round.value for round in state.rounds] == ["", "60"]
    fold(state, decide.record_value(state, 1, "5f", PINNED.at_ms))
    assert [round.value for round in state.rounds] == ["5f", "60"]
    assert decide.record_value(state, 1, "5f", PINNED.at_ms) == []

    fold(state, decide.finish_round(state, 2, "better", SEED.hex()))
    assert [round.seed for round in state.rounds] == ["", SEED.hex()]
    fold(state, decide.finish_block(state, 1, 1, TWO))
    fold(state, decide.finish_round(state, 1, seed=SEED.hex()))
    assert [round.seed for round in state.rounds] == [SEED.hex()] * 2


def test_a_round_that_is_bound_to_a_value_begins_nothing_before_it_is_recorded() -> None:
    state = waiting()
    assert (state.rounds[0].awaits_value, state.rounds[0].may_begin) == (True, False)

    assert decide.record_value(state, 1, "5f", PINNED.at_ms) == [
        ev.PublicValueRecorded(1, "5f", PINNED.at_ms)
    ]

    recorded(state)
    assert (state.rounds[0].awaits_value, state.rounds[0].may_begin) == (False, True)


def test_a_value_is_not_recorded_before_its_time() -> None:
    with refused("value_too_early"):
        decide.record_value(waiting(), 1, "5f", PINNED.at_ms - 1)


def test_a_value_is_recorded_once_and_never_changed() -> None:
    state = recorded(waiting())

    assert decide.record_value(state, 1, "5f", PINNED.at_ms + 1) == []
    with refused("no_value_awaited"):
        decide.record_value(state, 1, "60", PINNED.at_ms + 1)


def test_only_a_round_that_is_bound_to_a_value_takes_one() -> None:
    state = opened(ladder(strategy("greedy"), strategy("random")), (0, 1))

    with refused("no_value_awaited"):
        decide.record_value(state, 1, "5f", PINNED.at_ms)
    with refused("round_not_found"):
        decide.record_value(state, 2, "5f", PINNED.at_ms)


def test_a_round_that_waits_for_its_value_is_stopped_and_resumed_as_any_other() -> None:
    state = waiting()
    fold(state, decide.stop_round(state, 1, "command"))
    recorded(state)
    assert not state.rounds[0].may_begin

    fold(state, decide.resume_round(state, 1))

    assert state.rounds[0].may_begin


def test_the_seed_of_a_round_is_revealed_right_behind_its_end() -> None:
    state = recorded(waiting())
    fold(state, decide.finish_block(state, 1, 1, TWO))

    events = decide.finish_round(state, 1, seed=SEED.hex())

    assert events == [ev.RoundFinished(1), ev.RoundSeedRevealed(1, SEED.hex())]
    assert fold(state, events).rounds[0].seed == SEED.hex()


def test_the_next_season_reveals_the_seed_of_a_stopped_round_and_ends_its_wait() -> None:
    state = waiting()
    fold(state, decide.stop_round(state, 1, "command"))

    events = decide.open_season(state, CONFIG, {1: SEED.hex()})

    assert events[:2] == [ev.RoundFinished(1), ev.RoundSeedRevealed(1, SEED.hex())]
    fold(state, events)
    with refused("no_value_awaited"):
        decide.record_value(state, 1, "5f", PINNED.at_ms)


def test_no_other_seed_is_revealed_than_the_one_that_was_committed_to() -> None:
    state = recorded(waiting())
    fold(state, decide.finish_block(state, 1, 1, TWO))

    for end in (
        lambda: decide.finish_round(state, 1, seed=bytes(32).hex()),
        lambda: decide.finish_round(state, 1),
        lambda: decide.open_season(fold(state, decide.stop_round(state, 1, "command")), CONFIG),
    ):
        with pytest.raises(AssertionError):
            end()


def test_rounds_that_were_recorded_before_there_were_public_values_wait_for_nothing() -> None:
    written = ["round_opened", 1, 1, "rated", 1, [[0, 1]], 1000, "job_1"]
    for members in (written, [*written, None], [*written, None, 7]):
        event = msgspec.json.decode(msgspec.json.encode(members), type=Event)
        state = fold(ladder(strategy("greedy"), strategy("random")), [event])
        assert (state.rounds[0].public_value, state.rounds[0].may_begin) == (None, True)
