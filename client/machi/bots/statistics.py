"""What a bot has done since it was started."""

from collections import Counter
from typing import Any

from msgspec import Struct, field


class Statistics(Struct):
    """Counts of matches, decisions and errors, and times of decisions."""

    results: Counter[str] = field(default_factory=Counter)
    """Matches that have ended, by result: `won`, `lost`, `undecided` and `aborted`."""
    decisions: int = 0
    """Commands that were carried out."""
    late: int = 0
    """Decisions that were not needed any more: made elsewhere, or by the clock."""
    errors: int = 0
    """Decisions at which the function failed."""
    retries: int = 0
    """Requests that were sent again."""
    calls: int = 0
    """Calls of the function."""
    total_s: float = 0.0
    """Seconds that they took."""
    longest_s: float = 0.0

    @property
    def matches(self) -> int:
        """Matches that have ended."""
        return self.results.total()

    def called(self, taken_s: float) -> None:
        """Count a call of the function that took so long."""
        self.calls += 1
        self.total_s += taken_s
        self.longest_s = max(self.longest_s, taken_s)

    def members(self) -> dict[str, Any]:
        """All figures, for the log; times in milliseconds."""
        return {
            "matches": self.matches,
            **{name: self.results[name] for name in ("won", "lost", "undecided", "aborted")},
            "decisions": self.decisions,
            "late": self.late,
            "errors": self.errors,
            "retries": self.retries,
            "mean_ms": round(1000 * self.total_s / self.calls, 3) if self.calls else None,
            "longest_ms": round(1000 * self.longest_s, 3) if self.calls else None,
        }
