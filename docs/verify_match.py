"""Verify exported matches: form, order, times, hashes, tables, dice, draws, coins, cards, winner, signed end.

It cannot tell if an income or price was due, nor whose the key is. Usage: verify_match.py [FILE]... prints a
line a match; files may be gzipped, and - or none is standard input. Exit codes: 0 all verified, 1 any failed,
2 some incomplete, or wrong usage, 3 something cannot be read; the worst decides, in the order 1, 3, 2, 0.
"""

import base64
import gzip
import hashlib
import hmac
import json
import re
import sys
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, BinaryIO

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

MOST, LONGEST = 64 * 2**20, 256 * 2**10  # what a match takes, and a line in bytes: twice the longest there is
ORDER = re.compile("manifest ruleset( event)*( reveal)?( signature)?")
TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")
ACTOR = re.compile(r"seat:[0-9]|account:\S+|service")
SEED = re.compile("[A-Za-z0-9_-]{32,64}")
MEMBERS = ["actor", "command_id", "data", "hash", "match_id", "previous_hash", "rules_version", "schema"]
MEMBERS += ["sequence", "time", "type"]
TYPES = """match_created: ruleset rules_version digest options seats first_seat dice creator clock position
visibility tags origin; seat_taken: seat kind id name version seed; seat_reserved: seat id name;
reservation_ended: seat reason; seat_seed_committed: seat commitment; seat_seed_forgone: seat;
seat_seed_opened: seat seed; seat_seed_withheld: seat; match_started: first_seat coins cities supply decks
deck_orders; branch_started: first_seat coins cities supply decks deck_orders draws resigned turn seat phase
extra round seat_turns values total added rerolled received extra_turn_due card copies; turn_started: turn
seat phase extra round; dice_rolled: purpose values total; choice_requested: seat phase card copies;
dice_kept: seat declined total; two_added: seat total; income_received: seat card copies coins; payment_made:
from_seat to_seat card copies owed paid; target_chosen: seat card target; establishments_swapped: seat give
with_seat take; swap_declined: seat; establishment_given: seat card to_seat; renovation_moved: from_seat
to_seat card; landmark_demolished: seat card landmark; establishments_closed: seat card establishment copies;
establishments_reopened: seat card copies; fee_paid: seat card copies owed paid; coin_invested: seat card
coins; investment_declined: seat; choice_lapsed: seat card; tokens_placed: closed invested; coins_levelled:
seat card coins from_bank; help_received: seat coins; establishment_built: seat card price; landmark_built:
seat card price; build_passed: seat; market_refilled: row cards; extra_turn_granted: seat card; turn_ended:
turn seat; clock_expired: seat policy; bank_changed: seat spent_ms added_ms left_ms; controller_changed: seat
kind id name version; seat_resigned: seat reason; match_finished: winner reason; match_aborted: reason;
dice_revealed: key_id seed"""
DATA = {kind: set(names.split()) for kind, names in re.findall(r"(\w+):([\w\s]+)", TYPES)}
TRUTHS = {"extra", "rerolled", "extra_turn_due"}  # the members that are true or false
ENDS = ("match_finished", "match_aborted", "dice_revealed")
STATUS = {"match_finished": "finished", "match_aborted": "aborted"}  # by the event that ends or starts it
STATUS |= {"match_started": "running", "branch_started": "running"}
MOVES = {  # from where, to where, and the member that holds the coins or the card
    "income_received": [("bank", "seat", "coins")],
    "help_received": [("bank", "seat", "coins")],
    "payment_made": [("from_seat", "to_seat", "paid")],
    "fee_paid": [("seat", "bank", "paid")],
    "coin_invested": [("seat", "bank", "coins")],
    "landmark_demolished": [("seat", "bank", "landmark")],
    "establishment_built": [("seat", "bank", "price"), ("supply", "seat", "card")],
    "landmark_built": [("seat", "bank", "price"), ("supply", "seat", "card")],
    "establishments_swapped": [("seat", "with_seat", "give"), ("with_seat", "seat", "take")],
    "establishment_given": [("seat", "to_seat", "card")],
}


