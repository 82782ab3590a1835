"""Long computations in native threads."""

import pytest
from gevent import monkey

from domain.errors import RuleViolation
from service.edge.native_threads import in_native_thread


def refuse() -> None:
    raise RuleViolation("too_few_entries", "a table needs 2 entries")


def test_a_computation_that_refuses_raises_and_prints_nothing(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(monkey, "is_module_patched", lambda name: True)
    with pytest.raises(RuleViolation, match="too_few_entries"):
        in_native_thread(refuse)
    assert capfd.readouterr() == ("", "")
    assert in_native_thread(sum, [1, 2]) == 3
