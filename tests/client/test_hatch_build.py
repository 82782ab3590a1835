import ast
from pathlib import Path

import pytest

import hatch_build
from hatch_build import MOVED, PACKAGE, files, placed, rewritten
from ops.run import ROOT


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("from domain import decide\n", "from {}.domain import decide\n"),
        (
            "from domain.match import (\n    a,\n    b,\n)\n",
            "from {}.domain.match import (\n    a,\n    b,\n)\n",
        ),
        ("def f():\n    from players import a  # why\n", "def f():\n    from {}.players import a  # why\n"),
        ("import kernel.layout as at\n", "import {}.kernel.layout as at\n"),
        ("import contract.states\n", "import {}.contract.states; from {} import contract\n"),
        ("x = 'é'; from review import walk\n", "x = 'é'; from {}.review import walk\n"),
        (
            "from domain import a; from kernel import b\n",
            "from {}.domain import a; from {}.kernel import b\n",
        ),
        ("import os, domain\n", "import os; import {}.domain; from {} import domain\n"),
    ],
)
def test_imports_of_what_is_moved_are_rewritten(source: str, expected: str) -> None:
    assert rewritten(source) == expected.replace("{}", PACKAGE)


@pytest.mark.parametrize(
    "source",
    [
        "from domains import domain\n",
        "from .domain import x\n",
        "from machi_koro_rules.game import Game\nimport machi.domain\n",
        '"""from domain import decide"""\n# from domain import x\ntext = "import domain"\n',
        "domain = players = 1\n",
    ],
)
def test_everything_else_stays_as_it_is(source: str) -> None:
    assert rewritten(source) == source


@pytest.mark.parametrize(
    "source", ["from  domain import x\n", "from domain\\\n import x\n", "import os, \\\n domain\n"]
)
def test_an_import_that_cannot_be_rewritten_ends_the_build(source: str) -> None:
    with pytest.raises(ValueError, match=r"cannot be rewritten: (from|import)"):
        rewritten(source)


def test_a_folder_that_is_no_package_ends_the_build(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="is no package"):
        list(files(tmp_path))


@pytest.mark.long
def test_no_source_of_a_wheel_imports_what_is_not_there_or_has_other_lines() -> None:
    for folder in (*MOVED, PACKAGE, "client/machi"):
        for path in (one for one in files(ROOT / folder) if one.suffix == ".py"):
            source = path.read_text()
            made = rewritten(source)
            assert made.count("\n") == source.count("\n")
            for node in ast.walk(ast.parse(made)):
                if isinstance(node, ast.ImportFrom):
                    assert node.level or (node.module or "").split(".")[0] not in MOVED, path
                elif isinstance(node, ast.Import):
                    assert not {one.name.split(".")[0] for one in node.names} & {*MOVED}, path


def test_no_source_names_a_moved_module_in_a_string_that_is_imported() -> None:
    """The hook rewrites imports alone."""
    for folder in (*MOVED, PACKAGE, "client/machi"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Call) and "import_module" in ast.unparse(node.func):
                    assert ast.unparse(node.args[0]).strip("'\"").split(".")[0] not in MOVED, path


def test_data_goes_with_its_package_and_what_a_compiler_made_does_not(tmp_path: Path) -> None:
    for name in (
        "__init__.py",
        "a.so",
        "weights/a.npz",
        ".compiled",
        "__pycache__/a.pyc",
        "py.typed",
        "README.md",
    ):
        path = tmp_path / "players" / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.touch()
    found = {str(placed(one.relative_to(tmp_path))) for one in files(tmp_path / "players")}
    assert found == {f"{PACKAGE}/players/{name}" for name in ("__init__.py", "weights/a.npz", "py.typed")}
    assert placed(Path("machi/client.py")) == Path("machi/client.py")


def test_there_is_one_hook() -> None:
    assert Path(hatch_build.__file__ or "") == ROOT / "client" / "hatch_build.py"
