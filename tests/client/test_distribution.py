"""The client and the rules as others get them: what is in them, what they need, and what they offer."""

import json
import os
import re
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hatchling import build

import machi
from hatch_build import MOVED, PACKAGE, placed
from ops.run import ROOT
from tests.client.exports import file_of, signed
from tests.golden import vectors
from tests.golden.exports import matches
from tests.test_imports import imports_of, sources

PROJECT = tomllib.loads((ROOT / "client/pyproject.toml").read_text())["project"]
RULES = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
OF_THE_RULES = {"contract", "domain"}
"""The packages of the distribution `machi-koro-rules` that need no extra."""
OF_REVIEWS = {"kernel", "players", "review"}
"""Those that need its extra `review`."""
ENVIRONMENT = ROOT / "client" / "machi" / "environment.py"
"""The module that needs the client's extra `environment`."""
CLIENT = [path for path in sources("client/machi") if path != ENVIRONMENT]
PARQUET = "parquet_files.py"
"""The module that needs the client's extra `data`."""


def named(requirements: list[str]) -> set[str]:
    """The packages of what is required."""
    names = {re.split(r"[<>=]", one)[0] for one in requirements}
    return names - {"machi-koro-rules"} | (OF_THE_RULES if "machi-koro-rules" in names else set())


def needed(paths: list[Path]) -> set[str]:
    """What the sources import beside the standard library and themselves."""
    found = {name.split(".")[0] for path in paths for name in imports_of(path)}
    return found - set(sys.stdlib_module_names) - {"machi"}


def test_the_client_needs_what_it_says() -> None:
    said = named(PROJECT["dependencies"])
    extra = PROJECT["optional-dependencies"]
    brought = named(extra["verify"]) | named(extra["mcp"]) | named(extra["data"])
    assert extra.keys() == {"data", "environment", "mcp", "review", "verify"}
    assert needed(CLIENT) - said - OF_REVIEWS == brought
    assert said < needed(CLIENT)


def test_only_the_environment_needs_pettingzoo_which_its_extra_brings() -> None:
    assert needed([ENVIRONMENT]) == {"domain", "machi_koro_rules", "pettingzoo"}
    assert PROJECT["optional-dependencies"]["environment"] == ["machi-koro-rules[pettingzoo]>=0.2"]
    assert "pettingzoo" in named(RULES["optional-dependencies"]["pettingzoo"])


def parts(path: Path) -> set[str]:
    """The folders of a source, below the checkout, and its name."""
    return {*path.relative_to(ROOT).parts}


def test_only_some_commands_check_signatures_review_serve_models_or_write_parquet() -> None:
    server = [one for one in CLIENT if "mcp" in parts(one)]
    assert needed(server) - {"msgspec", *OF_THE_RULES} == named(PROJECT["optional-dependencies"]["mcp"])
    others = [one for one in CLIENT if not {"audits", "mcp", "verify.py", PARQUET} & parts(one)]
    assert needed(others) - OF_REVIEWS == named(PROJECT["dependencies"])
    assert {one.name for one in others if needed([one]) & OF_REVIEWS} == {"offline.py"}


def test_the_rules_need_what_they_say() -> None:
    packages = [path for package in OF_THE_RULES for path in sources(package)]
    assert needed(packages) - OF_THE_RULES == named(RULES["dependencies"]) == {"msgspec"}
    more = [path for package in OF_REVIEWS for path in sources(package)]
    # The kernel imports numba by its name, where it is installed.
    extra = named(RULES["optional-dependencies"]["review"]) | {"llvmlite"}
    assert needed(more) - OF_THE_RULES - OF_REVIEWS - {"msgspec"} <= extra
    api = [path for path in sources(PACKAGE) if "environments" not in path.parts]
    assert needed(api) - {*MOVED, PACKAGE} == {"msgspec"}
    players = needed(sources("players")) - {*MOVED, "msgspec"}
    assert players == named(RULES["optional-dependencies"]["players"])
    assert "review" in PROJECT["optional-dependencies"]["review"][0]


