"""The verification of a round that is bound to a public value, from the events of the ladder and its matches.

docs/fairness.md describes what it proves and what it cannot prove.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from msgspec import Struct

from domain.audit.evidence import Members
from domain.audit.report import Check, Findings, Verdict, verdict_of
from domain.ladder import events as ev
from domain.ladder.derivation import LATEST_MS, SOONEST_MS, match_id, round_of, seat_seed
from domain.ladder.events import STAND_IN, EntryPlayer, Event, MatchResult, PublicValue
from domain.ladder.history import Matches, NothingToVerify, checked_events, result_faults
from domain.match.chance import commitment, seed_in_round

NAMES: Final = ("chain", "opening", "value", "seed", "matches")
"""All checks of a round, in the order of reports."""

_NEVER: Final = 2**53
"""A sequence after all others."""


class RoundReport(Struct, frozen=True):
    """The report on a round. The matches themselves are audited separately."""

    verdict: Verdict
    checks: tuple[Check, ...]
    public_value: PublicValue | None = None
    """The public value that the round was bound to."""
    opened: int = 0
    """The sequence of `round_opened`; 0 without one."""
    head: str = ""
    """The hash of that event; a copy kept from before the time of the value proves that nothing changed."""
    value: str = ""
    """The recorded value, to be compared with its source."""
    matches: tuple[str, ...] = ()
    """The ids of all counted matches."""
    voided: int = 0
    """How often a block of the round began again or was given up."""


class _Found:
    """The events of one round in the history of a ladder."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.players: list[EntryPlayer] = []
        """By number of the entry."""
        self.opened: tuple[int, ev.RoundOpened] | None = None
        """With its sequence, as in the members below."""
        self.recorded: list[tuple[int, ev.PublicValueRecorded]] = []
        self.revealed: list[tuple[int, ev.RoundSeedRevealed]] = []
        self.finished: int = 0
        self.blocks: list[tuple[int, ev.BlockFinished]] = []
        self.voided: list[tuple[int, ev.BlockVoided]] = []

    def add(self, sequence: int, event: Event) -> None:
        match event:
            case ev.EntryAdded():
                self.players.append(event.player)
            case ev.RoundOpened(round=self.number) if self.opened is None and self._is_seated(event):
                self.opened = sequence, event
            case ev.PublicValueRecorded(round=self.number):
                self.recorded.append((sequence, event))
            case ev.RoundSeedRevealed(round=self.number):
                self.revealed.append((sequence, event))
            case ev.RoundFinished(round=self.number):
                self.finished = sequence
            case ev.BlockFinished() if self._has(event.block):
                self.blocks.append((sequence, event))
            case ev.BlockVoided() if self._has(event.block):
                self.voided.append((sequence, event))

    def _is_seated(self, event: ev.RoundOpened) -> bool:
        return all(STAND_IN <= one < len(self.players) for table in event.tables for one in table)

    def _has(self, block: int) -> bool:
        if self.opened is None:
            return False
        first = self.opened[1].first_block
        return first <= block < first + len(self.opened[1].tables)

    @property
    def first_play(self) -> int:
        """The sequence of the first event about a played block; `_NEVER` without one."""
        return min(
            [at for at, _ in self.blocks] + [at for at, event in self.voided if event.matches] or [_NEVER]
        )

    @property
    def public_value(self) -> PublicValue | None:
        return None if self.opened is None else self.opened[1].public_value

    def match_ids(self) -> tuple[str, ...]:
        return tuple([result.match_id for _, block in self.blocks for result in block.results])


def matches_of_round(history: Sequence[Members], number: int) -> tuple[str, ...]:
    """The ids of the counted matches of a round; unreadable events are skipped.

    Raises:
        NothingToVerify: there is no such round with a public value, and no event that could not be read.
    """
    findings = Findings()
    found = _round_events(history, number, findings)
    if found.public_value is None and not findings.has_failed("chain"):
        raise NothingToVerify(_no_round(number))
    return found.match_ids()


def _no_round(number: int) -> str:
    return f"there is no round {number} with a public value"


def verify_round(history: Sequence[Members], number: int, matches: Matches) -> RoundReport:
    """Check that a round was bound to its public value, and that its matches follow from both.

    `history` has all events of the ladder in the form of the API. If `matches` lacks a match, the report is
    incomplete. This cannot check whether the value is the published one, nor whether `round_opened` existed
    before it was published.
    """
    findings = Findings()
    found = _round_events(history, number, findings)
    if found.opened is None or found.public_value is None:
        findings.fail("opening", None, _no_round(number))
        return _report(found, [findings.check(name, "skipped") for name in NAMES], history)
    ladder_id = str(history[0].get("ladder_id"))
    sequence, opened = found.opened
    pinned = found.public_value
    if not 0 <= opened.opened_at_ms < 2**48:
        findings.fail("opening", sequence, "no match can be made at that time")
        return _report(found, [findings.check(name, "skipped") for name in NAMES], history)
    if not SOONEST_MS <= pinned.at_ms - opened.opened_at_ms <= LATEST_MS:
        findings.fail("opening", sequence, "the value was not to be published 60 seconds to 30 days later")
    _check_value(found, pinned, sequence, findings)
    seed = _checked_seed(found, pinned, findings)
    lacking = _check_matches(ladder_id, found, seed, matches, findings)
    checks = [
        findings.check("chain"),
        findings.check("opening"),
        findings.check("value") if found.recorded else _pending(findings, "value", "it is not recorded"),
        findings.check("seed") if found.revealed else _pending(findings, "seed", "it is not revealed"),
        _pending(findings, "matches", lacking) if lacking else findings.check("matches"),
    ]
    return _report(found, checks, history)


