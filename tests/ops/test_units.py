"""The units of systemd are valid."""

import shutil
import subprocess
from pathlib import Path

import pytest

from ops.servers import ROOT

UNIT = ROOT / "deploy" / "systemd" / "machi-koro.service"
HOME = "/opt/machi-koro"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_finds_no_fault_in_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / UNIT.name
    unit.write_text(UNIT.read_text().replace(HOME, str(ROOT)))
    verified = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(unit)], capture_output=True, text=True, check=False
    )
    assert (verified.returncode, verified.stdout, verified.stderr) == (0, "", "")
