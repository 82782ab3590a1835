"""The player with the value network: what it sees, what it thinks a table is worth, and what it does."""

import random
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace
from numpy.typing import NDArray

from bench.matches import committed, new_match
from domain import create, decide, fold, legal_commands, view
from domain.match.commands import Build, Pass, Resign, RollDice
from domain.match.decide import advance, advance_turn
from domain.match.events import Position, PositionPlayer
from domain.match.rules import HIGHEST_TOTAL
from domain.match.state import FINISHED, RUNNING, MatchState
from kernel.compare import creation_of
from kernel.convert import TwinChance
from ops.servers import ROOT
from players import learned, strong
from players.afterstates import GivenChance, after, afterstates
from players.features import features_of
from players.forecast import TWO_DICE, Forecast
from players.incomes import incomes_of
from players.network import chances
from players.tables import TableBatch, tables_of
from players.value_function import values
from players.weight_files import FOLDER, Tampered, digest, manifest, read, weights_for
from tests.kernel.choosing import WITH_NETWORK
from tests.workers.learning_kit import tables_on_the_way

RULESETS = ("base", "harbor", "machi_koro_2")
ANY = random.Random(1)


def _board(ruleset: str, cities: tuple[PositionPlayer, ...], phase: str = "build") -> MatchState:
    chance, dice = committed(1)
    plan = new_match(ruleset, ("learned",) * len(cities), dice)
    return fold(None, decide(None, replace(plan, position=Position(0, phase, cities)), chance))


@pytest.mark.parametrize("ruleset", RULESETS)
@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_the_chances_of_all_seats_sum_to_one(ruleset: str, seats: int) -> None:
    found = values(tables_on_the_way(ruleset, seats, 20))
    assert found.shape == (20, seats)
    assert (found > 0).all()
    assert np.allclose(found.sum(axis=1), 1, atol=1e-5)


@pytest.mark.parametrize("ruleset", RULESETS)
@pytest.mark.parametrize("seats", [2, 4])
def test_no_seat_is_preferred_for_its_number(ruleset: str, seats: int) -> None:
    """All seats and the mover moved one place on: the chances move with them."""
    states = tables_on_the_way(ruleset, seats, 20)
    tables = tables_of(states)
    turned = TableBatch(
        np.roll(tables.coins, 1, axis=1),
        np.roll(tables.cities, 1, axis=1),
        tables.supply,
        (tables.mover + 1) % seats,
        tables.round,
    )
    features = features_of(states[0].rules)
    weights = weights_for(ruleset, seats)
    plain, moved = (chances(weights, *features.extract(one)) for one in (tables, turned))
    assert np.allclose(np.roll(plain, 1, axis=1), moved, atol=1e-5)


def test_whoever_has_more_of_everything_is_likelier_to_win() -> None:
    rich = PositionPlayer(15, {"wheat_field": 3, "bakery": 4, "convenience_store": 3}, ("shopping_mall",))
    poor = PositionPlayer(1, {"wheat_field": 1, "bakery": 1}, ())
    found = values([_board("base", (poor, rich), "roll"), _board("base", (rich, poor), "roll")])
    assert found[0, 1] > 0.9
    assert found[1, 0] > 0.9


def test_the_winner_of_a_match_that_is_over_has_all_of_the_chances() -> None:
    state = _board("base", (PositionPlayer(3, {}, ()),) * 3)
    advance_turn(state, Resign(1), GivenChance())
    assert values([state])[0, 1] == 0
    advance_turn(state, Resign(0), GivenChance())
    assert values([state]).tolist() == [[0, 0, 1]]


@pytest.mark.parametrize("ruleset", RULESETS)
@pytest.mark.parametrize("phase", ["roll", "build"])
def test_from_120_coins_on_a_purse_looks_alike_beyond_16_bits_too(phase: str, ruleset: str) -> None:
    city = PositionPlayer(500, {"wheat_field": 1, "bakery": 1}, ())
    state = _board(ruleset, (city,) * 3, phase)
    legal = legal_commands(state)
    seen = values([state]), learned.choose(view(state), legal, ANY), strong.candidates(view(state), legal)
    state.coins[0], state.coins[1] = 32_768, 1_000_000
    assert np.allclose(values([state]), seen[0], atol=1e-6)
    assert learned.choose(view(state), legal, ANY) == seen[1]
    assert strong.candidates(view(state), legal) == seen[2]


