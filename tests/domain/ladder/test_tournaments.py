"""The start and the schedule of a tournament."""

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from domain.errors import RuleViolation
from domain.ladder import decide
from domain.ladder import events as ev
from domain.ladder.config import Schedule
from domain.ladder.decide import MOST_BLOCKS
from domain.ladder.events import EntryPlayer
from domain.ladder.state import fold
from domain.ladder.tournament.schedule import follow, schedule_of, start
from domain.ladder.tournament.scores import scores
from tests.domain.ladder.tournaments import Cup, better


def refused(code: str) -> pytest.RaisesExc[RuleViolation]:
    return pytest.RaisesExc(RuleViolation, check=lambda violation: violation.code == code)


def test_the_start_opens_the_season_and_records_the_field_and_the_first_round() -> None:
    cup = Cup("swiss", 5).start()

    opened, started, round = cup.events[-3:]
    assert isinstance(opened, ev.SeasonOpened)
    assert started == ev.TournamentStarted(1, (0, 1, 2, 3, 4), 3, None)
    assert isinstance(round, ev.RoundOpened)
    assert (round.byes, round.purpose) == ((4,), "rated")


def test_a_round_of_a_tournament_records_that_nobody_has_a_bye() -> None:
    for kind in ("round_robin", "swiss", "knock_out"):
        round = Cup(kind, 4).start().events[-1]
        assert isinstance(round, ev.RoundOpened)
        assert round.byes == ()


def test_ratings_seed_the_field_and_those_without_one_come_last() -> None:
    cup = Cup("knock_out", 4, seeding="ratings")
    cup.add(*start(cup.state, 1000, "job_1", {"e2": 1700.0, "e1": 1800.5}, 31))

    assert (cup.tournament.field, cup.tournament.seeded_by) == ((1, 2, 0, 3), 31)


def test_ratings_do_not_matter_if_the_schedule_seeds_by_entry() -> None:
    cup = Cup("knock_out", 3)
    cup.add(*start(cup.state, 1000, "job_1", {"e2": 1700.0}, 31))

    assert (cup.tournament.field, cup.tournament.seeded_by) == ((0, 1, 2), None)


def test_ratings_of_the_same_height_leave_the_order_of_entering() -> None:
    cup = Cup("knock_out", 3, seeding="ratings")
    cup.add(*start(cup.state, 1000, "job_1", dict.fromkeys(("e2", "e1", "e0"), 1500.0)))

    assert (cup.tournament.field, cup.tournament.seeded_by) == ((0, 1, 2), 0)


def test_who_is_not_active_and_who_enters_later_does_not_take_part() -> None:
    cup = Cup("round_robin", 3, rounds=2)
    cup.add(*decide.remove_entry(cup.state, "e1", "command"))
    cup.start()
    cup.add(*decide.add_entry(cup.state, "e9", EntryPlayer("strategy", "new", "1"), "new", "service"))
    cup.play(better)

    assert cup.tournament.field == (0, 2)
    assert cup.tables() == [{0, 2}]


@pytest.mark.parametrize("kind", ["round_robin", "swiss", "knock_out"])
def test_a_tournament_needs_entries_for_a_table(kind: str) -> None:
    with refused("too_few_entries"):
        Cup(kind, 3, 4).start()


@pytest.mark.parametrize(("entries", "seats", "rounds"), [(4, 2, 4), (5, 2, 6), (7, 4, 3), (8, 4, 9)])
def test_a_swiss_tournament_needs_entries_for_its_rounds(entries: int, seats: int, rounds: int) -> None:
    with refused("too_few_entries"):
        Cup("swiss", entries, seats, rounds=rounds).start()
    Cup("swiss", entries, seats, rounds=rounds - 1).start()


@pytest.mark.parametrize("more", [{"blocks": 2}, {"rounds": 2}])
def test_a_round_has_no_more_blocks_and_a_tournament_no_more_tables_than_any_round_of_a_ladder(
    more: dict[str, int],
) -> None:
    with refused("too_many_entries"):
        Cup("round_robin", 19, 4, **more).start()
    Cup("round_robin", 19, 4).start()


