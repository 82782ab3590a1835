"""Lint with tools of Node what those of Python cannot: `python -m ops.lint`. Skipped, with a message, without
Node.

redocly and spectral check `openapi.yaml`; TypeScript, ESLint and Prettier check the pages and `client-ts/`.
Warnings count as errors. The configuration in `ops/openapi/`, `ops/pages/` and `client-ts/` gives the reason
for each disabled rule.

`python -m ops.lint format` formats the scripts. Templates and styles keep their line breaks: Prettier would
give each attribute and each declaration a line.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from ops.node import NodeUnavailable, modules, workshop

ROOT = Path(__file__).parents[1]
QUIET = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}
OPENAPI, PAGES = ROOT / "ops" / "openapi", ROOT / "ops" / "pages"
ASSETS = ROOT / "service" / "pages" / "assets"
CLIENT = ROOT / "client-ts"


def main() -> int:
    """Run all linters; 0 if none complains, or if there is no Node."""
    try:
        return max([lint_document(), lint_pages(), lint_client()])
    except NodeUnavailable as error:
        print(f"openapi.yaml, the pages and client-ts were NOT linted with tools of Node: {error}")
        return 0


def lint_document() -> int:
    """Lint `openapi.yaml`; 0 if neither linter complains.

    Raises:
        NodeUnavailable.
    """
    tools = modules(OPENAPI) / ".bin"
    commands = (
        ["redocly", "lint", "openapi.yaml", f"--config={OPENAPI}/redocly.yaml"],
        ["spectral", "lint", "openapi.yaml", f"--ruleset={OPENAPI}/spectral.yaml", "--fail-severity=warn"],
    )
    return max([_run([f"{tools}/{name}", *words], ROOT) for name, *words in commands])


def lint_pages() -> int:
    """Lint the scripts and styles of the pages; 0 if no linter complains.

    Raises:
        NodeUnavailable.
    """
    with TemporaryDirectory() as name:
        folder = _workshop(Path(name))
        tools = folder / "node_modules" / ".bin"
        checks = [
            _run([f"{tools}/tsc", "--project", "tsconfig.json"], folder),
            _run([f"{tools}/eslint", "--max-warnings=0", "js", "css"], folder),
        ]
    return max(*checks, _prettier("--check"))


def lint_client() -> int:
    """Build the client in TypeScript and lint it; 0 if the compiler and the linters do not complain.

    Raises:
        NodeUnavailable.
    """
    with TemporaryDirectory() as name:
        folder = client_workshop(Path(name))
        steps = (["npm", "run", "--silent", step] for step in ("build", "lint"))
        return next((status for command in steps if (status := _run(command, folder))), 0)


def client_workshop(folder: Path) -> Path:
    """A copy of the client in TypeScript, beside its tools and the document that it is built from.

    Raises:
        NodeUnavailable.
    """
    shutil.copy(ROOT / "openapi.yaml", folder)
    return workshop(CLIENT, folder / CLIENT.name)


def format_scripts() -> int:
    """Format the scripts of the pages and `client-ts/`, unless there is no Node; 0 if that worked."""
    try:
        client = [f"{modules(CLIENT)}/.bin/prettier", "--write", "--log-level=warn", "."]
        return max(_prettier("--write"), _run(client, CLIENT))
    except NodeUnavailable as error:
        print(f"the scripts were NOT formatted: {error}")
        return 0


def _workshop(folder: Path) -> Path:
    """The configuration, the scripts and the styles beside the tools.

    Instead of the vendored libraries there are their types: minified code has none.
    """
    for kind in ("js", "css"):
        shutil.copytree(ASSETS / kind, folder / kind)
    return workshop(PAGES, folder)


def _prettier(task: str) -> int:
    command = [
        f"{modules(PAGES)}/.bin/prettier",
        task,
        f"--config={PAGES}/.prettierrc.json",
        "--log-level=warn",
    ]
    return _run([*command, str(ASSETS / "js")], ROOT)


def _run(command: list[str], folder: Path) -> int:
    return subprocess.run(command, cwd=folder, env={**os.environ, **QUIET}, check=False).returncode


if __name__ == "__main__":
    sys.exit(format_scripts() if sys.argv[1:] == ["format"] else main())