def _pending(findings: Findings, name: str, detail: str) -> Check:
    return findings.check(name, "pending", detail)


def _report(found: _Found, checks: Sequence[Check], history: Sequence[Members]) -> RoundReport:
    verdict = verdict_of(checks)
    if found.opened is None:
        return RoundReport(verdict, tuple(checks))
    sequence, opened = found.opened
    return RoundReport(
        verdict,
        tuple(checks),
        opened.public_value,
        sequence,
        str(history[sequence - 1].get("hash")),
        found.recorded[0][1].value if found.recorded else "",
        found.match_ids(),
        len(found.voided),
    )


def _round_events(history: Sequence[Members], number: int, findings: Findings) -> _Found:
    """The events of the round up to the first that is invalid or has a wrong hash."""
    found = _Found(number)
    for sequence, event in checked_events(history, findings):
        found.add(sequence, event)
    return found


def _check_value(found: _Found, pinned: PublicValue, opened: int, findings: Findings) -> None:
    if len(found.recorded) > 1:
        findings.fail("value", found.recorded[1][0], "a value is recorded twice")
    for sequence, event in found.recorded[:1]:
        if sequence < opened or event.at_ms < pinned.at_ms:
            findings.fail("value", sequence, "the value was recorded before its time")
        if not event.value:
            findings.fail("value", sequence, "the value is empty")
    if found.first_play < (found.recorded[0][0] if found.recorded else _NEVER):
        findings.fail("value", found.first_play, "matches were played before the value was recorded")


def _checked_seed(found: _Found, pinned: PublicValue, findings: Findings) -> bytes | None:
    """The revealed seed of the round; None if there is none or it does not match the commitment."""
    if not found.revealed:
        if found.finished:
            findings.fail("seed", found.finished, "the round is finished, and its seed is not revealed")
        return None
    sequence, event = found.revealed[0]
    if not found.finished or sequence < found.finished:
        findings.fail("seed", sequence, "the seed was revealed before the round was finished")
    seed = _bytes(event.seed)
    if seed is None or commitment(seed) != pinned.commitment:
        findings.fail("seed", sequence, "the seed is not the one that the round commits to")
        return None
    return seed


def _bytes(text: str) -> bytes | None:
    try:
        return bytes.fromhex(text)
    except ValueError:
        return None


def _check_matches(
    ladder_id: str, found: _Found, seed: bytes | None, matches: Matches, findings: Findings
) -> str:
    """Check the counted matches; returns what is missing for that, empty if nothing is."""
    lacking = 0
    for sequence, block in found.blocks:
        voided = sum([one.block == block.block for at, one in found.voided if at < sequence])
        if block.attempt != 1 + voided:
            findings.fail("matches", sequence, f"block {block.block} was begun {1 + voided} times")
        for rotation, result in enumerate(block.results):
            wanted = _wanted(ladder_id, found, block, rotation)
            if result.match_id != wanted.match_id:
                detail = f"{result.match_id} is not the match of its block, {wanted.match_id}"
                findings.fail("matches", sequence, detail)
            events = matches.get(result.match_id)
            if events is None or seed is None:
                lacking += 1
            elif fault := _fault(events, result, seed, wanted):
                findings.fail("matches", sequence, f"{result.match_id}: {fault}")
    return f"{lacking} matches or the seed of the round are not at hand" if lacking else ""


class _Wanted(NamedTuple):
    """The required properties of a match of the round."""

    match_id: str
    round_of: str
    seat_seed: str
    players: tuple[EntryPlayer | None, ...]
    """By seat; None for a stand-in."""


def _wanted(ladder_id: str, found: _Found, block: ev.BlockFinished, rotation: int) -> _Wanted:
    assert found.opened is not None, "a block belongs to an opened round"
    opened = found.opened[1]
    assert opened.public_value is not None, "only rounds with a public value are checked"
    table = opened.tables[block.block - opened.first_block]
    seats = table[rotation:] + table[:rotation]
    return _Wanted(
        match_id(ladder_id, opened.opened_at_ms, block.block, block.attempt, rotation),
        round_of(ladder_id, found.number, opened.public_value.at_ms),
        seat_seed(found.recorded[0][1].value if found.recorded else ""),
        tuple([None if number == STAND_IN else found.players[number] for number in seats]),
    )


def _fault(events: Sequence[Members], result: MatchResult, seed: bytes, wanted: _Wanted) -> str:
    """What is wrong with a match of the round; empty if it is valid."""
    try:
        return next(_faults(events, result, seed, wanted), "")
    except (IndexError, KeyError, TypeError) as error:
        return f"its events cannot be read: {error!r}"


def _faults(events: Sequence[Members], result: MatchResult, seed: bytes, wanted: _Wanted) -> Iterator[str]:
    yield from result_faults(events, result, wanted.players)
    dice = events[0]["data"]["dice"]
    follows = commitment(seed_in_round(seed, result.match_id))
    if (dice["mode"], dice["commitment"], dice.get("round_of")) != ("committed", follows, wanted.round_of):
        yield "its dice do not follow from the seed of the round"
    seeds = [event["data"]["seed"] for event in events if event["type"] == "seat_taken"]
    if seeds != [wanted.seat_seed] * len(wanted.players):
        yield "its seats do not add the public value"
