"""In which order turns come that wait for workers."""

from workers.turns.backlog import Backlog, WaitingTurn


def _put(backlog: Backlog, account: str, *numbers: int) -> None:
    for number in numbers:
        assert backlog.put(WaitingTurn(f"{account}{number}", 1, account))


def _taken(backlog: Backlog, count: int = 16) -> list[str]:
    return [turn.match_id for turn in backlog.take(count)]


def test_an_account_with_many_matches_and_one_with_few_get_equal_shares() -> None:
    backlog = Backlog(in_a_row=16)
    _put(backlog, "a", *range(3000))
    _put(backlog, "b", 1, 2, 3)
    assert set(_taken(backlog)) == {f"a{number}" for number in range(16)}
    assert _taken(backlog)[:3] == ["b1", "b2", "b3"]


def test_however_many_accounts_wait_each_has_a_job_before_any_has_a_second() -> None:
    backlog = Backlog(in_a_row=16)
    accounts = [f"acc{number}-" for number in range(5)]
    for account in accounts:
        _put(backlog, account, *range(100))
    firsts = [_taken(backlog)[0] for _ in range(10)]
    assert firsts == [f"{account}{first}" for first in (0, 16) for account in accounts]


def test_a_job_for_people_has_one_turn_of_each_account_in_turn() -> None:
    backlog = Backlog(in_a_row=1)
    _put(backlog, "a", *range(5))
    _put(backlog, "b", 1, 2)
    _put(backlog, "c", 1)
    assert sorted(_taken(backlog, 3)) == ["a0", "b1", "c1"]
    assert sorted(_taken(backlog, 3)) == ["a1", "a2", "b2"]


def test_whoever_has_few_turns_comes_before_whoever_has_many_within_a_job() -> None:
    backlog = Backlog(in_a_row=1)
    _put(backlog, "a", *range(5))
    _put(backlog, "b", 1)
    assert _taken(backlog, 4) == ["b1", "a0", "a1", "a2"]


def test_of_each_match_the_newest_turn_waits_in_the_place_of_the_first() -> None:
    backlog = Backlog(in_a_row=16)
    for match_id, version in (("m", 4), ("n", 1), ("m", 9), ("m", 6)):
        backlog.put(WaitingTurn(match_id, version, "a"))
    assert len(backlog) == 2
    assert [(turn.match_id, turn.version) for turn in backlog.take(16)] == [("m", 9), ("n", 1)]
    assert len(backlog) == 0


def test_a_match_that_went_on_waits_no_more() -> None:
    backlog = Backlog(in_a_row=16)
    _put(backlog, "a", 1, 2)
    backlog.drop("a1")
    backlog.drop("a1")
    assert "a1" not in backlog
    assert _taken(backlog) == ["a2"]
    assert _taken(backlog) == []


def test_when_it_is_full_nothing_more_waits_but_newer_turns_of_what_does() -> None:
    backlog = Backlog(in_a_row=16, limit=2)
    _put(backlog, "a", 1, 2)
    assert not backlog.put(WaitingTurn("b1", 1, "b"))
    assert backlog.put(WaitingTurn("a1", 7, "a"))
    assert [turn.version for turn in backlog.take(16)] == [7, 1]
