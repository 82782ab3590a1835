from itertools import pairwise
from pathlib import Path

import pytest

import machi_koro_rules as mk
from domain.audit.inference import command_of
from domain.match.commands import RollDice
from tests.golden import vectors

FILES = ["base", "harbor", "machi_koro_2", "seat_seeds"]


@pytest.mark.parametrize("name", FILES)
def test_a_file_gives_the_game_after_each_command(name: str) -> None:
    games = mk.replay(vectors.FOLDER / f"{name}.ndjson")
    assert games[-1].is_over
    assert [len(game.history) for game in games] == [*range(1, len(games) + 1)]
    assert all(later.history[:-1] == game.history for game, later in pairwise(games))


@pytest.mark.parametrize("name", ["base", "harbor", "machi_koro_2"])
def test_from_each_game_of_a_file_the_match_goes_on_with_its_own_dice(name: str) -> None:
    games = mk.replay(str(vectors.FOLDER / f"{name}.ndjson"))
    compared = 0
    for game, later in pairwise(games):
        command = command_of(game.state, later.history[-1])
        if type(command) in mk.commands.PLAY_COMMANDS.values():
            again = game.apply(command)  # type: ignore[arg-type]
            assert (again.history, again.state) == (later.history, later.state)
            compared += 1
    assert compared > 40


def test_a_history_gives_the_same_games_again_with_dice_that_nobody_knows() -> None:
    game = mk.new_game("harbor", seats=3, seed=1).play("random")
    games = mk.replay(game.history)
    assert games[-1].events == game.events
    assert games[-1].state == game.state
    with pytest.raises(ValueError, match="with_seed gives it others"):
        games[0].apply(games[0].legal_commands()[0])
    with pytest.raises(ValueError, match="with_seed gives it others"):
        games[0].choose("random")
    assert games[0].with_seed(2).play("random").is_over


def test_a_file_of_a_running_match_gives_no_dice(tmp_path: Path) -> None:
    lines = (vectors.FOLDER / "base.ndjson").read_bytes().splitlines(keepends=True)
    file = tmp_path / "running.ndjson"
    file.write_bytes(b"".join(line for line in lines if b'"kind":"reveal"' not in line))
    game = mk.replay(file)[0]
    with pytest.raises(ValueError, match="not known"):
        game.apply(RollDice(game.seat or 0, 1))


def test_what_is_no_export_file_of_one_whole_match_is_refused(tmp_path: Path) -> None:
    content = (vectors.FOLDER / "base.ndjson").read_bytes()
    lines = content.splitlines(keepends=True)
    cases = {
        b"": "no match in it",
        b"hello\n": "no JSON",
        b"x" * 10_000_000: "line 1",
        content + content: "holds several matches",
        b"".join(lines[:20] + lines[21:]): "is damaged",
        content.replace(b'"coins":', b'"coin":', 1): "is damaged",
    }
    file = tmp_path / "match.ndjson"
    for written, why in cases.items():
        file.write_bytes(written)
        with pytest.raises(ValueError, match=why):
            mk.replay(file)
    with pytest.raises(FileNotFoundError):
        mk.replay(tmp_path / "nothing")
    game = mk.new_game(seed=1, first_seat=0).apply(RollDice(0, 1))
    with pytest.raises(ValueError, match="creates no match"):
        mk.replay(game.history[1:])
