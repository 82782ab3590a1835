"""The search tree of the rest of a turn: all rolls and choices of the active seat up to its build.

The rules execute every roll on a copy of the table. The leaves are the tables before the build; a batch
evaluates all of them by their best build.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from domain.match.commands import (
    AddTwo,
    DeclineSwap,
    KeepDice,
    KeepTotal,
    PlayCommand,
    RerollDice,
    RollDice,
    SwapEstablishments,
)
from domain.match.legal import legal_commands
from domain.match.state import MatchState
from players.afterstates import Afterstates, GivenChance, after, afterstates, answers
from players.forecast import ONE_DIE, TWO_DICE, Values
from players.tables import Doubles, in_play
from players.value_function import Evaluator, chances_of

THROWS: Final = {1: ONE_DIE, 2: TWO_DICE}

COMPARED_DECIMALS: Final = 6
"""Decimals to which the players `learned` and `strong` compare commands. Another number changes choices, and
so needs new versions of them."""

EQUAL_DECIMALS: Final = 9
"""Decimals to which chances within a tree, the ranks of builds, and the candidates of reviews are compared:
machines add up in other orders, and choices of equal value must be equal on all of them."""

MORE_COINS: Final = 8
"""With so many more coins, the active seat can pay for most of what it can build after any roll."""

RANKED_ROLLS: Final = 4
"""A seat's builds are ranked for so many of its rolls at most."""

FEW_TRADES: Final = 48
"""A tree evaluates all trades if there are at most this many."""

Key = tuple[object, ...]
RollKind = tuple[int, int, bool]
Ranks = dict[PlayCommand, float]
"""The ranks of builds before a roll; a higher one is better."""


class Node:
    """A node of the tree: a leaf, a maximum over choices, or a mean over rolls."""

    def __init__(self, parts: Sequence["Node"] = (), shares: Sequence[float] = (), leaf: int = -1) -> None:
        self.parts = parts
        self.shares = shares
        """The probability of each part; empty if the seat chooses."""
        self.leaf = leaf

    def value(self, leaves: Sequence[float]) -> float:
        """The value of the node, given the values of the leaves."""
        if self.leaf >= 0:
            return leaves[self.leaf]
        found = [part.value(leaves) for part in self.parts]
        if self.shares:
            return sum([share * value for share, value in zip(self.shares, found, strict=True)])
        return max(found)

    def chances(self, leaves: Doubles, seat: int) -> Doubles:
        """By seat: the probability of winning, given those of the leaves, if `seat` maximises its own."""
        if self.leaf >= 0:
            return np.asarray(leaves[self.leaf])
        found = np.array([part.chances(leaves, seat) for part in self.parts])
        if self.shares:
            return np.asarray(np.array(self.shares) @ found)
        return np.asarray(found[np.round(found[:, seat], EQUAL_DECIMALS).argmax()])


