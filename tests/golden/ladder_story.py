"""The chapters of the story that tell of ladders.

Chance has no part in them either: who sits where first in a rated block depends on the ids of the entries, so
blocks end in such a way that nothing that is shown depends on it, and what is told of single matches is of
a sequential test, whose tables are given.
"""

from typing import Any
from unittest.mock import patch

import msgspec
from msgspec.structs import replace
from ulid import ULID

from domain.ladder import decide
from domain.ladder.events import STAND_IN, MatchResult, Table
from domain.ladder.results import lines_of_test, read, results_of, write
from domain.ladder.sprt import Hypotheses, sequential_test
from domain.ladder.standings import crosstable, standings
from domain.ladder.state import Block
from domain.ladder.tournament.schedule import follow
from events.ladders import tables as ladder_tables
from events.ladders.tables import LiveRating, PublishedTable, SequentialProgress
from events.matches import refusals
from events.matches.refusals import Refusal
from events.store.chain import rfc3339
from events.store.keys import new_id, now_ms
from service.context import EXTENSION, Services
from service.ladders.entry_views import ENTRY_EXAMPLES
from service.ladders.new_ladder import EXAMPLES
from service.ladders.round_views import ROUND_EXAMPLES, VALUE_EXAMPLES
from tests.golden.recorder import Person, Recorder, delete, get, post
from tests.golden.story import People

LADDERS = "/v1/ladders"
WISHES: dict[str, Any] = {name: example["value"] for name, example in EXAMPLES.items()}
ENTRIES: dict[str, Any] = {name: example["value"] for name, example in ENTRY_EXAMPLES.items()}
ROUNDS: dict[str, Any] = {name: example["value"] for name, example in ROUND_EXAMPLES.items()}
SEED = "5e" * 32
NOWHERE = "01M7WD7YKSS6TZ90RECWJ67GZH"
_HOUR_MS = 3_600_000


def tell_of_a_ladder(rec: Recorder, people: People) -> str:
    """A ladder of two built-in players: how it is made, a test, a round and its table; its path."""
    rec.begin_chapter()
    ada, bob, _ = people
    rec.problem("ladder_not_found", get(f"{LADDERS}/lad_{NOWHERE}"))
    wish = {**WISHES["plain"], "seed": SEED, "rating": {"anchor": "greedy", "replicates": 100}}
    made = rec.answer("plain", "A ladder without entries", post(LADDERS, wish, ada))
    path = f"{LADDERS}/{made['ladder_id']}"
    entered = rec.answer("strategy", "A built-in player", post(f"{path}/entries", ENTRIES["strategy"], ada))
    rec.problem("already_entered", post(f"{path}/entries", ENTRIES["strategy"], ada))
    rec.problem("not_ladder_owner", post(f"{path}/rounds", {"blocks": 1}, bob))
    rec.problem("too_few_entries", post(f"{path}/rounds", {"blocks": 1}, ada))
    other = post(f"{path}/entries", {"kind": "strategy", "strategy": "random"}, ada)
    pair = (entered["entry_id"], rec.send(other).json["entry_id"])
    rec.problem("season_not_found", get(f"{path}/standings?season=9"))
    rec.answer("first", "The first season, before its first round", _with_seed(path, ada))
    rec.answer("none", "Before the first table", get(f"{path}/standings"))
    rec.answer("two_entries", "Two built-in players", get(path))
    rec.answer("begin", "The first events of a ladder", get(f"{path}/events?limit=2"))
    _test(rec, path, ada, pair)
    _round(rec, path, ada)
    return path


def _with_seed(path: str, by: Person) -> Any:
    return post(f"{path}/seasons", {"seed": SEED}, by)


def _test(rec: Recorder, path: str, ada: Person, pair: tuple[str, str]) -> None:
    rec.problem("test_not_found", get(f"{path}/tests/9"))
    wish = {"a": pair[0], "b": pair[1], "elo0": 0, "elo1": 100, "most_blocks": 2}
    job = rec.answer("begun", "Two blocks at most", post(f"{path}/tests", wish, ada))
    _play(rec, path, 1)
    where = f"/v1/jobs/{job['job_id']}"
    rec.answer("running", "One of two blocks is over", get(where))
    rec.answer("stopped", "A stopped job", post(f"{where}/stop", by=ada))
    rec.answer("resumed", "A resumed job", post(f"{where}/resume", by=ada))
    _play(rec, path, 1)
    _save(rec, path, PublishedTable(1, tests=(_progress(rec, path, pair),)))
    _do(rec, path, lambda state: decide.finish_round(state, 1, "undecided"))
    rec.problem("job_finished", post(f"{where}/stop", by=ada))
    rec.problem("job_not_found", get(f"/v1/jobs/job_{NOWHERE}"))
    rec.answer("undecided", "Undecided after too few blocks", get(f"{path}/tests/1"))
    rec.answer("of_a_test", "The results of a test", get(f"{path}/results?test=1"))
    rec.answer("of_a_test", "The matches of a test", get(f"{path}/matches?test=1"))


