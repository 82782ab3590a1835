"""What a job of a ladder may take (blocks whose players this process knows), and the names of its claims."""

from domain.ladder.events import STAND_IN
from domain.ladder.state import Block, EntryState, LadderState
from runtime import strategies


def block(ladder_id: str, number: int, attempt: int) -> str:
    """The name of the claim on one attempt of a block."""
    return f"{ladder_id}:{number}:{attempt}"


def tables(ladder_id: str, season: int) -> str:
    """The name of the claim on the tables of a season."""
    return f"{ladder_id}:{season}:tables"


def is_for_jobs(state: LadderState, block: Block) -> bool:
    """Whether a job of this process can play the block: it knows all players, and none is a remote bot."""
    return not (has_bot(state, block) or has_newcomer(state, block))


def has_bot(state: LadderState, block: Block) -> bool:
    """Whether a remote bot is at the table."""
    return bool(bots_at(state, block))


def bots_at(state: LadderState, block: Block) -> list[int]:
    """The entry numbers of the remote bots at the table."""
    return [number for number in block.table if number != STAND_IN and state.entries[number].is_bot]


def is_ahead(entry: EntryState) -> bool:
    """Whether this process does not know the entry's strategy, or only an older version of it: during an
    update of the service, old and new workers run together, and the new ones play it.
    """
    known = strategies.STRATEGIES.get(entry.player.name)
    return not entry.is_bot and (known is None or int(known.version) < int(entry.player.version))


def has_newcomer(state: LadderState, block: Block) -> bool:
    """Whether an entry at the table `is_ahead`, so that this process cannot play the block."""
    return any(is_ahead(state.entries[number]) for number in block.table if number != STAND_IN)