class Lookahead:
    """The tree of one turn."""

    def __init__(
        self,
        view: MatchState,
        evaluator: Evaluator = chances_of,
        trades: bool = True,
    ) -> None:
        """The evaluator chooses trades and gifts; without `trades`, they are declined."""
        self._view = view
        self._trades = trades
        self._evaluator = evaluator
        self._chance = GivenChance()
        self.leaves: list[MatchState] = []
        """The tables before the build that the tree has reached so far."""
        self._numbers: dict[Key, int] = {}
        self._answers: dict[Key, PlayCommand] = {}
        self._final_rolls: dict[RollKind, Node] = {}

    def best(self, legal: Sequence[PlayCommand]) -> PlayCommand:
        """The command about dice or a target with the highest expected value."""
        values = self.values(legal)
        return legal[values.index(max(values))]

    def values(self, legal: Sequence[PlayCommand]) -> list[float]:
        """The expected values of commands about dice or a target."""
        nodes = [self.follow(command) for command in legal]
        leaves = self._judged()
        return [round(node.value(leaves), COMPARED_DECIMALS) for node in nodes]

    def follow(self, command: PlayCommand) -> Node:
        """The node after a command; the parts of a roll are in the order of `THROWS`."""
        return self._after(self._view, command)

    def _after(self, state: MatchState, command: PlayCommand) -> Node:
        if isinstance(command, RollDice):
            return self._throw(state, command, command.dice)
        if isinstance(command, RerollDice):
            return self._throw(state, command, len(state.dice))
        if isinstance(command, KeepDice):
            return self._final_roll(state, command, state.dice)
        return self._node(after(state, command, self._chance))

    def _throw(self, state: MatchState, command: PlayCommand, dice: int) -> Node:
        throws = THROWS[dice]
        parts = [self._final_roll(state, command, values) for values, _ in throws]
        return Node(parts, [chance for _, chance in throws])

    def _final_roll(self, state: MatchState, command: PlayCommand, values: Values) -> Node:
        """The node of a final roll, which is the same for a kept roll and a reroll."""
        if isinstance(command, RollDice):
            return self._node(self._with(state, command, values))
        key = roll_kind(values)
        if key not in self._final_rolls:
            self._final_rolls[key] = self._node(self._with(state, command, values))
        return self._final_rolls[key]

    def _with(self, state: MatchState, command: PlayCommand, values: Values) -> MatchState:
        self._chance.values = values
        return after(state, command, self._chance)

    def _node(self, state: MatchState) -> Node:
        if state.phase == "reroll":
            keep, again = KeepDice(state.active), RerollDice(state.active)
            return Node([self._after(state, keep), self._again(state, again)])
        if state.phase == "add_two":
            return Node([self._after(state, one(state.active)) for one in (KeepTotal, AddTwo)])
        if state.phase == "take_coins":
            return Node([self._after(state, command) for command in legal_commands(state)])
        if state.phase == "swap" and not self._trades:
            return self._after(state, DeclineSwap(state.active))
        if state.phase in ("swap", "give"):
            return self._after(state, self._answer(state))
        return self._leaf(state)

    def _answer(self, state: MatchState) -> PlayCommand:
        """The trade or gift; cached, since it does not depend on the roll."""
        key = (state.pending_card, state.pending_copies, *_key(state))
        if key not in self._answers:
            self._answers[key] = quick_answer(state, legal_commands(state), self._evaluator)
        return self._answers[key]

    def _again(self, state: MatchState, command: RerollDice) -> Node:
        """The node of a reroll, which does not depend on the first roll."""
        return self._throw(state, command, len(state.dice))

    def _leaf(self, state: MatchState) -> Node:
        key = _key(state)
        if key not in self._numbers:
            self._numbers[key] = len(self.leaves)
            self.leaves.append(state)
        return Node(leaf=self._numbers[key])

    def _judged(self) -> list[float]:
        """By leaf: its value with the best build."""
        found, judged = judged_builds(self.leaves, [legal_commands(state) for state in self.leaves])
        return [float(part.max()) for part in np.split(judged, found[:-1])]


def roll_kind(values: Values) -> RollKind:
    """The kind of a roll, which is all that the rules distinguish: number of dice, total, whether a
    double."""
    return len(values), sum(values), len(set(values)) < len(values)


def _key(state: MatchState) -> Key:
    """Everything that can differ between the tables of a turn."""
    return (*state.coins, state.extra_turn_due, *[tuple(city) for city in state.cities])


def chances_of_builds(state: MatchState, legal: Sequence[PlayCommand], evaluator: Evaluator) -> Doubles:
    """By build and seat in play: the probability of winning."""
    return _judged([state], [legal], evaluator)[1]


def judged_builds(
    states: Sequence[MatchState], legals: Sequence[Sequence[PlayCommand]]
) -> tuple[NDArray[np.intp], Doubles]:
    """Where the builds of each state end, and the value of every build for its seat; a win has value 1."""
    found, judged = _judged(states, legals, chances_of)
    return found.ends, _own(found, judged)


class Ranking:
    """The builds that a seat could pay for with `MORE_COINS` more before a roll, and their ranks once `rank`
    has found them: its chances to win after each, if its turn ended without the roll."""

    def __init__(self, table: MatchState) -> None:
        self.table = _richer(table)
        self.builds = legal_commands(self.table)
        self.ranks: Ranks = {}
        self.rolls_left = RANKED_ROLLS


class Rankings:
    """The latest ranking of every seat."""

    def __init__(self) -> None:
        self._latest: dict[int, Ranking] = {}

    def before_roll(self, table: MatchState) -> Ranking:
        """The ranking for a roll of the active seat.

        It is a new one after `RANKED_ROLLS` rolls of the seat, if its number of landmarks has changed, and if
        it could pay for a build that the latest one does not have.
        """
        seat, new = table.active, Ranking(table)
        latest = self._latest.get(seat)
        if latest is None or not latest.rolls_left or not _covers(latest, new):
            self._latest[seat] = latest = new
        latest.rolls_left -= 1
        return latest


