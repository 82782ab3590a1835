"""The views, one module per resource."""

from service.resources import (
    accounts,
    audit,
    branches,
    catalogue,
    checkpoints,
    commands,
    events,
    fairness,
    health,
    history,
    log,
    luck,
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
    branches.blueprint,
    state.blueprint,
    commands.blueprint,
    turns.blueprint,
    events.blueprint,
    history.blueprint,
    fairness.blueprint,
    luck.blueprint,
    checkpoints.blueprint,
    log.blueprint,
    audit.blueprint,
    health.blueprint,
    pages.blueprint,
)
"""In the order in which the document tells of them."""

__all__ = ["BLUEPRINTS"]
