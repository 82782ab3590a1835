"""A player that knows the service by a generated client alone.

`machi_koro_matches_client` is made from `openapi.yaml` when the tests run; import this module afterwards.
"""

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeAlias, TypeVar

import httpx
from machi_koro_matches_client import AuthenticatedClient, Client
from machi_koro_matches_client.api.accounts import create_account
from machi_koro_matches_client.api.commands import post_command, show_command
from machi_koro_matches_client.api.events import list_events
from machi_koro_matches_client.api.matches import create_match, show_match
from machi_koro_matches_client.api.turns import list_my_turns
from machi_koro_matches_client.models import (
    AccountWithToken,
    AddTwoCommand,
    BuildCommand,
    CommandAnswer,
    CommandRecord,
    DeclineInvestmentCommand,
    DeclineSwapCommand,
    DemolishCommand,
    EventPage,
    GiveEstablishmentCommand,
    GivenCounts,
    InvestCoinCommand,
    KeepDiceCommand,
    KeepTotalCommand,
    Match,
    MatchStatus,
    MoveEstablishmentCommand,
    MySeat,
    MyTurn,
    MyTurns,
    NewAccount,
    NewMatch,
    NewMatchOptions,
    PassCommand,
    Position,
    PositionPhase,
    PositionPlayer,
    Problem,
    RenovateCommand,
    RerollDiceCommand,
    ResignCommand,
    RollDiceCommand,
    RulesetId,
    ScriptedDice,
    StrategySeat,
    SwapEstablishmentsCommand,
    TakeCoinsCommand,
)
from machi_koro_matches_client.types import UNSET, Response, Unset

Said = TypeVar("Said")
Command: TypeAlias = (
    AddTwoCommand
    | BuildCommand
    | DeclineInvestmentCommand
    | DeclineSwapCommand
    | DemolishCommand
    | GiveEstablishmentCommand
    | InvestCoinCommand
    | KeepDiceCommand
    | KeepTotalCommand
    | MoveEstablishmentCommand
    | PassCommand
    | RenovateCommand
    | RerollDiceCommand
    | ResignCommand
    | RollDiceCommand
    | SwapEstablishmentsCommand
    | TakeCoinsCommand
)
"""The generator gives unions no name."""

BOTS = ("random", "landmark_first", "greedy")
DEADLINE_S = 180.0


def said(response: Response[Any], kind: type[Said]) -> Said:
    """What was answered, which must be of that type."""
    assert isinstance(response.parsed, kind), response
    return response.parsed


class Posted(NamedTuple):
    """A command that was accepted."""

    key: str
    command: Command
    answer: CommandAnswer


@contextmanager
def signed_up(base_url: str, handle: str) -> Iterator["Player"]:
    """A new account. An answer with a status that the document does not foresee raises."""
    with Client(base_url, raise_on_unexpected_status=True) as anybody:
        account = said(
            create_account.sync_detailed(client=anybody, body=NewAccount(handle)), AccountWithToken
        )
    with AuthenticatedClient(
        base_url, account.token, raise_on_unexpected_status=True, timeout=httpx.Timeout(40)
    ) as client:
        yield Player(client)


class Player:
    """An account that plays one seat of a match to its end."""

    def __init__(self, client: AuthenticatedClient) -> None:
        self.client = client
        self.posted: list[Posted] = []
        self._dice = random.Random(3)

    def new_match(self, ruleset: RulesetId, options: NewMatchOptions) -> str:
        """A match against built-in players; its id."""
        bots = (StrategySeat(kind="strategy", strategy=name) for name in BOTS)
        me = MySeat(kind="me", seed="word-of-mine")
        body = NewMatch(ruleset=ruleset, seats=[me, *bots], options=options)
        return said(create_match.sync_detailed(client=self.client, body=body), Match).match_id

    def new_board(self, throws: list[list[int]]) -> str:
        """An analysis board with two seats for this player; its id."""
        city = PositionPlayer(coins=3, establishments=GivenCounts.from_dict({"wheat_field": 1}))
        position = Position(active_seat=0, phase=PositionPhase.ROLL, players=[city, city])
        body = NewMatch(
            ruleset=RulesetId.BASE,
            seats=[MySeat(kind="me"), MySeat(kind="me")],
            dice=ScriptedDice(mode="scripted", throws=throws),
            position=position,
        )
        return said(create_match.sync_detailed(client=self.client, body=body), Match).match_id

    def play(self, match_id: str) -> Match:
        """Play until the match is over; the match then."""
        deadline = time.monotonic() + DEADLINE_S
        while (match := self.match(match_id)).status is MatchStatus.RUNNING:
            assert time.monotonic() < deadline, match
            for turn in self.turns():
                self.post(turn, self._choose(turn))
        return match

    def match(self, match_id: str) -> Match:
        return said(show_match.sync_detailed(match_id, client=self.client), Match)

    def turns(self) -> list[MyTurn]:
        """The decisions that wait for this player; none if there are none for a second."""
        return said(list_my_turns.sync_detailed(client=self.client, wait=1), MyTurns).items

    def _choose(self, turn: MyTurn) -> Command:
        """Any command that may be posted; rather a card than none."""
        commands = turn.legal_commands.commands
        cards = [command for command in commands if isinstance(command, BuildCommand)]
        return self._dice.choice(cards or commands)

    def post(self, turn: MyTurn, command: Command) -> None:
        key = f"turn/{turn.state.turn}?version={turn.version}#{len(self.posted)}%2F"
        answer = self.accepted(turn.match_id, command, key, f'"{turn.version}"')
        self.posted.append(Posted(key, command, answer))

    def accepted(
        self,
        match_id: str,
        command: Command,
        idempotency_key: str | Unset = UNSET,
        if_match: str | Unset = UNSET,
    ) -> CommandAnswer:
        return said(self._post(match_id, command, idempotency_key, if_match), CommandAnswer)

    def refused(
        self,
        match_id: str,
        command: Command,
        status: int,
        idempotency_key: str | Unset = UNSET,
        if_match: str | Unset = UNSET,
    ) -> Problem:
        """Why the command is refused, which must be with that status."""
        response = self._post(match_id, command, idempotency_key, if_match)
        problem = said(response, Problem)
        assert response.status_code == problem.status == status
        return problem

    def _post(
        self, match_id: str, command: Command, idempotency_key: str | Unset, if_match: str | Unset
    ) -> Response[CommandAnswer | Problem]:
        return post_command.sync_detailed(
            match_id,
            client=self.client,
            body=command,
            idempotency_key=idempotency_key,
            if_match=if_match,
        )

    def record(self, match_id: str, key: str) -> CommandRecord:
        return said(show_command.sync_detailed(match_id, key, client=self.client), CommandRecord)

    def pages(self, match_id: str) -> list[EventPage]:
        """All events up to now."""
        found: list[EventPage] = []
        after: str | None = "0"
        while after is not None:
            response = list_events.sync_detailed(match_id, client=self.client, after=int(after), limit=200)
            found.append(said(response, EventPage))
            after = found[-1].next_
        return found
