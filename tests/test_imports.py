"""Which package may import which, read from the source with `ast`; imports inside functions count too."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

OURS = {
    *(
        "bench",
        "client",
        "contract",
        "domain",
        "events",
        "kernel",
        "machi",
        "machi_koro_rules",
        "ops",
        "players",
        "review",
        "runtime",
        "service",
        "tests",
        "training",
    ),
    "workers",
}

ALLOWED: dict[str, set[str]] = {
    "domain": set(),
    "kernel": {"domain"},
    "players": {"domain", "kernel"},
    "review": {"contract", "domain", "kernel", "players"},
    "machi_koro_rules": {"domain", "kernel", "players"},
    "runtime": set(),
    "contract": {"domain"},
    "events": {"domain", "runtime"},
    "service": {"contract", "domain", "players", "review", "runtime", "events"},
    "workers": {"contract", "domain", "kernel", "players", "review", "runtime", "events"},
    "bench": {"domain", "kernel", "players", "review", "runtime", "events", "workers", "ops", "machi"},
    "training": {"domain", "kernel", "players", "review", "runtime", "events", "workers", "bench", "machi"},
    "ops": set(),
    "client": {"contract", "domain", "kernel", "machi", "machi_koro_rules", "review"},
}
"""By package: the others of ours that it may import."""

PURE = {
    "__future__",
    "abc",
    "bisect",
    "collections",
    "copy",
    "dataclasses",
    "enum",
    "fractions",
    "functools",
    "hashlib",
    "heapq",
    "hmac",
    "itertools",
    "json",
    "math",
    "operator",
    "re",
    "string",
    "types",
    "typing",
}
"""Modules of the standard library without input, output, clock or hidden randomness."""


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """The imports and calls of a source file."""
    wanted = ast.Import, ast.ImportFrom, ast.Call
    return tuple(node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, wanted))


def imports_of(path: Path) -> set[str]:
    """The absolute names that a source file imports."""
    return imports_in(nodes_of(path), path)


def imports_in(nodes: Iterable[ast.AST], path: Path) -> set[str]:
    """The absolute names that nodes of a source file import."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(_absolute(path, node))
    return found


def _absolute(path: Path, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    package = path.relative_to(ROOT).parts[: -node.level]
    return ".".join([*package, node.module] if node.module else package)


def sources(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def imported(package: str) -> set[tuple[str, str]]:
    """Which file of the package imports which top-level name."""
    return {
        (str(path.relative_to(ROOT)), name.split(".")[0])
        for path in sources(package)
        for name in imports_of(path)
    }


def at_the_top(package: str) -> set[tuple[str, str]]:
    """Which file of the package imports which top-level name when it is imported itself."""
    return {
        (str(path.relative_to(ROOT)), name.split(".")[0])
        for path in sources(package)
        for node in ast.parse(path.read_text()).body
        for name in imports_in([node], path)
    }


@pytest.mark.parametrize("package", ALLOWED)
def test_packages_import_each_other_one_way_only(package: str) -> None:
    forbidden = OURS - ALLOWED[package] - {package}

    assert {(path, name) for path, name in imported(package) if name in forbidden} == set()


def test_the_architecture_lists_what_each_package_may_import() -> None:
    text = (ROOT / "docs/architecture.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \|((?: `\w+`,?)*) \|$", text, re.MULTILINE)
    own_names = {"client": "machi"}  # a folder, and the package in it

    listed = {name: {own_names.get(one, one) for one in re.findall(r"\w+", cell)} for name, cell in rows}

    assert listed == {name: allowed - {own_names.get(name)} for name, allowed in ALLOWED.items()}


def test_the_domain_imports_nothing_with_input_output_clock_or_hidden_randomness() -> None:
    assert sources("domain")
    assert {
        (path, name) for path, name in imported("domain") if name not in {*PURE, "msgspec", "domain"}
    } == set()


@pytest.mark.parametrize("word", ["open", "print", "input", "exec", "eval", "__import__", "globals"])
def test_the_domain_calls_nothing_that_reaches_outside(word: str) -> None:
    calls = {
        str(path.relative_to(ROOT))
        for path in sources("domain")
        for node in nodes_of(path)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == word
    }

    assert calls == set()


def test_the_kernel_needs_nothing_that_the_domain_does_not_need() -> None:
    """It runs without numba, slowly: whatever else it uses, it imports inside of functions."""
    names = {name for _, name in at_the_top("kernel")}

    assert names - set(sys.stdlib_module_names) == {"domain", "kernel"}


@pytest.mark.parametrize("package", ["service", "client", "machi_koro_rules"])
def test_the_players_are_only_imported_where_they_are_needed(package: str) -> None:
    """They bring numpy and their network, for which most processes have no use; environments need them."""
    where = {one for one in at_the_top(package) if one[1] in {"kernel", "players", "review"}}

    assert {one for one in where if "/environments/" not in one[0]} == set()


def test_a_web_process_loads_neither_the_kernel_nor_what_compiles_it() -> None:
    program = "import sys, service.app; print(*sys.modules)"
    command = [sys.executable, "-c", program]
    loaded = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()

    assert "events" in loaded
    assert {"kernel", "numba", "llvmlite", "players"} & {*loaded} == set()


def test_the_event_store_imports_nothing_of_the_kinds_of_streams() -> None:
    assert {
        (str(path.relative_to(ROOT)), name)
        for path in sources("events/store")
        for name in imports_of(path)
        if name.startswith(("events.checkpoints", "events.ladders", "events.matches"))
    } == set()


def test_the_list_of_pure_modules_is_of_the_standard_library() -> None:
    assert set(sys.stdlib_module_names) >= PURE


def test_relative_and_nested_imports_are_seen(tmp_path: Path) -> None:
    source = tmp_path / "one.py"
    source.write_text("import os.path\n\ndef f() -> None:\n    from random import choice\n")

    assert imports_of(source) == {"os.path", "random"}
