"""A match in the terminal: shows what happens, and asks for the player's decisions."""

import random
from collections.abc import Collection, Sequence
from typing import Final

from rich.text import Text

from contract.catalogue import Card
from domain.match import commands as cmd
from machi.cli.board import Board
from machi.cli.prompt import Prompt
from machi.cli.session import Session
from machi.cli.text import Narrator, names_of, result_line
from machi.cli.translations import TRANSLATIONS
from machi.client import Client
from machi.commands import Command
from machi.errors import Refused, StaleVersion
from machi.events import Event
from machi.matches import Match
from machi.seat_seeds import SeatSeeds
from machi.table import LegalCommands, State

UNTOLD: Final = ("choice_requested", "turn_ended", "dice_revealed")
"""Events that tell nothing new to a player who sees the table."""

LOOKED_BACK: Final = 12
"""Number of past events shown to a player who comes back to a match."""


class Game:
    """One match, played in this terminal."""

    def __init__(
        self,
        session: Session,
        client: Client,
        match: Match,
        mine: Sequence[int],
        cards: Sequence[Card],
        plays_itself: bool,
        lang: str,
    ) -> None:
        self._translation = TRANSLATIONS[lang]
        self._session = session
        self._out = session.out
        self._client = client
        self._match_id = match.match_id
        code = f"--code {match.invitation_code} " if match.invitation_code else ""
        self._to_join = f"{code}{match.match_id}"
        self._mine = mine
        self._names = names_of(match, cards)
        self._narrator = Narrator(client, match.match_id, self._names, lang)
        self._board = Board(cards, self._names, mine, self._translation)
        self._plays_itself = plays_itself
        self._shown_version = max(0, match.version - LOOKED_BACK)
        self._prompt = Prompt(session, self._board, self._names, self._translation)
        self._awaited_at = 0
        self._seeds: SeatSeeds | None = None

    def run(self) -> None:
        """Play until the match is over. Raises: PlayerLeft."""
        while True:
            state, legal = self._now()
            self._catch_up(state.version)
            if state.status not in ("open", "running"):
                break
            if state.status == "open":
                self._give_seeds()
            if not self._mine:
                self._session.say(self._translation.without_you.format(match=self._match_id))
                return
            if legal.seat in self._mine:
                self._decide(state, legal)
            else:
                self._wait(state)
        self._out.print()
        self._prompt.show_cities(state)
        self._session.say(
            result_line(self._client.match(self._match_id), self._names, self._translation), "bold"
        )

    def _now(self) -> tuple[State, LegalCommands]:
        """The state and the legal commands, both of the same version."""
        while True:
            legal = self._client.legal_commands(self._match_id, explain=True)
            state = self._client.state(self._match_id)
            if state.version == legal.version:
                return state, legal

    # What happened

    def _catch_up(self, version: int) -> None:
        while self._shown_version < version:
            for event in self._client.events(self._match_id, self._shown_version, limit=500).items:
                self._tell(event)

    def _tell(self, event: Event) -> None:
        if event.sequence <= self._shown_version:
            return
        self._shown_version = event.sequence
        self._session.show(event, self._tell_in_words)

    def _tell_in_words(self, event: Event) -> None:
        sentence = self._narrator.sentence(event)
        if event.type == "turn_started":
            self._out.print(Text(sentence[:1].upper() + sentence[1:], style="bold"))
        elif event.type not in UNTOLD:
            # A terminal would break long sentences within words; readers of a pipe want whole lines.
            self._out.print(Text(f"  {sentence}"), soft_wrap=not self._out.is_terminal)

    def _wait(self, state: State) -> None:
        """Wait for the next events, and tell them."""
        page = self._client.events(self._match_id, state.version, limit=500, wait=1)
        if not page.items:
            if self._awaited_at != state.version:
                text = self._translation.waiting.format(who=self._awaited(state))
                self._out.print(Text(f"  {text}", style="dim"), soft_wrap=not self._out.is_terminal)
                self._awaited_at = state.version
            page = self._client.events(self._match_id, state.version, limit=500, wait=25)
        for event in page.items:
            self._tell(event)

    def _give_seeds(self) -> None:
        """Commit to the seeds of the player's seats, and open them, if the match asks for that."""
        match = self._client.match(self._match_id)
        if match.seat_seeds is not None:
            self._seeds = self._seeds or SeatSeeds.of_file()
            self._seeds.give(self._client, match, self._client.me().account_id)

    def _awaited(self, state: State) -> str:
        if state.active_seat is None and state.deadline is not None:
            return self._translation.seeds_due
        if state.active_seat is None:
            return self._translation.to_join.format(match=self._to_join)
        return self._names.seat(state.active_seat)

    # What is chosen

    def _decide(self, state: State, legal: LegalCommands) -> None:
        if self._seeds is not None:
            self._seeds.check(self._client, self._match_id)
        command = self._chosen_alone(legal) if self._plays_itself else self._prompt.ask(state, legal)
        try:
            answer = self._client.command(self._match_id, command, if_match=legal.version)
        except StaleVersion:
            self._session.say(self._translation.moved_on)
        except Refused as refusal:
            if self._plays_itself:
                raise
            self._session.say(self._translation.refused.format(detail=refusal.detail, code=refusal.code))
        else:
            for event in answer.events:
                self._tell(event)
            if isinstance(command, cmd.Resign):
                self._mine = [seat for seat in self._mine if seat != legal.seat]

    def _chosen_alone(self, legal: LegalCommands) -> Command:
        landmarks = [card.id for card in self._board.cards.values() if card.kind == "landmark"]
        return choose_automatically(legal.commands, landmarks)


def choose_automatically(commands: Sequence[Command], landmarks: Collection[str]) -> Command:
    """The choice of `--auto`: a landmark if one can be built, otherwise a random command."""
    wanted = [one for one in commands if isinstance(one, cmd.Build) and one.card in landmarks]
    return random.choice(wanted or commands)
