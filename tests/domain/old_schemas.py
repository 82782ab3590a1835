"""An event with two old schemas, made up: none has been released yet."""

import msgspec

from domain.match.upcast import UpcastStep


class CoinsFound(msgspec.Struct, frozen=True, array_like=True, tag="coins_found.3"):
    """Schema 1 was (seat, coins), schema 2 (seat, coins, place), schema 3 has a tuple of seats."""

    seats: tuple[int, ...]
    coins: int
    place: str


STEPS = {
    ("coins_found", 1): UpcastStep(("seat", "coins"), lambda members: [*members, "street"]),
    ("coins_found", 2): UpcastStep(("seat", "coins", "place"), lambda members: [[members[0]], *members[1:]]),
}
