"""Lint `openapi.yaml` with redocly and spectral: `python -m ops.lint_openapi`. Skipped, with a message,
without Node.

Warnings count as errors. The configuration in `ops/openapi/` gives the reason for each disabled rule.
"""

import os
import subprocess
import sys
from pathlib import Path

from ops.node import NodeUnavailable, modules

ROOT = Path(__file__).parents[1]
QUIET = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}
CONFIGURATION = ROOT / "ops" / "openapi"


def main() -> int:
    """Run both linters; 0 if neither complains, or if there is no Node."""
    try:
        tools = modules(CONFIGURATION) / ".bin"
    except NodeUnavailable as error:
        print(f"openapi.yaml was NOT linted with redocly and spectral: {error}")
        return 0
    rules = str(CONFIGURATION)
    commands = (
        ["redocly", "lint", "openapi.yaml", f"--config={rules}/redocly.yaml"],
        ["spectral", "lint", "openapi.yaml", f"--ruleset={rules}/spectral.yaml", "--fail-severity=warn"],
    )
    return max([_run([f"{tools}/{name}", *words]) for name, *words in commands])


def _run(command: list[str]) -> int:
    return subprocess.run(command, cwd=ROOT, env={**os.environ, **QUIET}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
