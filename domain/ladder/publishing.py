"""From a ladder's state to the lines that are published of it."""

from collections.abc import Iterable, Iterator

from domain.ladder.events import STAND_IN, MatchResult
from domain.ladder.lines import (
    NOBODY,
    BotPlayer,
    EntryLine,
    LadderLine,
    Line,
    MatchLuck,
    ResultLine,
    StrategyPlayer,
)
from domain.ladder.state import Block, Entry, LadderState, Round


def lines(ladder_id: str, state: LadderState, season: int) -> Iterator[Line]:
    """Everything that the ratings of a season follow from: the ladder, its entries, the rated results.

    In the order in which it came to be, so that more results make the same lines and more.
    """
    yield LadderLine(ladder_id, state.name, season, state.configs[season - 1], state.digests[season - 1])
    yield from map(entry_line, state.entries)
    for round, block in state.rated_blocks(season):
        yield from block_lines(ladder_id, state, round, block)


def lines_of_test(ladder_id: str, state: LadderState, round: Round) -> Iterator[Line]:
    """As `lines`, for the results of one sequential test."""
    season = round.season
    yield LadderLine(ladder_id, state.name, season, state.configs[season - 1], state.digests[season - 1])
    yield from map(entry_line, state.entries)
    for block in round.blocks:
        yield from block_lines(ladder_id, state, round, block)


def entry_line(entry: Entry) -> EntryLine:
    """Who plays under the entry."""
    player = entry.player
    if entry.is_bot:
        return EntryLine(
            entry.id, BotPlayer(player.name, player.account, player.version), entry.name, entry.owner
        )
    return EntryLine(entry.id, StrategyPlayer(player.name, player.version), entry.name, entry.owner)


def block_lines(ladder_id: str, state: LadderState, round: Round, block: Block) -> Iterable[ResultLine]:
    """The matches of a block, by rotation; none while it is open."""
    return [
        ResultLine(
            ladder_id,
            round.season,
            round.number,
            block.number,
            rotation,
            result.match_id,
            tuple([_id(state, number) for number in block.seats(rotation)]),
            result.winner,
            result.turns,
            result.version,
            result.head,
            result.timeouts,
            result.errors,
            _luck(result),
        )
        for rotation, result in enumerate(block.results)
    ]


def _id(state: LadderState, number: int) -> str:
    return NOBODY if number == STAND_IN else state.entries[number].id


def _luck(result: MatchResult) -> MatchLuck | None:
    return None if result.luck_coins is None else MatchLuck(result.luck_coins, result.luck_wins)
