"""A match in the terminal: what happened, the table, a menu, and what was typed."""

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from rich.text import Text

from machi import commands as cmd
from machi.catalogue import Card
from machi.cli import auto
from machi.cli.board import Board
from machi.cli.menu import Entry, chosen, entries, what_to_give
from machi.cli.session import Session, one_line
from machi.cli.words import names_of, result_line
from machi.client import Client
from machi.commands import Command
from machi.errors import Refused, StaleVersion
from machi.events import Event
from machi.matches import Match
from machi.sentences import sentence
from machi.table import LegalCommands, State

UNTOLD: Final = ("choice_requested", "turn_ended", "dice_revealed")
"""Events that say nothing new to who sees the table."""

MARKET: Final = ("build", "setup")
"""Phases whose menu is the market."""

LOOKED_BACK: Final = 12
"""As many events are told to who comes back to a match."""

HELP: Final = """\
A number chooses; so does the beginning of a name, such as `bak` for Bakery.
  ?          this, and what each card on the menu does
  ? CARD     what a card does, by its name or number
  table      the cities once more
  resign     give up the match
  q          leave; the match stays, and you can come back"""


class Left(Exception):
    """The player goes and the match stays."""


class Game:
    """One match as it is played here."""

    def __init__(
        self,
        session: Session,
        client: Client,
        match: Match,
        mine: Sequence[int],
        cards: Sequence[Card],
        plays_itself: bool,
    ) -> None:
        self._session = session
        self._out = session.out
        self._client = client
        self._match_id = match.match_id
        self._mine = mine
        self._names = names_of(match, cards)
        self._board = Board(cards, self._names, mine)
        self._plays_itself = plays_itself
        self._told = max(0, match.version - LOOKED_BACK)
        self._shown_turn = 0
        self._awaited_at = 0

    def run(self) -> None:
        """Play until the match is over. Raises: Left."""
        while True:
            state, legal = self._now()
            self._catch_up(state.version)
            if state.status not in ("open", "running"):
                break
            if not self._mine:
                self._say(f"The match goes on without you. Look on with: machi watch {self._match_id}")
                return
            if legal.seat in self._mine:
                self._decide(state, legal)
            else:
                self._wait(state)
        self._out.print()
        self._show_cities(state)
        self._session.say(result_line(self._client.match(self._match_id), self._names), "bold")

    def _now(self) -> tuple[State, LegalCommands]:
        """The table and what can be done on it, both of one version."""
        while True:
            legal = self._client.legal_commands(self._match_id, explain=True)
            state = self._client.state(self._match_id)
            if state.version == legal.version:
                return state, legal

    # What happened

    def _catch_up(self, version: int) -> None:
        while self._told < version:
            for event in self._client.events(self._match_id, self._told, limit=500).items:
                self._tell(event)

    def _tell(self, event: Event) -> None:
        if event.sequence <= self._told:
            return
        self._told = event.sequence
        told = one_line(sentence(event, self._names))
        if event.type == "turn_started":
            self._out.print(Text(told[:1].upper() + told[1:], style="bold"))
        elif event.type not in UNTOLD:
            self._out.print(Text(f"  {told}"), soft_wrap=True)

    def _wait(self, state: State) -> None:
        """Tell what others do, as they do it."""
        page = self._client.events(self._match_id, state.version, limit=500, wait=1)
        if not page.items:
            if self._awaited_at != state.version:
                self._out.print(Text(f"  waiting for {self._awaited(state)} ...", style="dim"))
                self._awaited_at = state.version
            page = self._client.events(self._match_id, state.version, limit=500, wait=25)
        for event in page.items:
            self._tell(event)

    def _awaited(self, state: State) -> str:
        if state.active_seat is None:
            return f"players to join; others can: machi play --join {self._match_id}"
        return self._names.seat(state.active_seat)

    # What is chosen

    def _decide(self, state: State, legal: LegalCommands) -> None:
        command = self._chosen_alone(legal) if self._plays_itself else self._asked(state, legal)
        try:
            answer = self._client.command(self._match_id, command, if_match=legal.version)
        except StaleVersion:
            self._say("The match has moved on without you:")
        except Refused as refusal:
            if self._plays_itself:
                raise
            self._say(one_line(refusal.detail))
        else:
            for event in answer.events:
                self._tell(event)
            if isinstance(command, cmd.Resign):
                self._mine = [seat for seat in self._mine if seat != legal.seat]

    def _chosen_alone(self, legal: LegalCommands) -> Command:
        landmarks = [card.id for card in self._board.cards.values() if card.kind == "landmark"]
        return auto.choose(legal.commands, landmarks)

    def _asked(self, state: State, legal: LegalCommands) -> Command:
        menu = entries(legal.commands, state, self._names)
        self._show(state, legal, menu)
        entry_or_command = self._choose(state, legal, menu)
        while isinstance(entry_or_command, Entry):
            if len(entry_or_command.commands) == 1:
                return entry_or_command.commands[0]
            further = what_to_give(entry_or_command, self._names)
            self._show_menu(further)
            entry_or_command = self._choose(state, legal, further)
        return entry_or_command

    def _show(self, state: State, legal: LegalCommands, menu: Sequence[Entry]) -> None:
        self._out.print()
        if self._shown_turn != state.turn:
            self._show_cities(state)
        if state.pending:
            self._out.print(self._board.text(self._board.cards[state.pending.card]))
        if state.phase in MARKET:
            self._out.print(self._board.market(state, menu, legal.unbuildable))
        if state.dice or state.phase in MARKET:
            self._say(self._board.summary(state))
        self._show_menu(menu, is_market=state.phase in MARKET)

    def _show_cities(self, state: State) -> None:
        self._shown_turn = state.turn
        self._out.print(self._board.cities(state))
        self._out.print()

    def _show_menu(self, menu: Sequence[Entry], is_market: bool = False) -> None:
        """The menu, without the cards if they stand in the market."""
        for number, entry in enumerate(menu, 1):
            if not (is_market and entry.card):
                self._out.print(
                    Text(f"{number:2} ", style="bold").append(one_line(entry.label), style="not bold")
                )

    def _choose(self, state: State, legal: LegalCommands, menu: Sequence[Entry]) -> Entry | Command:
        """What is typed, until it is one of the menu, or `resign`. Raises: Left."""
        while True:
            typed = self._typed(self._prompt(state, menu))
            if typed == "" and len(menu) == 1:
                return menu[0]
            if typed in ("q", "quit", "exit"):
                raise Left
            if typed == "resign":
                if self._typed("Give up the match? [y/N] ").lower() in ("y", "yes"):
                    return cmd.Resign(seat=legal.seat)
            elif typed == "table":
                self._show_cities(state)
            elif typed.startswith("?"):
                self._explain(typed[1:].strip(), menu)
            elif entry := chosen(typed, menu):
                return entry
            else:
                self._say(f"{one_line(typed)!r} is none of these; ? explains" if typed else "? explains")

    def _prompt(self, state: State, menu: Sequence[Entry]) -> str:
        time = ""
        if state.deadline is not None:
            left = max(0, round((state.deadline - datetime.now(UTC)).total_seconds()))
            time = f" ({left} s left)"
        span = "Enter" if len(menu) == 1 else f"1-{len(menu)}"
        return f"Your choice{time} [{span}, ?, q]: "

    def _typed(self, prompt: str) -> str:
        """A line of input. Raises: Left, there is no more."""
        try:
            typed = input(prompt).strip()
        except EOFError:
            self._out.print()
            raise Left from None
        if not sys.stdin.isatty():
            self._say(one_line(typed))
        return typed

    def _explain(self, what: str, menu: Sequence[Entry]) -> None:
        """The card that is meant, or all that are on the menu."""
        if not what:
            self._say(HELP)
        on_menu = {entry.card: entry for entry in menu if entry.card}
        if what:
            entry = chosen(what, menu)
            meant = [entry.card] if entry and entry.card else self._named(what)
        else:
            meant = list(on_menu)
        for card in meant:
            self._out.print(self._board.text(self._board.cards[card]))
        if what and not meant:
            self._say(f"there is no card {one_line(what)!r}")

    def _named(self, what: str) -> list[str]:
        """The cards whose name or id begins so."""
        wanted = what.lower().replace("_", " ")
        return [
            card.id
            for card in self._board.cards.values()
            if card.name.lower().startswith(wanted) or card.id.replace("_", " ").startswith(wanted)
        ]

    def _say(self, text: str) -> None:
        self._out.print(text, soft_wrap=True)
