"""The client and the rules as others get them: what is in them, what they need, and what they offer."""

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
from ops.run import ROOT
from tests.golden import vectors
from tests.test_imports import imports_of, sources

PROJECT = tomllib.loads((ROOT / "client/pyproject.toml").read_text())["project"]
RULES = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
OF_THE_RULES = {"contract", "domain"}
"""The packages of the distribution `machi-koro-rules`."""


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
    assert needed(sources("client")) - said == named(PROJECT["optional-dependencies"]["verify"])
    assert said < needed(sources("client"))


def test_only_audits_check_signatures() -> None:
    others = [one for one in sources("client") if "audits" not in one.parts and one.name != "verify.py"]
    assert needed(others) == named(PROJECT["dependencies"])


def test_the_rules_need_what_they_say() -> None:
    packages = [path for package in OF_THE_RULES for path in sources(package)]
    assert needed(packages) - OF_THE_RULES == named(RULES["dependencies"]) == {"msgspec"}


def test_the_library_does_not_need_what_only_the_command_does() -> None:
    library = [path for path in sources("client") if "cli" not in path.parts and path.name != "__main__.py"]
    assert needed(library) == {"httpx2", "msgspec", *OF_THE_RULES}


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
    assert {str(path.relative_to(ROOT / "client")) for path in sources("client")} <= names


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


def test_the_wheel_of_the_rules_holds_them_the_contract_and_nothing_else(wheels: dict[str, Path]) -> None:
    with zipfile.ZipFile(wheels["rules"]) as wheel:
        names = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert wheels["rules"].name == f"machi_koro_rules-{RULES['version']}-py3-none-any.whl"
    assert {name for name in names if name.endswith(".py")} == {
        str(path.relative_to(ROOT)) for package in OF_THE_RULES for path in sources(package)
    }


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
