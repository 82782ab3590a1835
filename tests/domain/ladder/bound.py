"""A ladder with a round that is bound to a public value, as the API shows it: its history and its matches."""

from typing import Any, TypeAlias

import msgspec

from domain.audit.envelopes import hash_of
from domain.ladder import events as ev
from domain.ladder.derivation import match_id, round_of, seat_seed
from domain.ladder.events import STAND_IN, EntryPlayer, Event, MatchResult, PublicValue, Table
from domain.match.chance import commitment
from domain.match.derivation import seed_in_round
from tests.audited import chained
from tests.domain.ladder.decided import CONFIG, bot, strategy

Json: TypeAlias = dict[str, Any]

LADDER = "lad_1"
PLAYERS = (strategy("greedy"), strategy("random"), bot("ada"))
SEED, VALUE = bytes(range(32)), "5f3c"
OPENED_MS = 1_700_000_000_000
PINNED = PublicValue("drand round 7", OPENED_MS + 60_000, commitment(SEED), "k1")
ROUND, LATER = 2, 3
"""The round that is verified, and one after it; both are bound to values."""
TABLES: tuple[Table, ...] = ((0, 1), (2, STAND_IN))
ATTEMPTS = {2: 2, 3: 1}
"""The attempt that counts, by block of the round."""


def written(event: Event) -> Json:
    """The event as the API shows it, but for its place in the chain."""
    names = [member.name for member in msgspec.structs.fields(type(event))]
    type_name, *values = msgspec.to_builtins(event)
    return {"ladder_id": LADDER, "type": type_name, "data": dict(zip(names, values, strict=True))}


def played(block: int, attempt: int, table: Table) -> dict[str, list[Json]]:
    """Both matches of a block, each won by the seat of its rotation's number; what else happened there does
    not matter."""
    found = {}
    for rotation in range(2):
        seats = table[rotation:] + table[:rotation]
        id = match_id(LADDER, OPENED_MS, block, attempt, rotation)
        dice = {
            "mode": "committed",
            "commitment": commitment(seed_in_round(SEED, id)),
            "round_of": round_of(LADDER, ROUND, PINNED.at_ms),
        }
        found[id] = [
            {"type": "match_created", "match_id": id, "data": {"dice": dice}},
            *[{"type": "seat_taken", "data": taken(seat, number)} for seat, number in enumerate(seats)],
            {"type": "match_finished", "data": {"winner": rotation}},
        ]
    return found


def taken(seat: int, number: int) -> Json:
    player = EntryPlayer("bot", "x", "x", "acc_x") if number == STAND_IN else PLAYERS[number]
    kind, id = ("account", player.account) if player.kind == "bot" else ("strategy", player.name)
    return {"seat": seat, "kind": kind, "id": id, "version": player.version, "seed": seat_seed(VALUE)}


def finished(block: int, attempt: int, matches: dict[str, list[Json]]) -> ev.BlockFinished:
    results = [
        MatchResult(id, rotation, 30, 200, hash_of(events[-1]), (0, 0), (0, 0))
        for rotation, (id, events) in enumerate(matches.items())
    ]
    return ev.BlockFinished(block, attempt, tuple(results))


def told() -> tuple[list[Json], dict[str, list[Json]]]:
    """The history of a ladder whose second round is bound to a value, and the matches of that round."""
    matches = {block: played(block, ATTEMPTS[block], TABLES[block - 2]) for block in (2, 3)}
    events: list[Event] = [
        ev.LadderCreated("Open", "acc_1", CONFIG),
        *[ev.EntryAdded(f"ent_{i}", player, player.name, "service") for i, player in enumerate(PLAYERS)],
        ev.SeasonOpened(1, CONFIG, "sha-256:00"),
        ev.RoundOpened(1, 1, "rated", 1, TABLES[:1], OPENED_MS - 1000, "job_1"),
        ev.BlockFinished(1, 1, (MatchResult("mat_a", 0, 30, 200, "", (0, 0), (0, 0)),)),
        ev.RoundFinished(1),
        ev.RoundOpened(ROUND, 1, "rated", 2, TABLES, OPENED_MS, "job_2", None, None, PINNED),
        ev.PublicValueRecorded(ROUND, VALUE, PINNED.at_ms),
        ev.BlockVoided(2, 1, "service_fault", "", False, ("mat_b", "mat_c")),
        *[finished(block, ATTEMPTS[block], of_block) for block, of_block in matches.items()],
        ev.RoundFinished(ROUND),
        ev.RoundSeedRevealed(ROUND, SEED.hex()),
        ev.RoundOpened(LATER, 1, "rated", 4, TABLES[:1], OPENED_MS, "job_3", None, None, PINNED),
        ev.PublicValueRecorded(LATER, "60", PINNED.at_ms),
        ev.BlockVoided(4, 1, "service_fault", ""),
        ev.BlockFinished(4, 2, (MatchResult("mat_d", 0, 30, 200, "", (0, 0), (0, 0)),)),
        ev.RoundFinished(LATER),
        ev.RoundSeedRevealed(LATER, "00"),
    ]
    return chained([*map(written, events)]), matches[2] | matches[3]


OPENED, RECORDED, VOIDED, PLAYED, LAST_PLAYED, FINISHED, REVEALED = range(9, 16)
"""The sequences of the round's events."""
