"""Training: the way back through the network, what is learned from a match, and courses that go on."""

import random
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from bench.figures import wilson
from kernel.convert import state_of
from kernel.engine import engine
from ops.servers import ROOT
from players.features import features_of
from players.network import Weights, chances, initial_weights
from players.tables import tables_of
from players.weight_files import weight_set, weights_for
from tests.workers.kit import DEADLINE_S, wait_until
from tests.workers.learning_kit import tables_on_the_way
from training.__main__ import main
from training.arena import LEARNER, PREDECESSOR, Arena, ArenaMatch, MatchPlan
from training.checkpoints import CHECKPOINT, WEIGHTS, load, load_weights, save
from training.course import FIXED_NAMES, Course, exploiting, exploration, plans, rate, rival
from training.gradient import loss_and_gradient
from training.measure import wins_against
from training.release import history, ship
from training.targets import lessons, targets
from training.trainer import Trainer, new_trainer

TINY = Course("base", 2, seed=3, matches=48, per_round=12, batch=32, passes=1, freeze_every=1, sizes=(8, 4))


def _weights(ruleset: str, seats: int) -> tuple[Weights, np.ndarray, np.ndarray]:
    states = tables_on_the_way(ruleset, seats, 6)
    seen = features_of(states[0].rules).extract(tables_of(states))
    weights = initial_weights(seen.seats.shape[2], seen.table.shape[1], np.random.default_rng(1), (7, 5))
    return weights, seen.seats, seen.table


@pytest.mark.parametrize("seats", [2, 3, 5])
def test_the_gradient_is_the_slope_of_the_loss(seats: int) -> None:
    """Against finite differences, in double precision."""
    plain, seen, table = _weights("harbor", seats)
    rng = np.random.default_rng(2)
    weights = Weights(*[array.astype(np.float64) + 0.1 * rng.standard_normal(array.shape) for array in plain])
    targets = rng.dirichlet(np.ones(seats), len(seen))
    arguments = seen.astype(np.float64), table.astype(np.float64), targets
    _, gradient = loss_and_gradient(weights, *arguments)  # type: ignore[arg-type]  # double precision
    for part, slopes in zip(weights, gradient, strict=True):
        for place in rng.integers(part.size, size=6):
            found = []
            for step in (1e-6, -1e-6):
                part.flat[place] += step
                found.append(loss_and_gradient(weights, *arguments)[0])  # type: ignore[arg-type]
                part.flat[place] -= step
            assert slopes.flat[place] == pytest.approx((found[0] - found[1]) / 2e-6, abs=1e-6)


def test_learning_the_same_tables_again_and_again_lowers_the_loss() -> None:
    trainer = new_trainer(replace(TINY, rate=0.01, last_rate=0.01))
    _, seen, table = _weights("base", 2)
    targets = np.tile(np.array([[1.0, 0.0]], np.float32), (len(seen), 1))
    losses = [trainer._step(seen, table, targets, 0.01) for _ in range(60)]
    assert losses[-1] < 0.2 < losses[0]


@pytest.fixture(scope="module")
def arena() -> Arena:
    return Arena(engine(), "base", 2, {LEARNER: new_trainer(TINY).weights})


def _played(arena: Arena, explore: float = 0.0) -> list[ArenaMatch]:
    rng = random.Random(4)
    return [arena.play(MatchPlan((LEARNER, LEARNER)), rng, explore) for _ in range(4)]


def test_the_kernel_tells_the_features_and_chances_that_players_compute(arena: Arena) -> None:
    match = _played(arena, explore=0.5)[0]
    like = tables_on_the_way("base", 2, 1)[0]
    tables = tables_of([state_of(row.tolist(), like) for row in match.rows])
    seen = features_of(like.rules).extract(tables)
    assert np.allclose(match.seats, seen.seats, atol=1e-5)
    assert np.allclose(match.table, seen.table, atol=1e-5)
    values = chances(new_trainer(TINY).weights, seen.seats, seen.table)
    assert np.allclose(match.values, values, atol=1e-5)


def test_with_a_trace_of_one_all_tables_learn_the_result(arena: Arena) -> None:
    played = _played(arena)
    found = lessons(played, 1.0)
    assert len(found.targets) == sum([len(match.rows) for match in played if match.winner >= 0])
    for match in played:
        assert (targets(match, 1.0) == np.eye(2)[match.winner]).all()


def test_with_a_trace_of_zero_every_table_learns_the_value_of_the_next(arena: Arena) -> None:
    for match in _played(arena):
        found = targets(match, 0.0)
        assert np.allclose(found[:-1], match.values[1:], atol=1e-6)
        assert (found[-1] == np.eye(2)[match.winner]).all()


