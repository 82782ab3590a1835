"""`machi completion install`, with a real bash in a terminal."""

import json
import os
import pty
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from machi.cli import run
from tests.client.commands import PROCESS_DEADLINE_S, Run, _environ


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder, with a `machi` on the path."""
    folder = tmp_path / "a home"
    (folder / "bin").mkdir(parents=True)
    program = folder / "bin" / "machi"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m machi "$@"\n')
    program.chmod(0o755)
    for name, value in (("HOME", folder), ("PATH", f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}")):
        monkeypatch.setenv(name, str(value))
    for name in ("XDG_CONFIG_HOME", "ZDOTDIR", "SHELL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    return folder


@pytest.fixture
def install(home: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command in that home."""

    def run_with(*words: str) -> tuple[int, str, str]:
        code = run(("completion", "install", *words))
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run_with


@contextmanager
def bash_in_terminal() -> Iterator[int]:
    """The screen of an interactive bash that has read ~/.bashrc."""
    screen, program_side = pty.openpty()
    environ = {**_environ(), "PS1": "ready> ", "TERM": "dumb"}
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), program_side)
    words = ["bash", "--noprofile", "-i"]
    with subprocess.Popen(words, env=environ, start_new_session=True, **streams) as process:
        os.close(program_side)
        try:
            yield screen
        finally:
            process.kill()
            os.close(screen)


def read_until(screen: int, awaited: str) -> str:
    seen = ""
    while awaited not in seen:
        assert select.select([screen], [], [], PROCESS_DEADLINE_S)[0], seen
        seen += os.read(screen, 4096).decode()
    return seen


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("machi stra\t", "machi strategies "),
        ("machi completion inst\t", "machi completion install "),
        ("machi cards mac\t", "machi cards machi_koro_2 "),
        ("machi play --max-c\t", "machi play --max-copies "),
    ],
)
def test_the_tab_key_completes_in_bash(install: Run, home: Path, typed: str, completed: str) -> None:
    (home / ".bashrc").write_text("PS1='ready> '")
    assert install("bash")[0] == 0
    with bash_in_terminal() as screen:
        read_until(screen, "ready> ")
        os.write(screen, typed.encode())
        read_until(screen, completed)


def test_a_second_installation_changes_nothing(install: Run, home: Path) -> None:
    rest = b"alias x=y\nexport A=\xff"
    (home / ".bashrc").write_bytes(rest)
    code, out, err = install("bash", "--json")
    done = json.loads(out)
    assert (code, err, done["changed"]) == (0, "", [done["script"], done["start_file"]])
    written = (home / ".bashrc").read_bytes()
    assert written.startswith(rest + b"\n[ -f '")
    assert written.count(b"\n") == 3
    assert json.loads(install("bash", "--json")[1]) == {**done, "changed": []}
    assert install("bash")[1] == "Completion for bash is installed already.\n"
    assert (home / ".bashrc").read_bytes() == written


def test_an_old_script_is_replaced_and_the_change_is_told(install: Run, home: Path) -> None:
    script = json.loads(install("bash", "--json")[1])["script"]
    Path(script).write_text("old")
    assert install("bash")[1].splitlines()[0] == f"wrote {script}"
    assert "_machi_completion" in Path(script).read_text()


@pytest.mark.parametrize(
    ("shell", "script", "start_file"),
    [
        ("zsh", ".config/machi/completion.zsh", ".zshrc"),
        ("fish", ".config/fish/completions/machi.fish", None),
    ],
)
def test_other_shells_get_their_files_where_they_look_for_them(
    shell: str, script: str, start_file: str | None, install: Run, home: Path
) -> None:
    code, out, _ = install(shell, "--json")
    done = json.loads(out)
    assert (code, done["script"]) == (0, str(home / script))
    assert done["start_file"] == (str(home / start_file) if start_file else None)
    assert (home / script).read_text() == install(shell, "--print")[1]
    assert f"_MACHI_COMPLETE={shell}_complete" in (home / script).read_text()


def test_without_a_name_the_shell_is_the_users(
    install: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, _, err = install()
    assert (code, err) == (2, "error: $SHELL is not set; name the shell: bash, zsh, fish\n")
    monkeypatch.setenv("SHELL", "/usr/bin/fish")
    assert json.loads(install("--json")[1])["shell"] == "fish"


def test_a_script_that_is_printed_changes_nothing(install: Run, home: Path) -> None:
    code, out, _ = install("bash", "--print")
    assert (code, "complete -o nosort -F _machi_completion machi" in out) == (0, True)
    assert sorted(path.name for path in home.iterdir()) == ["bin"]


def test_a_folder_that_cannot_be_written_is_told_in_one_line(install: Run, home: Path) -> None:
    (home / ".config").write_text("a file")
    code, _, err = install("bash")
    assert (code, err.count("\n")) == (1, 1)
    assert err.startswith(f"error: cannot write {home / '.config'}")
