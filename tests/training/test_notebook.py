"""docs/notebooks: each runs to its end on real data, and is committed without outputs."""

from pathlib import Path

import nbformat
import pytest

from ops.run import ROOT
from tests.notebooks import executed, plots_in
from training.dataset import main

FOLDER = ROOT / "docs/notebooks"


@pytest.mark.long
def test_the_notebook_goes_from_a_data_set_to_its_plots(tmp_path: Path) -> None:
    players = [word for name in ("random", "bakery", "greedy") for word in ("--player", name)]
    small = ["--ruleset", "base", "--seats", "2", "--matches", "8", "--processes", "1", *players]
    assert main([str(tmp_path / "data"), *small]) == 0
    done = executed(FOLDER / "ladder.ipynb", MACHI_DATA=str(tmp_path / "data/base"))
    assert plots_in(done) == 6
    printed = [output.text for cell in done.cells for output in cell.get("outputs", ()) if "text" in output]
    assert "base, seed 1: base, 2 seats\n4 blocks, " in "".join(printed)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_is_committed_without_outputs(path: Path) -> None:
    book = nbformat.read(path, as_version=4)
    for cell in book.cells:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None
