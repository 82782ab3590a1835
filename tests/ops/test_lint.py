"""Linting with tools of Node: with Node it happens, without Node it is said that it did not."""

from pathlib import Path

import pytest

from ops import lint


def test_without_node_the_skipped_lint_is_announced(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    assert lint.main() == 0
    assert "were NOT linted" in capsys.readouterr().out


def test_with_a_node_that_is_too_old_the_skipped_lint_is_announced(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("node", "npm"):
        (tmp_path / name).write_text("#!/bin/sh\necho v18.20.0\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert lint.main() == 0
    assert "node v18.20.0 is older than 20" in capsys.readouterr().out


def test_without_node_scripts_are_left_as_they_are(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    assert lint.format_scripts() == 0
    assert "were NOT formatted" in capsys.readouterr().out
