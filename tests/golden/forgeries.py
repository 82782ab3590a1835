"""Forged twins of the test vectors: what is changed in a file, and which check must fail at which event."""

from collections.abc import Callable, Iterator, Sequence
from itertools import count, groupby
from typing import Any, Final, NamedTuple

import msgspec

from domain.audit.checkpoints import NO_HASH, digest_of_match
from domain.audit.checkpoints import checkpoint_of as parse_checkpoint
from domain.match.chance import (
    FIRST_SEAT,
    commitment,
    die_value,
    pick_at,
    seat_commitment,
    table_key,
    throw_stem,
)
from tests.golden.exports import SEAT_SEEDS, Line, as_json, sealed

_SAMPLE: Final = "seat_seeds.ndjson"
"""The file whose twins differ in members that all files have."""


def forgeries(lines: dict[str, list[Line]]) -> Iterator[Line]:
    """Every twin: file, changes in order, whether the chain is made anew, and what must fail where."""
    for file, one in lines.items():
        yield from (forgery.of_file(file) for forgery in _of_file(_Reader(one)))
    for file, one in lines.items():
        yield from (forgery.of_file(file) for forgery in _of_form(_Reader(one)))
    reader = _Reader(lines[_SAMPLE])
    yield from (forgery.of_file(_SAMPLE) for forgery in _of_members(reader))


class Forgery(NamedTuple):
    """A twin of a file."""

    name: str
    changes: list[Line]
    check: str | None
    """None for what is no export any more."""
    sequence: int | None
    rehash: bool = True
    needs_rules: bool = False
    """Nobody without the rules can find it."""

    def of_file(self, file: str) -> Line:
        return {"file": file, **self._asdict()}


