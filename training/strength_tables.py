"""Results of strength measurements, their intervals and their Markdown tables."""

from collections.abc import Iterator, Sequence
from math import sqrt
from typing import Any

from msgspec import Struct

from bench.figures import wilson
from bench.published import TURNS, WINS_PERCENT
from domain.ladder.arithmetic import ROUNDED_Z
from players import PLAYERS


class PairResult(Struct, frozen=True):
    """The result of one pair: `one` on a single seat, `others` on all other seats."""

    ruleset: str
    options: dict[str, Any]
    seats: int
    one: str
    others: str
    matches: int
    wins: tuple[int, ...]
    """By seat of `one`; in a mirror, by winning seat."""
    turns: int
    square_turns: int
    called_off: int
    costs: dict[str, tuple[int, int, int]]
    """By player: number of decisions, their total time and the 99th percentile, in nanoseconds."""

    def is_same_pair(self, other: "PairResult") -> bool:
        return (self.ruleset, self.seats, self.one, self.others) == (
            other.ruleset,
            other.seats,
            other.one,
            other.others,
        )

    def joined(self, other: "PairResult") -> "PairResult":
        """The sum of both; percentiles are averaged by number of decisions."""
        return PairResult(
            self.ruleset,
            self.options,
            self.seats,
            self.one,
            self.others,
            self.matches + other.matches,
            tuple(map(sum, zip(self.wins, other.wins, strict=True))),
            self.turns + other.turns,
            self.square_turns + other.square_turns,
            self.called_off + other.called_off,
            joined_costs(self.costs, other.costs),
        )

    def share(self) -> tuple[float, float, float]:
        """The share of matches that `one` won, with its Wilson 95 % interval; all from 0 to 1."""
        return wilson(sum(self.wins), self.matches)

    def length(self) -> tuple[float, float]:
        """The mean length in turns, and half the width of its 95 % interval."""
        mean = self.turns / self.matches
        variance = max(0.0, self.square_turns / self.matches - mean * mean)
        return mean, ROUNDED_Z * sqrt(variance / self.matches)

    def sentence(self) -> str:
        """The result in one line, to show progress."""
        turns, margin = self.length()
        what = f"{self.ruleset} {self.seats}: {self.one} against {self.others}"
        share, low, high = self.share()
        won = "" if self.one == self.others else f"{share:.1%} ({low:.1%} to {high:.1%}), "
        return f"{what}: {won}{turns:.1f} ±{margin:.1f} turns, {self.matches} matches"


Costs = dict[str, tuple[int, int, int]]


def joined_costs(first: Costs, second: Costs) -> Costs:
    """The sum of both; percentiles are averaged by number of decisions."""
    found = dict(first)
    for name, (count, total, high) in second.items():
        have, spent, before = found.get(name, (0, 0, 0))
        mean = (before * have + high * count) // (have + count)
        found[name] = (have + count, spent + total, mean)
    return found


def markdown(results: Sequence[PairResult]) -> str:
    """All tables with headings."""
    parts: list[str] = []
    for ruleset, seats, options in _tables(results):
        chosen = [
            one for one in results if (one.ruleset, one.seats, one.options) == (ruleset, seats, options)
        ]
        more = f", options {options}" if options else ""
        parts += [f"### `{ruleset}`, {seats} seats{more}", ""]
        parts += [*_wins(chosen, seats), "", *_mirrors(chosen), "", *_costs(chosen), ""]
    return "\n".join(parts)


def _tables(results: Sequence[PairResult]) -> Iterator[tuple[str, int, dict[str, Any]]]:
    seen: list[tuple[str, int, dict[str, Any]]] = []
    for one in results:
        key = (one.ruleset, one.seats, one.options)
        if key not in seen:
            seen.append(key)
            yield key


def _wins(results: Sequence[PairResult], seats: int) -> list[str]:
    """The percentage that the row player wins on one seat against the column player on all others."""
    cells = {(one.one, one.others): _cell(one) for one in results if one.one != one.others}
    if seats == 2:
        cells |= {(one.others, one.one): _cell(one, turned=True) for one in results if one.one != one.others}
    rows = [name for name in reversed(PLAYERS) if any(name == pair[0] for pair in cells)]
    columns = [name for name in reversed(PLAYERS) if any(name == pair[1] for pair in cells)]
    head = "row beats column, %" if seats == 2 else f"one row against {seats - 1} of column, %"
    return [
        _line([f"{head} (par {100 / seats:.0f})", *columns]),
        _line(["---"] * (len(columns) + 1)),
        *[_line([f"`{row}`", *[cells.get((row, column), "") for column in columns]]) for row in rows],
    ]


def _cell(result: PairResult, *, turned: bool = False) -> str:
    share, low, high = result.share()
    if turned:
        share, low, high = 1 - share, 1 - high, 1 - low
    pair = (result.others, result.one) if turned else (result.one, result.others)
    first_game = result.ruleset == "base" and result.seats == 2 and not result.options
    published = WINS_PERCENT.get(pair) if first_game else None
    beside = "" if published is None else f" [{published}]"
    return f"{share * 100:.1f} ({low * 100:.1f}-{high * 100:.1f}){beside}"


def _mirrors(results: Sequence[PairResult]) -> list[str]:
    lines = [_line(["mirror", "turns", "published", "wins by seat, %", "matches"]), _line(["---"] * 5)]
    for one in results:
        if one.one == one.others:
            mean, margin = one.length()
            first_game = one.ruleset == "base" and not one.options
            published = TURNS.get((one.one, one.seats)) if first_game else None
            seats = "/".join(f"{wins / one.matches * 100:.0f}" for wins in one.wins)
            beside = "" if published is None else str(published)
            lines.append(
                _line([f"`{one.one}`", f"{mean:.1f} ±{margin:.1f}", beside, seats, str(one.matches)])
            )
    return lines if len(lines) > 2 else []


def _costs(results: Sequence[PairResult]) -> list[str]:
    costs: Costs = {}
    for one in results:
        costs = joined_costs(costs, one.costs)
    lines = [_line(["player", "ms per decision, mean", "99 % within", "decisions"]), _line(["---"] * 4)]
    for name in reversed(PLAYERS):
        if name in costs:
            count, total, high = costs[name]
            lines.append(_line([f"`{name}`", f"{total / count / 1e6:.2f}", f"{high / 1e6:.2f}", str(count)]))
    return lines


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
