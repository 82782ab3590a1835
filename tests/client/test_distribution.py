"""The client as others get it: what is in it, what it needs, and what it offers."""

import re
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from flit_core import buildapi

import machi
from ops.run import ROOT
from tests.test_imports import imports_of, sources

PROJECT = tomllib.loads((ROOT / "client/pyproject.toml").read_text())["project"]


def needed(paths: list[Path]) -> set[str]:
    """What the sources import beside the standard library and themselves."""
    found = {name.split(".")[0] for path in paths for name in imports_of(path)}
    return found - set(sys.stdlib_module_names) - {"machi"}


def test_the_client_needs_what_it_says() -> None:
    said = {re.split(r"[<>=]", one)[0] for one in PROJECT["dependencies"]}
    assert needed(sources("client")) == said


def test_the_library_does_not_need_what_only_the_command_does() -> None:
    library = [path for path in sources("client") if "cli" not in path.parts and path.name != "__main__.py"]
    assert needed(library) == {"httpx2", "msgspec"}


def test_what_it_needs_is_locked() -> None:
    locked = (ROOT / "requirements.lock").read_text()
    assert all(re.search(rf"^{re.split('[<>=]', one)[0]}==", locked, re.M) for one in PROJECT["dependencies"])


def test_the_wheel_holds_the_package_its_types_and_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT / "client")
    name = buildapi.build_wheel(str(tmp_path))
    with zipfile.ZipFile(tmp_path / name) as wheel:
        names = set(wheel.namelist())
        (entry_points,) = [one for one in names if one.endswith("entry_points.txt")]
        assert "machi=machi.cli:main" in wheel.read(entry_points).decode()
    assert name == f"machi_koro_client-{machi.__version__}-py3-none-any.whl"
    assert {"machi/py.typed", "machi/cli/play.py"} <= names
    assert {str(path.relative_to(ROOT / "client")) for path in sources("client")} <= names


def test_public_names_are_listed_in_order_and_there() -> None:
    assert list(machi.__all__) == sorted(set(machi.__all__), key=str)
    assert all(hasattr(machi, name) for name in machi.__all__)
