"""The results of a ladder, the only input of its ratings: lines of JSON that are written and parsed here.

All numbers are integers, so each line has one canonical text. Lines may be in any order, and a repeated line
counts once. A block is all rotations of one base order; only complete blocks count.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any, Final, NoReturn, TypeAlias, cast

from msgspec import Meta, Struct

from domain.canonical import canonical, parsed_as
from domain.ladder.config import METHOD, LadderConfig, digest
from domain.ladder.events import STAND_IN, MatchResult
from domain.ladder.state import Block, EntryState, LadderState, Round

Count: TypeAlias = Annotated[int, Meta(ge=0, le=2**53 - 1)]
Signed: TypeAlias = Annotated[int, Meta(ge=-(2**53) + 1, le=2**53 - 1)]


NOBODY: Final = ""
"""Replaces the entry id on the seat of a stand-in."""


class _Line(Struct, frozen=True, forbid_unknown_fields=True):
    """The base of lines and their parts."""


class StrategyPlayer(_Line, frozen=True, tag_field="kind", tag="strategy"):
    """A built-in player, in one version."""

    name: str
    version: str


class BotPlayer(_Line, frozen=True, tag_field="kind", tag="bot"):
    """A remote bot, in one version."""

    handle: str
    account: str
    version: str


LinePlayer: TypeAlias = StrategyPlayer | BotPlayer


class LadderLine(_Line, frozen=True, tag_field="kind", tag="ladder"):
    """The ladder and the season of the results."""

    ladder: str
    name: str
    season: Count
    config: LadderConfig
    digest: str
    """`sha-256:` and the digest of the canonical configuration."""


class EntryLine(_Line, frozen=True, tag_field="kind", tag="entry"):
    """An entry and its player."""

    entry: str
    player: LinePlayer
    name: str
    owner: str


class MatchLuck(_Line, frozen=True):
    """The luck of each seat; its expectation is zero given the decisions."""

    coins: tuple[Signed, ...]
    """Coin luck relative to the other seats, in thousandths of a coin."""
    wins: tuple[Signed, ...] | None
    """The control variate in millionths of a win; None without a value function."""


class ResultLine(_Line, frozen=True, tag_field="kind", tag="result"):
    """The result of a match."""

    ladder: str
    season: Count
    round: Count
    block: Count
    rotation: Count
    """The number of seats by which the base order is rotated."""
    match_id: str
    seats: tuple[str, ...]
    """Entries, by seat; `NOBODY` for a stand-in in a test."""
    winner: Count
    """The seat that won."""
    turns: Count
    version: Count
    head: str
    """The hash of the match's last event."""
    timeouts: tuple[Count, ...]
    errors: tuple[Count, ...]
    luck: MatchLuck | None


Line: TypeAlias = LadderLine | EntryLine | ResultLine


def rotated(base: Sequence[str], rotation: int) -> tuple[str, ...]:
    """The rotated base order: seat s has the entry at position s + rotation."""
    return (*base[rotation:], *base[:rotation])


def write(lines: Iterable[Line]) -> bytes:
    """The lines as canonical JSON, each with a line feed."""
    return b"".join([canonical(line) + b"\n" for line in lines])


def parse(text: bytes | str) -> Line:
    """Parse a line.

    Raises:
        ValueError: the text is not a line; the message says why.
    """
    return cast(Line, parsed_as(text, cast(Any, Line)))


def lines(ladder_id: str, state: LadderState, season: int) -> Iterator[Line]:
    """The lines that determine the ratings of a season: the ladder, its entries and the rated results.

    They are in chronological order, so that more results only append lines.
    """
    yield _ladder_line(ladder_id, state, season)
    yield from map(entry_line, state.entries)
    for round, block in state.rated_blocks(season):
        yield from block_lines(ladder_id, state, round, block)


def lines_of_test(ladder_id: str, state: LadderState, round: Round) -> Iterator[Line]:
    """The same for the results of a sequential test."""
    yield _ladder_line(ladder_id, state, round.season)
    yield from map(entry_line, state.entries)
    for block in round.blocks:
        yield from block_lines(ladder_id, state, round, block)


def _ladder_line(ladder_id: str, state: LadderState, season: int) -> LadderLine:
    return LadderLine(ladder_id, state.name, season, state.configs[season - 1], state.digests[season - 1])