@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_winning_build_is_taken(ruleset: str) -> None:
    landmarks = {
        "base": ("train_station", "shopping_mall", "amusement_park"),
        "harbor": ("train_station", "shopping_mall", "amusement_park", "radio_tower", "harbor"),
        "machi_koro_2": (),
    }[ruleset]
    rich = PositionPlayer(60, {"wheat_field": 1}, landmarks)
    state = _board(ruleset, (rich, PositionPlayer(3, {"wheat_field": 1}, ())))
    if ruleset == "machi_koro_2":
        state.supply[state.rules.index["launch_pad"]] = 1
    command = learned.choose(view(state), legal_commands(state), ANY)
    assert isinstance(command, Build)
    after_it = after(state, command, GivenChance())
    assert (after_it.status, after_it.winner) == (FINISHED, 0)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_the_same_decision_is_taken_twice_whatever_the_luck(ruleset: str) -> None:
    for state in tables_on_the_way(ruleset, 3, 10):
        legal = legal_commands(state)
        first = learned.choose(view(state), legal, random.Random(1))
        assert learned.choose(view(state), legal, random.Random(2)) == first


@pytest.mark.parametrize("ruleset", RULESETS)
def test_it_plays_on_when_others_have_resigned(ruleset: str) -> None:
    chance, dice = committed(5)
    state = fold(None, decide(None, new_match(ruleset, ("learned",) * 4, dice), chance))
    gone = {10: 1, 20: 3}
    while state.status == RUNNING:
        if state.turn in gone:
            advance(state, Resign(gone.pop(state.turn)), chance)
        legal = legal_commands(state)
        advance(state, learned.choose(view(state), legal, ANY), chance)
    assert state.winner in (0, 2)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_every_build_leads_where_the_rules_say(ruleset: str) -> None:
    """The tables that are judged are those of the domain, but for what a row turns over afterwards."""
    states = tables_on_the_way(ruleset, 3, 60)
    for state in states:
        state.phase = "build"
        state.coins[state.active] += 20
    legals = [legal_commands(state) for state in states]
    found = afterstates(states, legals)
    row = 0
    for state, legal in zip(states, legals, strict=True):
        for command in legal:
            then = after(state, command, GivenChance())
            if then.status == FINISHED:
                assert found.wins[row]
            else:
                assert not found.wins[row]
                assert found.tables.coins[row].tolist() == then.coins
                assert found.tables.cities[row].tolist() == then.cities
                assert found.tables.mover[row] == then.active
            row += 1
    assert row == len(found.cards)


@pytest.mark.parametrize("ruleset", ["base", "harbor"])
def test_the_estimate_of_a_throw_is_what_the_rules_pay(ruleset: str) -> None:
    """With full purses, and but for cards that ask somebody, gains by total are the rules' own payments."""
    states = tables_on_the_way(ruleset, 2, 40)
    for state in states:
        state.coins = [200, 200]
        for id in ("business_center", "tv_station", "tax_office", "tuna_boat", "town_hall"):
            if id in state.rules.index:
                for city in state.cities:
                    city[state.rules.index[id]] = 0
    gains = _gains(states)
    for state, row in zip(states, gains, strict=True):
        forecast = Forecast(state)
        for dice, _ in TWO_DICE:
            assert forecast.payments(state.active, dice)[state.active] == pytest.approx(row[sum(dice)])


def _gains(states: Sequence[MatchState]) -> NDArray[np.floating]:
    """By state and total: the mover's gain by the worth of the cards, as if every opponent could pay."""
    rules, tables = states[0].rules, tables_of(states)
    incomes, rows, mover = incomes_of(rules), np.arange(len(states)), tables.mover
    fires = [
        [total in card.activation for total in range(HIGHEST_TOTAL + 1)]
        for card in rules.cards[: rules.establishments]
    ]
    worth = incomes.worth(tables, incomes.in_force(tables))
    red = incomes.of_roller.any(axis=1)
    green = worth[rows, mover] * ~red @ np.array(fires)
    owed = (worth * red).sum(axis=1) - worth[rows, mover] * red
    paid = np.minimum(owed @ np.array(fires), tables.coins[rows, mover][:, None])
    return np.asarray(green - paid)


