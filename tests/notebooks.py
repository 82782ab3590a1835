"""Notebooks, executed from the first cell to the last as a reader would."""

import os
from pathlib import Path
from unittest.mock import patch

import nbformat
from nbclient import NotebookClient

from ops.run import ROOT

DEADLINE_S = 150


def executed(path: Path, **environ: str) -> nbformat.NotebookNode:
    """The notebook with its outputs, run in its folder; an error in a cell is raised."""
    book = nbformat.read(path, as_version=4)
    nbformat.validate(book)
    found = {**environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'client'}"}
    with patch.dict(os.environ, found):
        client = NotebookClient(book, timeout=DEADLINE_S, resources={"metadata": {"path": str(path.parent)}})
        return client.execute()


def plots_in(book: nbformat.NotebookNode) -> int:
    """The number of pictures among the outputs."""
    outputs = [output for cell in book.cells for output in cell.get("outputs", ())]
    return sum(["image/png" in output.get("data", {}) for output in outputs])
