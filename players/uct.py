"""The player `uct`: a Monte Carlo tree search over the decisions of all seats.

Each simulation descends the tree, adds one decision and finishes with a rollout. The only reward is who wins,
for each seat its own, so any number of seats may play. The tree is open-loop: rolls between two decisions
identify the next node by their sums and doubles, and the position there is what the rules produced this time.
Random numbers come from the player's generator, never from the match's dice.
"""

import time
from collections.abc import Callable, Sequence
from math import log, sqrt
from typing import Final, TypeAlias

from msgspec import Struct

from domain import legal_commands
from domain.match.chance import RandomNumbers
from domain.match.commands import PlayCommand, RerollDice, RollDice
from domain.match.decide import advance_turn
from domain.match.state import RUNNING, MatchState, is_double
from players.choices import landmarks, winning_landmark
from players.uct_rollout import OwnChance, play_on

EXPLORATION: Final = 0.7
"""The exploration constant of UCB1."""
LONGEST_TURNS: Final = 60
"""Turns per seat after which a simulated match has no winner."""

Thrown: TypeAlias = tuple[tuple[int, bool], ...]
"""The rolls between two decisions of the tree: sums, and whether they were doubles."""


class SearchEdge:
    """A tried command: visits, wins of the deciding seat, and the nodes after it."""

    __slots__ = ("after", "visits", "wins")

    def __init__(self) -> None:
        self.visits = 0
        self.wins = 0
        self.after: dict[Thrown, Node] = {}


Node: TypeAlias = dict[PlayCommand, SearchEdge]
"""A decision: its tried commands, in the order of their first visit."""


class Budget(Struct, frozen=True):
    """The budget of a search: a number of simulations, or milliseconds if `ms` is not 0."""

    simulations: int = 0
    ms: int = 0


class Search:
    """The search tree of one decision; it does not change the view."""

    def __init__(self, view: MatchState, legal: Sequence[PlayCommand], rng: RandomNumbers) -> None:
        self.simulations = 0
        self.root: Node = {}
        self._view = view
        self._legal = legal
        self._rng = rng
        self._chance = OwnChance(rng)
        self._last_turn = view.turn + LONGEST_TURNS * len(view.coins)

    def run(self, simulations: int) -> None:
        """Run that many more simulations."""
        for _ in range(simulations):
            self.simulate()

    def run_for(self, seconds: float, clock: Callable[[], float]) -> None:
        """Run one simulation, and more while there is time for one as long as the longest so far."""
        now_s = clock()
        end_s = now_s + seconds
        longest_s = 0.0
        while not self.simulations or now_s + longest_s < end_s:
            self.simulate()
            begun_s, now_s = now_s, clock()
            longest_s = max(longest_s, now_s - begun_s)

    def best(self) -> PlayCommand:
        """The most visited command; ties go to the one with more wins."""
        return max(self.root.items(), key=lambda tried: (tried[1].visits, tried[1].wins))[0]

    def simulate(self) -> None:
        """Run one simulation."""
        self.simulations += 1
        state = self._view.copy()
        node, legal = self.root, self._legal
        path: list[tuple[int, SearchEdge]] = []
        is_known = True
        while is_known and legal:
            seat = state.active
            command, edge = self._selected(node, legal)
            path.append((seat, edge))
            is_known = edge.visits > 0
            thrown, legal = self._follow(state, command)
            if is_known:
                node = edge.after.setdefault(thrown, {})
        winner = play_on(state, self._chance, self._rng, self._last_turn)
        for seat, edge in path:
            edge.visits += 1
            edge.wins += seat == winner

    def _selected(self, node: Node, legal: Sequence[PlayCommand]) -> tuple[PlayCommand, SearchEdge]:
        """A random untried command, else the one with the highest upper confidence bound (UCB1)."""
        untried = [command for command in legal if command not in node]
        if untried:
            command = untried[int(self._rng.random() * len(untried))]
            edge = node[command] = SearchEdge()
            return command, edge
        tried = [(command, node[command]) for command in legal]
        spread = EXPLORATION * sqrt(log(sum([edge.visits for _, edge in tried])))
        return max(tried, key=lambda one: one[1].wins / one[1].visits + spread / sqrt(one[1].visits))

    def _follow(self, state: MatchState, command: PlayCommand) -> tuple[Thrown, list[PlayCommand]]:
        """Execute the command and all forced ones; returns the rolls and the next legal commands.

        The list is empty if the match is over or too long.
        """
        thrown: list[tuple[int, bool]] = []
        legal = [command]
        while len(legal) == 1 and state.turn <= self._last_turn:
            advance_turn(state, legal[0], self._chance)
            if isinstance(legal[0], (RollDice, RerollDice)):
                thrown.append((sum(state.dice), is_double(state)))
            legal = legal_commands(state)
        return tuple(thrown), legal if state.status == RUNNING and len(legal) > 1 else []


class Uct:
    """A player that searches within a budget. `clock` gives seconds, for a budget of time."""

    def __init__(self, budget: Budget, clock: Callable[[], float] = time.perf_counter) -> None:
        self._budget = budget
        self._clock = clock

    def __call__(self, view: MatchState, legal: Sequence[PlayCommand], rng: RandomNumbers) -> PlayCommand:
        won = winning_landmark(view, landmarks(view, legal))
        if won:
            return won
        search = Search(view, legal, rng)
        if self._budget.ms:
            search.run_for(self._budget.ms / 1000, self._clock)
        else:
            search.run(self._budget.simulations)
        return search.best()


choose: Final = Uct(Budget(simulations=400))
choose_1600: Final = Uct(Budget(simulations=1600))
choose_100ms: Final = Uct(Budget(ms=100))
"""Its choices depend on the speed of the machine, so they are not reproducible."""
