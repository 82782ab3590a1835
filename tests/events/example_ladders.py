"""Ladders to test with."""

from domain.ladder import decide
from domain.ladder.config import LadderConfig
from domain.ladder.events import EntryPlayer
from domain.ladder.state import LadderState
from domain.match.events import Options
from events.ladders.ladders import Ladders

CONFIG = LadderConfig("base", "base@1", "sha-256:00", Options(), 2, "ab" * 32)


def made(ladders: Ladders, blocks: int = 1) -> str:
    """A ladder of two strategies with a round of so many blocks."""
    outcome = ladders.create(lambda: decide.create("Quick", "acc_1", CONFIG), "account:acc_1")
    ladder_id = outcome.ladder.id
    for name in ("greedy", "random"):
        ladders.execute(ladder_id, lambda state, name=name: _entry(state, name), "account:acc_1")
    ladders.execute(
        ladder_id,
        lambda state: decide.open_round(state, "rated", [(0, 1)] * blocks, 1000, "job_1"),
        "account:acc_1",
    )
    return ladder_id


def _entry(state: LadderState, name: str):  # type: ignore[no-untyped-def]
    return decide.add_entry(state, f"ent_{name}", EntryPlayer("strategy", name, "1"), name, "service")
