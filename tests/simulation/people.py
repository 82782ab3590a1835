"""Simulated clients: they play their seats, send again what was not answered, and note every answer."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from domain.errors import RuleViolation
from domain.match.commands import Command, CreateMatch, Resign, SeatPlan
from domain.match.events import Clock, Dice, Position, PositionPlayer
from domain.match.legal import legal_commands
from domain.match.rulesets import CURRENT, resolve_options
from domain.match.state import RUNNING, MatchState, is_over
from events import CommandResult, Loaded, Matches, StaleVersion, StoreUnavailable
from tests.simulation.service import Place
from tests.simulation.world import Answer, Killed, World

PATIENCE_S: Final = 1.0
"""After so long without an answer a client sends again."""
BETWEEN_S: Final = 0.3
"""How long a client waits before it looks again."""
NEXT_TO_THE_END: Final = PositionPlayer(
    40, {"wheat_field": 2, "bakery": 2}, ("train_station", "shopping_mall", "amusement_park")
)
"""A player of the first game who can build the last landmark."""


class Acknowledged(NamedTuple):
    """What the service said that a command did."""

    match_id: str
    first: int
    last: int
    head_hash: bytes


class Journal:
    """What clients know, and what is wrong."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.people: Final[set[str]] = set()
        """The accounts that play."""
        self.matches: Final[list[str]] = []
        """Those whose creation was acknowledged."""
        self.acknowledged: Final[dict[str, Acknowledged]] = {}
        """By command id."""
        self.refused: Final[set[str]] = set()
        """The ids of commands of which one message arrived at most, and was answered with a refusal."""
        self.latest: Final[dict[str, int]] = {}
        """By match: the highest version that any client was told."""
        self.faults: Final[list[str]] = []

    def fault(self, text: str) -> None:
        """Note what is wrong."""
        self.faults.append(text)
        self._world.note(f"FAULT {text}")

    def acknowledge(self, command_id: str, result: CommandResult) -> None:
        """Note an answer; an earlier answer to the same command must have been the same."""
        found = Acknowledged(result.match_id, result.first, result.last, result.head_hash)
        known = self.acknowledged.setdefault(command_id, found)
        if known != found:
            self.fault(f"{command_id} was answered with {known}, and later with {found}")
        self.see(result.match_id, result.last)

    def see(self, match_id: str, version: int) -> None:
        """Note that a client was told this version."""
        self.latest[match_id] = max(version, self.latest.get(match_id, 0))


