"""Tables of whole matches, played by the rules alone, as the client sees them."""

import random
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from bench.matches import committed, new_match
from domain import decide, fold, legal_commands
from domain.match import commands as rules
from domain.match.decide import advance
from domain.match.events import Event
from domain.match.state import RUNNING
from machi import Card, LegalCommands, State
from machi.answers import decoded
from service.catalogue.catalogue import present_cards
from service.matches.presentation import present_legal_commands, present_state

_RICH = {
    "coins": 200,
    "establishments": {"wheat_field": 1, "bakery": 1},
    "landmarks": ["train_station", "shopping_mall", "amusement_park"],
}
NEAR_THE_END = {"active_seat": 0, "phase": "roll", "players": [_RICH, _RICH]}
"""A position of a base match for two: whoever builds the last landmark wins, and can pay for it at once."""


class Decision(NamedTuple):
    """What lay on the table, what could be done, and what came of what was done."""

    state: State
    legal: LegalCommands
    events: list[Event]


def decisions(ruleset: str, seats: int, number: int, **options: object) -> Iterator[Decision]:
    """A match to its end; it builds landmarks where it can, and else anything."""
    chance, dice = committed(number)
    rng = random.Random(number)
    state = fold(None, decide(None, new_match(ruleset, ["random"] * seats, dice, **options), chance))
    landmarks = {card.id for card in cards(ruleset) if card.kind == "landmark"}
    while state.status == RUNNING:
        shown, legal = (
            _shown(present_state("mat_1", state, None), State),
            present_legal_commands(state, explain=True),
        )
        commands = legal_commands(state)
        wanted = [one for one in commands if isinstance(one, rules.Build) and one.card in landmarks]
        events = advance(state, rng.choice(wanted or list(commands)), chance)
        yield Decision(shown, _shown(legal, LegalCommands), events)


def cards(ruleset: str) -> tuple[Card, ...]:
    return tuple(_shown(card, Card) for card in present_cards(ruleset, "en"))


def _shown(shape: object, kind: type) -> object:
    return decoded(kind, msgspec.json.encode(shape))
