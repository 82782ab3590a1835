"""A backup that is taken while people play verifies, and has all that was acknowledged before."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from ops import backup
from ops.servers import ROOT
from tests.e2e.stack import Stack
from tests.storms.journal import Journal, Json
from tests.storms.wire import Wire

SEATS = [{"kind": "strategy", "strategy": "random"}] * 3


def command(*arguments: str, var_dir: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "ops.backup", *arguments],
        cwd=ROOT,
        env={**os.environ, "VAR_DIR": str(var_dir)},
        capture_output=True,
        text=True,
        check=False,
    )


def verdict(wire: Wire, match_id: str) -> str:
    return str(wire.ask("GET", f"/v1/matches/{match_id}/verification").json["verdict"])


@pytest.mark.long
def test_a_backup_of_a_service_in_use_is_restored_and_verifies(tmp_path: Path) -> None:
    journal, over, enough = Journal(tmp_path), threading.Event(), threading.Event()
    stack = Stack(tmp_path / "var")
    stack.start()
    wire = Wire(stack.ports, journal, over)
    wire.sign_up("ada")
    body = {"ruleset": "base", "seats": [{"kind": "me"}] * 2}
    match_id = wire.ask("POST", "/v1/matches", body, key="match-of-one-person-alone").json["match_id"]
    path = f"/v1/matches/{match_id}"
    told: list[Json] = []

    def play() -> None:
        """Load on the store: matches of built-in players, and commands."""
        own, number = Wire(stack.ports, journal, over), 0
        own.token = wire.token
        while not enough.is_set():
            number += 1
            body = {"ruleset": "base", "seats": SEATS}
            own.ask("POST", "/v1/matches", body, key=f"match-number-{number:020}")
            legal = own.ask("GET", f"{path}/legal-commands").json["commands"]
            done = own.ask("POST", f"{path}/commands", legal[0], key=f"turn-{number}").json
            told.extend(done["events"])
        own.close()

    player = threading.Thread(target=play)
    player.start()
    while len(told) < 20:
        threading.Event().wait(0.05)
    before = len(told)
    taken = command("take", str(tmp_path / "backup"), var_dir=stack.var_dir)
    assert (taken.returncode, taken.stderr) == (0, "")
    assert command("take", str(tmp_path / "backup"), var_dir=stack.var_dir).returncode == 1
    enough.set()
    player.join()
    wire.close()
    stack.stop()
    restored = Stack(tmp_path / "other")
    assert command("restore", str(tmp_path / "backup"), var_dir=restored.var_dir).returncode == 0
    restored.start()
    again = Wire(restored.ports, journal, over)
    again.token = wire.token
    after = told[0]["sequence"] - 1
    stored = again.ask("GET", f"{path}/events?after={after}&limit=500").json["items"]
    assert len(stored) >= before
    assert stored == told[: len(stored)]
    listed = again.ask("GET", "/v1/matches?limit=500").json["items"]
    over_then = [one["match_id"] for one in listed if one["status"] == "finished"]
    assert over_then
    assert {verdict(again, one) for one in over_then} == {"verified"}
    assert verdict(again, match_id) == "incomplete", "only its seed is missing, until it is over"
    again.close()
    restored.stop()
    assert journal.faults == []
    refused = command("restore", str(tmp_path / "backup"), var_dir=restored.var_dir)
    assert "there is an event store" in refused.stderr


def test_there_is_nothing_to_copy_where_no_service_was(tmp_path: Path) -> None:
    with pytest.raises(backup.BackupError, match="no event store"):
        backup.take(tmp_path, tmp_path / "backup")
    with pytest.raises(backup.BackupError, match="no backup"):
        backup.restore(tmp_path / "backup", tmp_path / "var")
