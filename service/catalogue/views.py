"""Rulesets, their cards, and the built-in players."""

from functools import cache
from typing import Any

from flask import Response
from marshmallow import Schema
from msgspec.structs import asdict

from contract.catalogue import CardPage, Ruleset, RulesetPage, Strategy, StrategyPage, StrategyRating
from contract.names import Language
from domain.match.rulesets import CURRENT
from runtime import strategies
from service.catalogue.catalogue import cards_mark, present_cards, present_ruleset, ruleset_mark
from service.edge.answers import cached_answer, json_answer
from service.edge.languages import (
    LANGUAGE_HEADERS,
    LANGUAGE_REQUEST_HEADER,
    NOT_MODIFIED_HEADERS,
    chosen_language,
    language_headers,
)
from service.openapi.endpoints import Endpoints, Success
from service.openapi.fields import one_of

blueprint = Endpoints("catalogue", "The rulesets, their cards, and the built-in players.")

PUBLIC = {"Cache-Control": "public, max-age=300"}
NOT_MODIFIED = Success("The client's copy is current.", headers=("ETag",))


class CardQuerySchema(Schema):
    """The language of cards."""

    lang = one_of(
        Language,
        metadata={
            "description": "The language of names and texts, such as `uk`; overrides `Accept-Language`."
        },
    )


@blueprint.endpoint("GET", "/v1/rulesets", {200: Success("All rulesets.", RulesetPage)})
def list_rulesets() -> Response:
    """List the rulesets."""
    page = RulesetPage(items=tuple([present_ruleset(id) for id in CURRENT]), next=None)
    return json_answer(page, 200, PUBLIC)


@blueprint.endpoint(
    "GET",
    "/v1/rulesets/<ruleset>",
    {200: Success("The ruleset.", Ruleset, ("ETag",)), 304: NOT_MODIFIED},
    headers=("If-None-Match",),
    refusals=("ruleset_not_found",),
)
def show_ruleset(ruleset: str) -> Response:
    """Show a ruleset: its options, players and goal."""
    return cached_answer(present_ruleset(ruleset), ruleset_mark(ruleset), PUBLIC)


@blueprint.endpoint(
    "GET",
    "/v1/rulesets/<ruleset>/cards",
    {
        200: Success("The cards, establishments first.", CardPage, ("ETag", *LANGUAGE_HEADERS)),
        304: Success("The client's copy is current.", headers=("ETag", *NOT_MODIFIED_HEADERS)),
    },
    query=CardQuerySchema(),
    headers=("If-None-Match", LANGUAGE_REQUEST_HEADER),
    refusals=("ruleset_not_found",),
)
def list_cards(ruleset: str, query: dict[str, Any]) -> Response:
    """List the cards of a ruleset, with names and texts in one of five languages."""
    language = chosen_language(query.get("lang"))
    page = CardPage(items=present_cards(ruleset, language), next=None)
    return cached_answer(page, cards_mark(ruleset, language), {**PUBLIC, **language_headers(language)})


@blueprint.endpoint("GET", "/v1/strategies", {200: Success("All built-in players.", StrategyPage)})
def list_strategies() -> Response:
    """List the built-in players."""
    return json_answer(StrategyPage(items=_strategies(), next=None), 200, PUBLIC)


@cache
def _strategies() -> tuple[Strategy, ...]:
    rated = strategies.ratings()
    return tuple([_strategy(one, rated.get(one.name)) for one in strategies.OFFERED.values()])


def _strategy(strategy: strategies.Strategy, rated: strategies.PlayerRatings | None) -> Strategy:
    return Strategy(
        name=strategy.name,
        version=strategy.version,
        description=strategy.description,
        level=rated.level if rated else None,
        ratings=tuple([StrategyRating(**asdict(one)) for one in rated.ratings]) if rated else (),
    )
