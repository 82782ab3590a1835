"""What the package in `client-ts/` promises, without Node."""

import json
import re
from pathlib import Path

import pytest

from ops.lint import CLIENT, ROOT

PACKAGE = json.loads((CLIENT / "package.json").read_text())
MOST_SOURCE_LINES = 300
GENERATED = "schema.ts"


def source_lines(path: Path) -> int:
    """The lines with code: neither empty nor comments."""
    lines = (line.strip() for line in path.read_text().splitlines())
    return sum(bool(line) and not line.startswith(("//", "/*", "*")) for line in lines)


def test_the_client_stays_small() -> None:
    sources = [path for path in (CLIENT / "src").glob("*.ts") if path.name != GENERATED]
    assert 0 < sum(map(source_lines, sources)) <= MOST_SOURCE_LINES


def test_openapi_fetch_is_the_only_dependency_at_run_time() -> None:
    assert list(PACKAGE["dependencies"]) == ["openapi-fetch"]


def test_all_packages_are_pinned() -> None:
    pinned = PACKAGE["dependencies"] | PACKAGE["devDependencies"]
    assert [name for name, version in pinned.items() if not re.fullmatch(r"\d+\.\d+\.\d+", version)] == []


@pytest.mark.parametrize("name", ["LICENSE", "NOTICE"])
def test_the_package_carries_the_licence_of_the_project(name: str) -> None:
    assert PACKAGE["license"] == "Apache-2.0"
    assert name in PACKAGE["files"]
    assert (CLIENT / name).read_bytes() == (ROOT / name).read_bytes()


@pytest.mark.parametrize("option", ["strict", "noUncheckedIndexedAccess", "exactOptionalPropertyTypes"])
def test_the_sources_are_strict(option: str) -> None:
    assert json.loads((CLIENT / "tsconfig.json").read_text())["compilerOptions"][option] is True


def test_what_is_generated_is_not_committed() -> None:
    ignored = (ROOT / ".gitignore").read_text().split()
    assert {"client-ts/dist/", f"client-ts/src/{GENERATED}", "node_modules"} <= set(ignored)