def test_the_library_does_not_need_what_only_the_command_does() -> None:
    programs = {"cli", "mcp", "__main__.py", PARQUET}
    library = [path for path in CLIENT if not programs & parts(path)]
    assert needed(library) == {"httpx2", "msgspec", *OF_THE_RULES}


def test_the_command_loads_the_package_of_machi_mcp_for_that_alone() -> None:
    program = "import sys, machi.cli; print(*sys.modules)"
    environ = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'client'}"}
    command = [sys.executable, "-c", program]
    loaded = subprocess.run(command, env=environ, capture_output=True, text=True, check=True).stdout.split()
    assert "machi.cli.mcp" in loaded
    assert not {"mcp", "pydantic", "uvicorn"} & {*loaded}


def test_what_it_needs_is_locked() -> None:
    locked = (ROOT / "requirements.lock").read_text()
    others = named(PROJECT["dependencies"]) - OF_THE_RULES
    assert all(re.search(rf"^{name}==", locked, re.M) for name in others)


def test_the_wheel_holds_the_package_its_types_and_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT / "client")
    name = build.build_wheel(str(tmp_path))
    with zipfile.ZipFile(tmp_path / name) as wheel:
        names = set(wheel.namelist())
        (entry_points,) = [one for one in names if one.endswith("entry_points.txt")]
        assert "machi = machi.cli:main" in wheel.read(entry_points).decode()
    assert name == f"machi_koro_client-{machi.__version__}-py3-none-any.whl"
    assert {"machi/py.typed", "machi/cli/play.py"} <= names
    assert {str(path.relative_to(ROOT / "client")) for path in sources("client/machi")} <= names


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The wheels of the rules and of the client."""
    folder = tmp_path_factory.mktemp("wheels")
    found = {}
    with pytest.MonkeyPatch.context() as patch:
        for name, root in (("rules", ROOT), ("client", ROOT / "client")):
            patch.chdir(root)
            found[name] = folder / build.build_wheel(str(folder))
    return found


def test_the_wheel_of_the_rules_holds_them_the_contract_what_reviews_need_and_nothing_else(
    wheels: dict[str, Path],
) -> None:
    with zipfile.ZipFile(wheels["rules"]) as wheel:
        names = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert wheels["rules"].name == f"machi_koro_rules-{RULES['version']}-py3-none-any.whl"
    assert {*MOVED} == OF_THE_RULES | OF_REVIEWS
    assert {name for name in names if name.endswith(".py")} == {
        str(placed(path.relative_to(ROOT))) for package in (*MOVED, PACKAGE) for path in sources(package)
    }
    assert {name.partition("/")[0] for name in names} == {PACKAGE}


_ALONE = """
import socket, sys

def refuse(*_):
    raise OSError("there is no network")

