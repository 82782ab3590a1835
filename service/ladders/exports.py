"""Results and matches of a ladder as lines of JSON and as CSV, in chunks."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

import msgspec

from domain.ladder.results import EntryLine, LadderLine, Line, ResultLine, lines, lines_of_test, write
from domain.ladder.state import Round
from events.ladders.ladders import Ladder

Cells = list[str | int | None]
"""A row of CSV."""

KINDS: Final = {"ladder": LadderLine, "entry": EntryLine, "result": ResultLine}
"""The lines of results, by their `kind`."""
_AT_ONCE: Final = 200
"""The number of lines per chunk."""

_encode: Final = msgspec.json.Encoder().encode

_RESULT: Final = ("season", "round", "block", "rotation", "match_id", "winner", "turns", "version", "head")
_OF_SEAT: Final = ("entry", "timeouts", "errors", "luck_coins", "luck_wins")


class MatchLine(msgspec.Struct, frozen=True):
    """A match that counts, with the addresses of its events and its verification."""

    season: int
    round: int
    block: int
    rotation: int
    match_id: str
    winner: int
    version: int
    head: str
    """The hash of its last event."""
    seats: tuple[str, ...]
    """Entries, by seat; empty for a stand-in."""
    events: str
    verification: str


_MATCH: Final = tuple([name for name in MatchLine.__struct_fields__ if name != "seats"])


def result_lines(ladder: Ladder, season: int, test: Round | None, kind: str | None) -> Iterator[bytes]:
    """The lines from which the ratings of the season, or a test, are computed; none before the first season.

    With a kind, only the lines of this kind, which all have the same members.
    """
    found = _lines(ladder, season, test)
    return _joined([write([line])] for line in found if kind is None or isinstance(line, KINDS[kind]))


def result_rows(ladder: Ladder, season: int, test: Round | None) -> Iterator[bytes]:
    """The results as CSV, without the lines of the ladder and the entries."""
    seats = range(ladder.state.config.seats)
    head = [*_RESULT, *[f"{name}_{seat}" for seat in seats for name in _OF_SEAT], *_names_head(ladder)]
    names = _names(ladder)
    rows = (_result_row(one) + _named(one, names) for one in _results(ladder, season, test))
    return _as_csv(head, rows)


def match_lines(ladder: Ladder, season: int, test: Round | None) -> Iterator[bytes]:
    """The matches as lines of JSON."""
    return _joined([_encode(_match(one)), b"\n"] for one in _results(ladder, season, test))


def match_rows(ladder: Ladder, season: int, test: Round | None) -> Iterator[bytes]:
    """The matches as CSV."""
    entries = [f"entry_{seat}" for seat in range(ladder.state.config.seats)]
    names = _names(ladder)
    rows = (_match_row(one) + _named(one, names) for one in _results(ladder, season, test))
    return _as_csv([*_MATCH, *entries, *_names_head(ladder)], rows)


def _names_head(ladder: Ladder) -> list[str]:
    return [f"name_{seat}" for seat in range(ladder.state.config.seats)]


def _names(ladder: Ladder) -> dict[str, str]:
    """The names of the entries by id."""
    return {entry.id: _no_formula(entry.name) for entry in ladder.state.entries}


def _named(result: ResultLine, names: dict[str, str]) -> Cells:
    """The names of the entries by seat; empty for a stand-in."""
    return [names.get(entry, "") for entry in result.seats]


def _no_formula(name: str) -> str:
    """The name, escaped so that a spreadsheet does not take it for a formula."""
    return f"'{name}" if name.startswith(("=", "+", "-", "@")) else name


def _lines(ladder: Ladder, season: int, test: Round | None) -> Iterator[Line]:
    if test is not None:
        return lines_of_test(ladder.id, ladder.state, test)
    return lines(ladder.id, ladder.state, season) if season else iter(())


def _results(ladder: Ladder, season: int, test: Round | None) -> Iterator[ResultLine]:
    return (line for line in _lines(ladder, season, test) if isinstance(line, ResultLine))


def _result_row(result: ResultLine) -> Cells:
    row: Cells = [getattr(result, name) for name in _RESULT]
    coins = result.luck.coins if result.luck else None
    wins = result.luck.wins if result.luck else None
    for seat, entry in enumerate(result.seats):
        luck = [one[seat] if one else None for one in (coins, wins)]
        row += [entry, result.timeouts[seat], result.errors[seat], *luck]
    return row


def _match(result: ResultLine) -> MatchLine:
    path = f"/v1/matches/{result.match_id}"
    return MatchLine(
        season=result.season,
        round=result.round,
        block=result.block,
        rotation=result.rotation,
        match_id=result.match_id,
        winner=result.winner,
        version=result.version,
        head=result.head,
        seats=result.seats,
        events=f"{path}/events",
        verification=f"{path}/verification",
    )


def _match_row(result: ResultLine) -> Cells:
    match = _match(result)
    return [*[getattr(match, name) for name in _MATCH], *match.seats]


def _as_csv(head: Sequence[str], rows: Iterable[Cells]) -> Iterator[bytes]:
    """CSV as in RFC 4180."""
    yield _row(head)
    yield from _joined([_row(row)] for row in rows)


def _row(values: Sequence[object]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerow(values)
    return text.getvalue().encode()


def _joined(parts: Iterable[Sequence[bytes]]) -> Iterator[bytes]:
    rest = iter(parts)
    while chunk := b"".join([text for part in islice(rest, _AT_ONCE) for text in part]):
        yield chunk
