"""Pairing: reproducible, balanced first, then where it tells most."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from domain.errors import RuleViolation
from domain.ladder import decide
from domain.ladder.config import LadderConfig
from domain.ladder.pairing import Strength, planned, seatable, tables
from domain.ladder.results import BotPlayer, EntryLine, StrategyPlayer, entry_line
from domain.ladder.state import LadderState, fold
from tests.domain.ladder import decided
from tests.domain.ladder.simulated import config, entry

Base = tuple[str, ...]


def field(count: int) -> list[EntryLine]:
    return [entry(f"{i:02}") for i in range(count)]


def bot(name: str, owner: str) -> EntryLine:
    return entry(name, BotPlayer(owner, f"acc_{owner}", "1"), f"acc_{owner}")


def meetings(found: Sequence[Base], entries: Sequence[EntryLine]) -> list[int]:
    met = Counter(pair for table in found for pair in combinations(sorted(table), 2))
    return [met[pair] for pair in combinations(sorted([line.entry for line in entries]), 2)]


def refined(settings: LadderConfig, count: int, strengths: dict[str, Strength], met: int) -> list[Base]:
    """Blocks after every pair has met often enough."""
    entries = field(len(strengths))
    history = [pair for pair in combinations([line.entry for line in entries], 2) for _ in range(met)]
    return [*tables(settings, entries, history, len(history) + 1, count, strengths)]


@given(entries=st.integers(2, 9), cycles=st.integers(1, 3), seed=st.sampled_from("abcdefgh"))
@settings(max_examples=25, deadline=None)
def test_with_two_seats_every_cycle_pairs_all_once(entries: int, cycles: int, seed: str) -> None:
    cycle = entries * (entries - 1) // 2
    found = tables(config(seed=seed), field(entries), [], 1, cycle * cycles)

    for start in range(0, len(found), cycle):
        assert set(meetings(found[start : start + cycle], field(entries))) == {1}


@given(
    seats=st.integers(3, 5),
    more=st.integers(0, 4),
    blocks=st.integers(1, 60),
    seed=st.sampled_from("abcdefgh"),
)
@settings(max_examples=25, deadline=None)
def test_with_more_seats_pairs_meet_nearly_equally_often(
    seats: int, more: int, blocks: int, seed: str
) -> None:
    entries = field(seats + more)
    met = meetings(tables(config(seats, seed=seed), entries, [], 1, blocks), entries)

    assert max(met) - min(met) <= 3


@given(seats=st.integers(2, 4), cut=st.integers(0, 20), seed=st.sampled_from("abcdefgh"))
@settings(max_examples=25, deadline=None)
def test_the_same_seed_and_history_give_the_same_tables(seats: int, cut: int, seed: str) -> None:
    settings, entries = config(seats, seed=seed), field(7)
    found = tables(settings, entries, [], 1, 20)

    assert tables(settings, entries[::-1], found[:cut], cut + 1, 20 - cut) == found[cut:]


def test_another_seed_gives_other_tables() -> None:
    assert tables(config(3, seed="a"), field(8), [], 1, 9) != tables(config(3, seed="b"), field(8), [], 1, 9)


def test_base_orders_vary_who_sits_after_whom() -> None:
    found = tables(config(4), field(4), [], 1, 60)

    assert len({*found}) > 12


def test_a_table_that_has_never_met_comes_before_one_whose_entries_have_played_less() -> None:
    """Of 0, 1 and 2 the first never met, but each has played four times, 4 only three times."""
    met = {("0", "3"): 2, ("1", "3"): 2, ("2", "3"): 2, ("0", "4"): 1, ("1", "4"): 1, ("2", "4"): 1}
    gone = [(f"ent_0{i}", "ent_gone") for i in range(3)]

    assert {*balanced(5, met, gone)} == {"ent_00", "ent_01", "ent_02"}


def test_the_squares_of_meetings_are_weighed() -> None:
    """One pair that met four times weighs 16, two pairs that met three times weigh 18."""
    met = {("1", "2"): 4, ("0", "3"): 3, ("1", "3"): 3, ("2", "3"): 3}

    assert {*balanced(4, met)} == {"ent_00", "ent_01", "ent_02"}


def balanced(count: int, met: dict[Base, int], more: Sequence[Base] = ()) -> Base:
    """The next table of three, after these pairs have met so often."""
    history = [tuple([f"ent_0{i}" for i in pair]) for pair, times in met.items() for _ in range(times)]
    return tables(config(3), field(count), [*history, *more], 1, 1)[0]


def test_who_joins_late_catches_up_first() -> None:
    settings, entries = config(2), field(6)
    before = tables(settings, entries[:5], [], 1, 50)
    after = tables(settings, entries, before, 51, 25)

    assert all(entries[5].entry in table for table in after)
    assert set(meetings([*before, *after], entries)) == {5}


@pytest.mark.parametrize("seats", [3, 4])
def test_at_most_one_version_of_an_owner_sits_at_a_larger_table(seats: int) -> None:
    versions = [bot(f"v{i}", "ann") for i in range(3)]
    twins = [entry("x"), replace(entry("x"), entry="ent_twin")]
    entries = [*versions, *twins, *field(3)]

    for table in tables(config(seats), entries, [], 1, 60):
        assert len({*table} & {line.entry for line in versions}) <= 1
        assert len({*table} & {line.entry for line in twins}) <= 1


def test_versions_of_an_owner_meet_at_tables_of_two() -> None:
    assert {*tables(config(2), [bot("v1", "ann"), bot("v2", "ann")], [], 1, 1)[0]} == {"ent_v1", "ent_v2"}


def test_different_strategies_of_the_service_may_meet() -> None:
    strategies = [entry(name, StrategyPlayer(name, "1"), "service") for name in "abc"]

    assert len(tables(config(3), strategies, [], 1, 1)[0]) == 3


@pytest.mark.parametrize(
    "entries", [field(2), [*field(2), bot("v1", "ann")][1:], [bot(f"v{i}", "ann") for i in range(5)]]
)
def test_too_few_entries_that_may_meet_are_refused(entries: list[EntryLine]) -> None:
    with pytest.raises(RuleViolation) as found:
        tables(config(3), entries, [], 1, 1)

    assert found.value.code == "too_few_entries"


def test_the_least_certain_entry_plays_its_neighbours_once_all_have_met() -> None:
    settings = replace(config(2), meetings=2, random_percent=0)
    strengths = {line.entry: Strength(100.0 * i, 60.0) for i, line in enumerate(field(8))}
    strengths["ent_03"] = Strength(300.0, 200.0)

    assert {*refined(settings, 1, strengths, 2)[0]} in ({"ent_03", "ent_02"}, {"ent_03", "ent_04"})
    assert [*map(set, refined(settings, 1, strengths, 1))] != [{"ent_03", "ent_02"}]


def test_pairing_stays_balanced_until_all_have_met_often_enough() -> None:
    settings = replace(config(2), meetings=20, random_percent=0)
    strengths = {line.entry: Strength(100.0 * i, 60.0) for i, line in enumerate(field(5))}

    assert set(meetings(refined(settings, 190, strengths, 1), field(5))) == {19}


def test_refined_pairing_prefers_near_ratings_and_never_repeats_a_table_at_once() -> None:
    settings = replace(config(2), meetings=1)
    strengths = {line.entry: Strength(150.0 * i, 80.0) for i, line in enumerate(field(8))}
    found = refined(settings, 100, strengths, 5)
    apart = [abs(strengths[a].rating - strengths[b].rating) for a, b in found]

    assert sum(apart) / len(apart) < 350 < 450  # at random it would be 450
    assert all({*one} != {*other} for one, other in pairwise(found))


def test_a_share_of_refined_tables_stays_random() -> None:
    strengths = {line.entry: Strength(1000.0 * i, 80.0) for i, line in enumerate(field(8))}

    def far(percent: int) -> int:
        found = refined(replace(config(2), meetings=1, random_percent=percent), 100, strengths, 5)
        return sum([abs(strengths[a].rating - strengths[b].rating) > 2500 for a, b in found])

    assert far(0) < far(50) < far(100)


def test_a_share_of_no_per_cent_leaves_no_table_to_chance() -> None:
    settings = replace(config(2), meetings=0, random_percent=0)
    strengths = {line.entry: Strength(1000.0 * i**2, 80.0) for i, line in enumerate(field(3))}
    strengths["ent_00"] = Strength(0.0, 90.0)
    found = {block: tables(settings, field(3), [], block, 1, strengths)[0] for block in range(1, 300)}

    assert [block for block, table in found.items() if {*table} != {"ent_00", "ent_01"}] == []


def test_only_one_possible_table_is_repeated() -> None:
    strengths = {line.entry: Strength(0.0, 80.0) for line in field(2)}

    found = refined(replace(config(2), meetings=1), 5, strengths, 3)
    assert [*map(sorted, found)] == [["ent_00", "ent_01"]] * 5


def test_a_table_is_not_played_again_at_once_where_there_is_another() -> None:
    settings = replace(config(2), meetings=1, random_percent=0)
    strengths = {line.entry: Strength(100.0 * i**2, 60.0) for i, line in enumerate(field(5))}
    strengths["ent_00"] = Strength(0.0, 300.0)
    history = [*combinations(sorted(strengths), 2)]

    assert {*tables(settings, field(5), history, 11, 1, strengths)[0]} == {"ent_00", "ent_01"}
    again = tables(settings, field(5), [*history, ("ent_01", "ent_00")], 12, 1, strengths)
    assert {*again[0]} == {"ent_00", "ent_02"}


@pytest.mark.parametrize(
    ("width", "table"), [(90.0, {"ent_02", "ent_03"}), (89.0, {"ent_00", "ent_02"})], ids=["more", "less"]
)
def test_the_square_of_a_width_shrinks_with_the_matches_that_are_planned(
    width: float, table: set[str]
) -> None:
    """After three blocks and a planned one, 100 points count as the root of 10,000 * 4 / 5, 89.4 points."""
    settings = replace(config(2), meetings=1, random_percent=0)
    strengths = {"ent_00": Strength(0.0, 100.0), "ent_02": Strength(10_000.0, width)}
    strengths |= {"ent_01": Strength(10.0, 0.0), "ent_03": Strength(10_010.0, 0.0)}

    assert {*refined(settings, 2, strengths, 1)[1]} == table


@pytest.mark.parametrize(("width", "first"), [(105.0, "ent_02"), (95.0, "ent_00")])
def test_before_anything_is_planned_the_width_alone_counts(width: float, first: str) -> None:
    """However many blocks an entry has played: one of them has three, the other one 30."""
    settings = replace(config(2), meetings=1, random_percent=0)
    strengths = {"ent_00": Strength(0.0, 100.0), "ent_02": Strength(10_000.0, width)}
    strengths |= {"ent_01": Strength(10.0, 0.0), "ent_03": Strength(10_010.0, 0.0)}
    history = [*combinations(strengths, 2), *[("ent_02", "ent_03")] * 27, ("ent_01", "ent_03")]

    assert first in tables(settings, field(4), history, 35, 1, strengths)[0]


def test_each_block_that_two_share_in_a_round_adds_100_points_between_them() -> None:
    """The others are 10, 50 and 90 points away, then 110, 150 and 190."""
    settings = replace(config(2), meetings=1, random_percent=0)
    others = {"ent_01": Strength(10.0, 0.0), "ent_02": Strength(50.0, 0.0), "ent_03": Strength(90.0, 0.0)}
    found = refined(settings, 6, {"ent_00": Strength(0.0, 100.0), **others}, 1)

    assert [*map(sorted, found)] == [["ent_00", other] for other in [*others] * 2]


def test_blocks_that_are_planned_count_before_they_are_played() -> None:
    settings = replace(config(2), meetings=1, random_percent=0)
    strengths = {line.entry: Strength(100.0 * i, 80.0) for i, line in enumerate(field(8))}
    strengths["ent_03"] = Strength(300.0, 110.0)
    found = refined(settings, 60, strengths, 2)

    own = [table for table in found if "ent_03" in table]
    assert own[0] == found[0]
    assert 15 < len(own) < 45
    assert len({frozenset(table) for table in own}) >= 5


def test_only_who_is_neither_suspended_nor_removed_can_be_seated() -> None:
    state = decided.suspended()
    assert seatable(state) == [1]

    fold(state, decide.add_entry(state, "c", decided.strategy("greedy"), "greedy", "service"))
    fold(state, decide.remove_entry(state, "b", "command"))
    assert seatable(state) == [2]


def after_three_rounds() -> LadderState:
    """A rated round of which one block was given up, a test, and a removed entry."""
    names = ("greedy", "random", "cheese", "bakery", "landmark_first")
    state = decided.opened(decided.ladder(*map(decided.strategy, names)), (0, 1), (3, 4))
    fold(state, decide.void_block(state, 2, 1, "entry_removed", ""))
    fold(state, decide.finish_block(state, 1, 1, decided.TWO))
    fold(state, decide.finish_round(state, 1))
    decided.opened(state, (2, 3), purpose="test")
    fold(state, decide.finish_block(state, 3, 1, decided.TWO))
    fold(state, decide.finish_round(state, 2))
    return fold(state, decide.remove_entry(state, "b", "command"))


def numbered(state: LadderState, found: Sequence[Base]) -> list[tuple[int, ...]]:
    return [tuple([state.numbers[entry] for entry in table]) for table in found]


def test_a_round_is_planned_from_what_was_rated_in_its_season_and_not_given_up() -> None:
    state = after_three_rounds()
    active = [entry_line(state.entries[number]) for number in (0, 2, 3, 4)]

    assert planned(state, 9, {}) == numbered(state, tables(state.config, active, [("a", "b")], 4, 9))
    assert planned(state, 9, {}) != numbered(state, tables(state.config, active, [], 4, 9))

    fold(state, decide.open_season(state, state.config))
    assert planned(state, 9, {}) == numbered(state, tables(state.config, active, [], 4, 9))


def test_a_round_is_planned_by_the_strengths_of_the_entries() -> None:
    state = after_three_rounds()
    state.config = replace(state.config, meetings=0, random_percent=0)
    strengths = {id: Strength(500.0 * place, 80.0) for place, id in enumerate("acde")}
    active = [entry_line(state.entries[number]) for number in (0, 2, 3, 4)]

    found = numbered(state, tables(state.config, active, [("a", "b")], 4, 9, strengths))
    assert planned(state, 9, strengths) == found != planned(state, 9, {})


def test_the_tables_are_those_that_every_machine_finds() -> None:
    """Balanced at first, then some of them random and the others refined by ratings."""
    settings = replace(config(3, seed="s"), meetings=1, random_percent=40)
    strengths = {line.entry: Strength(90.0 * i * i, 60.0 + 10 * i) for i, line in enumerate(field(6))}

    found = tables(settings, field(6), [], 1, 14, strengths)
    first, later = ["301", "425", "432", "150", "125", "430", "210"], ["345", "412", "230", "354", "254"]
    assert ["".join([entry[-1] for entry in table]) for table in found] == [*first, *later, "520", "345"]


def test_where_entries_are_as_certain_and_as_near_the_seed_decides_on_every_machine() -> None:
    strengths = {line.entry: Strength(0.0, 80.0) for line in field(6)}

    found = refined(replace(config(3, seed="s"), meetings=1, random_percent=0), 8, strengths, 1)
    assert ["".join([entry[-1] for entry in table]) for table in found] == [
        "032",
        "431",
        "125",
        "510",
        "054",
        "350",
        "324",
        "251",
    ]
