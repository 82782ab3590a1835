"""`openapi.yaml` as it lies in the repository."""

from functools import cache
from typing import Any

import yaml

from tests.service.served import ROOT

FILE = ROOT / "openapi.yaml"


@cache
def written_document() -> dict[str, Any]:
    """The file, parsed: that takes half a second."""
    return dict(yaml.load(FILE.read_text(), yaml.CSafeLoader))


def operations() -> list[tuple[str, str]]:
    """Path and method of each operation."""
    paths = written_document()["paths"]
    return [(path, method) for path, item in paths.items() for method in item if method != "parameters"]
