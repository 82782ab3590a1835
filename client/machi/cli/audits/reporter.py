"""The output of verified matches: a line for each that is not verified, or JSON for each, and a summary."""

import sys
import time
from collections import Counter
from typing import Any, Final

from domain.audit.report import Check, Report
from machi.cli.audits.verification import VerificationResult
from machi.cli.session import Session

EXIT_CODES: Final = {"failed": 1, "unreadable": 3, "incomplete": 2, "verified": 0}
"""Exit codes, the worst first: the first one that any match has counts."""

_STYLES: Final = {"failed": "red", "unreadable": "red", "incomplete": "yellow", "verified": ""}


class Reporter:
    """Prints the outcomes of matches and counts them."""

    def __init__(self, session: Session, verbose: bool, passed_word: str = "verified") -> None:
        """`passed_word` is the word for matches without a problem."""
        self._session = session
        self._verbose = verbose
        self._passed_word = passed_word
        self._counts: Counter[str] = Counter()
        self._matches = 0
        self._keys_in_files: set[tuple[str, str]] = set()
        self._start = time.monotonic()
        self.seen: set[str] = set()
        """The matches that were reported."""

    def report(self, outcome: VerificationResult) -> None:
        """Count the match, and print it if there is something to say."""
        self._counts[outcome.verdict] += 1
        self._matches += bool(outcome.report and outcome.match_id)
        self.seen.add(outcome.match_id)
        if outcome.key_id:
            self._keys_in_files.add((outcome.key_id, outcome.fingerprint))
        self._session.show(self._members(outcome), lambda _: self._tell(outcome))

    def _tell(self, outcome: VerificationResult) -> None:
        if outcome.verdict != "verified" or self._verbose:
            self._session.say(self._line(outcome), _STYLES[outcome.verdict])
        if self._verbose and outcome.report:
            for check in outcome.report.checks:
                self._session.say_indented(f"{check.name} {check.status}{_where(check)}")

    def print_summary(self, is_pinned: bool) -> int:
        """Print how many matches had which outcome; return the exit code."""
        sys.stdout.flush()
        if self._keys_in_files and not is_pinned:
            self._warn_of_keys()
        self._session.say(self._sum())
        return self.exit_code

    @property
    def exit_code(self) -> int:
        return next((code for verdict, code in EXIT_CODES.items() if self._counts[verdict]), 0)

    def _sum(self) -> str:
        taken_s = max(time.monotonic() - self._start, 0.001)
        count = self._matches
        parts = [f"{self._counts[name]} {self._named(name)}" for name in ("verified", "failed", "incomplete")]
        if self._counts["unreadable"]:
            parts.append(f"{self._counts['unreadable']} unreadable")
        matches = "1 match" if count == 1 else f"{count} matches"
        return f"{matches}: {', '.join(parts)} ({taken_s:.1f} s, {count / taken_s:.0f} matches/s)"

    def _warn_of_keys(self) -> None:
        named = ", ".join(
            f"{key_id!r} ({fingerprint})" for key_id, fingerprint in sorted(self._keys_in_files)
        )
        self._session.warn(
            f"Signatures were checked with the key in the file: {named}. This proves only that the file is "
            "consistent and was signed with that key. Use --keys to check it with keys that you trust.",
            "yellow",
        )

    def _line(self, outcome: VerificationResult) -> str:
        """The match, its verdict, and the first check that did not pass."""
        if outcome.report is None:
            line = f":{outcome.line}" if outcome.line else ""
            of = f" {outcome.match_id}" if outcome.match_id else ""
            return f"{outcome.file}{line}:{of} unreadable: {outcome.fault}"
        of = f"{outcome.match_id} " if outcome.match_id else ""
        return f"{outcome.file}: {of}{self._named(outcome.verdict)}{_reason(outcome.report)}"

    def _members(self, outcome: VerificationResult) -> dict[str, Any]:
        report = outcome.report
        return {
            "file": outcome.file,
            "line": outcome.line or None,
            "match_id": outcome.match_id or None,
            "verdict": self._named(outcome.verdict),
            "detail": outcome.fault,
            "version": report.version if report else None,
            "first_failed_sequence": report.first_failed_sequence if report else None,
            "key_id": outcome.key_id or None,
            "key_fingerprint": outcome.fingerprint or None,
            "checks": report.checks if report else [],
        }

    def _named(self, verdict: str) -> str:
        return self._passed_word if verdict == "verified" else verdict


def _reason(report: Report) -> str:
    """The failed check with the first event at fault, otherwise the first check that lacks data."""
    wanted = "failed" if report.verdict == "failed" else "pending"
    found = [check for check in report.checks if check.status == wanted] or [
        check for check in report.checks if check.status != "passed"
    ]
    if not found:
        return ""
    first = min(found, key=lambda check: check.first_failed_sequence or sys.maxsize)
    return f": {first.name}{_where(first)}"


def _where(check: Check) -> str:
    at = "" if check.first_failed_sequence is None else f" at event {check.first_failed_sequence}"
    return f"{at}: {check.detail}" if check.detail else at
