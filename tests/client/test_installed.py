"""Both distributions as their releases will be: built, checked, and installed where no checkout is."""

import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from hatch_build import MOVED, PACKAGE
from ops.run import ROOT
from tests.golden import vectors

pytestmark = pytest.mark.long

LEARNED = """
import machi_koro_rules as mk

game = mk.new_game("machi_koro_2", seats=2, seed=3).play("learned", "random")
assert game.is_over and game.winner is not None, game
assert type(game.history[0][0]) is mk.events.MatchCreated
from machi_koro_rules.domain.match.events import MatchCreated
assert MatchCreated is mk.events.MatchCreated
assert sum(mk.new_game(seed=1).playouts("greedy", matches=1).chances) == 1
assert game._repr_html_().startswith("<div")
import machi
assert machi.Build is mk.commands.Build
print("played", game.winner)
"""

WITHOUT_NUMBA = "import sys; sys.modules['numba'] = None\n"
"""Compiling the kernel takes half a minute, and the tests of the kernel do it."""


def run(*words: object, cwd: Path | str = "/") -> str:
    """What a command prints; it has no network, and nothing of the checkout on its path."""
    environment = {
        name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")
    }
    environment |= {"PIP_NO_INDEX": "1", "SOURCE_DATE_EPOCH": "1700000000"}
    done = subprocess.run(
        [*map(str, words)], capture_output=True, text=True, cwd=cwd, env=environment, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Source distributions of both, and the wheels that were built from these."""
    folder = tmp_path_factory.mktemp("dist")
    for root in (ROOT, ROOT / "client"):
        run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, root)
    return folder


@pytest.fixture(scope="module")
def installed(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with both wheels, and what other distributions these tests have."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, symlinks=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    # A path in such a file is added as it is: what is editable there stays unknown.
    (packages / "others.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    wheels = sorted(dist.glob("*.whl"))
    run(
        folder / "bin/python",
        "-m",
        "pip",
        "install",
        "--no-deps",
        "--no-compile",
        "--ignore-installed",
        *wheels,
    )
    return folder


def test_each_has_a_wheel_and_a_source_distribution_that_twine_accepts(dist: Path) -> None:
    found = sorted(path.name for path in dist.iterdir())
    assert [re.sub(r"-[\d.]+\d", "", name) for name in found] == [
        "machi_koro_client-py3-none-any.whl",
        "machi_koro_client.tar.gz",
        "machi_koro_rules-py3-none-any.whl",
        "machi_koro_rules.tar.gz",
    ]
    checked = run(sys.executable, "-m", "twine", "--no-color", "check", "--strict", *sorted(dist.iterdir()))
    assert checked.count("PASSED") == 4


@pytest.mark.parametrize("root", ["", "client"])
def test_a_wheel_from_the_checkout_is_that_from_the_source_distribution(
    root: str, dist: Path, tmp_path: Path
) -> None:
    run(sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", tmp_path, ROOT / root)
    (built,) = tmp_path.iterdir()
    assert built.read_bytes() == (dist / built.name).read_bytes()


def test_source_distributions_have_the_sources_as_they_are_and_the_hook(dist: Path) -> None:
    for path in dist.glob("*.tar.gz"):
        with tarfile.open(path) as archive:
            names = {name.partition("/")[2] for name in archive.getnames()}
            (source,) = [
                archive.extractfile(name)
                for name in archive.getnames()
                if name.endswith(("/review/walk.py", "/machi/table.py"))
            ]
            assert source is not None
            assert PACKAGE not in source.read().decode()
        assert {"LICENSE", "NOTICE", "pyproject.toml", "PKG-INFO"} <= names
        assert {"hatch_build.py", "client/hatch_build.py"} & names


def test_wheels_say_what_they_are_and_under_which_licence(dist: Path) -> None:
    for path in dist.glob("*.whl"):
        with zipfile.ZipFile(path) as wheel:
            names = wheel.namelist()
            (metadata,) = [wheel.read(name).decode() for name in names if name.endswith("METADATA")]
        assert {name.rpartition("/")[2] for name in names if "/licenses/" in name} == {"LICENSE", "NOTICE"}
        assert {f"{name.partition('/')[0]}/py.typed" for name in names if name.endswith(".py")} <= {*names}
        assert "Classifier: Typing :: Typed" in metadata
        assert "License-Expression: Apache-2.0" in metadata


def test_two_names_are_installed_and_none_of_the_checkout(installed: Path) -> None:
    (packages,) = installed.glob("lib/python*/site-packages")
    names = {path.name for path in packages.iterdir() if path.suffix not in (".dist-info", ".pth")}
    assert names - {"__pycache__"} == {PACKAGE, "machi"}
    missing = f"from importlib.util import find_spec; print([n for n in {MOVED!r} if find_spec(n)])"
    assert run(installed / "bin/python", "-I", "-c", missing) == "[]\n"
    place = "import machi, machi_koro_rules as r; print(machi.__file__, r.__file__)"
    assert run(installed / "bin/python", "-I", "-c", place).split() == [
        str(packages / name / "__init__.py") for name in ("machi", PACKAGE)
    ]


def test_the_example_plays_from_the_wheels(installed: Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "packages.md").read_text(), re.S)
    assert "won by" in run(installed / "bin/python", "-I", "-c", WITHOUT_NUMBA + code)


def test_a_match_with_the_network_plays_from_the_wheels_and_classes_are_one(installed: Path) -> None:
    assert run(installed / "bin/python", "-I", "-c", WITHOUT_NUMBA + LEARNED).startswith("played ")


def test_starting_the_command_loads_neither_players_nor_kernel(installed: Path) -> None:
    loaded = run(installed / "bin/python", "-I", "-c", "import sys, machi.cli; print(*sys.modules)").split()
    assert f"{PACKAGE}.domain" in loaded
    assert not {"numpy", f"{PACKAGE}.kernel", f"{PACKAGE}.players"} & {*loaded}


def test_the_compiled_kernel_is_kept_in_the_users_cache_and_not_beside_other_packages(
    installed: Path, tmp_path: Path
) -> None:
    code = f"import os; os.environ['XDG_CACHE_HOME'] = {str(tmp_path)!r}; "
    code += f"from {PACKAGE}.kernel.engine import CACHE; print(CACHE)"
    assert run(installed / "bin/python", "-I", "-c", code) == f"{tmp_path}/machi-koro-rules/kernel\n"


def test_the_command_verifies_a_file(installed: Path) -> None:
    keys, file = vectors.FOLDER / "signing-keys.json", vectors.FOLDER / "base.ndjson"
    printed = run(installed / "bin/machi", "verify", "--keys", keys, file)
    assert printed.startswith("1 match: 1 verified,")
