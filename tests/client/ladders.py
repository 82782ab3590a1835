"""Ladders as the tests of the client make them, and rounds of them that are played here."""

import threading
import time

from ulid import ULID

from domain.ladder import decide
from events import Seeds
from tests.service.ladder_kit import Stores, changed
from tests.service.served import MASTER_KEYS
from workers.ladders.context import Context
from workers.ladders.round_job import play_round
from workers.ladders.table_job import update_tables

RATING = {"replicates": 20, "anchor": "greedy"}


def _play(context: Context, ladder_id: str, ended: threading.Event) -> None:
    while not ended.wait(0.02):
        for round in context.ladders.load(ladder_id).state.rounds:
            if round.status == "running":
                play_round(context, ladder_id, round.number)
                update_tables(context, ladder_id, round.season)


def bind_due(stores: Stores, ladder_id: str) -> None:
    """A round of one block whose public value came a minute ago."""
    at_ms = time.time_ns() // 1_000_000 - 120_000
    bound = Seeds(MASTER_KEYS).public_value(ladder_id, 1, "drand round 7", at_ms + 60_000)
    changed(
        stores,
        ladder_id,
        lambda state: decide.open_round(state, "rated", [(0, 1)], at_ms, f"job_{ULID()}", public_value=bound),
    )
