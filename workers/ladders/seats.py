"""The matches of a block: ids, seats and creation commands."""

from msgspec.structs import replace

from domain.ladder.derivation import match_id, round_of, seat_seed
from domain.ladder.events import STAND_IN
from domain.ladder.state import Block, EntryState, LadderState, Round
from domain.match.commands import CreateMatch, SeatPlan
from domain.match.events import Clock, Dice
from events import Matches
from events.store import keys
from runtime import strategies

ON_TIMEOUT = "default_command"
"""The policy after a remote bot's time-out: a default command is executed, and the bot plays on. A time-out
never ends a match."""


def match_ids(ladder_id: str, round: Round, block: Block) -> list[str]:
    """By rotation: the ids of the matches of the block's current attempt.

    A job that begins a match again finds the same match.
    """
    return [
        match_id(ladder_id, round.opened_at_ms, block.number, block.attempt, rotation)
        for rotation in range(len(block.table))
    ]


def creation(state: LadderState, ladder_id: str, round: Round, block: Block, rotation: int) -> CreateMatch:
    """The command that creates a match of the block."""
    config = state.configs[round.season - 1]
    seed = seat_seed(round.value) if round.public_value else ""
    seats = tuple([replace(_seat(state, number), seed=seed) for number in block.seats(rotation)])
    clock = Clock(config.clock_ms, ON_TIMEOUT) if has_bot(state, block) else None
    return CreateMatch(
        config.rules_version,
        config.options,
        seats,
        _dice(ladder_id, round),
        state.owner,
        # The rotations put every entry on every seat, and the ratings have a factor for each seat.
        first_seat=0,
        clock=clock,
        tags=(ladder_id,),
    )


def _dice(ladder_id: str, round: Round) -> Dice:
    """The dice; in a round with a public value they derive from the round's seed."""
    if round.public_value is None:
        return Dice("committed")
    assert round.value, "no match begins before the value is recorded"
    bound = round.public_value
    name = round_of(ladder_id, round.number, bound.at_ms)
    return Dice("committed", key_id=bound.key_id, round_of=name)


def has_bot(state: LadderState, block: Block) -> bool:
    """Whether a remote bot is at the table."""
    return bool(bots_at(state, block))


def bots_at(state: LadderState, block: Block) -> list[int]:
    """The entry numbers of the remote bots at the table."""
    return [number for number in block.table if number != STAND_IN and state.entries[number].is_bot]


def begun(matches: Matches, ladder_id: str, round: Round, block: Block) -> list[str]:
    """The ids of the existing matches of the block's current attempt.

    Raises:
        StoreUnavailable.
    """
    wanted = match_ids(ladder_id, round, block)
    known = matches.store.values([keys.summary(match_id) for match_id in wanted])
    return [match_id for match_id, summary in zip(wanted, known, strict=True) if summary]


def is_gone(entry: EntryState) -> bool:
    """Whether the entry is an old version of a strategy, of which this process has a newer one."""
    known = _known_version(entry)
    return known is not None and int(known) > int(entry.player.version)


def is_ahead(entry: EntryState) -> bool:
    """Whether this process does not know the entry's strategy, or only an older version of it: during an
    update of the service, old and new workers run together, and the new ones play it.
    """
    if entry.is_bot:
        return False
    known = _known_version(entry)
    return known is None or int(known) < int(entry.player.version)


def has_newcomer(state: LadderState, block: Block) -> bool:
    """Whether an entry at the table `is_ahead`, so that this process cannot play the block."""
    return any(is_ahead(state.entries[number]) for number in block.table if number != STAND_IN)


def _known_version(entry: EntryState) -> str | None:
    """The version of the entry's strategy in this process; None if it has none."""
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