def entry_line(entry: EntryState) -> EntryLine:
    """The line of an entry."""
    player = entry.player
    if entry.is_bot:
        return EntryLine(
            entry.id, BotPlayer(player.name, player.account, player.version), entry.name, entry.owner
        )
    return EntryLine(entry.id, StrategyPlayer(player.name, player.version), entry.name, entry.owner)


def block_lines(ladder_id: str, state: LadderState, round: Round, block: Block) -> Iterable[ResultLine]:
    """The lines of a block's matches, by rotation; none while the block is open."""
    return [
        ResultLine(
            ladder_id,
            round.season,
            round.number,
            block.number,
            rotation,
            result.match_id,
            tuple([_id(state, number) for number in block.seats(rotation)]),
            result.winner,
            result.turns,
            result.version,
            result.head,
            result.timeouts,
            result.errors,
            _luck(result),
        )
        for rotation, result in enumerate(block.results)
    ]


def _id(state: LadderState, number: int) -> str:
    return NOBODY if number == STAND_IN else state.entries[number].id


def _luck(result: MatchResult) -> MatchLuck | None:
    return None if result.luck_coins is None else MatchLuck(result.luck_coins, result.luck_wins)


class BlockResults(Struct, frozen=True):
    """All rotations of one base order."""

    number: int
    results: tuple[ResultLine, ...]
    """By rotation."""

    @property
    def base(self) -> tuple[str, ...]:
        """The base order: who sits where in rotation 0."""
        return self.results[0].seats


class Results(Struct, frozen=True):
    """Parsed results, independent of the order of the lines."""

    ladder: LadderLine
    entries: tuple[EntryLine, ...]
    """By entry id."""
    blocks: tuple[BlockResults, ...]
    """The complete blocks, by number."""
    incomplete: int
    """The number of blocks that lack rotations and are left out."""


def results_of(ladder_id: str, state: LadderState, season: int) -> Results:
    """The rated results of a season: what `read` finds in its `lines`, without the way through text.

    Raises:
        ResultsFault: `digest_differs`, `method_unknown`.
    """
    ladder = _ladder_line(ladder_id, state, season)
    _check_ladder(1, ladder)
    blocks = [
        BlockResults(block.number, tuple(block_lines(ladder_id, state, round, block)))
        for round, block in state.rated_blocks(season)
    ]
    entries = sorted(map(entry_line, state.entries), key=lambda entry: entry.entry)
    return Results(ladder, tuple(entries), tuple(blocks), incomplete=0)


class ResultsFault(Exception):
    """The lines are not the results of one season of a ladder.

    `line` is the number of the faulty line, from 1, or 0 if a line is missing; `code` is stable.
    """

    def __init__(self, code: str, detail: str, line: int = 0) -> None:
        super().__init__(code, detail, line)
        self.code = code
        self.detail = detail
        self.line = line

    def __str__(self) -> str:
        return f"line {self.line}: {self.detail}" if self.line else self.detail


Numbered: TypeAlias = list[tuple[int, Line]]
"""Lines with their line numbers."""


def read(texts: Iterable[bytes | str], *, with_stand_ins: bool = False) -> Results:
    """Parse results from lines of JSON; empty lines are skipped.

    The results of a sequential test may have stand-ins; rated results may not.

    Raises:
        ResultsFault: `not_a_line`, `no_ladder`, `two_ladders`, `digest_differs`, `method_unknown`,
            `two_entries`, `two_results`, `match_twice`, `other_ladder`, `other_season`, `seats_invalid`,
            `winner_invalid`, `rotation_invalid`, `counts_invalid`, `stand_in`, `unknown_entry`,
            `not_rotations`, `two_rounds`.
    """
    first = _once((number, _line(number, text)) for number, text in enumerate(texts, 1) if text.strip())
    number, ladder = _ladder(first)
    _check_ladder(number, ladder)
    entries = _entries(first)
    matches = [(number, line) for number, line in first if isinstance(line, ResultLine)]
    for number, match in matches:
        _check_match(number, match, ladder, entries)
        if NOBODY in match.seats and not with_stand_ins:
            _fault("stand_in", "a stand-in has a seat: results of a test are not rated", number)
    blocks = _blocks(matches)
    complete = [BlockResults(block, tuple(by)) for block, by in blocks if len(by) == ladder.config.seats]
    by_id = tuple([entries[entry] for entry in sorted(entries)])
    return Results(ladder, by_id, tuple(complete), len(blocks) - len(complete))


