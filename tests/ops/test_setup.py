import os
import shutil
import subprocess
import sysconfig
import venv
from pathlib import Path

import pytest

from ops import setup
from ops.run import ROOT


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Our sources in a path with a space, and an environment with what the lock files install."""
    root = tmp_path / "a b"
    for folder in ("client", "contract", "domain", "machi_koro_rules"):
        shutil.copytree(ROOT / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE", "NOTICE"):
        shutil.copy(ROOT / name, root)
    monkeypatch.chdir(root)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("PYTHONPATH", raising=False)
    venv.create(setup.VENV, symlinks=True)
    (site_packages,) = (root / ".venv").glob("lib/python*/site-packages")
    (site_packages / "installed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return root


def version(root: Path) -> str:
    """What the installed command prints of itself."""
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [root / ".venv/bin/machi", "--version"]
    return subprocess.run(
        command, capture_output=True, text=True, check=True, cwd=root.parent, env=environ
    ).stdout


@pytest.mark.long
def test_rules_and_client_are_installed_once_without_a_network_from_their_sources(checkout: Path) -> None:
    setup.install_ours("rules")
    assert setup.is_ours_installed("rules")
    assert not setup.is_ours_installed("client")
    command = [checkout / ".venv/bin/python", "-c", "import domain; print(domain.__file__)"]
    found = subprocess.run(command, capture_output=True, text=True, check=True, cwd=checkout.parent).stdout
    assert found == f"{checkout / 'domain/__init__.py'}\n"

    setup.install_ours("client")
    assert setup.is_ours_installed("client")
    assert version(checkout) == "machi, version 0.1.0\n"

    source = checkout / "client/machi/__init__.py"
    source.write_text(source.read_text().replace('"0.1.0"', '"0.1.1"'))
    assert version(checkout) == "machi, version 0.1.1\n"
    assert setup.is_ours_installed("client")


@pytest.mark.long
def test_the_client_is_installed_anew_when_it_needs_something_else_or_has_moved(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    setup.install_ours("client")
    project = checkout / "client/pyproject.toml"
    text = project.read_text()
    project.write_text(text.replace("rich>=13", "rich>=14"))
    assert not setup.is_ours_installed("client")
    setup.install_ours("client")
    assert setup.is_ours_installed("client")

    moved = checkout.rename(checkout.with_name("moved"))
    monkeypatch.chdir(moved)
    assert not setup.is_ours_installed("client")
    setup.install_ours("client")
    setup.install_ours("rules")
    assert version(moved) == "machi, version 0.1.0\n"
