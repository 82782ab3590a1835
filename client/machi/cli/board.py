"""Draws the table: the cities, the market, and what each card does."""

from collections.abc import Mapping, Sequence
from typing import Final

from rich.table import Table
from rich.text import Text

from contract.catalogue import Card
from contract.states import Unbuildable
from machi.cli.menu import MenuItem
from machi.cli.session import bare_table, one_line
from machi.cli.text import DisplayNames, activation, sum_of_dice
from machi.cli.translations import ENGLISH, Translation
from machi.requests.reviews import Puzzle
from machi.table import State

STYLES: Final = {
    "blue": "bright_blue",
    "green": "green",
    "red": "red",
    "purple": "magenta",
    "orange": "yellow",
}

NOT_SHOWN: Final = ("card_not_available", "landmark_already_built")
"""Reasons why a card cannot be built that mean it is not on the table: the market leaves it out."""


class Board:
    """Draws the states of one match; `mine` are the player's own seats."""

    def __init__(
        self,
        cards: Sequence[Card],
        names: DisplayNames,
        mine: Sequence[int],
        translation: Translation = ENGLISH,
    ) -> None:
        self._translation = translation
        self.cards = {card.id: card for card in cards}
        self._names = names
        self._mine = mine

    def cities(self, state: State | Puzzle) -> Table:
        """Coins, establishments and landmarks, with a column for each player."""
        table = _table("", self._translation.card, self._translation.colour)
        for player in state.players:
            name = one_line(self._names.seat(player.seat))
            mark = "> " if player.seat == state.active_seat else ""
            style = "bold" if player.seat in self._mine else ""
            table.add_column(
                Text(mark + name, style=style, overflow="ellipsis"), justify="right", max_width=14
            )
        table.add_row(
            "",
            self._translation.coins,
            "",
            *[Text(str(player.coins), style="bold") for player in state.players],
        )
        for card in self.cards.values():
            counts = [
                player.establishments.get(card.id, 0) + (card.id in player.landmarks)
                for player in state.players
            ]
            if any(counts) or (card.kind == "landmark" and state.market.kind != "rows"):
                closed = [(player.closed or {}).get(card.id, 0) for player in state.players]
                shown = map(self._count, [card] * len(counts), counts, closed)
                table.add_row(*self._card(card), *shown)
        return table

    def _count(self, card: Card, count: int, closed: int) -> Text:
        if not count:
            return Text("-", style="dim")
        shown = self._translation.closed.format(count=count, closed=closed) if closed else str(count)
        return Text(self._translation.built if card.kind == "landmark" else shown, style=_style(card))

    def market(self, state: State, menu: Sequence[MenuItem], unbuildable: Sequence[Unbuildable]) -> Table:
        """The cards that can be built, with their menu numbers, and those that cannot, with the reason."""
        translation = self._translation
        numbers_of = (translation.price, translation.left)
        table = _table("", "", translation.card, translation.colour, *numbers_of, "", numbers=numbers_of)
        numbers = {entry.card: str(number) for number, entry in enumerate(menu, 1) if entry.card}
        refused = {one.card: one for one in unbuildable if one.code not in NOT_SHOWN}
        for card in self.cards.values():
            if card.id not in numbers and card.id not in refused:
                continue
            left = state.market.for_sale.get(card.id)
            why = refused.get(card.id)
            cost = why.cost if why else price(card, state.active_seat or 0, state, self.cards)
            table.add_row(
                Text(numbers.get(card.id, ""), style="bold"),
                *self._card(card, is_dim=why is not None),
                str(cost),
                "" if left is None else str(left),
                Text(self._reason(why, state), style="dim") if why else "",
            )
        return table

    def _reason(self, why: Unbuildable, state: State) -> str:
        purse = state.players[state.active_seat or 0].coins
        if why.code == "insufficient_coins":
            return self._translation.short.format(coins=why.cost - purse)
        return self._translation.why_not.get(why.code, one_line(why.detail))

    def supply(self, state: State) -> Table:
        """The establishments and landmarks for sale, with what they cost now and how many are left."""
        translation = self._translation
        numbers = (translation.price, translation.left)
        table = _table("", translation.card, translation.colour, *numbers, numbers=numbers)
        for card in self.cards.values():
            if left := state.market.for_sale.get(card.id):
                cost = price(card, state.active_seat or 0, state, self.cards)
                table.add_row(*self._card(card), str(cost), str(left))
        return table

    def _card(self, card: Card, is_dim: bool = False) -> tuple[Text, Text, Text]:
        return card_cells(card, self._translation, is_dim)

    def summary(self, state: State) -> str:
        """The current roll, and the coins of all players."""
        dice = ""
        if state.dice is not None:
            sentence = self._translation.dice_added if state.dice.added else self._translation.dice
            shown = sum_of_dice(state.dice.values, sum(state.dice.values))
            dice = sentence.format(dice=shown, total=state.dice.total)
        purses = [f"{one_line(self._names.seat(player.seat))} {player.coins}" for player in state.players]
        return dice + self._translation.purses.format(purses=", ".join(purses))

    def text(self, card: Card) -> Text:
        """What a card does."""
        when = activation(card)
        name = Text(f"{card.name}{f' ({when})' if when else ''}: ", style=_style(card))
        return name.append(card.text, style="default")


def card_cells(card: Card, translation: Translation, is_dim: bool = False) -> tuple[Text, Text, Text]:
    """The dice totals, the name and the colour of a card."""
    style = "dim" if is_dim else _style(card)
    colour = translation.colours.get(card.colour or "", card.colour or "")
    if card.kind == "landmark" and not card.colour:
        colour = translation.landmark
    return Text(activation(card)), Text(one_line(card.name), style=style), Text(colour, style=style)


def _style(card: Card) -> str:
    return STYLES.get(card.colour or "", "cyan")


def _table(*columns: str, numbers: Sequence[str] = ()) -> Table:
    table = bare_table()
    for column in columns:
        is_number = column in ("", *numbers)
        # On a narrow terminal, names wrap and numbers are never cut off.
        table.add_column(column, no_wrap=is_number, justify="right" if is_number else "left")
    return table


def price(card: Card, seat: int, state: State, cards: Mapping[str, Card]) -> int:
    """The price of the card for the seat now, in coins; `cards` are all cards of the ruleset, by id."""
    named = state.options.card_costs.get(card.id)
    if not card.costs:
        return (card.cost or 0) if named is None else named
    built = len(state.players[seat].landmarks)
    full = card.costs[min(built, len(card.costs) - 1)] if named is None else named
    return max(full - _discount(card, seat, state, cards), 0)


def _discount(card: Card, seat: int, state: State, cards: Mapping[str, Card]) -> int:
    """What landmarks take off the price. Orange landmarks work for every player."""
    discount = 0
    for player in state.players:
        for landmark in [cards[id] for id in player.landmarks if id in cards]:
            effect = landmark.effect
            is_in_force = player.seat == seat or landmark.colour == "orange"
            is_meant = (effect.kind == "discount" and card.id in (effect.cards or ())) or (
                effect.kind == "own_landmark_discount" and card.kind == "landmark"
            )
            discount += (effect.amount or 0) if is_in_force and is_meant else 0
    return discount
