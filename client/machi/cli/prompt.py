"""The prompt of a match: shows the table and a menu, and reads the player's choice."""

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from rich.text import Text

from domain.match import commands as cmd
from machi.cli.board import Board
from machi.cli.menu import MenuItem, chosen, entries, what_to_give
from machi.cli.session import Session, one_line
from machi.cli.text import DisplayNames
from machi.cli.translations import Translation
from machi.commands import Command
from machi.table import LegalCommands, State

MARKET: Final = ("build", "setup")
"""Phases in which the menu is the market."""


class PlayerLeft(Exception):
    """The player leaves the terminal, but not the match."""


class Prompt:
    """Shows the table and a menu, and reads what is typed."""

    def __init__(self, session: Session, board: Board, names: DisplayNames, translation: Translation) -> None:
        self._translation = translation
        self._session = session
        self._out = session.out
        self._board = board
        self._names = names
        self._shown_turn = 0

    def ask(self, state: State, legal: LegalCommands) -> Command:
        """The command that was chosen. Raises: PlayerLeft."""
        menu = entries(legal.commands, state, self._names, self._translation)
        self._show(state, legal, menu)
        entry_or_command = self._choose(state, legal, menu)
        while isinstance(entry_or_command, MenuItem):
            if len(entry_or_command.commands) == 1:
                return entry_or_command.commands[0]
            further = what_to_give(entry_or_command, self._names, self._translation)
            self._show_menu(further)
            entry_or_command = self._choose(state, legal, further)
        return entry_or_command

    def _show(self, state: State, legal: LegalCommands, menu: Sequence[MenuItem]) -> None:
        self._out.print()
        if self._shown_turn != state.turn:
            self.show_cities(state)
        if state.pending:
            self._print_texts([state.pending.card])
        if state.phase in MARKET:
            self._out.print(self._board.market(state, menu, legal.unbuildable))
        if state.dice or state.phase in MARKET:
            self._say(self._board.summary(state))
        self._show_menu(menu, is_market=state.phase in MARKET)

    def show_cities(self, state: State) -> None:
        """Show the coins, establishments and landmarks of all players."""
        self._shown_turn = state.turn
        self._out.print(self._board.cities(state))
        self._out.print()

    def _show_menu(self, menu: Sequence[MenuItem], is_market: bool = False) -> None:
        """Show the menu; with `is_market`, without the cards, which the market shows."""
        for number, entry in enumerate(menu, 1):
            if not (is_market and entry.card):
                self._out.print(
                    Text(f"{number:2} ", style="bold").append(one_line(entry.label), style="not bold")
                )

    def _choose(self, state: State, legal: LegalCommands, menu: Sequence[MenuItem]) -> MenuItem | Command:
        """Read input until it is a menu entry or `resign`. Raises: PlayerLeft."""
        while True:
            typed = self._typed(self._prompt(state, menu))
            if typed == "" and len(menu) == 1:
                return menu[0]
            if typed in ("q", "quit", "exit"):
                raise PlayerLeft
            if typed == "resign":
                if self._typed(self._translation.give_up).lower() in self._translation.yes:
                    assert legal.seat is not None  # only a seat is asked
                    return cmd.Resign(legal.seat)
            elif typed == "table":
                self.show_cities(state)
            elif typed.startswith("?"):
                self._explain(typed[1:].strip(), menu)
            elif entry := chosen(typed, menu):
                return entry
            else:
                answer = self._translation.none_of_these if typed else self._translation.explains
                self._say(answer.format(typed=repr(one_line(typed))))

    def _prompt(self, state: State, menu: Sequence[MenuItem]) -> str:
        time = ""
        if state.deadline is not None:
            left = max(0, round((state.deadline - datetime.now(UTC)).total_seconds()))
            time = self._translation.time_left.format(seconds=left)
        span = self._translation.enter if len(menu) == 1 else f"1-{len(menu)}"
        return self._translation.prompt.format(time=time, span=span)

    def _typed(self, prompt: str) -> str:
        """A line of input. Raises: PlayerLeft at the end of the input."""
        try:
            typed = self._session.ask(prompt).strip()
        except EOFError:
            self._out.print()
            raise PlayerLeft from None
        if not sys.stdin.isatty():
            self._say(one_line(typed))
        return typed

    def _explain(self, what: str, menu: Sequence[MenuItem]) -> None:
        """Explain the card that is named, or all cards on the menu."""
        if not what:
            self._say(self._translation.help)
        on_menu = {entry.card: entry for entry in menu if entry.card}
        if what:
            entry = chosen(what, menu)
            meant = [entry.card] if entry and entry.card else self._named(what)
        else:
            meant = list(on_menu)
        self._print_texts(meant)
        if what and not meant:
            self._say(self._translation.no_card.format(typed=repr(one_line(what))))

    def _named(self, what: str) -> list[str]:
        """The cards whose name or id begins with the text."""
        wanted = what.lower().replace("_", " ")
        return [
            card.id
            for card in self._board.cards.values()
            if card.name.lower().startswith(wanted) or card.id.replace("_", " ").startswith(wanted)
        ]

    def _print_texts(self, cards: Sequence[str]) -> None:
        for card in cards:
            if card in self._board.cards:
                self._out.print(self._board.text(self._board.cards[card]))

    def _say(self, text: str) -> None:
        self._out.print(text, soft_wrap=True)
