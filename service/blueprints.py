"""All blueprints, in the order of the document."""

from service.accounts import account_views, guest_views, token_views
from service.audit import audit_views, checkpoint_views, fairness_views
from service.catalogue import views as catalogue_views
from service.ladders import (
    entry_views,
    export_views,
    job_views,
    ladder_views,
    round_views,
    table_views,
    tournament_views,
)
from service.matches import (
    branch_views,
    command_views,
    event_views,
    history_views,
    invitation_views,
    log_views,
    luck_views,
    match_views,
    puzzle_views,
    review_views,
    seat_seed_views,
    state_views,
    turn_views,
)
from service.notifications import delivery_views, inbox_views, webhook_views
from service.operations import health_views
from service.pages import page_views
from service.ratings import rating_views

BLUEPRINTS = (
    account_views.blueprint,
    token_views.blueprint,
    guest_views.blueprint,
    catalogue_views.blueprint,
    match_views.blueprint,
    invitation_views.blueprint,
    seat_seed_views.blueprint,
    branch_views.blueprint,
    state_views.blueprint,
    command_views.blueprint,
    turn_views.blueprint,
    inbox_views.blueprint,
    webhook_views.blueprint,
    delivery_views.blueprint,
    event_views.blueprint,
    history_views.blueprint,
    fairness_views.blueprint,
    luck_views.blueprint,
    review_views.blueprint,
    puzzle_views.blueprint,
    rating_views.blueprint,
    checkpoint_views.blueprint,
    log_views.blueprint,
    audit_views.blueprint,
    ladder_views.blueprint,
    entry_views.blueprint,
    round_views.blueprint,
    table_views.blueprint,
    tournament_views.blueprint,
    export_views.blueprint,
    job_views.blueprint,
    health_views.blueprint,
    page_views.blueprint,
    page_views.pages,
)
