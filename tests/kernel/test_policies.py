"""Policies inside the kernel choose as the built-in players do, with the same random numbers."""

import fcntl
import os
from itertools import product
from pathlib import Path

import numba
import pytest

from domain import create, legal_commands
from domain.match.rules import Rules, rules_for
from domain.match.rulesets import CURRENT
from domain.match.state import MatchState
from kernel import engine
from kernel import layout as at
from kernel.afterstates import put_values_of_builds, value_of_build
from kernel.compare import CASES, Case, creation_of
from kernel.convert import TwinChance, code_of, row_of, state_of
from kernel.engine import KEPT_FOLDERS, PLAIN, compiled, prune
from kernel.lookahead import rank_builds
from kernel.nets import net_of
from kernel.play import Simulator
from kernel.tables import width_of
from kernel.workspaces import RANKS, RANKS_WIDTH, ROLLS_LEFT
from players import PLAYERS
from players.lookahead import Rankings, rank
from players.value_function import chances_of, values
from players.weight_files import weights_for
from tests.domain.invariants import problems
from tests.kernel.choosing import WITH_NETWORK, farthest_chances, play_both, random_steps
from tests.marks import long_unless

NAMES = ("random", "landmark_first", "greedy", "expected_value")

NETWORK_ROUNDS = 1e-12
"""How far chances may differ, because the value function adds up in another order."""


def rules_of(ruleset: str, seats: int) -> Rules:
    creation = creation_of(Case(ruleset, seats, {}))
    return rules_for(creation.rules_version, creation.options, seats)


def a_state() -> MatchState:
    return create(creation_of(Case("harbor", 3, {"market": "limited"})), TwinChance(3))[0]


@pytest.mark.parametrize("ruleset", long_unless(CURRENT.keys() - {"harbor_millionaires_row"}, CURRENT))
@pytest.mark.parametrize("name", NAMES)
def test_a_policy_chooses_as_the_player_of_that_name(ruleset: str, name: str) -> None:
    assert play_both(PLAIN, Case(ruleset, 2, {}), (name,) * 2, 1, longest=200) > 20


@pytest.mark.long
def test_the_compiled_policies_choose_as_the_players_in_all_kinds_of_matches() -> None:
    for number, (case, first) in enumerate(product(CASES, range(len(NAMES)))):
        names = tuple(NAMES[(first + seat) % len(NAMES)] for seat in range(case.seats))
        assert play_both(compiled(), case, names, number) > 0


def test_every_policy_but_uniform_and_quick_is_a_built_in_player() -> None:
    assert {*at.POLICIES} - {"uniform", "quick"} == {*NAMES, "learned"}
    assert {*NAMES, "learned"} <= PLAYERS.keys()


@pytest.mark.parametrize("ruleset", ["base", "harbor", "machi_koro_2"])
def test_the_network_gives_the_chances_of_the_value_function(ruleset: str) -> None:
    for seats in range(2, 6):
        assert farthest_chances(PLAIN, Case(ruleset, seats, {}), seats, every=40) < NETWORK_ROUNDS


@pytest.mark.long
def test_the_compiled_network_gives_the_chances_of_the_value_function_in_all_kinds_of_matches() -> None:
    for number, case in enumerate(WITH_NETWORK):
        assert farthest_chances(compiled(), case, number, every=5) < NETWORK_ROUNDS


def test_the_policy_learned_chooses_as_the_player() -> None:
    assert play_both(PLAIN, Case("base", 2, {}), ("learned",) * 2, 1, longest=24) > 8


@pytest.mark.long
def test_the_compiled_policy_learned_chooses_as_the_player_in_all_kinds_of_matches() -> None:
    for number, case in enumerate(WITH_NETWORK):
        assert play_both(compiled(), case, ("learned",) * case.seats, number) > 0


def test_the_policy_quick_builds_as_learned_where_that_looks_no_turn_further() -> None:
    """That is with more than two seats in play."""
    state, chance = a_state(), TwinChance(5)
    rules, seen = state.rules, 0
    tables, luck, room = PLAIN.tables(rules), PLAIN.luck(1), PLAIN.forecast()
    arrays = (
        PLAIN.codes(),
        PLAIN.incomes(),
        PLAIN.net(net_of(rules, weights_for("harbor", 3))),
        PLAIN.net_workspace(),
    )
    while seen < 4:
        random_steps(state, chance, 3)
        if state.phase == "build" and len(legal_commands(state)) > 2:
            seen += 1
            one, two = [
                PLAIN.choose(tables, PLAIN.row(row_of(state)), luck, room, *arrays, policy)
                for policy in (at.LEARNED, at.QUICK)
            ]
            assert one == two


