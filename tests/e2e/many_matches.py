"""A thousand exports of all kinds of matches, and what was forged in some of them."""

from collections.abc import Iterator
from random import Random
from typing import Any, Final, NamedTuple

import msgspec

from domain.audit.checkpoints import NO_HASH
from tests.golden.exports import (
    Line,
    Played,
    branch_of,
    checkpoint_of,
    creation,
    last_of_command,
    lines_of,
    play,
    rehashed,
    seed_of,
)

KINDS: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
    ("base", {}),
    ("base", {"market": "limited"}),
    ("base", {"max_copies": 2}),
    ("base", {"card_costs": {"cafe": 1, "stadium": 3}}),
    ("harbor", {}),
    ("harbor", {"market": "limited"}),
    ("machi_koro_2", {}),
    ("machi_koro_2", {"card_costs": {"mine": 2}}),
)

FORGERIES: Final = ("", "", "", "die", "cut", "swap", "seed", "coins", "card", "checkpoint")
"""What happens to a match, by its number; nothing to the first three of ten."""


class Exported(NamedTuple):
    """One match as a file, and what was forged in it."""

    lines: list[Line]
    forgery: str


def matches(count: int, first: int = 0) -> Iterator[Exported]:
    """So many matches, each of another kind than the one before; some are branches. Their ends are a log."""
    before = NO_HASH
    last: Played | None = None
    for number in range(first, first + count):
        played = _played(number, last)
        last = None if number % 9 == 8 else played
        checkpoint = checkpoint_of(played, number - first + 1, before)
        before = checkpoint.hash
        forgery = FORGERIES[number % len(FORGERIES)]
        lines: list[Line] = msgspec.json.decode(msgspec.json.encode(lines_of(played, checkpoint)))
        found = _forged(lines, forgery, Random(number)) if forgery else lines
        yield Exported(found or lines, forgery if found else "")


def _played(number: int, last: Played | None) -> Played:
    seed = seed_of(f"many {number}")
    match_id = f"mat_{number:026}"
    if number % 9 == 8 and last is not None:
        near = len(last.events) // 2
        origin_seed = seed_of(f"many {number - 1}")
        return branch_of(last, last_of_command(last, near), origin_seed, Random(number), match_id)
    ruleset, options = KINDS[number % len(KINDS)]
    seats = 2 + number // len(KINDS) % 4
    most = 100_000 if number % 3 == 0 else 120
    create = creation(ruleset, seats, seed, commits=number % 5 == 4, **options)
    return play(match_id, create, seed, Random(number), most, resigns=True)


def _forged(lines: list[Line], forgery: str, choices: Random) -> list[Line] | None:
    """The lines with something forged in them; None where there is nothing like it to forge."""
    events = [line["event"] for line in lines if line["kind"] == "event"]
    if forgery == "cut":
        del lines[1 + len(events)]
        lines[0]["events"] -= 1
        lines[0]["head_hash"] = events[-2]["hash"]
        return lines
    if forgery == "swap":
        place = choices.randrange(3, len(events))
        lines[place], lines[place + 1] = lines[place + 1], lines[place]
        return lines
    if forgery == "checkpoint":
        lines[-1]["checkpoint"]["version"] += 1
        return lines
    found = [event for event in events if _CAN[forgery](event)]
    if not found:
        return None
    _CHANGE[forgery](choices.choice(found)["data"])
    return rehashed(lines[:-1])  # who can rebuild the chain leaves out the signature, which would betray it


def _other_die(data: Any) -> None:
    data["values"][0] = data["values"][0] % 6 + 1
    data["total"] = sum(data["values"])


def _other_cards(data: Any) -> None:
    data["cards"][0] = "wheat_field" if data["cards"][0] != "wheat_field" else "ranch"


_CAN: Final[dict[str, Any]] = {
    "die": lambda event: event["type"] == "dice_rolled",
    "seed": lambda event: event["type"] in ("dice_revealed", "seat_seed_opened"),
    "coins": lambda event: event["type"] == "payment_made" and event["data"]["paid"],
    "card": lambda event: event["type"] == "market_refilled",
}
_CHANGE: Final[dict[str, Any]] = {
    "die": _other_die,
    "seed": lambda data: data.update(seed="00" * 32),
    "coins": lambda data: data.update(paid=data["paid"] - 1),
    "card": _other_cards,
}
