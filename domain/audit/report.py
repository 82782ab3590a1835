"""The report of an audit: the checks and the verdict."""

from collections.abc import Iterable
from typing import Final, Literal, TypeAlias

from msgspec import Struct

Status: TypeAlias = Literal["passed", "failed", "pending", "skipped"]
"""`pending`: what the check needs does not exist yet or is unavailable; `skipped`: an earlier failure leaves
nothing to check."""

Verdict: TypeAlias = Literal["verified", "failed", "incomplete"]


class Check(Struct, frozen=True):
    """One check and its outcome."""

    name: str
    status: Status
    first_failed_sequence: int | None = None
    """The sequence of the first event that fails; None if the check passed or no event is to blame."""
    detail: str = ""
    """In words, without a full stop; empty if the check passed."""


class Findings:
    """The findings of an audit so far: the first failure of each check."""

    def __init__(self) -> None:
        self._failed: dict[str, Check] = {}

    def fail(self, name: str, sequence: int | None, detail: str) -> None:
        """Record a failure; only the first of each check counts."""
        self._failed.setdefault(name, Check(name, "failed", sequence, detail))

    def has_failed(self, *names: str) -> bool:
        """Whether any of the checks has failed."""
        return any(name in self._failed for name in names)

    def check(self, name: str, otherwise: Status = "passed", detail: str = "") -> Check:
        """The outcome of the check: its failure, or else `otherwise` with `detail`."""
        return self._failed.get(name) or Check(name, otherwise, None, detail)


class Report(Struct, frozen=True):
    """The outcome of an audit."""

    verdict: Verdict
    checks: tuple[Check, ...]
    match_id: str = ""
    version: int = 0
    """The number of events in the evidence."""

    @property
    def first_failed_sequence(self) -> int | None:
        """The first sequence at which any check failed; None if none failed at an event."""
        failed = [check.first_failed_sequence for check in self.checks if check.status == "failed"]
        return min([sequence for sequence in failed if sequence is not None], default=None)


NAMES: Final = (
    "schema",
    "sequence",
    "chain",
    "ruleset",
    "decisions",
    "dice",
    "draws",
    "payments",
    "result",
    "origin",
    "checkpoint",
    "stream",
    "log",
    "receipt",
)
"""All checks, in the order of reports."""


def verdict_of(checks: Iterable[Check]) -> Verdict:
    """`failed` if any check failed; `verified` if all passed; else `incomplete`."""
    statuses = {check.status for check in checks}
    if "failed" in statuses:
        return "failed"
    return "verified" if statuses <= {"passed"} else "incomplete"
