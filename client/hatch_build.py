"""The build hook of both distributions: wheels have the rules within the package `machi_koro_rules`.

A checkout has `domain`, `contract` and others as packages of their own, and imports them by these names.
Installed beside other distributions, such names would collide. So a wheel has them as
`machi_koro_rules.domain` and so on, and its sources import them from there. What is installed as editable
stays as it is. See docs/adr/0043.

This module is here since both source distributions can have it here, each within its own root.
"""

import ast
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE: Final = "machi_koro_rules"
MOVED: Final = ("contract", "domain", "kernel", "players", "review")
"""What wheels have within the package."""

_EXCLUDED: Final = (".md", ".pyc", ".so")


class RulesInOnePackage(BuildHookInterface):  # type: ignore[type-arg]
    """Puts rewritten sources into a wheel. The option `folders` names the packages that it holds."""

    _room: TemporaryDirectory[str] | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the files to include in place of the sources; those with the same place replace them."""
        if version == "editable":
            return
        self._room = TemporaryDirectory()
        root, room = Path(self.root), Path(self._room.name)
        for path in (one for folder in self.config["folders"] for one in files(root / folder)):
            place = placed(path.relative_to(root))
            if path.suffix == ".py":
                found = room / place
                found.parent.mkdir(parents=True, exist_ok=True)
                found.write_text(rewritten(path.read_text(encoding="utf-8")), encoding="utf-8")
                path = found
            build_data["force_include"][str(path)] = str(place)

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the rewritten sources."""
        if self._room is not None:
            self._room.cleanup()


def files(folder: Path) -> Iterator[Path]:
    """The sources and data of a package, without what Python or a compiler made of them.

    Raises:
        FileNotFoundError: there is no such package.
    """
    if not (folder / "__init__.py").is_file():
        raise FileNotFoundError(f"{folder} is no package")
    for path in sorted(folder.rglob("*")):
        is_hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if path.is_file() and path.suffix not in _EXCLUDED and not is_hidden:
            yield path


def placed(path: Path) -> Path:
    """Where the wheel has a file of the checkout."""
    return PACKAGE / path if path.parts[0] in MOVED else path


def rewritten(source: str) -> str:
    """The source with imports of what was moved from where it is; all lines keep their numbers."""
    lines = source.splitlines(keepends=True)
    # From the end of each line, so that the columns of what is left to do remain right.
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Import | ast.ImportFrom)]
    for node in sorted(nodes, key=lambda one: one.col_offset, reverse=True):
        line = lines[node.lineno - 1].encode()
        before, statement = line[: node.col_offset].decode(), line[node.col_offset :].decode()
        if isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if node.level == 0 and _is_moved(module):
                words = f"from {module} "
                _require(statement.startswith(words), statement)
                lines[node.lineno - 1] = f"{before}from {PACKAGE}.{module} {statement.removeprefix(words)}"
        elif any(_is_moved(alias.name) for alias in node.names):
            _require(node.end_lineno == node.lineno, statement)
            after = line[node.end_col_offset :].decode()
            lines[node.lineno - 1] = before + "; ".join(map(_import_of, node.names)) + after
    return "".join(lines)


def _is_moved(module: str) -> bool:
    return module.split(".")[0] in MOVED


def _import_of(alias: ast.alias) -> str:
    if not _is_moved(alias.name):
        return f"import {alias.name} as {alias.asname}" if alias.asname else f"import {alias.name}"
    if alias.asname:
        return f"import {PACKAGE}.{alias.name} as {alias.asname}"
    # `import domain.errors` loads the module, and makes `domain` a name.
    return f"import {PACKAGE}.{alias.name}; from {PACKAGE} import {alias.name.split('.')[0]}"


def _require(is_understood: bool, statement: str) -> None:
    if not is_understood:
        raise ValueError(f"this import is written in a way that cannot be rewritten: {statement.strip()}")
