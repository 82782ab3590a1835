"""The views, one module per resource."""

from service.resources import (
    accounts,
    catalogue,
    commands,
    events,
    health,
    matches,
    pages,
    state,
    tokens,
    turns,
)

BLUEPRINTS = (
    accounts.blueprint,
    tokens.blueprint,
    catalogue.blueprint,
    matches.blueprint,
    state.blueprint,
    commands.blueprint,
    events.blueprint,
    turns.blueprint,
    health.blueprint,
    pages.blueprint,
)

__all__ = ["BLUEPRINTS"]
