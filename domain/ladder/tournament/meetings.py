"""Meetings: what the entries of a table have won against each other in a round, and who comes before whom."""

from collections.abc import Sequence

from msgspec import Struct

from domain.ladder.state import Block, Round


class Meeting(Struct, frozen=True):
    """All blocks that the same entries play against each other in a round, or in a stage of a knock-out."""

    first_block: int
    """The number of its first block."""
    members: tuple[int, ...]
    """Entry numbers, in the order of the first block's base."""
    wins: tuple[int, ...]
    """By member: matches won in finished blocks."""
    turns: tuple[int, ...]
    """By member: the turns of these matches together."""
    blocks: int
    """The number of blocks."""
    finished: int
    given_up: int
    absent: frozenset[int]
    """The members that were not active when the round ended; empty before that."""

    @property
    def is_over(self) -> bool:
        """Whether every block is finished or given up."""
        return self.finished + self.given_up == self.blocks

    def won(self, entry: int) -> int:
        """The matches that a member has won."""
        return self.wins[self.members.index(entry)]

    def turns_of(self, entry: int) -> int:
        """The turns of the matches that a member has won."""
        return self.turns[self.members.index(entry)]

    def has_left(self, entry: int) -> bool:
        """Whether the member left before all blocks were played, and so comes after those who stayed."""
        return self.given_up > 0 and entry in self.absent

    def result(self, entry: int, opponent: int) -> int:
        """In half points: 2 if the entry comes before the opponent, 1 if both are equal, 0 otherwise.

        Two members that both left have nothing from each other, unless they have played.
        """
        left, opponent_left = self.has_left(entry), self.has_left(opponent)
        if left != opponent_left:
            return 2 * opponent_left
        if left and not self.finished:
            return 0
        return 1 + (self.won(entry) > self.won(opponent)) - (self.won(entry) < self.won(opponent))


def meetings(*rounds: Round) -> list[Meeting]:
    """The meetings of a round, in the order of their first blocks.

    What the same entries play in several rounds is one meeting; who was absent is told by the last of these.
    """
    by_members: dict[frozenset[int], list[Block]] = {}
    absent: dict[frozenset[int], frozenset[int]] = {}
    for round in rounds:
        for block in round.blocks:
            members = frozenset(block.table)
            by_members.setdefault(members, []).append(block)
            absent[members] = round.absent & members
    return [_meeting(blocks, absent[members]) for members, blocks in by_members.items()]


def _meeting(blocks: Sequence[Block], absent: frozenset[int]) -> Meeting:
    members = blocks[0].table
    wins, turns = dict.fromkeys(members, 0), dict.fromkeys(members, 0)
    for block in blocks:
        for rotation, result in enumerate(block.results):
            winner = block.seats(rotation)[result.winner]
            wins[winner] += 1
            turns[winner] += result.turns
    return Meeting(
        blocks[0].number,
        members,
        tuple(wins.values()),
        tuple(turns.values()),
        len(blocks),
        sum([bool(block.results) for block in blocks]),
        sum([block.is_given_up for block in blocks]),
        absent,
    )
