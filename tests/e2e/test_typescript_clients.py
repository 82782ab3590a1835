"""Clients that public generators make from `openapi.yaml` in TypeScript compile under `strict` and play.

Node is optional: without it, without npm, or without the packages of `typescript/package-lock.json`, the
tests are skipped and say so. The packages are kept beside those of Python, for the next run.
"""

import json
import os
import random
import shutil
from pathlib import Path

import pytest

from ops.lint import CLIENT
from ops.node import NodeUnavailable, modules
from tests.e2e.stack import ROOT, Stack
from tests.e2e.test_generated_client import DOCUMENT, GUIDE, run

pytestmark = pytest.mark.long

SOURCES = Path(__file__).parent / "typescript"
LINTERS = ROOT / "ops" / "openapi"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with both players, generated, checked and compiled."""
    try:
        packages = modules(SOURCES)
    except NodeUnavailable as error:
        pytest.skip(str(error))
    folder = tmp_path_factory.mktemp("typescript")
    (folder / "node_modules").symlink_to(packages)
    for source in SOURCES.iterdir():
        shutil.copy(source, folder)
    tools = folder / "node_modules" / ".bin"
    document = str(DOCUMENT)
    run([f"{tools}/openapi-typescript", document, "--default-non-nullable=false", "-o", "schema.ts"], folder)
    run([f"{tools}/openapi-ts", "--no-log-file"], folder, OPENAPI_DOCUMENT=document)
    run([f"{tools}/tsc", "-p", "."], folder)
    return folder / "built"


@pytest.mark.parametrize("player", ["openapi_fetch", "hey_api"])
def test_a_generated_client_plays_a_match_and_deletes_its_account(
    built: Path, shared_stack: Stack, player: str
) -> None:
    url, handle = f"http://127.0.0.1:{shared_stack.port}", f"ts-{random.randrange(16**8):08x}"
    printed = json.loads(run(["node", f"{player}.js", url, handle], built))
    assert printed["status"] == "finished"
    assert printed["winner"] in (0, 1)
    assert printed["events"] > 20
    assert printed["afterwards"] == "token_invalid"


def test_the_sources_are_strict() -> None:
    assert json.loads((SOURCES / "tsconfig.json").read_text())["compilerOptions"]["strict"] is True


def test_the_guide_names_the_versions_that_are_tested() -> None:
    pinned = json.loads((SOURCES / "package.json").read_text())["devDependencies"]
    for name in ("openapi-typescript", "openapi-fetch", "@hey-api/openapi-ts"):
        assert f"{name} {pinned[name]}" in GUIDE.read_text()


@pytest.mark.parametrize("folder", [SOURCES, LINTERS, CLIENT])
def test_the_lock_file_names_no_host_of_a_registry(folder: Path) -> None:
    lock = json.loads((folder / "package-lock.json").read_text())
    assert [name for name, package in lock["packages"].items() if "resolved" in package] == []
    assert all(package.get("integrity") for name, package in lock["packages"].items() if name)


def test_the_packages_are_kept_out_of_the_sources() -> None:
    assert ".venv" in (ROOT / ".gitignore").read_text().split()
    assert not os.path.exists(SOURCES / "node_modules")
