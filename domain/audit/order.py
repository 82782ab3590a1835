"""The checks that need no rules: schema, sequence and chain."""

from collections.abc import Sequence
from itertools import pairwise

import msgspec

from domain.audit.checkpoints import NO_HASH
from domain.audit.evidence import Evidence
from domain.audit.reading import Read, Shown, digest_of, read
from domain.audit.report import Findings


def read_events(evidence: Evidence, findings: Findings) -> list[Read]:
    """The events, up to the first that is none (`schema`)."""
    found: list[Read] = []
    for place, members in enumerate(evidence.events, 1):
        try:
            found.append(read(place, members))
        except (msgspec.ValidationError, ArithmeticError, LookupError, TypeError, ValueError) as error:
            findings.fail("schema", place, str(error))
            break
    return found


def check_sequence(evidence: Evidence, events: Sequence[Read], findings: Findings) -> None:
    """Find events that are missing, strange or out of their place, commands that come twice, and times that
    fall."""
    seen: set[str] = set()
    before = ""
    for one in events:
        place, shown = one.place, one.shown
        if shown.sequence != place:
            findings.fail("sequence", place, f"event {shown.sequence} stands in its place")
        if shown.match_id != evidence.match_id:
            findings.fail("sequence", place, f"the event is of match {shown.match_id!r}")
        if shown.command_id != before and shown.command_id in seen:
            findings.fail("sequence", place, f"command {shown.command_id!r} comes again")
        seen.add(shown.command_id)
        before = shown.command_id
    for last, one in pairwise(events):
        _check_after(last.shown, one, findings)
    _check_number(evidence, findings)


def _check_after(last: Shown, one: Read, findings: Findings) -> None:
    """Find what cannot be recorded behind the last event."""
    shown = one.shown
    if shown.command_id != last.command_id:
        if shown.time < last.time:
            findings.fail("sequence", one.place, f"its time {shown.time} is before that of the last event")
    elif (shown.time, shown.actor) != (last.time, last.actor):
        findings.fail("sequence", one.place, "the events of one command have one time and actor")


def _check_number(evidence: Evidence, findings: Findings) -> None:
    there = len(evidence.events)
    if not there:
        findings.fail("sequence", None, "there are no events")
    if evidence.manifest is not None and digest_of(evidence.manifest.get("events")) != digest_of(there):
        detail = f"the manifest says {evidence.manifest.get('events')!r} events, {there} are there"
        findings.fail("sequence", there + 1, detail)


def check_chain(evidence: Evidence, events: Sequence[Read], findings: Findings) -> None:
    """Find events whose hash is not theirs, or that name another hash before."""
    before = NO_HASH
    for one in events:
        shown = one.shown
        if shown.previous_hash != before:
            findings.fail("chain", one.place, "it names another hash before")
        if one.true_hash != shown.hash:
            findings.fail("chain", one.place, "its hash is not that of its members")
        before = shown.hash
    all_read = events and len(events) == len(evidence.events)
    if evidence.manifest is not None and all_read and evidence.manifest.get("head_hash") != before:
        findings.fail("chain", len(events), "the manifest names another last hash")