def test_a_throw_is_decided_by_what_all_its_totals_lead_to() -> None:
    """With nothing but high numbers two dice are thrown, with nothing but low ones one."""
    other = PositionPlayer(3, {"wheat_field": 1, "bakery": 1}, ())
    high = PositionPlayer(3, {"ranch": 1, "cheese_factory": 3, "mine": 3}, ("train_station",))
    low = PositionPlayer(3, {"bakery": 4, "convenience_store": 4}, ("train_station",))
    for city, dice in ((high, 2), (low, 1)):
        state = _board("base", (city, other), "roll")
        assert learned.choose(view(state), legal_commands(state), ANY) == RollDice(0, dice)


def _chance_after_reply(state: MatchState, build: Build | Pass) -> float:
    """The builder's chance after the other's throw of one die and the build that is best for the other."""
    table = after(state, build, GivenChance())
    other = table.active
    found = 0.0
    for face in range(1, 7):
        thrown = after(table, RollDice(other, 1), GivenChance((face,)))
        tables = afterstates([thrown], [legal_commands(thrown)]).tables
        judged = chances(weights_for("base", 2), *features_of(table.rules).extract(tables))
        found += float(judged[judged[:, other].argmax()][state.active]) / 6
    return found


def test_of_close_builds_the_one_that_is_best_behind_the_next_turn_is_taken() -> None:
    city = PositionPlayer(3, {"wheat_field": 1, "bakery": 1}, ())
    state = _board("base", (city, city))
    legal = [build for build in legal_commands(state) if isinstance(build, Build | Pass)]
    close = legal[:4]
    at_sight = np.array([0.5, 0.51, 0.505, 0.5, *[0.4] * (len(legal) - 4)])
    worth = [_chance_after_reply(state, build) for build in close]
    assert len({*worth}) == 4
    assert learned.best_of_close(state, legal, at_sight) == close[worth.index(max(worth))]
    far = np.array([0.5, 0.54, *[0.4] * (len(legal) - 2)])
    assert learned.best_of_close(state, legal, far) == legal[1]


def test_with_three_seats_the_best_build_at_first_sight_is_taken() -> None:
    city = PositionPlayer(3, {"wheat_field": 1, "bakery": 1}, ())
    state = _board("base", (city,) * 3)
    legal = legal_commands(state)
    for place in range(3):
        at_sight = np.full(len(legal), 0.5)
        at_sight[place] += 0.001
        assert learned.best_of_close(state, legal, at_sight) == legal[place]


@pytest.mark.parametrize("ruleset", RULESETS)
def test_the_shipped_weights_are_those_of_the_manifest(ruleset: str) -> None:
    shipped = manifest()[ruleset]
    assert digest(ruleset) == shipped.digest
    assert sorted(read(ruleset)) == [one.seats for one in shipped.sets]
    assert {2, 4} <= set(read(ruleset))
    assert all(one.commands and one.strength and one.matches > 0 for one in shipped.sets)


def test_weights_with_a_changed_byte_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "weights"
    shutil.copytree(FOLDER, folder)
    path = folder / "base.npz"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(Tampered, match=r"base\.npz"):
        read("base", folder)
    assert read("harbor", folder)


def test_the_weights_take_less_than_two_megabytes() -> None:
    assert sum([path.stat().st_size for path in FOLDER.iterdir()]) < 2_000_000


def test_more_seats_than_there_are_weights_for_take_the_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    found = read("base")
    monkeypatch.setattr("players.weight_files._read_once", lambda *_: {2: found[2], 4: found[4]})
    assert weights_for("base", 5) is found[4]
    assert weights_for("base", 3) is found[4]


_DECIDES = """
import random, os
from domain import legal_commands, view
from tests.kernel.choosing import WITH_NETWORK
from tests.workers.learning_kit import tables_on_the_way
from players import learned, strong
for state in tables_on_the_way("harbor", 5, 5):
    learned.choose(view(state), legal_commands(state), random.Random(1))
print(len(os.listdir("/proc/self/task")))
"""


def test_deciding_starts_no_threads() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _DECIDES], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "1"


def test_rules_of_every_option_are_seen_alike() -> None:
    """Whatever the options and seats of a ruleset, its tables have as many features."""
    widths: dict[str, set[tuple[int, int]]] = {ruleset: set() for ruleset in RULESETS}
    for case in WITH_NETWORK:
        state, _ = create(creation_of(case), TwinChance(0))
        seen = features_of(state.rules).extract(tables_of([state]))
        widths[case.ruleset].add((seen.seats.shape[2], seen.table.shape[1]))
    assert {ruleset: len(found) for ruleset, found in widths.items()} == dict.fromkeys(RULESETS, 1)
