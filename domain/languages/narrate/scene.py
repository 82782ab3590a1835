"""Words in one language for the seats, cards and coins of an event, from the state before it."""

from collections import Counter
from collections.abc import Sequence
from typing import Final, TypeAlias

from domain.languages.language import Telling
from domain.languages.names import card_name
from domain.match.rulesets import Ruleset
from domain.match.state import MatchState

Told: TypeAlias = tuple[str, dict[str, str | int]]
"""The form of a sentence, and the values of its placeholders."""

_UNITS_MS: Final = (3_600_000, 60_000, 1000)
"""An hour, a minute, a second."""


class Scene:
    """The state before an event, or after the first one, and the language of its sentence."""

    def __init__(self, before: MatchState, telling: Telling, language: str) -> None:
        self.before = before
        self.telling = telling
        self._language = language

    @property
    def ruleset(self) -> Ruleset:
        """The ruleset of the match."""
        return self.before.rules.ruleset

    def name(self, seat: int) -> str:
        """The name of the seat's player, with the seat if several players have that name."""
        taken = self.before.controllers[seat]
        name = taken.name if taken else ""
        namesakes = [other for other in self.before.controllers if other and other.name == name]
        return name if len(namesakes) == 1 else self.telling.same_name.format(name=name, seat=seat)

    def card(self, id: str, ruleset: Ruleset | None = None) -> str:
        """The card's name in quotes, not declined."""
        opening, closing = self.telling.wording.quotes
        return opening + card_name(ruleset or self.ruleset, id, self._language).name + closing

    def cards(self, copies: int, id: str) -> str:
        """A number of copies of a card that is paid for."""
        return self.telling.cards(copies, self.card(id))

    def coins(self, count: int) -> str:
        """A number of coins that is paid or received."""
        return self.telling.wording.coins(count)

    def listed(self, ids: Sequence[str]) -> str:
        """The cards in their order, with equal ones grouped."""
        found = Counter(ids)
        return ", ".join(
            [f"{count} × {self.card(id)}" if count > 1 else self.card(id) for id, count in found.items()]
        )

    def throw(self, values: Sequence[int], total: int) -> str:
        """The dice and their sum: `5`, `3 + 4 = 7`."""
        return f"{' + '.join(map(str, values))} = {total}" if len(values) > 1 else str(total)

    def time(self, time_ms: int) -> str:
        """A time in the largest unit that gives a whole number, otherwise in seconds: `2 min`, `1.5 s`."""
        for unit_ms, unit in zip(_UNITS_MS, self.telling.units, strict=True):
            if time_ms % unit_ms == 0:
                return f"{time_ms // unit_ms} {unit}"
        seconds, ms = divmod(time_ms, 1000)
        return f"{seconds}{self._fraction(ms)} {self.telling.units[-1]}"

    def clock(self, time_ms: int) -> str:
        """A time as on a clock, in minutes and seconds, exact to the millisecond: `5:00`, `0:03.5`."""
        seconds, ms = divmod(time_ms, 1000)
        return f"{seconds // 60}:{seconds % 60:02}{self._fraction(ms)}"

    def _fraction(self, ms: int) -> str:
        """What follows the whole seconds: `.5`; nothing for 0 ms."""
        return f"{self.telling.decimal}{ms:03}".rstrip("0") if ms else ""