def _line(number: int, text: bytes | str) -> Line:
    try:
        return parse(text)
    except ValueError as error:
        raise ResultsFault("not_a_line", f"this is no line of results: {error}", number) from None


def _once(lines: Iterable[tuple[int, Line]]) -> Numbered:
    found: dict[bytes, tuple[int, Line]] = {}
    for number, line in lines:
        found.setdefault(canonical(line), (number, line))
    return [*found.values()]


def _ladder(lines: Numbered) -> tuple[int, LadderLine]:
    found = [(number, line) for number, line in lines if isinstance(line, LadderLine)]
    if not found:
        raise ResultsFault("no_ladder", "there is no line of the ladder")
    if len(found) > 1:
        _fault("two_ladders", "the ladder was told otherwise before", found[1][0])
    return found[0]


def _check_ladder(number: int, ladder: LadderLine) -> None:
    method = ladder.config.rating.method
    if method != METHOD:
        _fault("method_unknown", f"the ratings are by {method!r}, which is not known here", number)
    if digest(ladder.config) != ladder.digest:
        _fault("digest_differs", "the digest is not that of the configuration", number)


def _entries(lines: Numbered) -> dict[str, EntryLine]:
    found: dict[str, EntryLine] = {}
    for number, line in lines:
        if isinstance(line, EntryLine) and found.setdefault(line.entry, line) != line:
            _fault("two_entries", f"{line.entry!r} was told otherwise before", number)
    return found


def _check_match(number: int, match: ResultLine, ladder: LadderLine, entries: dict[str, EntryLine]) -> None:
    seats = ladder.config.seats
    if match.ladder != ladder.ladder:
        _fault("other_ladder", f"a result of {match.ladder!r}", number)
    if match.season != ladder.season:
        _fault("other_season", f"a result of season {match.season}", number)
    named = [entry for entry in match.seats if entry != NOBODY]
    if len(match.seats) != seats or len({*named}) != len(named):
        _fault("seats_invalid", f"{seats} different entries are seated at a table", number)
    if match.winner >= seats:
        _fault("winner_invalid", f"there is no seat {match.winner}", number)
    if match.rotation >= seats:
        _fault("rotation_invalid", f"there is no rotation {match.rotation}", number)
    if any(len(counts) != seats for counts in _by_seat(match)):
        _fault("counts_invalid", "one number is given for each seat", number)
    for entry in named:
        if entry not in entries:
            _fault("unknown_entry", f"there is no line of {entry!r}", number)


def _by_seat(match: ResultLine) -> list[tuple[int, ...]]:
    counts = [match.timeouts, match.errors]
    if match.luck is not None:
        counts.append(match.luck.coins)
        if match.luck.wins is not None:
            counts.append(match.luck.wins)
    return counts


def _blocks(matches: list[tuple[int, ResultLine]]) -> list[tuple[int, list[ResultLine]]]:
    """By block number: the results by rotation."""
    ids: set[str] = set()
    blocks: dict[int, dict[int, ResultLine]] = {}
    for number, match in matches:
        block = blocks.setdefault(match.block, {})
        if match.rotation in block:
            _fault("two_results", f"rotation {match.rotation} of block {match.block} ended otherwise", number)
        if match.match_id in ids:
            _fault("match_twice", f"{match.match_id!r} has another result", number)
        if block:
            _check_together(number, match, next(iter(block.values())))
        ids.add(match.match_id)
        block[match.rotation] = match
    return [(block, [blocks[block][i] for i in sorted(blocks[block])]) for block in sorted(blocks)]


def _check_together(number: int, match: ResultLine, other: ResultLine) -> None:
    seats = len(match.seats)
    if rotated(other.seats, (match.rotation - other.rotation) % seats) != match.seats:
        _fault("not_rotations", f"the seats of block {match.block} are not shifts of one order", number)
    if match.round != other.round:
        _fault("two_rounds", f"block {match.block} is of round {other.round}", number)


def _fault(code: str, detail: str, line: int) -> NoReturn:
    raise ResultsFault(code, detail, line)
