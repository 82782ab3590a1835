"""A verifier that was written from the documents alone agrees with the rules on a thousand matches."""

import base64
import importlib.util
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from domain.audit.files import read_exports
from domain.audit.verify import verify
from events.signing import is_signed
from tests.e2e.many_matches import matches
from tests.golden.exports import KEY_ID, PUBLIC_KEY, written

SOURCE = Path(__file__).parents[2] / "docs" / "verify_match.py"
PARTS = 8


@pytest.fixture(scope="module")
def stranger() -> Iterator[ModuleType]:
    spec = importlib.util.spec_from_file_location("verify_match", SOURCE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["verify_match"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["verify_match"]


def is_good(key_id: str, message: bytes, signature: str) -> bool:
    return key_id == KEY_ID and is_signed(base64.b64decode(PUBLIC_KEY), message, signature)


def ours(lines: Iterable[bytes]) -> bool:
    """Whether our audit finds no fault; the origins of branches are not at hand."""
    (evidence,) = read_exports(lines)
    return verify(evidence, is_good).verdict != "failed"


@pytest.mark.parametrize("part", range(PARTS))
def test_it_agrees_on_a_thousand_matches(stranger: ModuleType, part: int) -> None:
    count = 1000 // PARTS
    for exported in matches(count, part * count):
        lines = written(exported.lines).splitlines()
        ((match_id, fault),) = stranger.verify(lines)
        assert (match_id, not fault) == (exported.lines[0]["match_id"], ours(lines)), (
            fault,
            exported.forgery,
        )
        assert bool(fault) == bool(exported.forgery), (fault, exported.forgery)


def test_it_is_short_enough_to_be_read() -> None:
    assert len(SOURCE.read_text().splitlines()) <= 175


def test_it_shares_no_code_with_the_service() -> None:
    words = ("import domain", "from domain", "import events", "from events", "import machi", "from machi")
    assert not any(word in SOURCE.read_text() for word in words)
