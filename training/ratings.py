"""`python -m training.ratings`: the published ratings of the built-in players, from the results of ladders.

`training/ladders/` has the results file of a ladder for each ruleset and number of seats. The command
computes the official table of each, prints all ratings as Markdown tables, and writes `runtime/ratings.json`.
It plays nothing, so the same files always give the same ratings.
"""

import argparse
import gzip
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import mean
from typing import Final, NamedTuple

import msgspec

from domain.ladder.results import Results, StrategyPlayer, read
from domain.ladder.standings import Standing, standings
from players.weight_files import weight_set
from runtime.strategies import RATINGS, STRATEGIES, PlayerRatings, Rating

LADDERS: Final = Path(__file__).with_name("ladders")
LEVELS: Final = ((1550, "strong"), (1400, "casual"), (1150, "beginner"))
"""The levels below `expert`, the highest first: the mean rating must be below the number."""
LEAST_MATCHES: Final = 50
"""A rating from fewer matches says too little to be published."""


class TableRow(NamedTuple):
    """A player's row in the table of one ladder."""

    player: StrategyPlayer
    ruleset: str
    seats: int
    standing: Standing


def results_files(folder: Path = LADDERS) -> list[Results]:
    """The results of all ladders, by ruleset and number of seats."""
    found = []
    for path in sorted(folder.glob("*.ndjson.gz")):
        with gzip.open(path) as lines:
            found.append(read(lines))
    return sorted(found, key=lambda one: (one.ladder.config.ruleset, one.ladder.config.seats))


def rows_of(results: Results) -> list[TableRow]:
    """The rows of the official table of a ladder, without those that have played no match."""
    config = results.ladder.config
    players = {entry.entry: entry.player for entry in results.entries}
    return [
        TableRow(player, config.ruleset, config.seats, standing)
        for standing in standings(results).standings
        if standing.matches and isinstance(player := players[standing.entry], StrategyPlayer)
    ]


def rated(rows: Iterable[TableRow]) -> tuple[PlayerRatings, ...]:
    """The ratings of each player that has any, weakest first. A former version counts where the current one
    decides just as it did."""
    own: dict[str, list[Rating]] = {name: [] for name in STRATEGIES}
    for player, ruleset, seats, standing in rows:
        if standing.matches >= LEAST_MATCHES and decides_as_now(player, ruleset, seats):
            own[player.name].append(
                Rating(ruleset, seats, standing.rating, standing.rating_interval, standing.matches)
            )
    return tuple(
        [
            PlayerRatings(
                name, STRATEGIES[name].version, level([one.rating for one in ratings]), tuple(ratings)
            )
            for name, ratings in own.items()
            if ratings
        ]
    )


def decides_as_now(player: StrategyPlayer, ruleset: str, seats: int) -> bool:
    """Whether this version of the player decides as the current one with that number of seats."""
    if player.version == STRATEGIES[player.name].version:
        return True
    since = weight_set(ruleset, seats).since.get(player.name)
    return since is not None and int(since) <= int(player.version)


def level(ratings: Iterable[float]) -> str:
    """The level of a player with these ratings."""
    found = "expert"
    for limit, lower in LEVELS:
        if mean(ratings) < limit:
            found = lower
    return found


def table(ruleset: str, players: Sequence[PlayerRatings]) -> str:
    """A Markdown table of the ratings in a ruleset, the last player first."""
    by_seats = {
        player.name: {one.seats: one for one in player.ratings if one.ruleset == ruleset}
        for player in players
    }
    seats = sorted({count for own in by_seats.values() for count in own})
    lines = [
        f"| player | {' | '.join([f'{count} seats' for count in seats])} |",
        "| --- " * (1 + len(seats)) + "|",
    ]
    for player in reversed(players):
        own = by_seats[player.name]
        texts = [_text(own[count]) if count in own else "" for count in seats]
        lines.append(f"| `{player.name}` | {' | '.join(texts)} |")
    return "\n".join(lines)


def _text(rating: Rating) -> str:
    low, high = rating.rating_interval
    return f"{rating.rating:.0f} ({low:.0f}-{high:.0f}) {rating.matches:,}"


def main(arguments: list[str]) -> int:
    """Run the command; returns the exit code."""
    argparse.ArgumentParser(prog="python -m training.ratings", description=__doc__).parse_args(arguments)
    found = []
    for results in results_files():
        found += rows_of(results)
        print(f"{results.ladder.name}: {results.ladder.ladder}", file=sys.stderr, flush=True)
    players = rated(found)
    RATINGS.write_bytes(msgspec.json.format(msgspec.json.encode(players), indent=1) + b"\n")
    for ruleset in dict.fromkeys([cell.ruleset for cell in found]):
        print(f"### `{ruleset}`\n\n{table(ruleset, players)}\n")
    print("\n".join([f"| `{player.name}` | {player.level} |" for player in players]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
