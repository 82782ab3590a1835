"""What lies on the table, as text and drawings show it: cities, the market, and who is to act."""

from collections.abc import Iterator
from typing import NamedTuple

from domain.match.cards import Card
from domain.match.decide.building import price
from domain.match.state import OPEN, MatchState, seat_to_act


class Stack(NamedTuple):
    """Copies of one card in one place."""

    card: Card
    copies: int
    """0 for a landmark that can be built."""
    price: int
    """For the active seat in the market, and for its owner in a city; in coins."""
    closed: int = 0
    """Of the copies in a city, those that are closed for renovation."""


class City(NamedTuple):
    """What a seat has."""

    seat: int
    name: str
    coins: int
    goal: str
    """Its landmarks and how many win, such as `2/4`."""
    is_active: bool
    landmarks: tuple[Stack, ...]
    """By price: all that it can have, or where these lie in the market, those that it has."""
    establishments: tuple[Stack, ...]
    """By number."""


class Row(NamedTuple):
    """Cards for sale."""

    name: str
    """As in the ruleset."""
    stacks: tuple[Stack, ...]
    """By number."""
    left: int | None
    """How many cards can still be drawn; None if all of them lie open."""


def heading(state: MatchState) -> str:
    """The turn, the dice, and who is to act, or how the match ended."""
    if state.status == OPEN:
        return "The match has not begun."
    seat = seat_to_act(state)
    if seat is not None:
        dice = f", dice {dice_text(state)}" if state.dice else ""
        return f"Turn {state.turn}: {name_of(state, seat)} is to act ({state.phase.replace('_', ' ')}){dice}."
    if state.winner >= 0:
        return f"{name_of(state, state.winner)} has won in turn {state.turn} ({state.result})."
    return f"Nobody has won ({state.result.replace('_', ' ')})."


def dice_text(state: MatchState) -> str:
    """The roll and its total, such as `3 + 4 = 7`."""
    parts = [str(value) for value in (*state.dice, *([state.added] if state.added else []))]
    return f"{' + '.join(parts)} = {state.total}" if len(parts) > 1 else parts[0]


def name_of(state: MatchState, seat: int) -> str:
    """The name of the player on the seat. Names come from strangers: what does not print is left out."""
    held = state.controllers[seat]
    name = "".join(filter(str.isprintable, held.name)) if held else ""
    return name or f"seat {seat}"


def cities(state: MatchState) -> Iterator[City]:
    """By seat. None before the match has begun."""
    rules = state.rules
    for seat, coins in enumerate(state.coins):
        stacks = [
            Stack(card, count, price(state, seat, place), state.closed[seat][place] if state.closed else 0)
            for place, (card, count) in enumerate(zip(rules.cards, state.cities[seat], strict=True))
        ]
        landmarks = [one for one in stacks[rules.establishments :] if one.copies or rules.own_landmarks]
        resigned = " (resigned)" if state.resigned[seat] else ""
        yield City(
            seat,
            f"{name_of(state, seat)}{resigned}",
            coins,
            f"{state.landmarks[seat]}/{rules.goal}",
            seat == state.active,
            tuple(sorted(landmarks, key=lambda one: one.card.cost[0])),
            _by_number([one for one in stacks[: rules.establishments] if one.copies]),
        )


def market(state: MatchState) -> Iterator[Row]:
    """The rows of the market. None before the match has begun."""
    rules = state.rules
    for row, places in zip(rules.rows, rules.row_cards, strict=True) if state.coins else ():
        stacks = [
            Stack(rules.cards[place], state.supply[place], price(state, max(state.active, 0), place))
            for place in places
            if state.supply[place]
        ]
        left = sum(state.decks[place] for place in places) if row.kinds else None
        yield Row(row.name, _by_number(stacks), left)


def _by_number(stacks: list[Stack]) -> tuple[Stack, ...]:
    return tuple(sorted(stacks, key=lambda one: order(one.card)))


def order(card: Card) -> tuple[int, int]:
    """What cards are sorted by: their lowest numbers, then their prices; those without numbers come last."""
    return min(card.activation, default=99), card.cost[0]


def held(stack: Stack) -> str:
    """The copies in a city, such as `2`, or `2 (1 closed)`."""
    return f"{stack.copies} ({stack.closed} closed)" if stack.closed else str(stack.copies)


def numbers(card: Card) -> str:
    """The totals that activate the card, such as `2-3`; empty for a landmark."""
    totals = card.activation
    return f"{totals[0]}-{totals[-1]}" if len(totals) > 1 else "".join(map(str, totals))
