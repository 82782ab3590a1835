"""What seats, cards and throws are called in tables and menus."""

from collections.abc import Mapping, Sequence


class Names:
    """What seats and cards are called."""

    def __init__(self, seats: Sequence[str | None], cards: Mapping[str, str]) -> None:
        """`cards` are names by id; what is not in them is called by its id."""
        self._cards = cards
        self._seats: dict[int, str] = {}
        for seat, name in enumerate(seats):
            if name is not None:
                self._seats[seat] = f"{name} {seat}" if seats.count(name) > 1 else name

    def take_seat(self, seat: int, name: str) -> None:
        """Somebody sits there from now on; one who is known already keeps the name."""
        if not self.seat(seat).startswith(name):
            self._seats[seat] = name if name not in self._seats.values() else f"{name} {seat}"

    def seat(self, seat: int) -> str:
        """The name of who sits there; several of one name are told apart by their seats."""
        return self._seats.get(seat, f"seat {seat}")

    def card(self, card: str) -> str:
        return self._cards.get(card, card)


def throw(values: Sequence[int], total: int) -> str:
    """The dice and their sum, such as `3 + 4 = 7`."""
    return f"{' + '.join(map(str, values))} = {total}" if len(values) > 1 else str(total)
