"""Random matches of every ruleset, option and number of seats, and the commands that a state might be sent.

A `Case` says how a match is made; `play` plays it with random legal players whose choices one seed drives, so
that a failure is found again from the case and the seed in its message.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, NamedTuple

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from msgspec import UNSET

from domain import MatchState, RuleViolation, advance, decide, fold, legal_commands
from domain.match import commands as cmd
from domain.match import events as ev
from domain.match.chance import SeededChance
from domain.match.commands import Command, PlayCommand
from domain.match.events import Event
from domain.match.rules import Rules, rules_for
from domain.match.rulesets import CURRENT, resolve_options
from tests.domain.kit import creation


class Case(NamedTuple):
    """A way to make a match."""

    name: str
    ruleset: str
    seats: int
    options: dict[str, Any]
    rich: bool = False
    """Start from a random table with many cards and coins instead of the set-up of the rule book."""


OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("base", {}),
    ("base", {"box": "five_player"}),
    ("base", {"market": "limited"}),
    ("base", {"max_copies": 2}),
    ("base", {"market": "limited", "max_copies": 2, "card_costs": {"cafe": 0, "amusement_park": 3}}),
    ("harbor", {}),
    ("harbor", {"market": "limited"}),
    ("harbor", {"max_copies": 2, "card_costs": {"sushi_bar": 4}}),
    ("machi_koro_2", {}),
    ("machi_koro_2", {"card_costs": {"launch_pad": 9, "cafe": 3}}),
    ("millionaires_row", {}),
    ("millionaires_row", {"market": "limited", "max_copies": 2}),
    ("harbor_millionaires_row", {"max_copies": 2, "card_costs": {"demolition_company": 0}}),
    ("harbor_millionaires_row", {"market": "limited"}),
]


def _case(ruleset: str, options: dict[str, Any], seats: int, rich: bool) -> Case:
    words = [ruleset, *[f"{key}={value}" for key, value in options.items()], f"{seats} seats"]
    return Case(", ".join([*words, "rich"] if rich else words), ruleset, seats, options, rich)


CASES: list[Case] = [
    _case(ruleset, options, 2 + (i + rich) % 4, bool(rich))
    for i, (ruleset, options) in enumerate(OPTIONS)
    for rich in (0, 1, 2, 3)
]
"""Each option with every number of seats; one match in four starts as in the rule book."""


class Step(NamedTuple):
    """One command of a match: the state before it, None before the first, and what it caused."""

    before: MatchState | None
    command: Command
    events: tuple[Event, ...]
    after: MatchState


class Played(NamedTuple):
    """A recorded match."""

    case: Case
    seed: int
    steps: tuple[Step, ...]

    @property
    def events(self) -> list[Event]:
        return [event for step in self.steps for event in step.events]

    def __str__(self) -> str:
        return f"{self.case.name}, seed {self.seed}"


def chance_of(case: Case, seed: int) -> SeededChance:
    return SeededChance(hashlib.sha256(f"{case.name}|{seed}".encode()).digest(), "test")


def play(case: Case, seed: int, longest: int = 400) -> Played:
    """The match of random legal players, to its end or to so many commands."""
    choices = Random(f"{case.name}|{seed}")
    chance = chance_of(case, seed)
    steps: list[Step] = []
    command: Command = creation_of(case, choices)
    while True:
        before = steps[-1].after if steps else None
        events = decide(before, command, chance)
        state = fold(before.copy() if before else None, events)
        steps.append(Step(before, command, events, state.copy()))
        if state.status != "running" or len(steps) >= longest:
            return Played(case, seed, tuple(steps))
        command = next_command(state, choices)


def creation_of(case: Case, choices: Random) -> cmd.CreateMatch:
    clock = ev.Clock(1000, choices.choice(["default_command", "strategy", "forfeit"]))
    position = None
    if case.rich:
        options = resolve_options(CURRENT[case.ruleset], case.seats, **case.options)
        position = random_position(rules_for(CURRENT[case.ruleset].version, options, case.seats), choices)
    return creation(case.ruleset, case.seats, clock=clock, position=position, options=case.options)


def random_position(rules: Rules, choices: Random) -> ev.Position:
    """A table that the box can make, with more on it than a match shows after many turns."""
    left = {id: rules.copies[rules.index[id]] for id in rules.ids}
    players = tuple([_random_player(rules, left, choices) for _ in range(rules.seats)])
    phases = ("roll", "build", "setup") if rules.ruleset.building_rounds else ("roll", "build")
    return ev.Position(choices.randrange(rules.seats), choices.choice(phases), players)


def _random_player(rules: Rules, left: dict[str, int], choices: Random) -> ev.PositionPlayer:
    establishments = {}
    for id in rules.ids[: rules.establishments]:
        most = 1 if rules.unique[rules.index[id]] else rules.max_copies or 3
        count = min(choices.randint(0, most), left[id])
        if id == "town_hall":
            count = 1
        if count:
            establishments[id] = count
            left[id] -= count
    landmarks = []
    for id in choices.sample(rules.ids[rules.establishments :], choices.randrange(rules.goal)):
        if (rules.own_landmarks or left[id]) and id != "launch_pad":
            landmarks.append(id)
            left[id] -= 1
    coins = choices.choice([0, 1, 5, 12, 40])
    if not rules.renovates:
        return ev.PositionPlayer(coins, establishments, tuple(landmarks))
    closed = {
        id: choices.randint(0, count)
        for id, count in establishments.items()
        if rules.tradable[rules.index[id]]
    }
    invested = choices.randrange(4) if "tech_startup" in establishments else UNSET
    return ev.PositionPlayer(coins, establishments, tuple(landmarks), closed, invested)


def next_command(state: MatchState, choices: Random) -> Command:
    """A random legal command; now and then the clock runs out or somebody resigns."""
    luck = choices.random()
    if luck < 0.01:
        return cmd.ExpireClock(state.active, "random", "1")
    if luck < 0.015:
        return cmd.Resign(choices.choice([seat for seat, gone in enumerate(state.resigned) if not gone]))
    return choice_of(state, choices)


def choice_of(state: MatchState, choices: Random) -> PlayCommand:
    """A random legal command that seldom passes, so that matches come to an end."""
    legal = legal_commands(state)
    builds = [command for command in legal if isinstance(command, cmd.Build)]
    if builds and choices.random() < 0.8:
        landmarks = [build for build in builds if state.rules.index[build.card] >= state.rules.establishments]
        return choices.choice(landmarks or builds)
    kind = choices.choice(sorted({type(command).__name__ for command in legal}))
    return choices.choice([command for command in legal if type(command).__name__ == kind])


PLAIN: tuple[Callable[[int], PlayCommand], ...] = (
    cmd.RerollDice,
    cmd.KeepDice,
    cmd.AddTwo,
    cmd.KeepTotal,
    cmd.DeclineSwap,
    cmd.InvestCoin,
    cmd.DeclineInvestment,
    cmd.Pass,
)
"""The commands that name nothing but their seat."""


def candidates(state: MatchState, choices: Random) -> Iterator[PlayCommand]:
    """Everything that a seat might try now, much of it wrong: seats, cards, numbers, phases."""
    rules = state.rules
    seats = [*range(rules.seats), -1, rules.seats, 10**30]
    cards = [*rules.ids, "", "no_such_card", "launch_pad", "harbor"]
    for seat in [state.active, choices.choice(seats), choices.choice(seats)]:
        for dice in (1, 2, 0, 3, -1, 10**30):
            yield cmd.RollDice(seat, dice)
        for plain in PLAIN:
            yield plain(seat)
        for other in seats:
            yield cmd.TakeCoins(seat, other)
    for card in cards:
        yield cmd.Build(state.active, card)
        yield cmd.GiveEstablishment(state.active, card)
        yield cmd.Demolish(state.active, card)
        yield cmd.Renovate(state.active, card)
        yield cmd.MoveEstablishment(state.active, card, choices.choice(seats))
    yield cmd.Build(choices.choice(seats), choices.choice(cards))
    yield from _trades(state, seats, cards, choices)


def _trades(
    state: MatchState, seats: Sequence[int], cards: Sequence[str], choices: Random
) -> Iterator[cmd.SwapEstablishments]:
    tries = 150 if state.phase == "swap" else 4
    for _ in range(tries):
        yield cmd.SwapEstablishments(
            state.active, choices.choice(cards), choices.choice(seats), choices.choice(cards)
        )


def is_accepted(state: MatchState, command: Command, chance: SeededChance) -> bool:
    """Whether the rules take the command; if so, it is carried out on the state."""
    try:
        advance(state, command, chance)
    except RuleViolation:
        return False
    return True


cases = st.sampled_from(CASES)
seeds = st.integers(min_value=0, max_value=2**32)


@st.composite
def played_matches(draw: st.DrawFn, longest: int = 60) -> Played:
    """A random match, cut off after some commands."""
    return play(draw(cases), draw(seeds), draw(st.integers(min_value=1, max_value=longest)))


bounded = settings(
    max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