def _progress(rec: Recorder, path: str, pair: tuple[str, str]) -> SequentialProgress:
    """As a worker counts it."""
    ladder = _services(rec).ladders.load(_id(path))
    results = read(write(lines_of_test(ladder.id, ladder.state, ladder.state.rounds[0])).splitlines())
    seen = sequential_test(results.blocks, *pair, Hypotheses(0, 100))
    won = (seen.wins, seen.losses, seen.others)
    return SequentialProgress(
        1, seen.llr, *seen.bounds, *won, seen.blocks, seen.elo, seen.elo_interval, seen.decision
    )


def _round(rec: Recorder, path: str, ada: Person) -> None:
    rec.answer("begun", "Three blocks of two matches", post(f"{path}/rounds", {"blocks": 3}, ada))
    rec.problem("round_running", post(f"{path}/rounds", {"blocks": 1}, ada))
    _play(rec, path, 3)
    _save(rec, path, _tables(rec, path))
    _do(rec, path, lambda state: decide.finish_round(state, 2))
    rec.answer("table", "Three blocks: everything is provisional", get(f"{path}/standings"))
    rec.answer("two", "Two entries", get(f"{path}/crosstable"))
    rec.answer("newest", "The newest ladders", get(LADDERS))


def _tables(rec: Recorder, path: str) -> PublishedTable:
    """As a worker computes them."""
    ladder = _services(rec).ladders.load(_id(path))
    results = results_of(ladder.id, ladder.state, 1)
    live = [
        LiveRating(entry.id, 1540.0 - 80 * entry.number, 1300.0, 1700.0, 6) for entry in ladder.state.entries
    ]
    return PublishedTable(
        season=1,
        version=ladder.version,
        blocks=len(results.blocks),
        computed_at_ms=now_ms(),
        table=msgspec.to_builtins(standings(results)),
        crosstable=[msgspec.to_builtins(cell) for cell in crosstable(results)],
        live=tuple(live),
    )


def tell_of_a_public_value(rec: Recorder, people: People) -> None:
    """A round that is bound to a value that comes in an hour."""
    rec.begin_chapter()
    ada = people.ada
    wish = {**WISHES["plain"], "name": "In public", "seed": SEED}
    path = f"{LADDERS}/{rec.send(post(LADDERS, wish, ada)).json['ladder_id']}"
    for strategy in ("greedy", "random"):
        rec.send(post(f"{path}/entries", {"kind": "strategy", "strategy": strategy}, ada))
    at = {"at": rfc3339(now_ms() + _HOUR_MS)}
    bound = {**ROUNDS["bound"], "public_value": ROUNDS["bound"]["public_value"] | at}
    rec.send(post(f"{path}/rounds", bound, ada))
    value = VALUE_EXAMPLES["drand"]["value"]
    rec.problem("value_too_early", post(f"{path}/rounds/1/public-value", value, ada))
    rec.problem("round_not_found", post(f"{path}/rounds/9/public-value", value, ada))
    with patch("service.ladders.round_views.now_ms", lambda: now_ms() + _HOUR_MS):
        rec.answer("recorded", "A recorded public value", post(f"{path}/rounds/1/public-value", value, ada))
    rec.problem("no_value_awaited", post(f"{path}/rounds/1/public-value", {"value": "another"}, ada))


def tell_of_a_tournament(rec: Recorder, people: People) -> None:
    """A knock-out of four, which the first entry wins; a bracket lists players by line, not by seat."""
    rec.begin_chapter()
    ada = people.ada
    wish = {**WISHES["plain"], "name": "Cup", "seed": SEED}
    path = f"{LADDERS}/{rec.send(post(LADDERS, wish, ada)).json['ladder_id']}"
    rec.problem("tournament_not_found", get(f"{path}/tournament"))
    schedule = {"kind": "knock_out", "blocks": 1}
    rec.send(post(f"{path}/seasons", {"seed": SEED, "schedule": schedule}, ada))
    for strategy in ("greedy", "random", "landmark_first", "cheese"):
        rec.send(post(f"{path}/entries", {"kind": "strategy", "strategy": strategy}, ada))
    rec.answer("not_started", "Before its start", get(f"{path}/tournament"))
    rec.answer("tournament", "The first stage of a knock-out", post(f"{path}/rounds", {}, ada))
    for number in (1, 2):
        _win(rec, path)
        _do(rec, path, lambda state, n=number: decide.finish_round(state, n))
        _do(rec, path, lambda state: follow(state, now_ms(), new_id("job")))
    rec.answer("knock_out", "A knock-out of four, at its end", get(f"{path}/tournament"))
    rec.problem("tournament_finished", post(f"{path}/rounds", {}, ada))
    rec.send(post(f"{path}/seasons", {"seed": SEED, "schedule": schedule}, ada))
    large = {**wish, "seats": 3, "schedule": {"kind": "swiss"}}
    path = f"{LADDERS}/{rec.send(post(LADDERS, large, ada)).json['ladder_id']}"
    for name in ("greedy", "greedy again", "random"):
        strategy = name.partition(" ")[0]
        rec.send(post(f"{path}/entries", {"kind": "strategy", "strategy": strategy, "name": name}, ada))
    rec.problem("entries_alike", post(f"{path}/rounds", {}, ada))


