"""The table in tables: cities, market, and what each card does."""

from collections.abc import Sequence
from typing import Final

from rich import box
from rich.table import Table
from rich.text import Text

from contract.catalogue import Card
from contract.states import Unbuildable
from machi.cli.menu import Entry
from machi.cli.names import Names, throw
from machi.cli.session import one_line
from machi.cli.tongues import ENGLISH, Tongue
from machi.cli.words import activation
from machi.prices import price
from machi.table import State

STYLES: Final = {
    "blue": "bright_blue",
    "green": "green",
    "red": "red",
    "purple": "magenta",
    "orange": "yellow",
}

NOT_SHOWN: Final = ("card_not_available", "landmark_already_built")
"""Why cards cannot be built that are not on the table at all."""


class Board:
    """Draws states of one match for whoever sits on `mine`."""

    def __init__(
        self, cards: Sequence[Card], names: Names, mine: Sequence[int], tongue: Tongue = ENGLISH
    ) -> None:
        self._tongue = tongue
        self.cards = {card.id: card for card in cards}
        self._names = names
        self._mine = mine

    def cities(self, state: State) -> Table:
        """Purses, establishments and landmarks of all players, a column for each."""
        table = _table("", self._tongue.card, self._tongue.colour)
        for player in state.players:
            name = one_line(self._names.seat(player.seat))
            mark = "> " if player.seat == state.active_seat else ""
            style = "bold" if player.seat in self._mine else ""
            table.add_column(
                Text(mark + name, style=style, overflow="ellipsis"), justify="right", max_width=14
            )
        table.add_row(
            "", self._tongue.coins, "", *[Text(str(player.coins), style="bold") for player in state.players]
        )
        for card in self.cards.values():
            counts = [
                player.establishments.get(card.id, 0) + (card.id in player.landmarks)
                for player in state.players
            ]
            if any(counts) or (card.kind == "landmark" and state.market.kind != "rows"):
                table.add_row(*self._card(card), *[self._count(card, count) for count in counts])
        return table

    def _count(self, card: Card, count: int) -> Text:
        if not count:
            return Text("-", style="dim")
        return Text(self._tongue.built if card.kind == "landmark" else str(count), style=_style(card))

    def market(self, state: State, menu: Sequence[Entry], unbuildable: Sequence[Unbuildable]) -> Table:
        """What can be built, by its number in the menu, and what cannot, and why."""
        tongue = self._tongue
        numbers_of = (tongue.price, tongue.left)
        table = _table("", "", tongue.card, tongue.colour, *numbers_of, "", numbers=numbers_of)
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
            return self._tongue.short.format(coins=why.cost - purse)
        return self._tongue.why_not.get(why.code, one_line(why.detail))

    def _card(self, card: Card, is_dim: bool = False) -> tuple[Text, Text, Text]:
        style = "dim" if is_dim else _style(card)
        colour = self._tongue.colours.get(card.colour or "", card.colour or "")
        if card.kind == "landmark" and not card.colour:
            colour = self._tongue.landmark
        return Text(activation(card)), Text(card.name, style=style), Text(colour, style=style)

    def summary(self, state: State) -> str:
        """The throw that counts, and what everybody has."""
        dice = ""
        if state.dice is not None:
            told = self._tongue.dice_added if state.dice.added else self._tongue.dice
            shown = throw(state.dice.values, sum(state.dice.values))
            dice = told.format(dice=shown, total=state.dice.total)
        purses = [f"{one_line(self._names.seat(player.seat))} {player.coins}" for player in state.players]
        return dice + self._tongue.purses.format(purses=", ".join(purses))

    def text(self, card: Card) -> Text:
        """What a card does."""
        when = activation(card)
        name = Text(f"{card.name}{f' ({when})' if when else ''}: ", style=_style(card))
        return name.append(card.text, style="default")


def _style(card: Card) -> str:
    return STYLES.get(card.colour or "", "cyan")


def _table(*columns: str, numbers: Sequence[str] = ()) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1), show_edge=False)
    for column in columns:
        is_number = column in ("", *numbers)
        # Where it is narrow names go over two lines, and no number is cut off.
        table.add_column(column, no_wrap=is_number, justify="right" if is_number else "left")
    return table