class Person:
    """A client with one seat in a match, or with none while it waits for its creation."""

    def __init__(self, place: Place, journal: Journal, name: str, decisions: int, is_absent: bool) -> None:
        """It resigns after so many decisions. An absent one leaves after half of them, until all is calm."""
        self._place = place
        self._world = place.world
        self._journal = journal
        self.name: Final = name
        self._decisions = decisions // 2 if is_absent else decisions
        self._is_absent = is_absent
        self.is_done = False
        journal.people.add(name)

    def create(self, command: CreateMatch) -> str:
        """Create a match, whatever it takes."""
        match_id, command_id = self._new_id("mat"), self._new_id("new")

        def request(matches: Matches) -> CommandResult:
            return matches.create(command, command_id, match_id)

        while True:
            answer, _ = self._ask(request)
            if isinstance(answer, CommandResult):
                self._journal.acknowledge(command_id, answer)
                self._journal.matches.append(match_id)
                return match_id
            self._check_error("create", answer)

    def play(self, match_id: str) -> None:
        """Play until the match is over for this client."""
        while (loaded := self._load(match_id)) is not None and not is_over(loaded.state):
            seat = _seat_of(loaded.state, self.name)
            if seat is None:
                break
            is_away = self._is_absent and not self._decisions and not self._world.is_calm
            if loaded.state.status == RUNNING and loaded.state.active == seat and not is_away:
                self._decide(loaded, seat)
            else:
                self._world.pause(BETWEEN_S)
        self.is_done = True

    def _decide(self, loaded: Loaded, seat: int) -> None:
        rng = self._world.rng
        command: Command = Resign(seat)
        if self._decisions:
            self._decisions -= 1
            command = rng.choice(legal_commands(loaded.state))
        if_match = loaded.version if rng.random() < 0.5 else None
        self._send(loaded.match_id, command, f"seat:{seat}", if_match)

    def _send(self, match_id: str, command: Command, actor: str, if_match: int | None) -> None:
        """Send a command until it is answered, and perhaps once more after that."""
        command_id = self._new_id("cmd")

        def request(matches: Matches) -> CommandResult:
            return matches.execute(match_id, command, actor, command_id, if_match)

        messages, answer = 0, None
        self._world.note(f"{self.name} sends {command_id} to {match_id}: {command!r}")
        while not isinstance(answer, CommandResult):
            answer, copies = self._ask(request)
            messages += copies
            if isinstance(answer, (RuleViolation, StaleVersion)):
                if messages <= 1:
                    self._journal.refused.add(command_id)
                return
            if isinstance(answer, CommandResult):
                self._world.note(f"{self.name} is told that {command_id} led to {answer.last}")
                self._journal.acknowledge(command_id, answer)
            else:
                self._check_error(command_id, answer)
        if self._world.rng.random() < 0.2:
            answer, _ = self._ask(request)
            if isinstance(answer, CommandResult):
                self._journal.acknowledge(command_id, answer)
            else:
                self._check_error(f"{command_id} again", answer)

    def _load(self, match_id: str) -> Loaded | None:
        """The match; it has at least what was acknowledged to anybody before."""
        while True:
            known = self._journal.latest.get(match_id, 0)
            answer, _ = self._ask(lambda matches: matches.load(match_id))
            if isinstance(answer, Loaded):
                if answer.version < known:
                    self._journal.fault(f"{match_id} is at {answer.version}, and was at {known} before")
                self._journal.see(match_id, answer.version)
                return answer
            self._check_error("load", answer)

    def _ask(self, request: Callable[[Matches], Any]) -> tuple[Any, int]:
        """Send a request to some web process; the answer, if there is one, and how many copies are sent."""
        world, rng = self._world, self._world.rng
        answer, index = Answer(world), rng.randrange(len(self._place.webs))
        fate = "fine" if world.is_calm or rng.random() < 0.8 else rng.choice(("lost", "late", "two", "mute"))
        heard = Answer(world) if fate == "mute" else answer
        delays_s = {"lost": [], "late": [rng.uniform(0, 3)], "two": [0.001, rng.uniform(0, 3)]}
        copies = delays_s.get(fate, [0.001])

        def deliver() -> None:
            web = self._place.webs[index]
            world.spawn(web.process, lambda: web.serve(request, heard))

        for delay_s in copies:
            world.spawn(world.outside, deliver, delay_s)
        found = answer.wait(PATIENCE_S)
        if isinstance(found, StoreUnavailable):
            world.pause(BETWEEN_S)
        return found, len(copies)

    def _check_error(self, what: str, answer: Any) -> None:
        """No answer and `StoreUnavailable` leave open what happened; any other error is a fault, and the
        client gives up."""
        if answer is not None and not isinstance(answer, StoreUnavailable):
            self._journal.fault(f"{what} was answered with {answer!r}")
            self.is_done = True
            raise Killed

    def _new_id(self, prefix: str) -> str:
        return f"{prefix}_{self._world.rng.randbytes(13).hex().upper()}"


def _seat_of(state: MatchState, name: str) -> int | None:
    for seat, taken in enumerate(state.controllers):
        if taken is not None and taken.kind == "account" and taken.id == name and not state.resigned[seat]:
            return seat
    return None


def new_match(world: World, people: list[str]) -> CreateMatch:
    """A match of these people and a built-in player or two."""
    rng = world.rng
    players = rng.choice((["landmark_first"], ["random"], ["landmark_first", "random"]))
    plans = [SeatPlan("account", name, name) for name in people]
    plans += [SeatPlan("strategy", name, name, "1") for name in players]
    rng.shuffle(plans)
    clock = None
    if rng.random() < 0.5:
        clock = Clock(rng.choice((1000, 2500)), rng.choice(("default_command", "strategy", "forfeit")))
    command = CreateMatch(
        "base@1",
        resolve_options(CURRENT["base"], len(plans)),
        tuple(plans),
        Dice("committed"),
        people[0],
        clock=clock,
    )
    if rng.random() < 0.5:
        cities = (NEXT_TO_THE_END,) * len(plans)
        return replace(command, position=Position(0, "roll", cities))
    return replace(command, first_seat=0)