def _win(rec: Recorder, path: str) -> None:
    """The entry of the lower number wins every match that is open."""
    round = _services(rec).ladders.load(_id(path)).state.rounds[-1]
    for block in round.blocks:
        found = [
            replace(_result(block, rotation), winner=block.seats(rotation).index(min(block.table)))
            for rotation in range(len(block.table))
        ]
        _do(rec, path, lambda state, b=block, r=found: decide.finish_block(state, b.number, 1, r))


def tell_of_suspension(rec: Recorder, people: People) -> None:
    """A bot that is late in every match, and may come back."""
    rec.begin_chapter()
    ada, bob, _ = people
    wish = {**WISHES["plain"], "name": "With bots", "seed": SEED, "suspension": {"most_faults": 0}}
    path = f"{LADDERS}/{rec.send(post(LADDERS, wish, ada)).json['ladder_id']}"
    rec.send(post(f"{path}/entries", ENTRIES["strategy"], ada))
    bot = rec.answer("bot", "A bot enters itself", post(f"{path}/entries", ENTRIES["bot"], bob))
    entry = f"{path}/entries/{bot['entry_id']}"
    rec.problem("entry_not_found", delete(f"{path}/entries/ent_{NOWHERE}", ada))
    rec.problem("entry_not_active", post(f"{entry}/probes", by=bob))
    rec.send(post(f"{path}/rounds", {"blocks": 1}, ada))
    _play(rec, path, 1, late=1)
    rec.answer("begun", "Two matches against a stand-in", post(f"{entry}/probes", by=bob))
    _play(rec, path, 1, late=1, wrong=1)
    _refuse(rec, path)
    summary = "A probe with a time-out and an invalid command in each match"
    rec.answer("probe", summary, get(f"{entry}/faults"), cut=("items", slice(2)))
    rec.send(delete(entry, bob))


def _refuse(rec: Recorder, path: str) -> None:
    """The bot's wrong commands in its last block, as the service keeps them."""
    (block,) = _services(rec).ladders.load(_id(path)).state.rounds[-1].blocks
    for rotation, result in enumerate(block.results):
        refusal = Refusal(now_ms(), "validation_failed", "/dice", 4 + rotation)
        refusals.record(_services(rec).queue_redis, result.match_id, block.seats(rotation).index(1), refusal)


def tell_of_too_much(rec: Recorder, people: People) -> None:
    """As many entries and ladders as there may be."""
    rec.begin_chapter()
    eve = people.eve
    made = [rec.send(post(LADDERS, {**WISHES["plain"], "seed": SEED}, eve)).json for _ in range(100)]
    rec.problem("too_many_ladders", post(LADDERS, WISHES["plain"], eve))
    path = f"{LADDERS}/{made[0]['ladder_id']}"
    for number in range(decide.MOST_ENTRIES):
        rec.send(post(f"{path}/entries", {**ENTRIES["strategy"], "name": f"greedy {number}"}, eve))
    rec.problem("too_many_entries", post(f"{path}/entries", ENTRIES["strategy"], eve))


def _services(rec: Recorder) -> Services:
    found: Services = rec.app.extensions[EXTENSION]
    return found


def _id(path: str) -> str:
    return path.rpartition("/")[2]


def _do(rec: Recorder, path: str, decided: Any) -> None:
    """What a worker does to the ladder."""
    _services(rec).ladders.execute(_id(path), decided, "service")


def _save(rec: Recorder, path: str, published: PublishedTable) -> None:
    ladder_tables.save(_services(rec).events_redis, _id(path), published)


def _play(rec: Recorder, path: str, blocks: int, late: int | None = None, wrong: int | None = None) -> None:
    """So many open blocks are over; the entry of the number `late` was so in every match, that of `wrong`
    sent one wrong command in each."""
    rounds = _services(rec).ladders.load(_id(path)).state.rounds
    left = [block for round in rounds for block in round.blocks if block.is_open]
    for block in left[:blocks]:
        found = [_result(block, rotation, late, wrong) for rotation in range(len(block.table))]
        _do(rec, path, lambda state, b=block, r=found: decide.finish_block(state, b.number, 1, r))


def _result(block: Block, rotation: int, late: int | None = None, wrong: int | None = None) -> MatchResult:
    """Entry 0 wins, in every third block who sits first; nothing else depends on who sits where."""
    seats: Table = block.seats(rotation)
    digest = f"{block.number:032x}{rotation:032x}"
    return MatchResult(
        match_id=_match_id(block.number, rotation),
        winner=0 if block.number % 3 == 0 or 0 not in seats else seats.index(0),
        turns=40 + rotation,
        version=301 + rotation,
        head=f"sha-256:{digest}",
        timeouts=tuple([int(number == late != STAND_IN) for number in seats]),
        errors=tuple([int(number == wrong != STAND_IN) for number in seats]),
        luck_coins=(1250, -1250),
    )


def _match_id(block: int, rotation: int) -> str:
    """Ids in the order of matches, though they are made in one millisecond."""
    return f"mat_{ULID.from_bytes(now_ms().to_bytes(6) + bytes([block, rotation]) + bytes(8))}"