def test_what_follows_a_turn_left_to_luck_is_not_learned_from(arena: Arena) -> None:
    """The target of the table before is the value of what should have been played."""
    match = _played(arena, explore=1.0)[0]
    explored = np.flatnonzero(match.explored[1:])
    assert len(explored)
    assert np.allclose(targets(match, 1.0)[explored], match.best[1:][explored], atol=1e-6)
    assert not np.allclose(match.best[1:][explored], match.values[1:][explored], atol=1e-6)


def test_the_same_seed_gives_the_same_weights_and_another_one_others() -> None:
    def trained(seed: int) -> Trainer:
        trainer = new_trainer(replace(TINY, seed=seed))
        trainer.round()
        return trainer

    first, again, other = trained(3), trained(3), trained(4)
    assert all(np.array_equal(a, b) for a, b in zip(first.weights, again.weights, strict=True))
    assert not all(np.array_equal(a, b) for a, b in zip(first.weights, other.weights, strict=True))


@pytest.mark.long
@pytest.mark.parametrize("ruleset", ["base", "harbor", "machi_koro_2"])
def test_a_course_that_was_interrupted_ends_with_the_very_same_weights(ruleset: str, tmp_path: Path) -> None:
    course = replace(TINY, ruleset=ruleset, seats=3)
    straight, interrupted = new_trainer(course), new_trainer(course)
    for _ in range(4):
        straight.round()
    for _ in range(4):
        interrupted.round()
        save(interrupted, tmp_path)
        interrupted = load(tmp_path)
    assert interrupted.matches == straight.matches == 48
    for one, other in ((straight.weights, interrupted.weights), (straight.averaged, interrupted.averaged)):
        assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_the_command_stops_resumes_and_ships(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, package = tmp_path / "base-2", tmp_path / "package"
    settings = ["--set", "per_round=8", "--set", "passes=1"]
    assert main(["base", "--matches", "24", "--minutes", "0.00001", "--out", str(folder), *settings]) == 0
    assert load(folder).matches == 8
    assert main(["base", "--matches", "24", "--out", str(folder), "--resume"]) == 0
    assert load(folder).matches == 24
    assert "24 of 24 matches" in capsys.readouterr().out
    assert (
        main(["measure", "base", str(folder / "weights.npz"), "--matches", "10", "--against", "greedy"]) == 0
    )
    assert "against greedy" in capsys.readouterr().out
    ship(folder, {"greedy": "10 %"}, package)
    assert (package / "base.npz").exists()


def test_a_course_begins_with_the_weights_it_is_given(tmp_path: Path) -> None:
    first, second = tmp_path / "two", tmp_path / "three"
    settings = ["--matches", "8", "--set", "per_round=8"]
    main(["base", *settings, "--out", str(first)])
    main(["base", "--seats", "3", *settings, "--start", str(first), "--out", str(second)])
    frozen = load(second).frozen[0]
    assert all(np.array_equal(a, b) for a, b in zip(load_weights(first / "weights.npz"), frozen, strict=True))


def test_a_course_begins_with_the_shipped_weights_and_continues_their_history(tmp_path: Path) -> None:
    main(
        [
            "harbor",
            "--seats",
            "2",
            "--matches",
            "8",
            "--set",
            "per_round=8",
            "--shipped",
            "--out",
            str(tmp_path),
        ]
    )
    shipped, frozen, made = weights_for("harbor", 2), load(tmp_path).frozen[0], history(tmp_path)
    assert all(np.array_equal(a, b) for a, b in zip(shipped, frozen, strict=True))
    before = weight_set("harbor", 2)
    assert made.matches == before.matches + 8
    assert made.commands[:-1] == before.commands
    assert "--shipped" in made.commands[-1]


@pytest.mark.long
def test_ctrl_c_saves_and_stops(tmp_path: Path) -> None:
    """After the round that is being played; the checkpoint is one to go on from."""
    folder = tmp_path / "base-2"
    command = [sys.executable, "-m", "training", "base", "--out", str(folder)]
    process = subprocess.Popen([*command, "--set", "per_round=8"], cwd=ROOT)
    wait_until((folder / "history.json").exists)
    process.send_signal(signal.SIGINT)
    assert process.wait(DEADLINE_S) == 0
    assert load(folder).matches >= 8


def test_no_file_of_training_needs_pickle(tmp_path: Path) -> None:
    save(new_trainer(TINY), tmp_path)
    for path in tmp_path.iterdir():
        with np.load(path, allow_pickle=False) as arrays:
            assert all(arrays[name].dtype.kind in "fiu" for name in arrays.files)


def test_a_checkpoint_is_replaced_at_once(tmp_path: Path) -> None:
    """Half a file beside it, as a killed process leaves it, does no harm."""
    trainer = new_trainer(TINY)
    save(trainer, tmp_path)
    (tmp_path / CHECKPOINT).with_suffix(".tmp").write_bytes(b"half")
    assert load(tmp_path).rounds == 0
    trainer.round()
    save(trainer, tmp_path)
    assert load(tmp_path).rounds == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["checkpoint.npz", "weights.npz"]


def test_a_round_has_matches_alone_against_fixed_opponents_and_against_predecessors() -> None:
    course = replace(TINY, per_round=400, seats=4)
    seated = plans(course, random.Random(1), True)
    assert {name for plan in seated for name in plan.players} == {LEARNER, PREDECESSOR, *FIXED_NAMES}
    assert all(LEARNER in plan.players for plan in seated)
    assert {plan.options is None for plan in seated} == {True, False}
    assert all(PREDECESSOR not in plan.players for plan in plans(course, random.Random(1), False))


def test_a_share_of_the_matches_against_a_predecessor_leaves_it_one_seat() -> None:
    course = replace(TINY, per_round=200, seats=4, alone=0.0, frozen=1.0, against_one=0.5, mixed=0.0)
    seated = plans(course, random.Random(1), True)
    numbers = Counter([plan.players.count(PREDECESSOR) for plan in seated])
    assert set(numbers) == {1, 3}
    assert 70 < numbers[1] < 130


def test_an_exploiter_always_meets_the_shipped_network_alone() -> None:
    course = exploiting(replace(TINY, per_round=50, seats=3))
    for plan in plans(course, random.Random(1), True):
        assert sorted(plan.players) == [LEARNER, PREDECESSOR, PREDECESSOR]
    assert rival(course) == PREDECESSOR


def test_the_network_that_is_exploited_does_not_change(tmp_path: Path) -> None:
    settings = ["--matches", "8", "--set", "per_round=4", "--exploit"]
    main(["base", *settings, "--out", str(tmp_path)])
    trainer, shipped = load(tmp_path), weights_for("base", 2)
    assert len(trainer.frozen) == 1
    assert all(np.array_equal(a, b) for a, b in zip(trainer.frozen[0], shipped, strict=True))
    assert not all(np.array_equal(a, b) for a, b in zip(trainer.weights, shipped, strict=True))


def test_rivals_stay_among_the_predecessors(tmp_path: Path) -> None:
    short, frozen = ["--set", "per_round=4"], ["--set", "freeze_every=1", "--set", "keep_frozen=2"]
    other, own = tmp_path / "rival", tmp_path / "own"
    main(["base", "--matches", "4", *short, "--out", str(other)])
    main(["base", "--matches", "16", *short, *frozen, "--shipped", "--rivals", str(other), "--out", str(own)])
    trainer, rival_weights = load(own), load_weights(other / WEIGHTS)

    assert len(trainer.frozen) == 3
    assert all(np.array_equal(a, b) for a, b in zip(trainer.frozen[0], rival_weights, strict=True))
    assert history(own).commands[-2] == history(other).commands[-1]
    assert "--rivals rival --out own" in history(own).commands[-1]


def test_exploring_and_steps_shrink_over_the_course() -> None:
    course = Course("base", 2, 1, 1000)
    assert (exploration(course, 0), exploration(course, 1)) == (0.09, pytest.approx(0.01))
    assert rate(course, 0) == rate(course, 0.2) == course.rate
    assert rate(course, 1) == pytest.approx(course.last_rate)


def test_wins_are_counted_over_rotated_seats() -> None:
    won = wins_against("base", 2, new_trainer(TINY).weights, "greedy", 40, seed=1)
    assert won < 10, "a network that was never trained is no match for anybody"


def test_the_interval_of_a_share_is_wilsons() -> None:
    assert wilson(62, 100)[1:] == pytest.approx((0.5222, 0.7091), abs=1e-3)


def test_values_do_not_depend_on_how_many_tables_are_judged_at_once() -> None:
    weights, seen, table = _weights("base", 2)
    together = chances(weights, seen, table)
    for row in range(len(seen)):
        assert np.allclose(
            chances(weights, seen[row : row + 1], table[row : row + 1]), together[row], atol=1e-6
        )