class _Reader:
    """Finds lines to change."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self.lines = lines

    def place(self, type: str, test: Callable[[Any], bool] = lambda data: True, skip: int = 0) -> int:
        """The line of an event, from 1; events begin in line 3. 0 if there is none."""
        found = [
            number
            for number, line in enumerate(self.lines, 1)
            if line["kind"] == "event" and line["event"]["type"] == type and test(line["event"]["data"])
        ]
        return found[skip] if len(found) > skip else 0

    def line_of(self, kind: str) -> int:
        return next(number for number, line in enumerate(self.lines, 1) if line["kind"] == kind)

    def data(self, line: int) -> Any:
        return self.lines[line - 1]["event"]["data"]

    def batches(self) -> list[list[int]]:
        """The lines of the events of each command."""
        numbered = [(number, line) for number, line in enumerate(self.lines, 1) if line["kind"] == "event"]
        groups = groupby(numbered, lambda one: one[1]["event"]["command_id"])
        return [[number for number, _ in group] for _, group in groups]

    @property
    def events(self) -> int:
        return int(self.lines[0]["events"])


def _set_to(line: int, path: str, value: Any) -> Line:
    return {"op": "replace", "line": line, "path": path, "value": value}


def _of_file(reader: _Reader) -> Iterator[Forgery]:
    yield from _of_chain(reader)
    yield from _of_luck(reader)
    if reader.place("seat_seed_opened"):
        yield from _of_seat_seeds(reader)
    yield from _of_coins(reader)
    yield from _of_end(reader)


def _of_chain(reader: _Reader) -> Iterator[Forgery]:
    """Changes that need no rules to be seen."""
    line = reader.place("dice_rolled", skip=2)
    value = reader.data(line)["values"][0] % 6 + 1
    change = _set_to(line, "/event/data/values/0", value)
    yield Forgery("a die, and the hashes left alone", [change], "chain", line - 2, rehash=False)
    change = _set_to(line, "/event/time", "2026-09-21T00:00:00.000Z")
    yield Forgery("a time, and the hashes left alone", [change], "chain", line - 2, rehash=False)
    gone = {"op": "remove", "line": line}
    yield Forgery("an event taken out", [gone], "sequence", line - 2, rehash=False)
    swap = {"op": "swap", "line": line}
    yield Forgery("an event changed places with the next", [swap], "sequence", line - 2, rehash=False)
    change = _set_to(line, "/event/data/note", "x")
    yield Forgery("a member that no event has", [change], "schema", line - 2)
    tables = _set_to(2, "/tables/start_coins", 9)
    yield Forgery("a number in the tables", [tables], "ruleset", None)


def _of_luck(reader: _Reader) -> Iterator[Forgery]:
    line = reader.place("dice_rolled", skip=3)
    data = reader.data(line)
    value = data["values"][0] % 6 + 1
    total = sum(data["values"]) - data["values"][0] + value
    changes = [_set_to(line, "/event/data/values/0", value), _set_to(line, "/event/data/total", total)]
    yield Forgery("a die and its total", changes, "dice", line - 2)
    change = _set_to(reader.place("dice_revealed"), "/event/data/seed", "00" * 32)
    yield Forgery("another seed", [change], "dice", reader.events)
    first = reader.place("match_started")
    change = _set_to(first, "/event/data/first_seat", 1 - reader.data(first)["first_seat"])
    yield Forgery("another seat begins", [change], "draws", first - 2)
    refill = reader.place("market_refilled", lambda data: len(set(data["cards"])) > 1)
    if refill:
        cards = reader.data(refill)["cards"]
        other = next(place for place, card in enumerate(cards) if card != cards[0])
        cards = [cards[other], *cards[1:other], cards[0], *cards[other + 1 :]]
        change = _set_to(refill, "/event/data/cards", cards)
        yield Forgery("two drawn cards change places", [change], "draws", refill - 2)


def _of_seat_seeds(reader: _Reader) -> Iterator[Forgery]:
    """What whoever knows the match seed would try, to have a choice of dice after others have told theirs."""
    late, first = reader.place("seat_seed_committed", skip=1), reader.place("seat_seed_opened")
    changes = [
        *_moved(late, reader.lines[first - 1]["event"]),
        *_moved(first, reader.lines[late - 1]["event"]),
    ]
    yield Forgery("a seat commits after another has opened its seed", changes, "dice", late - 2)
    last = reader.place("seat_seed_opened", skip=1)
    change = _set_to(last, "/event/data/seed", "f" * 32)
    yield Forgery("a seed that was not committed to", [change], "dice", last - 2)
    made, seed = reader.data(3)["dice"]["commitment"], reader.data(last)["seed"]
    other = _set_to(late, "/event/data/commitment", seat_commitment(made, 0, seed))
    yield Forgery("a commitment of another seat", [other], "dice", last - 2)
    copied = _set_to(late, "/event/data/commitment", seat_commitment(commitment(b"other"), 1, seed))
    yield Forgery("a commitment from another match", [copied], "dice", last - 2)
    yield _other_seed(reader, late, last)


def _other_seed(reader: _Reader, late: int, last: int) -> Forgery:
    """Dice that come from other seeds than those that were opened: the first roll shows it."""
    made = reader.data(3)["dice"]["commitment"]
    seed = bytes.fromhex(reader.data(reader.place("dice_revealed"))["seed"])
    thrown = reader.place("dice_rolled")
    seat = reader.data(reader.place("match_started"))["first_seat"]
    stem = f"{throw_stem(seat, 1, 'roll')}|0"
    for number in count():
        other = f"{number:032}"
        key = table_key(seed, [SEAT_SEEDS[0], other])
        is_seen = die_value(key, stem) != reader.data(thrown)["values"][0]
        if is_seen and pick_at(key, FIRST_SEAT, 2).place == seat:
            break
    changes = [
        _set_to(late, "/event/data/commitment", seat_commitment(made, 1, other)),
        _set_to(last, "/event/data/seed", other),
        _set_to(reader.line_of("reveal"), "/seat_seeds/1", other),
    ]
    return Forgery("dice from other seeds than the opened ones", changes, "dice", thrown - 2)


def _moved(line: int, event: Line) -> list[Line]:
    """The line tells that event, in its own place."""
    return [_set_to(line, f"/event/{name}", event[name]) for name in ("type", "actor", "data")]


def _of_coins(reader: _Reader) -> Iterator[Forgery]:
    income = reader.place("income_received", skip=4)
    change = _set_to(income, "/event/data/coins", reader.data(income)["coins"] + 1)
    yield Forgery("a coin too much from the bank", [change], "payments", income - 2, needs_rules=True)
    paid = reader.place("payment_made", lambda data: data["paid"] > 0)
    if paid:
        change = _set_to(paid, "/event/data/paid", reader.data(paid)["paid"] - 1)
        yield Forgery("a coin too little paid", [change], "payments", paid - 2)
    built = reader.place("establishment_built", lambda data: data["price"] > 0)
    change = _set_to(built, "/event/data/price", 0)
    yield Forgery("a card for nothing", [change], "payments", built - 2, needs_rules=True)
    change = _set_to(built, "/event/actor", f"seat:{1 - reader.data(built)['seat']}")
    yield Forgery("the other seat built it", [change], "decisions", built - 2, needs_rules=True)


def _of_end(reader: _Reader) -> Iterator[Forgery]:
    won = reader.place("match_finished")
    change = _set_to(won, "/event/data/winner", 1 - reader.data(won)["winner"])
    yield Forgery("another winner", [change], "result", won - 2)
    signed = reader.line_of("signature")
    fewer = [
        {"op": "remove", "line": reader.line_of("reveal")},
        {"op": "remove", "line": reader.events + 2},
        _set_to(1, "/events", reader.events - 1),
    ]
    yield Forgery("the last event cut off", fewer, "checkpoint", reader.events)
    change = _set_to(won, "/event/time", "2026-09-21T00:00:00.000Z")
    yield Forgery("another history than the signed one", [change], "checkpoint", reader.events)
    change = _set_to(signed, "/checkpoint/version", reader.events + 1)
    yield Forgery("a number in the checkpoint", [change], "checkpoint", None, rehash=False)
    change = _set_to(signed, "/checkpoint/signature", "A" * 86 + "==")
    yield Forgery("another signature", [change], "checkpoint", None, rehash=False)


def _of_form(reader: _Reader) -> Iterator[Forgery]:
    """Files that are written in another way than the page says, and records that nobody could have made."""
    yield from _unread(reader)
    yield from _implausible(reader)


def _unread(reader: _Reader) -> Iterator[Forgery]:
    won, turn = reader.place("match_finished"), reader.place("turn_started")
    winner = f'"winner":{reader.data(won)["winner"]}'
    twice = {
        "op": "text",
        "line": won,
        "old": winner,
        "new": f'"winner":{1 - reader.data(won)["winner"]},{winner}',
    }
    yield Forgery("a member twice", [twice], None, None, rehash=False)
    for name, written_so in (("a fraction", "1.0"), ("an exponent", "1e0")):
        change = {"op": "text", "line": turn, "old": '"turn":1,', "new": f'"turn":{written_so},'}
        yield Forgery(f"a number written with {name}", [change], None, None, rehash=False)
    change = _set_to(1, "/format", True)
    yield Forgery("true for the number 1 in the manifest", [change], None, None, rehash=False)
    for line, name in ((1, "manifest"), (2, "ruleset")):
        yield Forgery(f"the {name} taken out", [{"op": "remove", "line": line}], None, None, rehash=False)
    yield Forgery("the ruleset among the events", [{"op": "swap", "line": 2}], None, None, rehash=False)
    behind = {"op": "swap", "line": reader.line_of("reveal")}
    yield Forgery("the signature before the seed", [behind], None, None, rehash=False)


def _implausible(reader: _Reader) -> Iterator[Forgery]:
    turn = reader.place("turn_started")
    yield Forgery(
        "true for the number 1 in an event", [_set_to(turn, "/event/data/turn", True)], "schema", turn - 2
    )
    change = _set_to(turn, "/event/time", "2026-02-30T00:00:00.000Z")
    yield Forgery("a day that there never was", [change], "schema", turn - 2)
    batch = next(lines for lines in reader.batches()[5:] if len(lines) > 1)
    earlier = [_set_to(line, "/event/time", "2026-09-21T14:00:00.000Z") for line in batch]
    yield Forgery("a command before the one that it follows", earlier, "sequence", batch[0] - 2)
    later = [_set_to(batch[-1], "/event/time", _later(reader.lines[batch[0] - 1]["event"]["time"]))]
    yield Forgery("two times in one command", later, "sequence", batch[-1] - 2)
    change = _set_to(batch[-1], "/event/actor", "service")
    yield Forgery("two actors in one command", [change], "sequence", batch[-1] - 2)
    change = _set_to(reader.place("seat_taken"), "/event/data/kind", "ghost")
    yield Forgery("a seat of a kind that there is not", [change], "decisions", 1)
    changes = [_set_to(3, "/event/data/visibility", "secret"), _set_to(1, "/visibility", "secret")]
    yield Forgery("a visibility that there is not", changes, "decisions", 1)
    key = _set_to(reader.line_of("signature"), "/key/public_key", "A" * 43 + "=")
    yield Forgery("another key beside the signature", [key], "checkpoint", None, rehash=False)


def _later(time: str) -> str:
    """One millisecond after a full second."""
    assert time.endswith(".000Z")
    return f"{time[:-5]}.001Z"


def _of_members(reader: _Reader) -> Iterator[Forgery]:
    """A wrong member of each line beside the events, of the checkpoint, and of an event."""
    yield from _beside_events(reader)
    yield from _signed(reader)
    yield from _of_events(reader)


def _beside_events(reader: _Reader) -> Iterator[Forgery]:
    """Wrong claims about the events. They prove nothing, but a reader may believe them."""
    count, reveal = reader.events, reader.line_of("reveal")
    for kind, line, member, value, check, sequence in (
        ("manifest", 1, "rules_version", "harbor@1", "sequence", None),
        ("manifest", 1, "status", "aborted", "sequence", None),
        ("manifest", 1, "visibility", "private", "sequence", None),
        ("manifest", 1, "events", count + 1, "sequence", count + 1),
        ("manifest", 1, "head_hash", NO_HASH, "chain", count),
        ("ruleset", 2, "rules_version", "harbor@1", "ruleset", None),
        ("ruleset", 2, "digest", NO_HASH, "ruleset", None),
        ("reveal", reveal, "key_id", "k2", "dice", count),
        ("reveal", reveal, "seed", "00" * 32, "dice", count),
        ("reveal", reveal, "commitment", NO_HASH, "dice", count),
        ("reveal", reveal, "seat_seeds", [SEAT_SEEDS[0], ""], "dice", count),
    ):
        change = _set_to(line, f"/{member}", value)
        yield Forgery(f"another {member} in the {kind}", [change], check, sequence, rehash=False)
    for member, value in (("key/key_id", "k2"), ("key/algorithm", "RSA"), ("checkpoint/hash", NO_HASH)):
        change = _set_to(reveal + 1, f"/{member}", value)
        name = f"another {member.partition('/')[2]} in the {member.partition('/')[0]}"
        yield Forgery(name, [change], "checkpoint", None, rehash=False)
    change = _set_to(reveal, "/seat_seeds", [*SEAT_SEEDS[:2], ""])
    yield Forgery("a seat too many in the reveal", [change], "dice", count, rehash=False)


def _signed(reader: _Reader) -> Iterator[Forgery]:
    """Checkpoints that the key did sign, but not of this end."""
    line, count = reader.line_of("signature"), reader.events
    true = parse_checkpoint(reader.lines[line - 1]["checkpoint"])
    other_id = "mat_" + "9" * 26
    for name, sequence, changes in (
        ("type", None, {"type": "checkpoint"}),
        ("match", None, {"match_digest": digest_of_match(other_id), "match_id": None}),
        ("match id", None, {"match_id": other_id}),
        ("number of events", count, {"version": count - 1}),
        ("last hash", count, {"head_hash": NO_HASH}),
        ("time", count, {"time": "2026-09-21T00:00:00.000Z"}),
        ("status", count, {"status": "aborted"}),
        ("rules version", count, {"rules_version": "harbor@1"}),
    ):
        value = as_json(sealed(msgspec.structs.replace(true, **changes)))
        change = _set_to(line, "/checkpoint", value)
        yield Forgery(
            f"a signed checkpoint of another {name}", [change], "checkpoint", sequence, rehash=False
        )


def _of_events(reader: _Reader) -> Iterator[Forgery]:
    turn, built = reader.place("turn_started"), reader.place("establishment_built")
    for name, path, value in (
        ("a member beside those of every event", "/event/note", "x"),
        ("a version of an event that there is not", "/event/schema", 2),
        ("a type of event that there is not", "/event/type", "turn_begun"),
        ("an actor that there is not", "/event/actor", "nobody"),
        ("a time of another form", "/event/time", "2026-09-21T14:13:20Z"),
    ):
        yield Forgery(name, [_set_to(turn, path, value)], "schema", turn - 2)
    change = _set_to(turn, "/event/match_id", "mat_" + "9" * 26)
    yield Forgery("an event of another match", [change], "sequence", turn - 2)
    change = _set_to(turn, "/event/rules_version", "harbor@1")
    yield Forgery("an event by other rules", [change], "ruleset", turn - 2)
    batch = next(lines for lines in reader.batches() if lines[0] == built)
    again = reader.lines[3]["event"]["command_id"]
    changes = [_set_to(line, "/event/command_id", again) for line in batch]
    yield Forgery("a command id that returns", changes, "sequence", built - 2)
    change = _set_to(built, "/event/data/price", 99)
    yield Forgery("a price that the seat cannot pay", [change], "payments", built - 2)
    thrown = reader.place("dice_rolled", skip=3)
    change = _set_to(thrown, "/event/data/total", 12)
    yield Forgery("a total that is not the sum of the dice", [change], "dice", thrown - 2)
    gone = [
        {"op": "remove", "line": reader.line_of("reveal")},
        {"op": "remove", "line": reader.events + 2},
        _set_to(1, "/events", reader.events - 1),
    ]
    yield Forgery("a match that ends without its seed", gone, "result", reader.events)
    change = _set_to(reader.place("dice_revealed"), "/event/data/key_id", "k2")
    yield Forgery("another key of the revealed seed", [change], "dice", reader.events)
    late, last = reader.place("seat_seed_committed", skip=1), reader.place("seat_seed_opened", skip=1)
    changes = [_set_to(late, "/event/data/seat", 0), _set_to(late, "/event/actor", "seat:0")]
    yield Forgery("a seat commits twice", changes, "dice", late - 2)
    due = seat_commitment(reader.data(3)["dice"]["commitment"], 1, "short")
    changes = [_set_to(late, "/event/data/commitment", due), _set_to(last, "/event/data/seed", "short")]
    yield Forgery("a seed that is too short", changes, "dice", last - 2)
