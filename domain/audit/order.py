"""The checks that need no rules: `schema`, `sequence` and `chain`."""

from collections.abc import Sequence
from itertools import pairwise

import msgspec

from domain.audit.checkpoints import NO_HASH
from domain.audit.envelopes import ReadEvent, StrictEnvelope, digest_of, read
from domain.audit.evidence import Evidence
from domain.audit.report import Findings


def read_events(evidence: Evidence, findings: Findings) -> list[ReadEvent]:
    """Parse the events up to the first invalid one (`schema`)."""
    found: list[ReadEvent] = []
    for place, members in enumerate(evidence.events, 1):
        try:
            found.append(read(place, members))
        except (msgspec.ValidationError, ArithmeticError, LookupError, TypeError, ValueError) as error:
            findings.fail("schema", place, str(error))
            break
    return found


def check_sequence(evidence: Evidence, events: Sequence[ReadEvent], findings: Findings) -> None:
    """Find missing, foreign or misplaced events, repeated commands, and times that decrease (`sequence`)."""
    seen: set[str] = set()
    before = ""
    for one in events:
        place, envelope = one.place, one.envelope
        if envelope.sequence != place:
            findings.fail("sequence", place, f"event {envelope.sequence} stands in its place")
        if envelope.match_id != evidence.match_id:
            findings.fail("sequence", place, f"the event is of match {envelope.match_id!r}")
        if envelope.command_id != before and envelope.command_id in seen:
            findings.fail("sequence", place, f"command {envelope.command_id!r} comes again")
        seen.add(envelope.command_id)
        before = envelope.command_id
    for last, one in pairwise(events):
        _check_after(last.envelope, one, findings)
    _check_number(evidence, findings)


def _check_after(last: StrictEnvelope, one: ReadEvent, findings: Findings) -> None:
    """Find members that are inconsistent with those of the event before."""
    envelope = one.envelope
    if envelope.command_id != last.command_id:
        if envelope.time < last.time:
            findings.fail("sequence", one.place, f"its time {envelope.time} is before that of the last event")
    elif (envelope.time, envelope.actor) != (last.time, last.actor):
        findings.fail("sequence", one.place, "the events of one command have one time and actor")


def _check_number(evidence: Evidence, findings: Findings) -> None:
    there = len(evidence.events)
    if not there:
        findings.fail("sequence", None, "there are no events")
    if evidence.manifest is not None and digest_of(evidence.manifest.get("events")) != digest_of(there):
        detail = f"the manifest says {evidence.manifest.get('events')!r} events, {there} are there"
        findings.fail("sequence", there + 1, detail)


def check_chain(evidence: Evidence, events: Sequence[ReadEvent], findings: Findings) -> None:
    """Find events with a wrong hash or a wrong previous hash (`chain`)."""
    before = NO_HASH
    for one in events:
        envelope = one.envelope
        if envelope.previous_hash != before:
            findings.fail("chain", one.place, "it names another hash before")
        if one.true_hash != envelope.hash:
            findings.fail("chain", one.place, "its hash is not that of its members")
        before = envelope.hash
    all_read = events and len(events) == len(evidence.events)
    if evidence.manifest is not None and all_read and evidence.manifest.get("head_hash") != before:
        findings.fail("chain", len(events), "the manifest names another last hash")
