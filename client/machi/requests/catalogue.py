"""Requests about rulesets, cards, event types and built-in players."""

from contract.catalogue import Ruleset
from contract.events import EventType
from machi.answers import decoded
from machi.requests.subject import RequestGroup
from machi.transport import segment
from machi.values import Card, Strategy


class Catalogue(RequestGroup):
    """What the service offers to everyone."""

    def rulesets(self) -> tuple[Ruleset, ...]:
        return tuple(decoded(Ruleset, item) for item in self._items("/v1/rulesets"))

    def ruleset(self, ruleset: str) -> Ruleset:
        return decoded(Ruleset, self._get(f"/v1/rulesets/{segment(ruleset)}"))

    def cards(self, ruleset: str, lang: str | None = None) -> tuple[Card, ...]:
        """The cards of a ruleset, establishments first; `lang` is `en`, `uk`, `ru`, `cs` or `it`."""
        path = f"/v1/rulesets/{segment(ruleset)}/cards"
        return tuple(decoded(Card, item) for item in self._items(path, {"lang": lang}))

    def event_types(self) -> tuple[EventType, ...]:
        """The types of events and their JSON Schemas."""
        return tuple(decoded(EventType, item) for item in self._items("/v1/event-types"))

    def strategies(self) -> tuple[Strategy, ...]:
        """The built-in players, roughly from weakest to strongest."""
        return tuple(decoded(Strategy, item) for item in self._items("/v1/strategies"))