socket.socket.connect = socket.getaddrinfo = refuse
sys.path += {path!r}
sys.modules.update(dict.fromkeys({missing!r}))
from machi.cli import run
sys.exit(run({words!r}))
"""


def run_alone(wheels: dict[str, Path], *words: str, missing: Sequence[str] = ()) -> tuple[int, str, str]:
    """Run `machi` from the wheels, with what they need and without the checkout or a network."""
    path = [*map(str, wheels.values()), sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    # Without `site`, no file of the environment leads to a checkout.
    code = _ALONE.format(path=path, words=words, missing=missing)
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, cwd="/", timeout=60
    )
    return done.returncode, done.stdout, done.stderr


def test_a_machine_with_the_wheels_alone_verifies_a_file_without_a_network(wheels: dict[str, Path]) -> None:
    keys, file = vectors.FOLDER / "signing-keys.json", vectors.FOLDER / "harbor.ndjson"
    code, out, err = run_alone(wheels, "verify", "--keys", str(keys), str(file))
    assert (code, out[:20], err) == (0, "1 match: 1 verified,", "")


@pytest.mark.parametrize("words", [("verify", "some.ndjson"), ("audit",)])
def test_without_the_extra_it_is_said_in_a_line_what_to_install(
    words: tuple[str, ...], wheels: dict[str, Path]
) -> None:
    code, out, err = run_alone(wheels, *words, missing=["cryptography"])
    assert (code, out, err.count("\n")) == (3, "", 1)
    assert err.startswith(
        "error: this command needs the package cryptography; in a checkout, run: pip install"
    )


@pytest.mark.long
def test_a_machine_with_the_wheels_alone_reviews_a_file_without_a_network(
    wheels: dict[str, Path], tmp_path: Path
) -> None:
    unpacked = {name: tmp_path / name for name in wheels}
    for name, folder in unpacked.items():
        zipfile.ZipFile(wheels[name]).extractall(folder)
    given_up = [signed(played) for played in matches(1, most=3, resigns=True)]
    file = file_of(str(tmp_path / "match.ndjson"), given_up)
    code, out, err = run_alone(unpacked, "review", "--json", file, missing=["numba"])
    assert (code, err) == (0, "")
    assert json.loads(out)["ruleset"] == "base"


@pytest.mark.long
def test_without_the_extra_for_reviews_it_is_said_in_a_line_what_to_install(wheels: dict[str, Path]) -> None:
    file = vectors.FOLDER / "base.ndjson"
    code, out, err = run_alone(wheels, "review", str(file), missing=["numpy"])
    assert (code, out, err.count("\n")) == (3, "", 1)
    assert err.startswith("error: to compute a review, this command needs the package numpy; in a checkout,")


@pytest.mark.long
def test_the_environments_play_from_the_wheels_alone(wheels: dict[str, Path]) -> None:
    path = [*map(str, wheels.values()), sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    code = f"""
import sys
sys.path += {path!r}
import machi.environment
from machi_koro_rules.environments import machi_koro_v0, openspiel, single_seat
env = machi_koro_v0.env(ruleset="harbor", first_seat=0)
env.reset(seed=1)
env.step(0)
assert not {set(MOVED)!r} & set(sys.modules)
print(machi_koro_v0.__file__, env.agent_selection)
"""
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, cwd="/")
    assert done.stdout.split()[1:] == ["player_0"], done.stderr
    assert done.stdout.startswith(str(wheels["rules"]))


@pytest.mark.long
def test_without_the_extra_for_data_parquet_says_what_to_install_and_csv_works(
    wheels: dict[str, Path], tmp_path: Path
) -> None:
    words = ("export", str(vectors.FOLDER / "base.ndjson"), "-o", str(tmp_path / "out"), "--format")
    code, out, err = run_alone(wheels, *words, "parquet", missing=["pyarrow"])
    assert (code, out, err.count("\n")) == (3, "", 1)
    assert err.startswith("error: Parquet files need the package pyarrow; in a checkout, run: pip install")
    assert not (tmp_path / "out").exists()
    code, _, err = run_alone(wheels, *words, "csv", missing=["pyarrow", "numpy"])
    assert (code, err.endswith("1 match, 226 events, 90 decisions, 2 results\n")) == (0, True)


def test_public_names_are_listed_in_order_and_there() -> None:
    assert list(machi.__all__) == sorted(set(machi.__all__), key=str)
    assert all(hasattr(machi, name) for name in machi.__all__)


def test_both_wheels_carry_licence_notice_and_types(wheels: dict[str, Path]) -> None:
    for path in wheels.values():
        with zipfile.ZipFile(path) as wheel:
            names = wheel.namelist()
            (metadata,) = [wheel.read(one).decode() for one in names if one.endswith("/METADATA")]
        assert "License-Expression: Apache-2.0" in metadata
        assert {one.rpartition("/")[2] for one in names if "/licenses/" in one} == {"LICENSE", "NOTICE"}
        assert any(one.endswith("py.typed") for one in names)


@pytest.mark.parametrize("name", ["LICENSE", "NOTICE"])
def test_the_client_is_licensed_as_the_rest(name: str) -> None:
    assert (ROOT / "client" / name).read_text() == (ROOT / name).read_text()


def test_no_page_suggests_the_other_program_called_machi() -> None:
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("client/*.md")]
    suggestion = re.compile(r"(uvx|pipx run|pipx install|pip install|uv tool install)\s+machi(\s|$)", re.M)
    assert [str(page) for page in pages if suggestion.search(page.read_text())] == []
