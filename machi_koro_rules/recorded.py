"""Recorded matches as games, one for each command: of an export file, or of the history of a game."""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from domain.audit.bounds import LONGEST_LINE
from domain.audit.envelopes import batches
from domain.audit.evidence import Evidence
from domain.audit.files import Unreadable, read_exports
from domain.audit.order import check_chain, check_sequence, read_events
from domain.audit.recorded_state import folded
from domain.audit.report import Findings
from domain.match.chance import MatchChance, chance_of
from domain.match.events import Event
from domain.match.evolve import fold
from domain.match.state import MatchState
from machi_koro_rules.game import SEED_SIZE, Game

History: TypeAlias = Iterable[Sequence[Event]]
"""By command: the events that it caused."""


def replay(source: str | os.PathLike[str] | History) -> tuple[Game, ...]:
    """The games after each command of a match: of the export file with that path, or of a history.

    A file of a match that is over has its seed: from each of its games one may play on, with the dice of the
    match. `Game.with_seed` gives others, which the games of a history need. The events of a file are refused
    if they are not in order or not those of their hash chain; `machi verify` checks them by the rules, too.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is no export file, holds several matches or a damaged one; or the history is none.
    """
    if isinstance(source, str | os.PathLike):
        return tuple(_games_of(_only_match(Path(source))))
    return tuple(_games(source))


def _games(history: History) -> Iterator[Game]:
    state: MatchState | None = None
    past: tuple[tuple[Event, ...], ...] = ()
    for happened in history:
        past = (*past, tuple(happened))
        state = fold(state.copy() if state is not None else None, past[-1])
        yield Game(past, state, None)


def _only_match(path: Path) -> Evidence:
    with path.open("rb") as file:
        # A longer line is refused, and need not be read to its end.
        matches = read_exports(iter(lambda: file.readline(LONGEST_LINE + 1), b""))
        try:
            found = next(matches)
            is_only = next(matches, None) is None
        except Unreadable as error:
            raise ValueError(f"{path}: {error}") from None
    if not is_only:
        raise ValueError(f"{path} holds several matches; export the one to replay")
    return found


def _games_of(evidence: Evidence) -> Iterator[Game]:
    findings = Findings()
    events = read_events(evidence, findings)
    check_sequence(evidence, events, findings)
    check_chain(evidence, events, findings)
    if findings.has_failed("schema", "sequence", "chain"):
        raise ValueError(f"{evidence.match_id} is damaged; `machi verify` says where")
    state: MatchState | None = None
    past: tuple[tuple[Event, ...], ...] = ()
    for batch in batches(events):
        state = folded(state, batch)
        if state is None:
            raise ValueError(f"{evidence.match_id}: nobody could play on from event {batch[-1].place}")
        past = (*past, tuple([one.event for one in batch]))
        yield Game(past, state, _chance(state, evidence.reveal or {}))


def _chance(state: MatchState, reveal: Any) -> MatchChance | None:
    """The chance by the seed that was revealed; None if none was."""
    try:
        seed = bytes.fromhex(reveal.get("seed"))
    except (TypeError, ValueError):
        return None
    return chance_of(state.created.dice, seed) if len(seed) == SEED_SIZE else None
