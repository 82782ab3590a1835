"""The verdict of an audit follows from its checks; of each check the first failure counts."""

import pytest

from domain.audit.report import Check, Findings, Report, Status, Verdict, verdict_of


@pytest.mark.parametrize(
    ("statuses", "verdict"),
    [
        ([], "verified"),
        (["passed"], "verified"),
        (["passed", "passed"], "verified"),
        (["passed", "pending"], "incomplete"),
        (["skipped", "passed"], "incomplete"),
        (["passed", "failed"], "failed"),
        (["failed", "pending", "skipped"], "failed"),
    ],
)
def test_one_failure_fails_and_one_open_check_leaves_the_verdict_open(
    statuses: list[Status], verdict: Verdict
) -> None:
    assert verdict_of([Check("chain", status) for status in statuses]) == verdict


def test_of_each_check_the_first_failure_counts() -> None:
    findings = Findings()
    findings.fail("chain", 4, "first")
    findings.fail("chain", 2, "second")
    findings.fail("dice", None, "no seed")

    assert findings.check("chain") == Check("chain", "failed", 4, "first")
    assert findings.check("dice", "pending", "later") == Check("dice", "failed", None, "no seed")


def test_a_check_without_failure_has_the_outcome_that_is_given() -> None:
    findings = Findings()
    assert findings.check("dice") == Check("dice", "passed", None, "")
    assert findings.check("dice", "pending", "later") == Check("dice", "pending", None, "later")


def test_a_check_has_failed_once_a_failure_of_it_is_recorded() -> None:
    findings = Findings()
    findings.fail("chain", 4, "first")

    assert findings.has_failed("chain")
    assert findings.has_failed("dice", "chain")
    assert not findings.has_failed("dice", "draws")
    assert not findings.has_failed()


def report(*failures: tuple[Status, int | None]) -> Report:
    return Report("failed", tuple(Check("chain", status, sequence) for status, sequence in failures))


def test_the_first_failed_event_is_the_first_of_all_failed_checks() -> None:
    assert report(("failed", 7), ("failed", None), ("failed", 3), ("passed", 1)).first_failed_sequence == 3
    assert report(("failed", None), ("passed", None)).first_failed_sequence is None
    assert report().first_failed_sequence is None
