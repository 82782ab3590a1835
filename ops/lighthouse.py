"""Rate pages of a running service with Lighthouse, as a phone and as a desktop would show them.

`python -m ops.lighthouse URL ...` simulates the network and the processor of a phone from what it measures
here, so rate performance on an idle machine only. It needs Node and a Chromium (CHROME_PATH).
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from ops.node import NodeUnavailable, modules

LEAST: Final = 95
"""Of 100, in each category."""

_TOOLS: Final = Path(__file__).parent / "rating"
_FLAGS: Final = (
    "--quiet",
    "--output=json",
    "--no-enable-error-reporting",
    "--chrome-flags=--headless=new --no-sandbox",
)
_LONGEST_S: Final = 180


def main(arguments: list[str]) -> int:
    """Print the scores of each page; returns 0 if all reach the goal, or if there is no Node."""
    parser = argparse.ArgumentParser(prog="python -m ops.lighthouse", description=__doc__)
    parser.add_argument("url", nargs="+", help="address of a page of a running service")
    urls: list[str] = parser.parse_args(arguments).url
    try:
        program = modules(_TOOLS) / ".bin" / "lighthouse"
    except NodeUnavailable as error:
        print(f"the pages were NOT rated with Lighthouse: {error}")
        return 0
    found = [_scores(program, url, form) for url in urls for form in ("phone", "desk")]
    return int(min(score for scores in found for score in scores.values()) < LEAST)


def chromium() -> str:
    """The path of the browser; empty if there is none."""
    found = shutil.which("chromium") or shutil.which("chromium-headless-shell")
    return os.environ.get("CHROME_PATH") or found or ""


def _scores(program: Path, url: str, form: str) -> dict[str, int]:
    """The score of each category.

    Raises:
        CalledProcessError: Lighthouse ended without a report.
        TimeoutExpired: it did not end.
    """
    with TemporaryDirectory() as name:
        report = Path(name) / "report.json"
        preset = ["--preset=desktop"] if form == "desk" else []
        command = [str(program), url, *_FLAGS, *preset, f"--output-path={report}"]
        environment = {**os.environ, "CHROME_PATH": chromium()}
        subprocess.run(command, env=environment, check=True, stdin=subprocess.DEVNULL, timeout=_LONGEST_S)
        categories = json.loads(report.read_bytes())["categories"]
    scores = {name: round(100 * (one["score"] or 0)) for name, one in categories.items()}
    print(f"{url}, {form}: {', '.join(f'{name} {score}' for name, score in scores.items())}")
    return scores


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
