"""Lint with tools of Node what those of Python cannot: `python -m ops.lint`. Skipped, with a message, without
Node.

redocly and spectral check `openapi.yaml`; TypeScript, ESLint and Prettier check the pages. Warnings count as
errors. The configuration in `ops/openapi/` and `ops/pages/` gives the reason for each disabled rule.

`python -m ops.lint format` formats the scripts. Templates and styles keep their line breaks: Prettier would
give each attribute and each declaration a line.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from ops.node import NodeUnavailable, modules

ROOT = Path(__file__).parents[1]
QUIET = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}
OPENAPI, PAGES = ROOT / "ops" / "openapi", ROOT / "ops" / "pages"
ASSETS = ROOT / "service" / "pages" / "assets"


def main() -> int:
    """Run all linters; 0 if none complains, or if there is no Node."""
    try:
        return max([lint_document(), lint_pages()])
    except NodeUnavailable as error:
        print(f"openapi.yaml and the pages were NOT linted with tools of Node: {error}")
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


def format_pages() -> int:
    """Format the scripts of the pages, unless there is no Node; 0 if that worked."""
    try:
        return _prettier("--write")
    except NodeUnavailable as error:
        print(f"the scripts of the pages were NOT formatted: {error}")
        return 0


def _workshop(folder: Path) -> Path:
    """The folder with the configuration, the scripts and the styles beside the tools, as these want it.

    Instead of the vendored libraries there are their types: minified code has none.
    """
    shutil.copytree(PAGES, folder, dirs_exist_ok=True)
    for kind in ("js", "css"):
        shutil.copytree(ASSETS / kind, folder / kind)
    (folder / "node_modules").symlink_to(modules(PAGES))
    return folder


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
    sys.exit(format_pages() if sys.argv[1:] == ["format"] else main())
