"""The arguments of `python -m training`: what a course may be told, and what a resumed one refuses."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from ops.servers import ROOT
from training.__main__ import main
from training.arguments import course_of, parser
from training.checkpoints import load
from training.release import history


def test_the_commands_of_the_documentation_are_understood() -> None:
    text = (ROOT / "docs" / "learned.md").read_text().replace("\\\n", " ")
    shown = re.findall(r"^    python -m training (.*)$", text, re.MULTILINE)
    places = {"RULESET": "base", "N": "2", "S": "1", "M": "8"}

    # In the first one, brackets mark what may be left out.
    for command in shown[1:]:
        parser().parse_args([places.get(word, word) for word in shlex.split(command)])

    assert len(shown) > 6


def test_hyperparameters_are_set_by_name() -> None:
    args = parser().parse_args(
        ["harbor", "--seats", "4", "--set", "rate=0.5", "--set", "passes=2", "--out", "x"]
    )

    course = course_of(args)

    assert (course.ruleset, course.seats, course.rate, course.passes) == ("harbor", 4, 0.5, 2)
    assert (course.seed, course.matches) == (1, 100_000)


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        *[(f"{name}=4", f"no hyperparameter '{name}'") for name in ("seats", "seed", "matches", "rivals")],
        ("ruleset=harbor", "no hyperparameter 'ruleset'"),
        ("sizes=8", "no hyperparameter 'sizes'"),
        ("taught=1", "no hyperparameter 'taught'"),
        ("rate", "rate must be a number above 0, not ''"),
        ("rate=fast", "rate must be a number above 0, not 'fast'"),
        ("last_rate=0", "last_rate must be a number above 0, not '0'"),
        ("trace=1.5", "trace must be a number from 0 to 1, not '1.5'"),
        ("rate=nan", "not 'nan'"),
        ("rate=-1", "not '-1'"),
        ("passes=1.5", "passes must be a whole number from 1 on, not '1.5'"),
        ("per_round=0", "per_round must be a whole number from 1 on, not '0'"),
    ],
)
def test_nothing_but_numbers_that_are_hyperparameters_can_be_set(
    setting: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The history says what else a course was told."""
    with pytest.raises(SystemExit) as ended:
        main(["base", "--set", setting, "--minutes", "0.00001", "--out", str(tmp_path / "run")])

    assert ended.value.code == 2
    assert "argument --set: " in (said := capsys.readouterr().err)
    assert told in said
    assert not (tmp_path / "run").exists()


def test_a_strength_is_of_an_opponent(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["ship", str(tmp_path), "--strength", "greedy"])

    assert ended.value.code == 2
    assert "argument --strength: it must be OPPONENT=TEXT, not 'greedy'" in capsys.readouterr().err


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a course that can be resumed."""
    folder = tmp_path_factory.mktemp("stopped")
    settings = ["--seats", "3", "--seed", "9", "--matches", "16", "--set", "per_round=8", "--shipped"]
    main(["base", *settings, "--minutes", "0.00001", "--out", str(folder)])
    return folder


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("harbor", "ruleset is base, not harbor"),
        ("base --seats 2", "seats is 3, not 2"),
        ("base --seed 1", "seed is 9, not 1"),
        ("base --matches 100000", "matches is 16, not 100000"),
        ("base --set rate=0.5", "rate is 0.001, not 0.5"),
        ("base --exploit", "it began without --exploit"),
        ("base --start other", "it began without --start other"),
        ("base --rivals one two", "it began without --rivals one two"),
        ("harbor --seats 4", "ruleset is base, not harbor; seats is 3, not 4"),
    ],
)
def test_a_course_is_not_resumed_as_another(
    words: str, told: str, stopped: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*words.split(), "--resume", "--minutes", "0.00001", "--out", str(stopped)])

    assert ended.value.code == 2
    said = "argument --resume: the checkpoint is of another course: "
    assert capsys.readouterr().err.endswith(f"{said}{told}\n")
    assert load(stopped).matches == 8


@pytest.mark.parametrize(
    ("words", "missing"),
    [
        ("base --resume --out FOLDER", "checkpoint.npz"),
        ("base --start FOLDER --out FOLDER", "weights.npz"),
        ("ship FOLDER", "history.json"),
        ("measure base FOLDER/weights.npz", "weights.npz"),
    ],
)
def test_a_missing_file_is_named(
    words: str, missing: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main([word.replace("FOLDER", str(tmp_path)) for word in words.split()])

    assert capsys.readouterr().err.endswith(f"there is no {tmp_path / missing}\n")


def test_the_command_that_began_a_course_resumes_it(stopped: Path, tmp_path: Path) -> None:
    """The history of the folder has that command last."""
    folder = shutil.copytree(stopped, tmp_path / "run")
    words = history(folder).commands[-1].split()[3:]

    main([*words[: words.index("--out")], "--resume", "--out", str(folder)])

    assert load(folder).matches == 16
