"""Verify exported matches: hashes, tables, seed, dice, draws, first seat, coins, cards, winner, signed end.

It cannot tell if an income or price was due, nor whose the key is. Reads standard input; a line a match.
"""

import base64
import hashlib
import hmac
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

ENDS = ("match_finished", "match_aborted", "dice_revealed")
MOVES = {  # from where, to where, and the member that holds the coins or the card
    "income_received": [("bank", "seat", "coins")],
    "help_received": [("bank", "seat", "coins")],
    "payment_made": [("from_seat", "to_seat", "paid")],
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


def check_chain(match_id: str, manifest: Any, events: Any) -> Iterator[tuple[bool, str]]:
    head = "sha-256:" + "0" * 64
    for at, event in enumerate(events, 1):
        yield (event["match_id"], event["sequence"]) == (match_id, at), f"sequence {at}: out of place"
        linked, head = event["previous_hash"] == head, event.pop("hash")
        yield linked and head == digest(canonical(event)), f"chain {at}: another hash, or another before it"
    told, there = (manifest["events"], manifest["head_hash"]), (len(events), head)
    yield told == there, f"sequence {min(told[0], there[0]) + 1}: the manifest tells of another end"


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
                yield seat not in opened and said[seat] == due, f"dice {at}: not what it committed to"
                opened.add(seat)
            case "match_started":
                committed = {seat for seat in said if said[seat]}
                yield said.keys() == accounts and opened == committed, f"dice {at}: a seed is missing"


def check_course(seed: bytes, made: Any, market: Any, events: Any) -> Iterator[tuple[bool, str]]:
    told = [x["data"] for x in events if x["type"] in ("seat_taken", "seat_seed_opened")]
    seeds = {data["seat"]: data["seed"] for data in told}
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
            case "payment_made":
                due = min(data["owed"], table[data["from_seat"], "coins"])
                yield data["paid"] == due, f"payments {at}: {due} were due"
            case "coins_levelled":
                grown = sum(coins - table[seat, "coins"] for seat, coins in enumerate(data["coins"]))
                yield grown == data["from_bank"], f"payments {at}: {grown} came from the bank"
                dict.update(table, {(seat, "coins"): n for seat, n in enumerate(data["coins"])})
            case "match_finished" if data["reason"] == "landmarks":
                yield before["data"].get("seat") == data["winner"], f"result {at}: not the winner"
        for giver, taker, what in MOVES.get(kind, []):
            card, number = (data[what], 1) if isinstance(data[what], str) else ("coins", data[what])
            table[data.get(giver, giver), card] -= number
            table[data.get(taker, taker), card] += number
        if kind == "landmark_built":  # of which none lies there where each seat has its own
            table["supply", data["card"]] = max(table["supply", data["card"]], 0)
        yield all(n >= 0 or where[0] == "bank" for where, n in table.items()), f"payments {at}: below 0"
        before = event


def check_end(match_id: str, signature: Any, events: Any, head: str) -> Iterator[tuple[bool, str]]:
    point, last, count = signature["checkpoint"], events[-1], len(events)
    key = Ed25519PublicKey.from_public_bytes(base64.b64decode(signature["key"]["public_key"]))
    claimed, signed_by = point.pop("hash"), base64.b64decode(point.pop("signature"))
    yield claimed == digest(canonical(point)), "checkpoint -: another hash"
    yield point["version"] == count, f"checkpoint {min(point['version'], count) + 1}: of another number"
    yield (point["head_hash"], point["time"]) == (head, last["time"]), f"checkpoint {count}: another end"
    yield point["match_digest"] == digest(match_id.encode()), "checkpoint -: another match"
    yield last["type"] == "dice_revealed", "result -: not over"
    key.verify(signed_by, canonical(point))  # raises where it is not by that key


def check(match_id: str, lines: list[bytes]) -> Iterator[tuple[bool, str]]:
    read = [json.loads(line, parse_float=int, parse_constant=int) for line in lines]
    manifest, tables, events = read[0], read[1]["tables"], [x["event"] for x in read if x["kind"] == "event"]
    made, last = events[0]["data"], events[-1]
    yield from check_chain(match_id, manifest, events)
    yield digest(canonical(tables)) == read[1]["digest"] == made["digest"], "ruleset -: other tables"
    yield from check_seat_seeds(made, events)
    if last["type"] == "dice_revealed":
        seed = bytes.fromhex(last["data"]["seed"])
        yield digest(seed) == made["dice"]["commitment"], f"dice {len(events)}: another seed"
        market = {row["name"]: row["cards"] for row in tables["markets"][made["options"]["market"]]}
        yield from check_course(seed, made, market, events)
    yield from check_end(match_id, read[-1], events, manifest["head_hash"])


def verify(lines: Iterable[bytes]) -> Iterator[tuple[str, str]]:
    """The id of each match and its first fault, empty if it has none."""
    matches: list[list[bytes]] = []
    for line in lines:
        if not matches or re.search(rb'"kind"\s*:\s*"manifest"', line):
            matches.append([])
        matches[-1].append(line)
    for match in matches:
        match_id = "".join(re.findall(r'"match_id"\s*:\s*"(\w+)"', match[0].decode("utf-8", "replace")))
        try:
            fault = next((fault for holds, fault in check(match_id, match) if not holds), "")
        except Exception as error:
            fault = f"schema -: {error!r}"
        yield match_id, fault


if __name__ == "__main__":
    for match_id, fault in verify(sys.stdin.buffer):
        print(match_id, f"failed {fault}" if fault else "verified")
