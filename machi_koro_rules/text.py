"""The table as lines of text, for terminals and logs."""

from collections.abc import Iterator, Sequence

from domain.match.state import MatchState
from machi_koro_rules.table import City, cities, heading, held, market, numbers, order

_NUMBERS = (0, 3)
"""The columns that stand on the right: numbers of cards, and from there on prices and counts."""


def text_of(state: MatchState) -> str:
    """The turn, the cities side by side, and what is for sale."""
    shown = tuple(cities(state))
    lines = [heading(state)]
    if shown:
        lines += ["", *_columns([*_cities(state, shown)])]
    for row in market(state):
        left = "" if row.left is None else f", {row.left} more in the deck"
        lines += ["", f"For sale, {row.name}{left}:" if left else "For sale:"]
        head = ("", "card", "colour", "price", "left")
        cards = [
            (numbers(one.card), one.card.name, one.card.colour, str(one.price), str(one.copies))
            for one in row.stacks
        ]
        lines += _columns([head, *cards])
    return "\n".join(lines)


def _cities(state: MatchState, shown: Sequence[City]) -> Iterator[Sequence[str]]:
    """The lines of the cities: their names, coins, and each card that one of them has or can build."""
    yield "", "", "", *[f"> {city.name}" if city.is_active else city.name for city in shown]
    yield "", "coins", "", *[str(city.coins) for city in shown]
    yield "", "landmarks", "", *[city.goal for city in shown]
    counts = [{one.card.id: one for one in (*city.landmarks, *city.establishments)} for city in shown]
    for card in sorted(state.rules.cards, key=order):
        if any(card.id in city for city in counts):
            colour = card.colour or "landmark"
            stacks = [city.get(card.id) for city in counts]
            told = [held(one) if one and one.copies else "-" for one in stacks]
            yield numbers(card), card.name, colour, *told


def _columns(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    first, rest = _NUMBERS
    for row in rows:
        cells = [
            cell.rjust(width) if place == first or place >= rest else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()