def canonical(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()


def digest(data: bytes) -> str:
    return "sha-256:" + hashlib.sha256(data).hexdigest()


def pick(key: bytes, address: str, choices: int, width: int = 2, block: int = 0) -> int:
    found, size = hmac.digest(key, f"{address}|{block}".encode(), "sha256"), 256**width
    numbers = [int.from_bytes(found[at : at + width], "big") for at in range(0, 32, width)]
    fair = [number for number in numbers if number < size - size % choices]
    return fair[0] % choices if fair else pick(key, address, choices, width, block + 1)


def whole(text: str) -> int:
    if text == "-0" or not -(2**53) < int(text) < 2**53:
        raise ValueError(f"{text} is no number of an export")
    return int(text)


def unique(members: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(members)) < len(members):
        raise ValueError("a member comes twice")
    return dict(members)


READER = json.JSONDecoder(object_pairs_hook=unique, parse_int=whole, parse_float=int, parse_constant=int)


def read(lines: Iterable[bytes]) -> list[Any]:
    """The lines of a match. Raises: ValueError, it is no export."""
    found: list[Any] = [READER.decode(line.decode()) for line in lines if line.strip()]
    if not ORDER.fullmatch(" ".join(str(line["kind"]) for line in found)):
        raise ValueError("the lines are not those of one match, in their order")
    if canonical(found[0]["format"]) != b"1":
        raise ValueError("the format is not 1")
    return found


def has_truths(value: Any) -> bool:
    """Whether something is true or false that must not be: Python takes it for 1 or 0."""
    if isinstance(value, dict):
        return any(has_truths(one) for name, one in value.items() if name not in TRUTHS)
    return isinstance(value, bool) or (isinstance(value, list) and any(map(has_truths, value)))


def is_time(text: str) -> bool:
    try:
        return bool(TIME.fullmatch(text) and datetime.fromisoformat(text))
    except ValueError:  # there never was that day
        return False


def is_event(event: Any) -> bool:
    """Whether it has the members of its type and no others; before branches there was no origin."""
    if sorted(event) != MEMBERS or has_truths(event) or event["schema"] != 1 or event["type"] not in DATA:
        return False
    due, is_actor = DATA[event["type"]], ACTOR.fullmatch(event["actor"])
    return bool(due - {"origin"} <= event["data"].keys() <= due and is_time(event["time"]) and is_actor)


def check_chain(manifest: Any, events: Any) -> Iterator[tuple[bool, str]]:
    head, before, commands, start = "sha-256:" + "0" * 64, {"command_id": None, "time": ""}, set(), 1
    for at, event in enumerate(events, 1):
        yield is_event(event), f"schema {at}: no event has that form"
        kind, data, made = event["type"], event["data"], events[0]["data"]
        place = (manifest["match_id"], at)
        yield (event["match_id"], event["sequence"]) == place, f"sequence {at}: out of place"
        if event["command_id"] == before["command_id"]:
            same = (event["time"], event["actor"]) == (before["time"], before["actor"])
            yield same, f"sequence {at}: another time or actor in one command"
        else:
            start = at
            yield event["time"] >= before["time"], f"sequence {at}: the time falls"
            yield event["command_id"] not in commands, f"sequence {at}: its command comes again"
        commands.add(event["command_id"])
        linked, head, before = event["previous_hash"] == head, event.pop("hash"), event
        yield linked and head == digest(canonical(event)), f"chain {at}: another hash, or another before it"
        yield event["rules_version"] == made["rules_version"], f"ruleset {at}: by other rules"
        if kind in ("seat_taken", "controller_changed"):
            yield (
                data["kind"] in ("account", "strategy"),
                f"decisions {start}: nobody of that kind sits there",
            )
        if kind == "match_created":
            yield data["visibility"] in ("public", "unlisted", "private"), f"decisions {at}: no visibility"
    count = len(events)
    yield canonical(manifest["events"]) == canonical(count), f"sequence {count + 1}: not as many as told"
    yield manifest["head_hash"] == head, f"chain {count}: the manifest tells of another hash"


def check_seat_seeds(made: Any, events: Any) -> Iterator[tuple[bool, str]]:
    taken, accounts, said, opened = 0, set[int](), dict[int, str](), set[int]()
    for at, event in enumerate(events, 1):
        kind, data, seat = event["type"], event["data"], event["data"].get("seat")
        match kind:
            case "seat_taken":
                taken += 1
                accounts |= {seat} if "seat_seeds" in made["dice"] and data["kind"] == "account" else set()
            case "seat_seed_committed" | "seat_seed_forgone":
                yield seat in accounts - said.keys() and not opened, f"dice {at}: no commitment is due"
                said[seat] = data.get("commitment", "")
            case "seat_seed_opened":
                yield taken == made["seats"] and said.keys() == accounts, f"dice {at}: opened too early"
                due = digest(canonical([made["dice"]["commitment"], seat, data["seed"]]))
                is_seed = said[seat] == due and SEED.fullmatch(data["seed"])
                yield seat not in opened and bool(is_seed), f"dice {at}: not what it committed to"
                opened.add(seat)
            case "match_started":
                committed = {seat for seat in said if said[seat]}
                yield said.keys() == accounts and opened == committed, f"dice {at}: a seed is missing"


def check_course(seed: bytes, seeds: Any, made: Any, market: Any, events: Any) -> Iterator[tuple[bool, str]]:
    key = hmac.digest(seed, canonical([seeds[seat] for seat in sorted(seeds)]), "sha256")
    throws, table, before = iter(made["dice"]["throws"]), Counter[tuple[Any, str]](), events[0]
    for at, event in enumerate(events, 1):
        kind, data, seat = event["type"], event["data"], event["data"].get("seat")
        yield (before["type"] in ENDS) == (kind == "dice_revealed"), f"result {at}: not where the end is"
        match kind:
            case "match_started" | "branch_started":
                places = [*enumerate(data["cities"]), ("supply", data["supply"]), ("deck", data["decks"])]
                table = Counter({(place, card): n for place, cards in places for card, n in cards.items()})
                table.update({(seat, "coins"): coins for seat, coins in enumerate(data["coins"])})
                active, turns = seat, data.get("seat_turns", [0] * len(seeds))
                resigned = set(data.get("resigned", []))
                drawn, orders = Counter(data.get("draws")), data["deck_orders"]
                first = made["position"]["active_seat"] if made["position"] else made["first_seat"]
                first = pick(key, "first_seat", len(seeds)) if first is None else first
                yield kind != "match_started" or data["first_seat"] == first, f"draws {at}: {first} begins"
            case "turn_started":
                turns[active := seat] += 1
            case "dice_rolled":
                throw = f"die|{active}|{turns[active]}|{data['purpose']}|1|"
                fell = [pick(key, f"{throw}{die}", 6, width=1) + 1 for die in range(len(data["values"]))]
                fell = next(throws, []) if made["dice"]["mode"] == "scripted" else fell
                yield (data["values"], data["total"]) == (fell, sum(fell)), f"dice {at}: {fell} fell"
            case "market_refilled":
                for row, card in ((data["row"], card) for card in data["cards"]):
                    drawn[row] += 1
                    left = [each for each in market[row] for _ in range(table["deck", each])]
                    due = left[pick(key, f"draw|{row}|{drawn[row]}", len(left))]
                    due = orders[row].pop(0) if row in orders else due
                    yield card == due, f"draws {at}: {due} is drawn"
                    table.update({("deck", card): -1, ("supply", card): 1})
            case "payment_made" | "fee_paid":
                due = min(data["owed"], table[data.get("from_seat", seat), "coins"])
                yield data["paid"] == due, f"payments {at}: {due} were due"
            case "coins_levelled":
                grown = sum(coins - table[seat, "coins"] for seat, coins in enumerate(data["coins"]))
                yield grown == data["from_bank"], f"payments {at}: {grown} came from the bank"
                dict.update(table, {(seat, "coins"): n for seat, n in enumerate(data["coins"])})
            case "seat_resigned":
                resigned.add(seat)
            case "match_finished":
                won = [before["data"]["seat"]] if before["type"] == "landmark_built" else []
                won = won if data["reason"] == "landmarks" else [x for x in seeds if x not in resigned]
                yield won == [data["winner"]], f"result {at}: {won} won"
        for giver, taker, what in MOVES.get(kind, []):
            card, number = (data[what], 1) if isinstance(data[what], str) else ("coins", data[what])
            table[data.get(giver, giver), card] -= number
            table[data.get(taker, taker), card] += number
        if kind == "landmark_built":  # of which none lies there where each seat has its own
            table["supply", data["card"]] = max(table["supply", data["card"]], 0)
        yield all(n >= 0 or where[0] == "bank" for where, n in table.items()), f"payments {at}: below 0"
        before = event


def is_signed(public_key: str, message: bytes, signature: str) -> bool:
    try:
        raw = base64.b64decode(signature, validate=True)
        Ed25519PublicKey.from_public_bytes(base64.b64decode(public_key, validate=True)).verify(raw, message)
    except (InvalidSignature, ValueError):
        return False
    return base64.b64encode(raw).decode() == signature  # the bits that its last letter does not need are 0


def check_end(line: Any, manifest: Any, status: str, events: Any) -> Iterator[tuple[bool, str]]:
    point, key, last, count = line["checkpoint"], line["key"], events[-1], len(events)
    claimed, signature, message = point.pop("hash"), point.pop("signature"), canonical(point)
    yield (key["key_id"], key["algorithm"]) == (point["key_id"], "Ed25519"), "checkpoint -: another key"
    yield claimed == digest(message), "checkpoint -: another hash"
    yield is_signed(key["public_key"], message, signature), "checkpoint -: another signature"
    match_id, of = manifest["match_id"], (point["type"], point["match_digest"])
    is_it = of == ("match_checkpoint", digest(match_id.encode())) and point["match_id"] in (None, match_id)
    yield is_it, "checkpoint -: of another match"
    yield point["version"] == count, f"checkpoint {min(point['version'], count) + 1}: of another number"
    told = [point[name] for name in ("head_hash", "time", "status", "rules_version")]
    due = [manifest["head_hash"], last["time"], status, last["rules_version"]]
    yield told == due and last["type"] == "dice_revealed", f"checkpoint {count}: another end"


def check(lines: list[Any]) -> Iterator[tuple[bool, str]]:
    manifest, ruleset, events = lines[0], lines[1], [x["event"] for x in lines if x["kind"] == "event"]
    yield from check_chain(manifest, events)
    made, last, count, tables = events[0]["data"], events[-1], len(events), ruleset["tables"]
    dice, rules, kinds = made["dice"], made["rules_version"], {event["type"] for event in events}
    status = next((STATUS[kind] for kind in STATUS if kind in kinds), "open")
    told = [ruleset["rules_version"], ruleset["digest"], digest(canonical(tables))]
    yield told == [rules, made["digest"], made["digest"]], "ruleset -: other tables"
    told = [manifest["rules_version"], manifest["status"], manifest["visibility"]]
    yield told == [rules, status, made["visibility"]], "sequence -: the manifest tells of another match"
    yield from check_seat_seeds(made, events)
    sown = [x["data"] for x in events if x["type"] in ("seat_taken", "seat_seed_opened")]
    seeds = {data["seat"]: data["seed"] for data in sown}
    revealed = last["data"] if last["type"] == "dice_revealed" else None
    yield revealed or status in ("open", "running"), f"result {count + 1}: no seed at the end"
    if revealed:
        seed, key_id = bytes.fromhex(revealed["seed"]), revealed["key_id"]
        yield (digest(seed), key_id) == (dice["commitment"], dice["key_id"]), f"dice {count}: another seed"
        market = {row["name"]: row["cards"] for row in tables["markets"][made["options"]["market"]]}
        yield from check_course(seed, seeds, made, market, events)
    for line in (x for x in lines if x["kind"] == "reveal"):
        told, given = [line["key_id"], line["commitment"], line["seed"]], line["seat_seeds"]
        same = revealed and told == [dice["key_id"], dice["commitment"], revealed["seed"]]
        same = same and all(told == seeds.get(seat, "") for seat, told in enumerate(given))
        yield same and len(given) == made["seats"], f"dice {count}: the file reveals something else"
    if lines[-1]["kind"] == "signature":
        yield from check_end(lines[-1], manifest, status, events)


def matches(stream: BinaryIO) -> Iterator[list[bytes]]:
    """The lines of each match. Raises: ValueError, there are more than a match can have."""
    lines: list[bytes] = []
    size = 0
    for line in iter(lambda: stream.readline(LONGEST + 1), b""):
        if lines and re.search(rb'"kind"\s*:\s*"manifest"', line):
            yield lines
            lines, size = [], 0
        lines.append(line)
        size += len(line) + 32 * line.count(b",") + 320  # objects take more memory than their text
        if size > MOST or len(line) > LONGEST:
            raise ValueError("more than a match can have")
    yield lines


def verify(stream: BinaryIO) -> Iterator[tuple[str, str, str]]:
    """The id of each match, its verdict, and its first fault if it has one."""
    match_id = "-"
    try:
        packed = stream.peek(2)[:2] == b"\x1f\x8b"  # type: ignore[attr-defined]
        for lines in matches(gzip.GzipFile(fileobj=stream) if packed else stream):
            match_id, found = "-", read(lines)
            match_id = re.sub(r"\W", "?", found[0]["match_id"])
            try:
                fault = next((fault for holds, fault in check(found) if not holds), "")
            except Exception as error:
                fault = f"schema -: {error!r}"
            verdict = "verified" if found[-1]["kind"] == "signature" else "incomplete"
            yield match_id, "failed" if fault else verdict, fault
    except (ValueError, LookupError, TypeError, EOFError, OSError, RecursionError, zlib.error) as error:
        yield match_id, "unreadable", str(error)


def main(files: list[str]) -> int:
    codes, verdicts = {"failed": 1, "unreadable": 3, "incomplete": 2, "verified": 0}, set()
    if any(file.startswith("-") and file != "-" for file in files):
        print(__doc__, file=sys.stderr)
        return 2
    for file in files or ["-"]:
        try:
            with open(sys.stdin.fileno() if file == "-" else file, "rb") as stream:
                for told in verify(stream):
                    verdicts.add(told[1])
                    print(file, *told, flush=True)
        except OSError as error:
            verdicts.add("unreadable")
            print(file, "-", "unreadable", error)
    return next(code for verdict, code in codes.items() if verdict in verdicts)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
