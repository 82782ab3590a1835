"""The catalogue as the API shows it; made once, since rulesets never change."""

from functools import cache
from hashlib import sha256
from typing import Any

import msgspec

from domain.languages.names import card_name
from domain.languages.texts import card_text
from domain.match.cards import Card, Effect
from domain.match.rulesets import CURRENT, Ruleset, digest
from service.edge.problems import Problem

Shape = dict[str, Any]


def ruleset_named(ruleset_id: str) -> Ruleset:
    """The ruleset that a new match would get.

    Raises:
        Problem: `ruleset_not_found`.
    """
    if ruleset_id not in CURRENT:
        raise Problem("ruleset_not_found", f"the rulesets are {', '.join(CURRENT)}")
    return CURRENT[ruleset_id]


@cache
def ruleset_shape(ruleset_id: str) -> Shape:
    """A ruleset with its options."""
    ruleset = ruleset_named(ruleset_id)
    instant = [card.id for card in ruleset.landmarks if card.effect.kind == "win"]
    fewest, most = ruleset.seats
    return {
        "id": ruleset.id,
        "name": ruleset.name,
        "rules_version": ruleset.version,
        "digest": digest(ruleset),
        "players": {"min": fewest, "max": most},
        "goal": {"landmarks": ruleset.goal, "instant": instant[0] if instant else None},
        "start": {
            "coins": ruleset.start_coins,
            "establishments": dict.fromkeys(ruleset.starters, 1),
            "building_rounds": ruleset.building_rounds,
        },
        "options": _options(ruleset),
    }


def _options(ruleset: Ruleset) -> Shape:
    options: Shape = {}
    if ruleset.boxes:
        options["box"] = {"values": [box.id for box in ruleset.boxes], "default": _default_box(ruleset)}
    markets = list(ruleset.markets)
    options["market"] = {"values": markets, "default": markets[0]}
    if "max_copies" in ruleset.options:
        options["max_copies"] = {"values": [None, 2], "default": None}
    return {**options, "card_costs": {"values": [], "default": {}}}


def _default_box(ruleset: Ruleset) -> str | None:
    """None where it depends on the number of players."""
    return ruleset.boxes[0].id if len(ruleset.boxes) == 1 else None


@cache
def card_shapes(ruleset_id: str, language: str) -> list[Shape]:
    """All cards of a ruleset, establishments first, told in the language."""
    ruleset = ruleset_named(ruleset_id)
    return [_card(ruleset, card, language) for card in (*ruleset.establishments, *ruleset.landmarks)]


@cache
def cards_mark(ruleset_id: str, language: str) -> str:
    """The mark of the cards as they are told in the language."""
    return mark(card_shapes(ruleset_id, language))


def mark(cards: list[Shape]) -> str:
    """16 hex digits that change with any member of a card, its text too."""
    return sha256(msgspec.json.encode(cards)).hexdigest()[:16]


def _card(ruleset: Ruleset, card: Card, language: str) -> Shape:
    price = {"cost": card.cost[0]} if len(card.cost) == 1 else {"costs": card.cost}
    told = card_name(ruleset, card.id, language)
    return {
        "id": card.id,
        "kind": card.kind,
        "activation": card.activation,
        "colour": card.colour or None,
        "symbol": card.symbol or None,
        **price,
        "copies": _copies(ruleset, card),
        "effect": _effect(card.effect),
        "language": language,
        "name": told.name,
        "name_source": "service" if told.is_ours else "rulebook",
        "text": card_text(ruleset, card, language),
    }


def _copies(ruleset: Ruleset, card: Card) -> int:
    if card.colour == "purple" and ruleset.boxes:
        return max(box.purple_copies for box in ruleset.boxes)
    return card.copies


def _effect(effect: Effect) -> Shape:
    members = ("amount", "symbols", "cards", "threshold", "requires")
    return {"kind": effect.kind} | {name: getattr(effect, name) for name in members if getattr(effect, name)}