def test_a_round_may_have_as_many_blocks_as_any_round_of_a_ladder() -> None:
    """11 entries meet at five tables."""
    with refused("too_many_entries"):
        Cup("swiss", 11, blocks=MOST_BLOCKS // 5 + 1).start()
    assert len(Cup("swiss", 11, blocks=MOST_BLOCKS // 5).start().round.blocks) == MOST_BLOCKS


def test_at_larger_tables_a_strategy_and_an_owner_take_part_once() -> None:
    cups = [Cup("swiss", 3, seats) for seats in (2, 3)]
    for cup in cups:
        cup.add(*decide.add_entry(cup.state, "e3", EntryPlayer("strategy", "s0", "1"), "again", "service"))

    with refused("entries_alike"):
        cups[1].start()
    assert cups[0].start().tournament.field == (0, 1, 2, 3)


@pytest.mark.parametrize("kind", ["round_robin", "swiss", "knock_out"])
def test_each_tournament_goes_by_the_configuration_of_its_own_season(kind: str) -> None:
    cup = Cup("swiss", 5).start().play_out(better)
    before = scores(cup.state, cup.tournament)
    config = replace(cup.state.config, seats=4, schedule=Schedule(kind))
    cup.add(*decide.open_season(cup.state, config))
    cup.start()

    assert {len(table) for table in cup.tables()} == {4}
    found = cup.play_out(better)
    alone = Cup(kind, 5, 4).start().play_out(better)
    assert found.places() == alone.places()
    assert scores(cup.state, cup.state.tournaments[1]) == before


def test_a_season_has_one_tournament_and_one_round_at_a_time() -> None:
    cup = Cup("knock_out", 2).start()
    with refused("round_running"):
        cup.start()
    cup.play(better)
    with refused("tournament_finished"):
        cup.start()
    cup.add(*decide.open_season(cup.state, cup.state.config))

    assert cup.start().state.season == 2


def test_a_season_without_a_schedule_is_no_tournament() -> None:
    config = Cup("swiss", 2).state.config

    assert schedule_of(config) == config.schedule
    assert schedule_of(replace(config, schedule=UNSET)) is None


def test_nothing_follows_while_a_round_is_open_nor_after_the_end() -> None:
    cup = Cup("knock_out", 4).start()
    assert follow(cup.state, 1000, "job_2") == []
    cup.play(better).play(better)

    assert cup.is_over
    assert follow(cup.state, 1000, "job_2") == []


def test_the_next_season_ends_a_stopped_tournament_without_places() -> None:
    cup = Cup("knock_out", 4).start()
    cup.add(*decide.stop_round(cup.state, 1, "command"))
    before = cup.tournament
    cup.add(*decide.open_season(cup.state, cup.state.config))

    assert cup.state.tournaments == {1: before}
    assert follow(cup.state, 1000, "job_2") == []


def _suspended(cup: Cup, entry: int) -> None:
    cup.add(ev.EntrySuspended(f"e{entry}", (), 1))
    for block in cup.round.blocks:
        if block.is_open and entry in block.table:
            cup.add(*decide.void_block(cup.state, block.number, 1, "entry_suspended", ""))


def test_a_suspended_bot_loses_what_it_did_not_play_and_is_paired_again_when_it_is_reinstated() -> None:
    cup = Cup("swiss", 4, rounds=3).start()
    _suspended(cup, 0)
    cup.play(better)
    assert 0 not in set().union(*cup.tables())
    cup.add(ev.EntryReinstated("e0", ()))
    cup.play(better)

    assert 0 in set().union(*cup.tables())
    points = {one.entry: one.points for one in scores(cup.state, cup.tournament)}
    assert points == {0: 0, 1: 4, 2: 2, 3: 2}


def test_a_bot_that_is_suspended_when_a_stage_opens_is_out() -> None:
    cup = Cup("knock_out", 6).start()
    _suspended(cup, 0)
    cup.play(better)
    cup.add(ev.EntryReinstated("e0", ()))
    cup.play_out(better)

    assert (cup.places()[0], cup.places()[1]) == (4, 1)


def test_a_copy_of_a_ladder_shares_no_tournament() -> None:
    cup = Cup("knock_out", 2)
    twin = cup.state.copy()
    fold(twin, start(twin, 1000, "job_1"))

    assert cup.state.tournaments == {}
