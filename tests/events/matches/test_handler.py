"""The way of a command, on both stores, with the real rules."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

import pytest

from domain.errors import RuleViolation
from domain.match.branches import branch_command
from domain.match.chance import commitment
from domain.match.commands import AbortMatch, Command, Pass, RollDice, SeatPlan, TakeSeat
from domain.match.events import Origin
from domain.match.state import MatchState
from events import CommandReused, Loaded, Matches, MatchNotFound, StaleVersion
from events.store import keys
from tests.events.example_matches import (
    SEEDS,
    Kit,
    any_command,
    creation,
    finished_match,
    one_move,
    plain,
    play,
    roll,
)


@pytest.fixture
def match_id(matches: Matches) -> str:
    """A match of two persons, whose first seat is to throw."""
    return matches.create(creation()).match_id


def step(matches: Matches, match_id: str, seed: int = 1, **options: Any) -> Any:
    """Any command of the seat to act."""
    state = matches.load(match_id).state
    return matches.execute(match_id, any_command(state, Random(seed)), f"seat:{state.active}", **options)


def test_a_new_match_starts_when_all_seats_are_taken(matches: Matches) -> None:
    created = matches.create(creation("aso"))
    assert [created.state.status, created.first, created.last] == ["open", 1, 3]
    taken = matches.execute(created.match_id, TakeSeat(2, "account", "acc_9", "late"), "account:acc_9")
    assert taken.state.status == "running"
    assert [event.type for event in taken.events] == ["seat_taken", "match_started", "turn_started"]


def test_the_first_event_commits_to_the_seed_and_the_last_reveals_it(matches: Matches) -> None:
    loaded = finished_match(matches)
    events = matches.history.events(loaded.match_id, 0, 10_000)
    dice = events[0].data["dice"]
    assert (dice["key_id"], events[-1].data["key_id"]) == ("k1", "k1")
    assert dice["commitment"] == commitment(bytes.fromhex(events[-1].data["seed"]))


def test_an_outcome_tells_what_the_command_caused(matches: Matches, match_id: str) -> None:
    before = matches.load(match_id)
    outcome = roll(matches, match_id, command_id="key")
    assert (outcome.first, outcome.command_id, outcome.replayed) == (before.version + 1, "key", False)
    assert [event.sequence for event in outcome.events] == list(range(outcome.first, outcome.last + 1))
    assert {(event.actor, event.command_id, event.rules_version) for event in outcome.events} == {
        ("seat:0", "key", "base@1")
    }
    assert plain(outcome.events) == matches.history.events(match_id, before.version)
    assert outcome.state == matches.load(match_id).state == matches.history.state_at(match_id, outcome.last)
    assert outcome.events[-1].hash == f"sha-256:{outcome.head_hash.hex()}"


def test_a_command_without_an_id_is_given_one(matches: Matches, match_id: str) -> None:
    outcome = roll(matches, match_id)
    assert outcome.command_id.startswith("cmd_")
    found = matches.history.find_command(match_id, outcome.command_id)
    assert found
    assert (found.first, found.last) == (outcome.first, outcome.last)


@pytest.mark.parametrize("command_id", ["", " ", "a b", "ключ", "x" * 256, "line\n"])
def test_a_command_id_must_be_visible_ascii(matches: Matches, match_id: str, command_id: str) -> None:
    with pytest.raises(ValueError, match="visible ASCII"):
        roll(matches, match_id, command_id=command_id)


def test_a_refused_command_changes_nothing(matches: Matches, match_id: str) -> None:
    before = matches.load(match_id)
    with pytest.raises(RuleViolation) as caught:
        matches.execute(match_id, RollDice(1, 1), "seat:1", "key")
    assert caught.value.code == "not_your_turn"
    assert matches.load(match_id).head_hash == before.head_hash
    assert matches.history.find_command(match_id, "key") is None


def test_a_refused_command_id_may_be_used_again(matches: Matches, match_id: str) -> None:
    with pytest.raises(RuleViolation):
        matches.execute(match_id, RollDice(1, 1), "seat:1", "key")
    assert not roll(matches, match_id, command_id="key").replayed


def test_commands_to_no_match_are_refused(matches: Matches) -> None:
    for attempt in (
        lambda: matches.load("mat_none"),
        lambda: matches.execute("mat_none", Pass(0), "seat:0"),
        lambda: matches.history.events("mat_none"),
        lambda: matches.history.state_at("mat_none", 1),
        lambda: matches.history.find_command("mat_none", "key"),
    ):
        with pytest.raises(MatchNotFound):
            attempt()


def test_the_same_key_gets_the_same_answer_after_the_match_moved_on(matches: Matches, match_id: str) -> None:
    command = RollDice(0, 1)
    first = matches.execute(match_id, command, "seat:0", "key")
    for seed in range(8):
        step(matches, match_id, seed)
    again = matches.execute(match_id, command, "seat:0", "key")
    assert again.replayed
    assert again.events == plain(first.events)
    assert again.state == first.state
    assert again.at_ms == first.at_ms


def test_the_same_key_gets_its_answer_though_the_rules_would_allow_the_command_now(
    matches: Matches, match_id: str
) -> None:
    first = matches.execute(match_id, RollDice(0, 1), "seat:0", "key")
    version = step(matches, match_id).last
    while (state := matches.load(match_id).state).phase != "roll" or state.active != 0:
        version = step(matches, match_id).last
    assert matches.execute(match_id, RollDice(0, 1), "seat:0", "key").last == first.last
    assert matches.load(match_id).version == version


def test_the_same_key_counts_more_than_a_stale_version(matches: Matches, match_id: str) -> None:
    version = matches.load(match_id).version
    first = roll(matches, match_id, command_id="key", if_match=version)
    step(matches, match_id)
    again = matches.execute(match_id, RollDice(0, 1), "seat:0", "key", if_match=version)
    assert again.replayed
    assert again.last == first.last


def test_the_same_key_with_another_command_is_refused(matches: Matches, match_id: str) -> None:
    roll(matches, match_id, command_id="key")
    version = matches.load(match_id).version
    for command, actor in ((RollDice(0, 2), "seat:0"), (RollDice(0, 1), "seat:1"), (AbortMatch(), "service")):
        with pytest.raises(CommandReused):
            matches.execute(match_id, command, actor, "key")
    assert matches.load(match_id).version == version


def test_what_makes_two_requests_the_same_can_be_given(matches: Matches, match_id: str) -> None:
    matches.execute(match_id, RollDice(0, 1), "seat:0", "key", request=b"body")
    assert matches.execute(match_id, Pass(1), "seat:1", "key", request=b"body").replayed
    with pytest.raises(CommandReused):
        matches.execute(match_id, RollDice(0, 1), "seat:0", "key", request=b"other")


def test_a_command_sent_by_many_at_once_is_carried_out_once(kit: Kit, match_id: str) -> None:
    def send(_: int) -> tuple[bool, int]:
        outcome = Matches(kit.store, SEEDS).execute(match_id, RollDice(0, 1), "seat:0", "key")
        return outcome.replayed, outcome.last

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(send, range(16)))
    assert len({last for _, last in answers}) == 1
    assert [replayed for replayed, _ in answers].count(False) == 1


def test_a_creation_can_be_repeated_under_its_ids(matches: Matches) -> None:
    first = matches.create(creation(), "key", "mat_mine")
    again = matches.create(creation(), "key", "mat_mine")
    assert (first.replayed, again.replayed) == (False, True)
    assert again.events == plain(first.events)
    with pytest.raises(CommandReused):
        matches.create(creation("as"), "key", "mat_mine")
    with pytest.raises(StaleVersion):
        matches.create(creation(), "other", "mat_mine")


def test_a_creation_can_be_checked_without_making_anything(matches: Matches, kit: Kit) -> None:
    matches.check_creation(creation())
    with pytest.raises(RuleViolation) as refused:
        matches.check_creation(creation(first_seat=2))
    assert refused.value.pointer == "/first_seat"
    assert kit.store.members(keys.index("all"), None, 10) == []


def test_a_stale_version_is_told_with_what_was_missed(matches: Matches, match_id: str) -> None:
    version = matches.load(match_id).version
    outcome = roll(matches, match_id)
    with pytest.raises(StaleVersion) as caught:
        matches.execute(match_id, Pass(0), "seat:0", if_match=version)
    assert (caught.value.expected, caught.value.current) == (version, outcome.last)
    assert list(caught.value.missed) == plain(outcome.events)
    assert caught.value.if_match == version


def test_a_version_ahead_of_the_match_is_stale_too(matches: Matches, match_id: str) -> None:
    with pytest.raises(StaleVersion) as caught:
        roll(matches, match_id, if_match=99)
    assert caught.value.missed == ()


def test_a_stale_cache_catches_up_by_itself(kit: Kit, matches: Matches, match_id: str) -> None:
    other = Matches(kit.store, SEEDS)
    for seed in range(20):
        actor = (matches, other)[seed % 2]
        state = matches.history.state_at(match_id, kit.store.read(match_id)[-1].last)
        actor.execute(match_id, any_command(state, Random(seed)), f"seat:{state.active}")
    assert matches.load(match_id).state == other.load(match_id).state


def test_a_command_decided_on_an_old_state_is_decided_anew(kit: Kit, matches: Matches, match_id: str) -> None:
    """Both throws are legal on what the slower handler has seen."""
    other = Matches(kit.store, SEEDS)
    other.load(match_id)
    roll(matches, match_id)
    with pytest.raises(RuleViolation) as caught:
        other.execute(match_id, RollDice(0, 1), "seat:0")
    assert caught.value.code == "wrong_phase"


def test_a_refusal_by_an_old_state_is_not_believed(kit: Kit, matches: Matches, match_id: str) -> None:
    other = Matches(kit.store, SEEDS)
    other.load(match_id)
    while matches.load(match_id).state.active == 0:
        step(matches, match_id)
    assert other.execute(match_id, RollDice(1, 1), "seat:1").first > 1


def test_a_command_may_depend_on_the_state_it_meets(kit: Kit, matches: Matches, match_id: str) -> None:
    other = Matches(kit.store, SEEDS)
    other.load(match_id)
    while matches.load(match_id).state.phase != "build":
        step(matches, match_id)
    seen: list[int] = []

    def choose(state: MatchState) -> tuple[str, Command]:
        seen.append(state.version)
        return f"seat:{state.active}", Pass(state.active)

    outcome = other.execute_chosen(match_id, choose, b"pass")
    assert seen[-1] == outcome.first - 1
    assert len(seen) == 2


def test_a_command_that_always_comes_too_late_gives_up(kit: Kit, matches: Matches, match_id: str) -> None:
    rival = Matches(kit.store, SEEDS)
    lost: list[int] = []

    def choose(state: MatchState) -> tuple[str, Command]:
        lost.append(step(rival, match_id, len(lost)).last)
        return f"seat:{state.active}", any_command(state, Random(0))

    with pytest.raises(StaleVersion) as caught:
        matches.execute_chosen(match_id, choose, b"any")
    assert len(lost) == 4
    assert caught.value.current == lost[-1]
    assert caught.value.if_match is None


def test_a_cached_state_never_changes_in_the_hands_of_its_reader(matches: Matches, match_id: str) -> None:
    held = [matches.load(match_id)]
    copies = [held[0].state.copy()]
    for seed in range(30):
        outcome = step(matches, match_id, seed)
        held.append(matches.load(match_id))
        copies.append(outcome.state.copy())
    assert [loaded.state for loaded in held] == copies


def test_the_cache_is_bounded_and_right(kit: Kit) -> None:
    matches = Matches(kit.store, SEEDS, cache_matches=2)
    ids = [matches.create(creation()).match_id for _ in range(5)]
    for match_id in ids * 2:
        step(matches, match_id)
    assert [matches.load(match_id).state for match_id in ids] == [
        Matches(kit.store, SEEDS).load(match_id).state for match_id in ids
    ]


def test_a_branch_with_the_same_dice_throws_what_its_origin_threw(matches: Matches) -> None:
    loaded = finished_match(matches)
    point = matches.history.command_at(loaded.match_id, 20)
    origin = Origin(loaded.match_id, point.last, "sha-256:" + point.head_hash.hex(), "same")
    seats = [SeatPlan("strategy", "random", "random")] * 2
    made = matches.create(branch_command(point.state, origin, seats, "acc_1"))
    branch = matches.load(made.match_id)
    dice = branch.state.created.dice

    assert dice
    assert dice.seed_of == loaded.match_id
    chances = [matches.chance_for(one.state, one.match_id) for one in (branch, loaded)]
    thrown = [chance.throw(branch.state, "roll", 2) for chance in chances]
    assert thrown[0] == thrown[1]
    assert chances[0].reveal() == chances[1].reveal()
    ended = play(matches, branch, Random(3))
    assert [matches.history.events(one.match_id, one.version - 1)[0].data for one in (ended, loaded)] == [
        {"key_id": "k1", "seed": SEEDS.match_seed("k1", loaded.match_id).hex()}
    ] * 2


def test_moves_on_several_matches_stand_each_by_itself(matches: Matches) -> None:
    ids = [matches.create(creation("ss")).match_id for _ in range(3)]
    loaded = [one for one in matches.load_many(ids) if isinstance(one, Loaded)]
    play(matches, loaded[1], Random(1), 1)
    results = matches.append_many([one_move(matches, one) for one in loaded])
    assert [type(result) for result in results] == [Loaded, StaleVersion, Loaded]
    assert [matches.load(match_id).version for match_id in (ids[0], ids[2])] == [
        result.version for result in results if isinstance(result, Loaded)
    ]


def test_a_move_sent_twice_is_stale_and_there_once(matches: Matches) -> None:
    move = one_move(matches, matches.load(matches.create(creation("ss")).match_id))
    (first,) = matches.append_many([move])
    (second,) = matches.append_many([move])
    assert isinstance(first, Loaded)
    assert isinstance(second, StaleVersion)
    assert matches.load(move.loaded.match_id).version == first.version


def test_several_matches_are_loaded_at_once(matches: Matches, match_id: str) -> None:
    found = matches.load_many([match_id, "mat_none"])
    assert isinstance(found[0], Loaded)
    assert found[0].state == matches.load(match_id).state
    assert isinstance(found[1], MatchNotFound)


def test_a_dry_run_refuses_like_the_command_and_changes_nothing(matches: Matches, match_id: str) -> None:
    version = matches.load(match_id).version
    assert matches.dry_run(match_id, lambda _: ("seat:0", RollDice(0, 1))).version == version
    with pytest.raises(RuleViolation):
        matches.dry_run(match_id, lambda _: ("seat:1", RollDice(1, 1)))
    assert matches.load(match_id).version == version


def test_a_time_is_the_same_for_the_whole_command(kit: Kit) -> None:
    times = iter(range(1_790_000_000_000, 1_790_000_100_000, 7))
    clock: Callable[[], int] = lambda: next(times)  # noqa: E731
    matches = Matches(kit.store, SEEDS, clock)
    created = matches.create(creation())
    assert (
        matches.load(created.match_id).created_at_ms
        == created.at_ms
        == kit.store.read(created.match_id)[0].time_ms
    )
    assert {event.time for event in created.events} == {"2026-09-21T14:13:20.000Z"}


def test_time_never_falls_within_a_match_however_clocks_are_set_back(kit: Kit) -> None:
    """Neither where one machine's clock steps back, nor where another machine's runs behind."""
    now_ms = [1_790_000_000_000]
    ahead = Matches(kit.store, SEEDS, lambda: now_ms[0])
    behind = Matches(kit.store, SEEDS, lambda: now_ms[0] - 60_000)
    match_id = ahead.create(creation()).match_id
    step(ahead, match_id)
    now_ms[0] -= 5_000
    step(behind, match_id)
    step(ahead, match_id)
    behind.append_many([one_move(behind, behind.load(match_id))])
    assert {entry.time_ms for entry in kit.store.read(match_id)} == {1_790_000_000_000}
    now_ms[0] += 5_001
    step(ahead, match_id)
    assert kit.store.read(match_id)[-1].time_ms == ahead.load(match_id).last_at_ms == 1_790_000_000_001
