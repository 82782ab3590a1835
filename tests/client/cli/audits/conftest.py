"""`machi verify` in this process."""

from pathlib import Path

import pytest

from machi.cli import run
from tests.client.commands import Run


@pytest.fixture
def verify(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `machi verify` in a folder of its own; the exit code, what it printed, and the errors."""
    monkeypatch.chdir(tmp_path)
    # No command of a machine without a network may look for a service.
    monkeypatch.setenv("MACHI_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("COLUMNS", "80")

    def verified(*words: str) -> tuple[int, str, str]:
        code = run(["verify", *words])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return verified
