"""The catalogue of rulesets and cards; built once, since rulesets never change."""

from functools import cache
from hashlib import sha256

from msgspec import UNSET

from contract import catalogue as contract
from contract.values import encode
from domain.languages.names import card_name
from domain.languages.texts import card_text
from domain.match.cards import Card, Effect
from domain.match.rulesets import CURRENT, Ruleset, digest
from runtime.strategies import VALUE_FUNCTIONS
from service.edge.problems import Problem


def ruleset_named(ruleset_id: str) -> Ruleset:
    """The current version of a ruleset.

    Raises:
        Problem: `ruleset_not_found`.
    """
    if ruleset_id not in CURRENT:
        raise Problem("ruleset_not_found", f"the rulesets are: {', '.join(CURRENT)}")
    return CURRENT[ruleset_id]


@cache
def present_ruleset(ruleset_id: str) -> contract.Ruleset:
    """A ruleset with its options."""
    ruleset = ruleset_named(ruleset_id)
    instant = [card.id for card in ruleset.landmarks if card.effect.kind == "win"]
    fewest, most = ruleset.seats
    return contract.Ruleset(
        id=ruleset.id,
        name=ruleset.name,
        rules_version=ruleset.version,
        digest=digest(ruleset),
        players=contract.PlayerRange(min=fewest, max=most),
        goal=contract.Goal(landmarks=ruleset.goal, instant=instant[0] if instant else None),
        start=contract.Start(
            coins=ruleset.start_coins,
            establishments=dict.fromkeys(ruleset.starters, 1),
            building_rounds=ruleset.building_rounds,
        ),
        options=_options(ruleset),
        has_reviews=ruleset.id in VALUE_FUNCTIONS,
    )


def _options(ruleset: Ruleset) -> dict[str, contract.RulesetOption]:
    options: dict[str, contract.RulesetOption] = {}
    if ruleset.boxes:
        boxes = tuple([box.id for box in ruleset.boxes])
        options["box"] = contract.RulesetOption(values=boxes, default=_default_box(ruleset))
    markets = tuple(ruleset.markets)
    options["market"] = contract.RulesetOption(values=markets, default=markets[0])
    if "max_copies" in ruleset.options:
        options["max_copies"] = contract.RulesetOption(values=(None, 2), default=None)
    options["card_costs"] = contract.RulesetOption(values=(), default={})
    return options


def _default_box(ruleset: Ruleset) -> str | None:
    """The default box; None if it depends on the number of players."""
    return ruleset.boxes[0].id if len(ruleset.boxes) == 1 else None


@cache
def present_cards(ruleset_id: str, language: str) -> tuple[contract.Card, ...]:
    """All cards of a ruleset in the language, establishments first."""
    ruleset = ruleset_named(ruleset_id)
    return tuple([_card(ruleset, card, language) for card in (*ruleset.establishments, *ruleset.landmarks)])


@cache
def cards_mark(ruleset_id: str, language: str) -> str:
    """The entity tag of the cards in the language."""
    return mark(present_cards(ruleset_id, language))


@cache
def ruleset_mark(ruleset_id: str) -> str:
    """The entity tag of the ruleset."""
    return mark(present_ruleset(ruleset_id))


def mark(answer: contract.Ruleset | tuple[contract.Card, ...]) -> str:
    """The entity tag of the answer: 16 hex digits that change with any member of it."""
    return sha256(encode(answer)).hexdigest()[:16]


def _card(ruleset: Ruleset, card: Card, language: str) -> contract.Card:
    told = card_name(ruleset, card.id, language)
    has_one_price = len(card.cost) == 1
    return contract.Card(
        id=card.id,
        kind=card.kind,
        activation=card.activation,
        colour=card.colour or None,
        symbol=card.symbol or None,
        cost=card.cost[0] if has_one_price else UNSET,
        costs=UNSET if has_one_price else card.cost,
        copies=_copies(ruleset, card),
        effect=_effect(card.effect),
        language=language,
        name=told.name,
        name_source="service" if told.is_ours else "rulebook",
        text=card_text(ruleset, card, language),
    )


def _copies(ruleset: Ruleset, card: Card) -> int:
    if card.colour == "purple" and ruleset.boxes:
        return max(box.purple_copies for box in ruleset.boxes)
    return card.copies


def _effect(effect: Effect) -> contract.Effect:
    return contract.Effect(
        kind=effect.kind,
        amount=effect.amount or UNSET,
        symbols=effect.symbols or UNSET,
        cards=effect.cards or UNSET,
        threshold=effect.threshold or UNSET,
        requires=effect.requires or UNSET,
        below_landmarks=effect.below_landmarks,
        roller_landmarks=effect.roller_landmarks,
        bonus=effect.bonus,
        closes=effect.closes,
    )
