import pickle
import re
import sys
from dataclasses import FrozenInstanceError
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import machi_koro_rules as mk
from domain import create
from domain.match.chance import SeededChance
from domain.match.commands import Build, CreateMatch, Resign, RollDice, SeatPlan
from domain.match.events import Dice
from domain.match.rulesets import CURRENT, resolve_options
from kernel import engine
from machi_koro_rules.game import seed_bytes
from ops.run import ROOT
from players import PLAYERS
from workers.turns.decisions import decision

SEATS = {"base": 2, "harbor": 5, "machi_koro_2": 3, "millionaires_row": 4, "harbor_millionaires_row": 2}
DOCUMENT = ROOT / "docs" / "packages.md"


@pytest.fixture
def plain_kernel(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The kernel as if numba were not installed: it plays the same matches, and nothing is compiled."""
    monkeypatch.setattr(engine, "engine", lambda: engine.PLAIN)
    return engine


@pytest.mark.parametrize("ruleset", mk.RULESETS)
def test_equal_seeds_and_commands_give_equal_games(ruleset: str) -> None:
    one, other = [mk.new_game(ruleset, seats=SEATS[ruleset], seed=3).play("random") for _ in range(2)]
    assert one.is_over
    assert one.events == other.events
    assert one.state == other.state
    assert mk.new_game(ruleset, seats=SEATS[ruleset], seed=4).play("random").events != one.events


def test_without_a_seed_every_game_has_dice_of_its_own() -> None:
    seeds = {mk.new_game().play("random").events[-1] for _ in range(2)}
    assert len(seeds) == 2


def test_a_command_leads_to_another_game_and_leaves_the_first_as_it_is() -> None:
    game = mk.new_game(seed=1, first_seat=1)
    before = game.state
    later = game.apply(RollDice(1, 1))
    assert game.state == before != later.state
    assert later.history[:-1] == game.history
    assert isinstance(later.history[-1][0], mk.events.DiceRolled)
    assert (game.seat, game.winner, game.is_over) == (1, None, False)


def test_a_copy_of_the_table_is_nobody_elses() -> None:
    game = mk.new_game(seed=1)
    game.state.coins[0] = 99
    assert game.state.coins == [3, 3]


@pytest.mark.parametrize("name", ["history", "seat", "other"])
def test_a_game_cannot_be_changed(name: str) -> None:
    with pytest.raises((FrozenInstanceError, AttributeError)):
        setattr(mk.new_game(seed=1), name, ())


def test_a_game_goes_to_another_process_and_on_there() -> None:
    game = mk.new_game(seed=1)
    sent = pickle.loads(pickle.dumps(game))
    assert sent.play("random").events == game.play("random").events


def test_a_command_that_the_rules_refuse_is_refused_with_their_reason() -> None:
    game = mk.new_game(seed=1, first_seat=0)
    with pytest.raises(mk.RuleViolation, match="phase"):
        game.apply(Build(0, "cafe"))
    with pytest.raises(TypeError, match="a command is one of roll_dice"):
        game.apply({"type": "roll_dice"})  # type: ignore[arg-type]


def test_whoever_resigns_is_out_of_the_match() -> None:
    game = mk.new_game(seed=1).apply(Resign(0))
    assert (game.is_over, game.winner, game.legal_commands()) == (True, 1, ())


@pytest.mark.parametrize("player", ["random", "greedy", "learned", "expected_value"])
def test_built_in_players_choose_as_on_the_service(player: str) -> None:
    """`decision` is what the service's workers call."""
    chance = SeededChance(seed_bytes(5), "")
    rules = CURRENT["base"]
    seats = tuple([SeatPlan("strategy", player, player, "1")] * 2)
    creation = CreateMatch(rules.version, resolve_options(rules, 2), seats, Dice("committed"), "ada")
    state, _ = create(creation, chance)
    game = mk.new_game("base", seed=5)
    for _ in range(25):
        game = game.apply(game.choose(player))
        assert tuple(decision(state, chance).events) == game.history[-1]


def test_the_built_in_players_are_those_of_the_service() -> None:
    assert mk.player_names() == tuple(PLAYERS)


def test_each_seat_can_have_a_player_of_its_own() -> None:
    game = mk.new_game(seats=3, seed=2)
    mixed = game.play("random", "greedy", "random")
    assert mixed.is_over
    assert mixed.events not in (game.play("random").events, game.play("greedy").events)


def test_another_seed_changes_what_comes_and_nothing_that_was() -> None:
    game = mk.new_game(seed=2, first_seat=0).apply(RollDice(0, 1))
    one, other = [game.with_seed(seed).play("random").events for seed in range(2)]
    assert one != other
    assert one[: len(game.events)] == other[: len(game.events)] == game.events


def test_playouts_count_who_wins_from_there_on(plain_kernel: ModuleType) -> None:
    game = mk.new_game("base", seats=3, seed=1)
    found = game.playouts("greedy", "random", "landmark_first", matches=12)
    assert len(found.winners) == len(found.turns) == 12
    assert found.chances == tuple(found.winners.count(seat) / 12 for seat in range(3))
    assert found.chances[0] > found.chances[1]
    assert found == game.playouts("greedy", "random", "landmark_first", matches=12)
    assert found != game.playouts("greedy", "random", "landmark_first", matches=12, seed=99)


def test_playouts_know_the_network(plain_kernel: ModuleType) -> None:
    assert sum(mk.new_game("base", seed=1).playouts("quick", matches=1).chances) == 1


def test_playouts_without_a_trained_network_have_the_other_players(plain_kernel: ModuleType) -> None:
    game = mk.new_game("millionaires_row", seats=2, seed=1)
    assert len(game.playouts("landmark_first", "random", matches=1).winners) == 1
    with pytest.raises(ValueError, match="'learned' needs a network, and none was trained for millionaires"):
        game.playouts("learned", "random", matches=1)


def test_a_seat_that_has_resigned_wins_no_playout(plain_kernel: ModuleType) -> None:
    game = mk.new_game("base", seats=3, seed=1).apply(Resign(1))
    assert game.playouts("random", matches=5).chances[1] == 0


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (
            {"ruleset": "chess"},
            "must be one of base, harbor, machi_koro_2, millionaires_row, harbor_millionaires_row, not ",
        ),
        ({"seats": 6}, "must be 2 to 5 seats, not 6"),
        ({"seats": 1}, "must be 2 to 5 seats, not 1"),
        ({"first_seat": 2}, "has no seat 2"),
        ({"names": ["ada"]}, "2 seats need as many names, not 1"),
        ({"market": "rows"}, "no market 'rows'"),
        ({"card_costs": {"castle": 1}}, "no card 'castle'"),
        ({"max_copies": 3}, "no option max_copies 3"),
        ({"seed": b"short"}, "has 32 bytes, not 5"),
    ],
)
def test_a_game_that_cannot_be_is_refused_with_the_reason(wrong: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        mk.new_game(**wrong)


@pytest.mark.parametrize("seed", ["1", 1.5, True])
def test_a_seed_is_a_number_or_bytes(seed: Any) -> None:
    with pytest.raises(TypeError, match="a seed is a number or 32 bytes"):
        mk.new_game(seed=seed)


def test_players_that_are_not_there_and_tables_where_nobody_acts_are_refused() -> None:
    game = mk.new_game(seed=1)
    over = game.apply(Resign(0))
    with pytest.raises(ValueError, match="must be one of random"):
        game.choose("nobody")
    with pytest.raises(ValueError, match="1 player or 2, not 3"):
        game.play("random", "random", "random")
    with pytest.raises(ValueError, match="the kernel has the players"):
        game.playouts("strong")
    with pytest.raises(ValueError, match="1 player or 2, not 0"):
        game.playouts()
    with pytest.raises(ValueError, match="1 match or more, not 0"):
        game.playouts("random", matches=0)
    for fails in (lambda: over.choose("random"), lambda: over.playouts("random")):
        with pytest.raises(ValueError, match="the match is over"):
            fails()


def test_without_numpy_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "players", None)
    with pytest.raises(ImportError, match=re.escape("install machi-koro-rules[players]")):
        mk.new_game(seed=1).choose("greedy")


def example() -> str:
    """The example of the documentation."""
    (code,) = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(), re.S)
    return str(code)


def test_the_example_of_the_documentation_plays_a_match_in_20_lines(
    capsys: pytest.CaptureFixture[str],
    plain_kernel: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert len([line for line in example().splitlines() if line.strip()]) <= 20
    exec(compile(example(), str(DOCUMENT), "exec"), {})
    printed = capsys.readouterr().out
    assert "won by" in printed
    assert "throws," in printed


def test_public_names_are_listed_in_order_and_documented() -> None:
    assert list(mk.__all__) == sorted(mk.__all__, key=lambda name: (not name.isupper(), name.islower(), name))
    assert all(hasattr(mk, name) for name in mk.__all__)
    text = DOCUMENT.read_text()
    members = [name for name in dir(mk.Game) if not name.startswith("_")]
    assert [name for name in members if f"`{name}" not in text] == []
