"""The ratings of people from their rated matches, by the method of ladders. docs/ratings.md explains them.

A board is a ruleset and a number of seats. Every match is a block of its own: people do not play all
rotations of one order. The ratings of a board are a pure function of its newest results, whatever order they
came in.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import sha256 as hasher
from heapq import nlargest
from typing import Final, NamedTuple

from msgspec import Struct, structs

from domain.canonical import canonical, sha256
from domain.ladder.config import RatingRules
from domain.ladder.ratings import Fits, Rating, Sample, adder, made, rated

MOST_COUNTED: Final = 5_000
"""The newest results of a board count: this bounds what its ratings cost."""
RULES: Final = RatingRules(anchor="", replicates=200)
"""Those of ladders, with fewer replicates. Without an anchor, the mean of all accounts has 1500."""


class Board(NamedTuple):
    """The matches whose results are rated together."""

    ruleset: str
    seats: int

    @property
    def seed(self) -> str:
        """64 hexadecimal digits for the bootstrap, which nobody has chosen."""
        return hasher(f"ratings {self.ruleset} {self.seats}".encode()).hexdigest()


class RatedPlayer(Struct, frozen=True):
    """An account that played a rated match."""

    account_id: str
    handle: str


class RatedResult(Struct, frozen=True):
    """The result of a rated match."""

    match_id: str
    ended_ms: int
    """When the match ended, in ms since 1970."""
    players: tuple[RatedPlayer, ...]
    """In the order of turns; the first one had the first turn."""
    winner: int
    """The position of the winner among the players, from 0."""


class PersonRating(Rating, frozen=True, kw_only=True):
    """The rating of an account, whose id is `entry`."""

    handle: str
    matches: int
    wins: int


class BoardTable(Struct, frozen=True):
    """The ratings of a board."""

    digest: str
    """That of the results that count, see `digest_of`."""
    ratings: tuple[PersonRating, ...]
    """From strongest to weakest; ties in order of account id."""
    seats: tuple[float, ...]
    """The advantage of each place in the order of turns over the mean of all, in points with one decimal."""
    groups: int
    """The number of groups of accounts that no match connects."""
    results: int
    """The number of results that count."""


def counted(results: Iterable[RatedResult], as_of_ms: int) -> tuple[RatedResult, ...]:
    """The results that count at a time, in ms since 1970: of those that had ended by then, the last
    `MOST_COUNTED` by match id. They are in order of match id, and a repeated one counts once.
    """
    by_id = {one.match_id: one for one in results if one.ended_ms <= as_of_ms}
    return tuple([by_id[match_id] for match_id in sorted(nlargest(MOST_COUNTED, by_id))])


def digest_of(results: Sequence[RatedResult]) -> str:
    """`sha-256:` and the digest of what the ratings depend on, as canonical JSON: in the order of match ids,
    an array of match id, account ids and winner for each result.
    """
    told = [[one.match_id, [player.account_id for player in one.players], one.winner] for one in results]
    return sha256(canonical(told))


def sampled(board: Board, results: Sequence[RatedResult]) -> Sample:
    """The sample of the results that count, in the order of match ids."""
    ids = sorted({player.account_id for one in results for player in one.players})
    index = {account_id: i for i, account_id in enumerate(ids)}
    orders: dict[tuple[int, ...], list[int]] = {}
    cells: list[list[list[int]]] = [[[] for _ in range(board.seats)] for _ in ids]
    for place, one in enumerate(results):
        order = tuple([index[player.account_id] for player in one.players])
        orders.setdefault(order, []).append(place)
        cells[order[one.winner]][one.winner].append(place)
    return Sample(
        rules=RULES,
        seed=board.seed,
        seats=board.seats,
        entries=tuple(ids),
        anchor=len(ids),
        orders=tuple(sorted(orders)),
        blocks=len(results),
        of_orders=tuple([adder(orders[order]) for order in sorted(orders)]),
        of_cells=tuple([tuple([adder(places) for places in row]) for row in cells]),
        is_rotated=False,
    )


def tabled(sample: Sample, fits: Fits, results: Sequence[RatedResult]) -> BoardTable:
    """The table that follows from complete fits."""
    handles = {player.account_id: player.handle for one in results for player in one.players}
    matches = Counter([player.account_id for one in results for player in one.players])
    wins = Counter([one.players[one.winner].account_id for one in results])
    ratings = rated(sample, fits)
    return BoardTable(
        digest_of(results),
        tuple(
            [
                PersonRating(
                    **structs.asdict(one),
                    handle=handles[one.entry],
                    matches=matches[one.entry],
                    wins=wins[one.entry],
                )
                for one in ratings.entries
            ]
        ),
        ratings.seats,
        ratings.groups,
        len(results),
    )


def rate(board: Board, results: Iterable[RatedResult], as_of_ms: int) -> BoardTable:
    """The table of the board at a time, in ms since 1970, from its results in any order."""
    counting = counted(results, as_of_ms)
    sample, fits = sampled(board, counting), Fits()
    for _ in made(sample, fits):
        pass
    return tabled(sample, fits, counting)