@pytest.mark.parametrize("ruleset", ["base", "harbor", "machi_koro_2"])
def test_builds_rank_before_a_throw_as_by_the_rules(ruleset: str) -> None:
    state, chance = create(creation_of(Case(ruleset, 3, {})), TwinChance(3))[0], TwinChance(3)
    tables, room = PLAIN.tables(state.rules), PLAIN.forecast()
    net, x = PLAIN.net(net_of(state.rules, weights_for(ruleset, 3))), PLAIN.net_workspace()
    rankings, compared, kept = Rankings(), 0, 0
    for _ in range(60):
        random_steps(state, chance, 2)
        if state.phase != "roll":
            continue
        row = PLAIN.row(row_of(state))
        rank_builds(tables, row, room, PLAIN.codes(), net, x)
        assert [*row] == row_of(state)
        ranking = rankings.before_roll(state)
        if ranking.ranks:
            kept += 1
        else:
            rank([ranking], chances_of)
            compared += 1
        at_seat = RANKS + state.active * RANKS_WIDTH
        found = {place: rank for place, rank in enumerate(room[at_seat : at_seat + ROLLS_LEFT]) if rank}
        places = [
            at.MOST_CARDS if code == at.PASS else code - at.BUILD_CARD
            for code in [code_of(state.rules, build) for build in ranking.ranks]
        ]
        wanted = dict(zip(places, [1 + round(rank * 1e9) for rank in ranking.ranks.values()], strict=True))
        assert found.keys() == wanted.keys()
        assert max(abs(found[place] - wanted[place]) for place in found) <= 1
    assert compared > 5
    assert kept


@pytest.mark.parametrize("ruleset", ["base", "harbor", "machi_koro_2"])
def test_builds_have_the_same_values_from_a_base_as_alone(ruleset: str) -> None:
    """What a card of another seat pays can depend on the builder: two seats have the Publisher and the Tax
    Office, where there are such cards."""
    state, chance = create(creation_of(Case(ruleset, 4, {})), TwinChance(3))[0], TwinChance(3)
    rules = state.rules
    tables, room = PLAIN.tables(rules), PLAIN.forecast()
    net, x = PLAIN.net(net_of(rules, weights_for(ruleset, 4))), PLAIN.net_workspace()
    compared = 0
    while compared < 100:
        random_steps(state, chance, 7)
        if state.phase != "build":
            continue
        row, codes, found = PLAIN.row(row_of(state)), PLAIN.codes(), PLAIN.incomes()
        row[at.COINS + state.active] += 30
        for card in ("publisher", "tax_office"):
            for seat in (1, 2) if card in rules.index else ():
                row[at.CITIES + seat * at.MOST_CARDS + rules.index[card]] = 1
        count = PLAIN.legal(tables, row, codes)
        put_values_of_builds(tables, row, room, codes, count, found, net, x)
        alone = [value_of_build(tables, row, room, net, x, code, 0) for code in codes[:count]]
        assert found[:count] == pytest.approx(alone, abs=1e-12)
        compared += count


def test_the_matches_of_a_seed_are_the_same_however_many_are_played_at_once() -> None:
    simulator, names = Simulator(PLAIN, rules_of("base", 3)), ("uniform", "landmark_first", "random")
    at_once = list(simulator.play(names, 7, 3))

    assert [next(iter(simulator.play(names, 7 + i, 1))) for i in range(3)] == at_once
    assert all(result.winner in range(3) and result.reason == "landmarks" for result in at_once)


def test_matches_go_on_from_any_position() -> None:
    """As search plays them: the same luck from each position, and the winners as values."""
    state = a_state()
    later = state.copy()
    random_steps(later, TwinChance(1), 30)
    found = Simulator(PLAIN, state.rules).play_on([row_of(state), row_of(later)], ("uniform",) * 3, 4, 5)

    results = list(found)
    assert len(results) == len(found) == 10
    assert all(result.reason == "landmarks" for result in results)
    assert [result.commands for result in results[:5]] != [result.commands for result in results[5:]]
    shares = [[result.winner for result in part].count(1) / 5 for part in (results[:5], results[5:])]
    assert [mean[1] for mean in found.means()] == shares


