"""The audit of a match: all checks over its events and what came with them.

It is a pure function, the same for the service, for files and for archives.
"""

from collections.abc import Sequence
from typing import Final, TypeAlias

from domain.audit.checkpoints import CheckSignature
from domain.audit.envelopes import ReadEvent, batches, digest_of
from domain.audit.evidence import Evidence, Members, Receipt
from domain.audit.files import manifest_line, reveal_line
from domain.audit.order import check_chain, check_sequence, read_events
from domain.audit.origin import FindOrigin, check_origin
from domain.audit.recorded_chance import RecordedChance
from domain.audit.replay import Replay
from domain.audit.report import Check, Findings, Report, Status, verdict_of
from domain.audit.signatures import check_checkpoint, check_receipt
from domain.match import events as ev
from domain.match.chance import SeededChance, TapeChance, Throws, commitment
from domain.match.rulesets import VERSIONS, digest
from domain.match.state import MatchState, is_over

_BY_RULES: Final = ("ruleset", "decisions", "dice", "draws", "payments", "result")

_Outcome: TypeAlias = tuple[Status, str]
"""The outcome of a check without a failure, and why it did not pass."""

_PASSED: Final[_Outcome] = ("passed", "")


def verify(
    evidence: Evidence,
    is_good: CheckSignature,
    receipt: Receipt | None = None,
    find_origin: FindOrigin = lambda match_id, version: None,
) -> Report:
    """Check everything that can be checked of a match, whatever is wrong with it.

    `is_good` verifies a signature by a key that the caller trusts; `find_origin` finds the origin of a
    branch.
    """
    findings = Findings()
    events = read_events(evidence, findings)
    check_sequence(evidence, events, findings)
    check_chain(evidence, events, findings)
    is_whole = len(events) == len(evidence.events)
    unread: _Outcome = _PASSED if is_whole else ("skipped", f"from event {len(events) + 1} on")
    state, by_rules = _played(evidence, events, findings, unread)
    checks = [findings.check("schema"), *[findings.check(name, *unread) for name in ("sequence", "chain")]]
    checks += by_rules
    checks += check_origin(events, find_origin)
    checks.append(check_checkpoint(evidence, state.status if state and is_whole else "", is_good))
    if receipt is not None:
        checks.append(check_receipt(evidence, receipt))
    return Report(verdict_of(checks), tuple(checks), evidence.match_id, len(evidence.events))


def _played(
    evidence: Evidence, events: Sequence[ReadEvent], findings: Findings, unread: _Outcome
) -> tuple[MatchState | None, list[Check]]:
    """The final state, if the match can be replayed, and the checks by the rules."""
    created = events[0].event if events else None
    if not isinstance(created, ev.MatchCreated):
        if events:
            findings.fail("decisions", 1, "the first event makes no match")
        return None, _checks(findings, ("skipped", "there is no match to play"))
    _check_version(created, events, findings)
    if created.rules_version not in VERSIONS:
        unknown: _Outcome = ("pending", f"the rules {created.rules_version!r} are not known here")
        return None, _checks(findings, unknown)
    _check_ruleset(evidence, created, findings)
    seeded = _seeded(created, events[-1], findings)
    state = _replayed(created, seeded, events, findings)
    if state is None:
        return None, _checks(findings, ("skipped", "the match cannot be played on"), ruleset=_PASSED)
    _check_end(state, events, findings)
    _check_file(evidence, state, events, findings)
    luck = unread if seeded or unread != _PASSED else _without_seed(state)
    dice = unread if created.dice.mode == "scripted" else luck
    end = unread if is_over(state) or unread != _PASSED else ("pending", "the match is not over")
    return state, _checks(findings, unread, ruleset=_PASSED, dice=dice, draws=luck, result=end)


def _without_seed(state: MatchState) -> _Outcome:
    if is_over(state):
        return "skipped", "there is no seed to check them by"
    return "pending", "the seed is revealed when the match is over"


def _checks(findings: Findings, otherwise: _Outcome, **outcomes: _Outcome) -> list[Check]:
    return [findings.check(name, *outcomes.get(name, otherwise)) for name in _BY_RULES]


