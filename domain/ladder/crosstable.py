"""Who met whom how often, and who won."""

from collections import Counter
from itertools import permutations

from msgspec import Struct

from domain.ladder.results import Results


class Cell(Struct, frozen=True):
    """One entry against another: the matches in which both had a seat."""

    entry: str
    opponent: str
    blocks: int
    matches: int
    wins: int
    """Of the entry."""
    losses: int
    """Matches that the opponent won; at tables of three and more others may win too."""
    score: float | None
    """The entry's share of the matches that one of the two won, four decimals; None without any."""


def crosstable(results: Results) -> tuple[Cell, ...]:
    """A cell for every ordered pair of entries, by entry id; those that never met have zeros."""
    blocks: Counter[tuple[str, str]] = Counter()
    wins: Counter[tuple[str, str]] = Counter()
    for block in results.blocks:
        blocks.update(permutations(block.base, 2))
        for match in block.results:
            won = match.seats[match.winner]
            wins.update([(won, other) for other in match.seats if other != won])
    ids = [entry.entry for entry in results.entries]
    seats = results.ladder.config.seats
    return tuple([_cell(pair, blocks[pair], seats, wins) for pair in permutations(ids, 2)])


def _cell(pair: tuple[str, str], blocks: int, seats: int, wins: Counter[tuple[str, str]]) -> Cell:
    entry, opponent = pair
    won, lost = wins[pair], wins[opponent, entry]
    score = round(won / (won + lost), 4) if won + lost else None
    return Cell(entry, opponent, blocks, blocks * seats, won, lost, score)