def test_a_match_that_is_left_has_the_chances_of_the_value_function() -> None:
    state = a_state()
    net = weights_for("harbor", 3)
    found = Simulator(PLAIN, state.rules, net).play_on([row_of(state)], ("uniform",) * 3, 4, 1, turns=10)
    [result], [chances] = list(found), found.means()

    assert (result.winner, result.reason, result.turn) == (-1, "", 11)
    tables, row, luck = PLAIN.tables(state.rules), PLAIN.row(row_of(state)), PLAIN.luck(4)
    room = PLAIN.forecast(), PLAIN.codes(), PLAIN.incomes(), PLAIN.net(), PLAIN.net_workspace()
    assert PLAIN.play_on(tables, row, luck, *room, PLAIN.codes((at.UNIFORM,) * 3), 11) == result.commands
    later = state_of(row, state)
    assert problems(later) == []
    assert legal_commands(later)
    assert row_of(later) == row[: width_of(state.rules)]
    assert chances == pytest.approx(values([later])[0], abs=NETWORK_ROUNDS)


def test_every_seat_needs_a_policy() -> None:
    with pytest.raises(ValueError, match="3 seats need as many policies, not 2"):
        Simulator(PLAIN, rules_of("base", 3)).play(("uniform", "greedy"), 0, 1)


def test_the_policy_learned_and_matches_that_are_left_need_a_network() -> None:
    state = a_state()
    simulator = Simulator(PLAIN, state.rules)

    with pytest.raises(ValueError, match="'learned' needs a network"):
        simulator.play(("learned",) * 3, 0, 1)
    with pytest.raises(ValueError, match="a match that is left needs a network"):
        simulator.play_on([row_of(state)], ("uniform",) * 3, 0, 1, turns=5)


def test_no_network_plays_where_cards_close() -> None:
    rules = rules_of("millionaires_row", 2)

    with pytest.raises(ValueError, match="no network plays millionaires_row"):
        net_of(rules, weights_for("base", 2))


@pytest.mark.long
def test_the_compiled_kernel_plays_the_same_matches_as_the_plain_one() -> None:
    for ruleset, policy in product(CURRENT, ("uniform", *NAMES)):
        rules, names = rules_of(ruleset, 4), (policy,) * 4
        by_kernel = [list(Simulator(kernel, rules).play(names, 5, 4)) for kernel in (compiled(), PLAIN)]
        assert by_kernel[0] == by_kernel[1]


def test_the_kernel_is_not_compiled_where_somebody_waits_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "CACHE", tmp_path)
    assert engine.engine_at_once() is PLAIN

    (tmp_path / "begun").mkdir()
    monkeypatch.setattr(engine, "_digest", lambda _: "begun")
    assert not engine.is_in_cache()
    (tmp_path / "begun" / engine.COMPLETE).touch()
    assert engine.is_in_cache()


def test_one_process_at_a_time_compiles_the_kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "CACHE", tmp_path)

    def compile_alone(_numba: object, *, is_kept: bool) -> engine.Engine:
        [lock] = tmp_path.glob("*/lock")
        with lock.open() as other, pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        assert is_kept
        return PLAIN

    monkeypatch.setattr(engine, "_compile", compile_alone)
    compiled.__wrapped__()

    assert engine.is_in_cache()


def test_only_the_newest_folders_of_compiled_code_are_kept(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in "abcdefg"]
    for age, folder in enumerate(folders):
        folder.mkdir()
        os.utime(folder, (1000 - age, 1000 - age))
    prune(tmp_path, folders[-1])

    assert {*tmp_path.iterdir()} == {*folders[: KEPT_FOLDERS - 1], folders[-1]}


def test_a_kernel_that_was_compiled_is_loaded_where_nothing_can_be_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine.compiled()
    monkeypatch.setattr(numba.config, "CACHE_DIR", numba.config.CACHE_DIR)
    monkeypatch.setattr(engine, "_can_write", lambda folder: False)
    loaded = engine.compiled.__wrapped__()
    assert all(unit.cache_hits for unit in loaded.kept)