def _covers(latest: Ranking, new: Ranking) -> bool:
    """Whether the latest ranking has all builds of the new one, and the seat as many landmarks."""
    seat = new.table.active
    is_level = latest.table.landmarks[seat] == new.table.landmarks[seat]
    return is_level and {*new.builds} <= {*latest.builds}


def _richer(table: MatchState) -> MatchState:
    state = table.copy()
    state.phase = "build"
    state.coins[state.active] += MORE_COINS
    return state


def rank(rankings: Sequence[Ranking], evaluator: Evaluator) -> None:
    """Find the ranks of new rankings, in one batch; their tables have the same rules and seats in play."""
    if not rankings:
        return
    found, judged = _judged([one.table for one in rankings], [one.builds for one in rankings], evaluator)
    parts = np.split(np.round(_own(found, judged), EQUAL_DECIMALS), found.ends[:-1])
    for one, part in zip(rankings, parts, strict=True):
        one.ranks = dict(zip(one.builds, part.tolist(), strict=True))


def _promising(legal: Sequence[PlayCommand], ranks: Ranks) -> list[PlayCommand]:
    """The build that ranks highest, and those without a rank."""
    best = max(legal, key=lambda command: ranks.get(command, -1.0))
    return [command for command in legal if command == best or command not in ranks]


def best_builds(
    trees: Sequence[Lookahead], evaluator: Evaluator, ranks: Sequence[Ranks] | None = None
) -> list[Doubles]:
    """For each tree, by leaf and seat in play: the probability of winning after the best build.

    One batch evaluates the leaves of all trees, which have the same rules and seats in play. With the ranks
    of the builds for each tree, only the build that ranks highest and those without a rank are considered.
    """
    states = [leaf for tree in trees for leaf in tree.leaves]
    legals = [legal_commands(state) for state in states]
    if ranks is not None:
        of_leaf = [one for tree, one in zip(trees, ranks, strict=True) for _ in tree.leaves]
        legals = [_promising(legal, one) for legal, one in zip(legals, of_leaf, strict=True)]
    found, judged = _judged(states, legals, evaluator)
    own = np.round(_own(found, judged), EQUAL_DECIMALS)
    best = [start + own[start:end].argmax() for start, end in zip(found.starts, found.ends, strict=True)]
    return np.split(judged[best], np.cumsum([len(tree.leaves) for tree in trees])[:-1])


def _judged(
    states: Sequence[MatchState], legals: Sequence[Sequence[PlayCommand]], evaluator: Evaluator
) -> tuple[Afterstates, Doubles]:
    """The afterstates of every build, and the probabilities of winning by seat in play."""
    found = afterstates(states, legals)
    judged = evaluator(states[0].rules, found.tables)
    judged[found.wins] = 0
    judged[found.wins, found.deciders[found.wins]] = 1
    return found, judged


def _own(found: Afterstates, judged: Doubles) -> Doubles:
    """By afterstate: the probability that the seat that decides wins."""
    return np.asarray(judged[np.arange(len(judged)), found.deciders])


def answer(state: MatchState, legal: Sequence[PlayCommand], evaluator: Evaluator = chances_of) -> PlayCommand:
    """The trade or gift with the highest value before the build."""
    values = values_of_answers(state, legal, evaluator)
    return legal[values.index(max(values))]


def values_of_answers(state: MatchState, legal: Sequence[PlayCommand], evaluator: Evaluator) -> list[float]:
    """The values of trades or gifts before the build."""
    judged = evaluator(state.rules, answers(state, legal, GivenChance()))
    own: list[float] = np.round(judged[:, in_play(state).index(state.active)], COMPARED_DECIMALS).tolist()
    return own


def quick_answer(state: MatchState, legal: Sequence[PlayCommand], evaluator: Evaluator) -> PlayCommand:
    """As `answer`, but with many trades it first chooses the card to take, then the card to give."""
    first = next((command for command in legal if isinstance(command, SwapEstablishments)), None)
    if first is None or len(legal) <= FEW_TRADES:
        return answer(state, legal, evaluator)
    trades = [command for command in legal if isinstance(command, SwapEstablishments)]
    taken = answer(state, [command for command in trades if command.give == first.give], evaluator)
    assert isinstance(taken, SwapEstablishments)
    wanted = (taken.with_seat, taken.take)
    rest = [command for command in trades if (command.with_seat, command.take) == wanted]
    declined = [command for command in legal if not isinstance(command, SwapEstablishments)]
    return answer(state, [*declined, *rest], evaluator)