def _check_version(created: ev.MatchCreated, events: Sequence[ReadEvent], findings: Findings) -> None:
    """Find events with another version of the rules."""
    for one in events:
        if one.envelope.rules_version != created.rules_version:
            detail = f"an event by {one.envelope.rules_version!r} in a match by {created.rules_version!r}"
            findings.fail("ruleset", one.place, detail)


def _check_ruleset(evidence: Evidence, created: ev.MatchCreated, findings: Findings) -> None:
    """Find tables other than those that the match was created with."""
    version = created.rules_version
    known = VERSIONS[version]
    if created.digest != digest(known):
        findings.fail("ruleset", 1, f"the tables of {version!r} have another digest here")
    if created.ruleset != known.id:
        findings.fail("ruleset", 1, f"{version!r} is no version of {created.ruleset!r}")
    came = evidence.ruleset
    if came is not None and (
        (came.get("rules_version"), came.get("digest")) != (version, created.digest)
        or digest_of(came.get("tables")) != created.digest
    ):
        findings.fail("ruleset", None, "the tables that came along are not those of the match")


def _replayed(
    created: ev.MatchCreated, seeded: SeededChance | None, events: Sequence[ReadEvent], findings: Findings
) -> MatchState | None:
    """The final state; None if the events cannot be applied."""
    fewest, most = VERSIONS[created.rules_version].seats
    if not fewest <= created.seats <= most:
        findings.fail("decisions", 1, f"{created.seats} seats cannot play")
        return None
    throws: Throws | None = seeded
    if created.dice.mode == "scripted":
        throws = TapeChance(created.dice.throws, seeded or SeededChance(b"", ""))
    replay = Replay(RecordedChance(throws, seeded, findings), findings)
    for batch in batches(events):
        replay.play(batch)
        if replay.is_stuck:
            return None
    return replay.state


def _seeded(created: ev.MatchCreated, last: ReadEvent, findings: Findings) -> SeededChance | None:
    """The chance that the revealed seed determines; None without a seed that matches the commitment."""
    revealed = last.event
    if not isinstance(revealed, ev.DiceRevealed):
        return None
    try:
        seed = bytes.fromhex(revealed.seed)
    except ValueError:
        seed = b""
    sequence = last.place
    if (commitment(seed), revealed.key_id) != (created.dice.commitment, created.dice.key_id):
        findings.fail("dice", sequence, "the seed is not the one that the first event commits to")
        return None
    return SeededChance(seed, revealed.key_id)


def _check_file(
    evidence: Evidence, state: MatchState, events: Sequence[ReadEvent], findings: Findings
) -> None:
    """Find lines of the file that contradict the events."""
    last = events[-1]
    manifest = manifest_line(evidence.match_id, state, last.envelope.hash)
    if evidence.manifest is not None and len(events) == len(evidence.events):
        wrong = _differing(evidence.manifest, manifest)
        if wrong and wrong[0] != "head_hash":
            findings.fail("sequence", None, f"the manifest has another {wrong[0]!r}")
    revealed = last.event
    if evidence.reveal is None:
        return
    if not isinstance(revealed, ev.DiceRevealed) or _differing(evidence.reveal, reveal_line(state, revealed)):
        findings.fail("dice", last.place, "the line with the seed says something else than the events")


def _differing(line: Members, expected: Members) -> list[str]:
    """The names of expected members that differ in the line; `1` and `true` differ."""
    return [name for name, value in expected.items() if digest_of(line.get(name)) != digest_of(value)]


def _check_end(state: MatchState, events: Sequence[ReadEvent], findings: Findings) -> None:
    """Find a seed that is revealed before the end, or not revealed at the end."""
    for one in events[:-1]:
        if isinstance(one.event, ev.DiceRevealed):
            findings.fail("result", one.place, "the seed is revealed before the end")
    if is_over(state) and not isinstance(events[-1].event, ev.DiceRevealed):
        findings.fail("result", len(events) + 1, "the match is over and reveals no seed")
