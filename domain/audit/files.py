"""Export files of matches, for audits without the service: lines of JSON, each an object with a `kind`.

    manifest   contents of the file: format, match, version, last hash
    ruleset    the tables that the match is played by, and their digest
    event      one line for each event, in the form of the API
    reveal     the seed of the dice, once the match is over
    signature  the checkpoint and the public key, once the end is signed

Files may be concatenated.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from domain.audit.bounds import Meter, TooMuch
from domain.audit.checkpoints import Checkpoint
from domain.audit.evidence import EventLines, Evidence, Members
from domain.canonical import parsed
from domain.match.events import DiceRevealed
from domain.match.rulesets import VERSIONS, digest
from domain.match.state import MatchState

FORMAT: Final = 1

_ORDER: Final = ("manifest", "ruleset", "event", "reveal", "signature")
"""The kinds of lines in their order."""
_OBJECTS: Final = {"event": ("event",), "signature": ("checkpoint", "key")}
"""By kind of line: members that are objects."""


class Unreadable(Exception):
    """The input is not an export file; `line` counts from 1."""

    def __init__(self, line: int, detail: str) -> None:
        super().__init__(f"line {line}: {detail}")
        self.line = line
        self.detail = detail


def manifest_line(match_id: str, state: MatchState, head_hash: str) -> dict[str, Any]:
    """The first line of a file."""
    created = state.created
    return {
        "kind": "manifest",
        "format": FORMAT,
        "match_id": match_id,
        "rules_version": created.rules_version,
        "status": state.status,
        "visibility": created.visibility,
        "events": state.version,
        "head_hash": head_hash,
    }


def ruleset_line(rules_version: str) -> dict[str, Any]:
    """The line with the tables of a ruleset.

    Raises:
        KeyError: no ruleset has that version.
    """
    ruleset = VERSIONS[rules_version]
    tables = msgspec.to_builtins(ruleset)
    return {"kind": "ruleset", "rules_version": rules_version, "digest": digest(ruleset), "tables": tables}


def event_line(event: Any) -> dict[str, Any]:
    """The line of an event in the form of the API."""
    return {"kind": "event", "event": event}


def reveal_line(state: MatchState, revealed: DiceRevealed) -> dict[str, Any]:
    """The line with the revealed seed of a match."""
    created = state.created
    return {
        "kind": "reveal",
        "key_id": revealed.key_id,
        "seed": revealed.seed,
        "commitment": created.dice.commitment,
        "seat_seeds": [taken.seed if taken else "" for taken in state.controllers],
    }


def signature_line(checkpoint: Checkpoint, public_key: str) -> dict[str, Any]:
    """The line with the checkpoint; `public_key` is in base64."""
    key = {"key_id": checkpoint.key_id, "algorithm": "Ed25519", "public_key": public_key}
    return {"kind": "signature", "checkpoint": msgspec.to_builtins(checkpoint), "key": key}


def read_exports(lines: Iterable[bytes]) -> Iterator[Evidence]:
    """The matches in a file, in order; only the form of the lines has been checked.

    Raises:
        Unreadable: the input is not an export file. The matches before the error have been yielded.
    """
    open_one: _Open | None = None
    meter = Meter()
    number = 0
    for number, line in enumerate(lines, 1):
        members = _object(number, line) if line.strip() else None
        if members is not None and members.get("kind") == "manifest":
            if open_one is not None:
                yield open_one.evidence(number)
            open_one, meter = _Open(number, members), Meter()
        elif members is not None:
            if open_one is None:
                raise Unreadable(number, "a file begins with its manifest")
            open_one.add(number, line, members)
        _count(meter, number, line)
    if open_one is None:
        raise Unreadable(max(number, 1), "there is no match in it")
    yield open_one.evidence(number)


def _count(meter: Meter, number: int, line: bytes) -> None:
    try:
        meter.count(line)
    except TooMuch as error:
        raise Unreadable(number, str(error)) from None


def _object(number: int, line: bytes) -> dict[str, Any]:
    try:
        members = parsed(line)
    except ValueError as error:
        raise Unreadable(number, f"no JSON: {error}") from error
    if not isinstance(members, dict):
        raise Unreadable(number, "no JSON object")
    return members


class _Open:
    """The match whose lines are being read."""

    def __init__(self, number: int, manifest: Members) -> None:
        version = manifest.get("format")
        if version != FORMAT or isinstance(version, bool):
            raise Unreadable(number, f"format {version!r} is not {FORMAT}")
        if not isinstance(manifest.get("match_id"), str):
            raise Unreadable(number, "the manifest names no match")
        self._manifest = manifest
        self._events: list[bytes] = []
        self._others: dict[str, Members] = {}
        self._last = 0
        """The position in `_ORDER` of the last line."""

    def add(self, number: int, line: bytes, members: Members) -> None:
        kind: Any = members.get("kind")
        place = _ORDER.index(kind) if kind in _ORDER else 0
        is_next = place > self._last or (kind == "event" and place == self._last)
        # The ruleset comes first, because the other lines are checked by it.
        if not is_next or (self._last == 0 and kind != "ruleset"):
            raise Unreadable(number, f"a line of kind {kind!r} has no place here")
        for name in _OBJECTS.get(kind, ()):
            if not isinstance(members.get(name), dict):
                raise Unreadable(number, f"the {name} is no JSON object")
        self._last = place
        if kind == "event":
            self._events.append(line)
        else:
            self._others[kind] = members

    def evidence(self, number: int) -> Evidence:
        """The match, which ends before line `number`."""
        if not self._others:
            raise Unreadable(number, "the match has no ruleset")
        signature = self._others.get("signature", {})
        return Evidence(
            match_id=self._manifest["match_id"],
            events=EventLines(self._events),
            manifest=self._manifest,
            ruleset=self._others["ruleset"],
            reveal=self._others.get("reveal"),
            checkpoint=signature.get("checkpoint"),
            key=signature.get("key"),
        )
