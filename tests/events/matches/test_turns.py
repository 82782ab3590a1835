"""In which matches an account is to act, as every append keeps it."""

from random import Random

import pytest
import redis

from domain.match.commands import AbortMatch, ChangeController, Pass, Resign, SeatPlan, TakeSeat
from events import Matches, RedisStore
from events.store import keys
from tests.events.example_matches import SEEDS, Kit, any_command, creation, finished_match, play, roll
from tests.events.redis_streams import calls


def waiting_for(kit: Kit, account_id: str) -> list[str]:
    return [one.member for one in kit.store.by_score(keys.turns(account_id), None, 1000)]


def step(matches: Matches, match_id: str) -> None:
    state = matches.load(match_id).state
    matches.execute(match_id, any_command(state, Random(state.version)), f"seat:{state.active}")


def test_a_match_waits_for_the_account_that_is_to_act_and_no_other(kit: Kit, matches: Matches) -> None:
    match_id = matches.create(creation("aa")).match_id
    seen = set()
    for _ in range(60):
        active = matches.load(match_id).state.active
        seen.add(active)
        assert waiting_for(kit, f"acc_{active}") == [match_id]
        assert waiting_for(kit, f"acc_{1 - active}") == []
        step(matches, match_id)
    assert seen == {0, 1}


def test_a_match_waits_for_nobody_before_it_starts_and_when_it_is_over(kit: Kit, matches: Matches) -> None:
    match_id = matches.create(creation("ao")).match_id
    assert waiting_for(kit, "acc_0") == []
    matches.execute(match_id, TakeSeat(1, "account", "acc_1", "b"), "account:acc_1")
    assert waiting_for(kit, "acc_0") == [match_id]
    matches.execute(match_id, Resign(0), "seat:0")
    assert waiting_for(kit, "acc_0") == waiting_for(kit, "acc_1") == []
    aborted = matches.create(creation("aa")).match_id
    matches.execute(aborted, AbortMatch(), "account:acc_0")
    assert waiting_for(kit, "acc_0") == []


def test_a_match_of_strategies_waits_for_no_account(kit: Kit, matches: Matches) -> None:
    finished_match(matches)
    assert waiting_for(kit, "random") == waiting_for(kit, "") == []


def test_a_match_waits_for_a_person_when_the_strategies_have_played(kit: Kit, matches: Matches) -> None:
    match_id = matches.create(creation("sa")).match_id
    assert waiting_for(kit, "acc_1") == []
    while matches.load(match_id).state.active == 0:
        play(matches, matches.load(match_id), Random(1), 1, is_held=True)
    assert waiting_for(kit, "acc_1") == [match_id]


def test_a_seat_that_a_strategy_takes_over_waits_for_its_account_no_more(kit: Kit, matches: Matches) -> None:
    match_id = matches.create(creation("aa")).match_id
    matches.execute(match_id, ChangeController(0, "strategy", "random", "random"), "service")
    assert waiting_for(kit, "acc_0") == []


def test_an_account_with_several_seats_goes_on_waiting(kit: Kit, matches: Matches) -> None:
    me = SeatPlan("account", "acc_0", "me")
    command = creation("aa")
    board = matches.create(
        type(command)(command.rules_version, command.options, (me, me), command.dice, "acc_0")
    )
    for _ in range(10):
        assert waiting_for(kit, "acc_0") == [board.match_id]
        step(matches, board.match_id)


def test_the_match_that_has_waited_longest_comes_first(kit: Kit) -> None:
    times = iter(range(1_790_000_000_000, 1_790_000_100_000, 1000))
    matches = Matches(kit.store, SEEDS, lambda: next(times))
    ids = [matches.create(creation("aa")).match_id for _ in range(3)]
    for seat in (0, 1):  # the first match comes back to its first seat, after the others have begun
        roll(matches, ids[0])
        while (state := matches.load(ids[0]).state).active == seat:
            command = Pass(seat) if state.phase == "build" else any_command(state, Random(1))
            matches.execute(ids[0], command, f"seat:{seat}")
    assert waiting_for(kit, "acc_0") == [ids[1], ids[2], ids[0]]


@pytest.mark.parametrize("kinds", ["aa", "ss"])
def test_an_append_touches_turns_only_where_another_account_is_to_act(
    redis_store: RedisStore, admin: redis.Redis, kinds: str
) -> None:
    matches = Matches(redis_store, SEEDS)
    match_id = matches.create(creation(kinds)).match_id
    with calls(admin) as counted:
        roll(matches, match_id)
    assert matches.load(match_id).state.active == 0
    assert counted["evalsha"] == 1
    assert counted.get("zadd", 0) == (1 if kinds == "ss" else 0)  # in the due set
    assert admin.exists(keys.turns("acc_0")) == (kinds == "aa")
