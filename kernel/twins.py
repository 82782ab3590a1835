"""The luck of the kernel for `domain` and for players, so that both play the same matches from a seed."""

from collections.abc import Sequence
from random import Random

from domain.match.chance import index_at
from domain.match.state import MatchState
from kernel import layout as at
from kernel import luck
from kernel.engine import PLAIN


class TwinChance:
    """The luck of a match as a source of chance for `domain`."""

    def __init__(self, seed: int) -> None:
        self.luck = PLAIN.luck(seed)

    def throw(self, state: MatchState, purpose: str, dice: int) -> tuple[int, ...]:
        return tuple([luck.die(self.luck) for _ in range(dice)])

    def draw(self, state: MatchState, row: int, number: int, weights: Sequence[int]) -> int:
        return index_at(luck.place(self.luck, sum(weights)), weights)

    def first_seat(self, state: MatchState) -> int:
        return luck.place(self.luck, state.rules.seats)


class TwinRandom(Random):
    """The luck of a match as random numbers of players."""

    def __init__(self, words: at.Luck) -> None:
        super().__init__(0)
        self._words = words

    def random(self) -> float:
        return luck.next_word(self._words) / 2**32
