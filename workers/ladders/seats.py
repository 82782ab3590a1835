"""The matches of a block: their ids, and who sits where."""

from msgspec.structs import replace

from domain.ladder import public_values
from domain.ladder.events import STAND_IN
from domain.ladder.state import Block, Entry, LadderState, Round
from domain.match.commands import CreateMatch, SeatPlan
from domain.match.events import Clock, Dice
from events import Matches
from events.store import keys
from runtime import strategies

ON_TIMEOUT = "default_command"
"""What becomes of a remote bot's decision that does not come: it is the plainest one, and the bot plays on.
No match ends by it."""


def match_id(ladder_id: str, round: Round, block: Block, rotation: int) -> str:
    """The id of one match of the block's attempt under way: whoever begins it anew meets the same match."""
    return public_values.match_id(ladder_id, round.opened_at_ms, block.number, block.attempt, rotation)


def match_ids(ladder_id: str, round: Round, block: Block) -> list[str]:
    """The ids of all matches of the block's attempt under way, by rotation."""
    return [match_id(ladder_id, round, block, rotation) for rotation in range(len(block.table))]


def creation(state: LadderState, ladder_id: str, round: Round, block: Block, rotation: int) -> CreateMatch:
    """The command that makes one match of the block."""
    config = state.configs[round.season - 1]
    seed = public_values.seat_seed(round.value) if round.public_value else ""
    seats = tuple([replace(_seat(state, number), seed=seed) for number in block.seats(rotation)])
    clock = Clock(config.clock_ms, ON_TIMEOUT) if has_bot(state, block) else None
    return CreateMatch(
        config.rules_version,
        config.options,
        seats,
        _dice(ladder_id, round),
        state.owner,
        # The rotations bring everybody to every place in the order, and ratings have a factor for each.
        first_seat=0,
        clock=clock,
        tags=(ladder_id,),
    )


def _dice(ladder_id: str, round: Round) -> Dice:
    """Those of a round with a public value follow from the seed that the round is bound to."""
    if round.public_value is None:
        return Dice("committed")
    assert round.value, "nothing begins before the value is there"
    bound = round.public_value
    round_of = public_values.round_of(ladder_id, round.number, bound.at_ms)
    return Dice("committed", key_id=bound.key_id, round_of=round_of)


def has_bot(state: LadderState, block: Block) -> bool:
    """Whether anybody at the table plays over the API."""
    return bool(bots_at(state, block))


def bots_at(state: LadderState, block: Block) -> list[int]:
    """The numbers of the entries at the table that play over the API."""
    return [number for number in block.table if number != STAND_IN and state.entries[number].is_bot]


def begun(matches: Matches, ladder_id: str, round: Round, block: Block) -> list[str]:
    """The ids of those matches of the block's attempt under way that there are.

    Raises:
        StoreUnavailable.
    """
    wanted = match_ids(ladder_id, round, block)
    known = matches.store.values([keys.summary(match_id) for match_id in wanted])
    return [match_id for match_id, summary in zip(wanted, known, strict=True) if summary]


def is_gone(entry: Entry) -> bool:
    """Whether it is a version of a strategy that nobody plays any more: a higher one is known here."""
    known = _known_version(entry)
    return known is not None and int(known) > int(entry.player.version)


def is_ahead(entry: Entry) -> bool:
    """Whether it is a strategy, or a version of one, that is not known here yet: while the service is brought
    up to date, processes of before are still at work. Others play it.
    """
    if entry.is_bot:
        return False
    known = _known_version(entry)
    return known is None or int(known) < int(entry.player.version)


def has_newcomer(state: LadderState, block: Block) -> bool:
    """Whether anybody at the table `is_ahead`: this process leaves the block alone."""
    return any(is_ahead(state.entries[number]) for number in block.table if number != STAND_IN)


def _known_version(entry: Entry) -> str | None:
    """The version of the entry's strategy that is played here; None if there is none."""
    strategy = None if entry.is_bot else strategies.STRATEGIES.get(entry.player.name)
    return None if strategy is None else strategy.version


def _seat(state: LadderState, number: int) -> SeatPlan:
    if number == STAND_IN:
        name = strategies.STAND_IN
        return SeatPlan("strategy", name, name, strategies.STRATEGIES[name].version)
    player = state.entries[number].player
    if player.kind == "bot":
        return SeatPlan("account", player.account, player.name)
    return SeatPlan("strategy", player.name, player.name, player.version)
