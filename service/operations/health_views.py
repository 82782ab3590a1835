"""Whether the process lives, whether a match can be played, and what there is to measure."""

from flask import Response
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4

from contract.catalogue import Health
from runtime import metrics
from service.context import services
from service.edge.answers import json_answer
from service.edge.guard import Limit
from service.edge.problems import Problem
from service.openapi.endpoints import Answer, Endpoints
from service.operations import gauges

blueprint = Endpoints("health", "For operators: signs of life, readiness and metrics.")


@blueprint.endpoint("GET", "/healthz", {200: Answer("The process lives.", Health)}, limit=Limit.NONE)
def healthz() -> Response:
    """Say that the process lives."""
    return json_answer(Health(status="ok"))


@blueprint.endpoint(
    "GET",
    "/readyz",
    {200: Answer("A match can be played.", Health)},
    refusals=("not_ready",),
    limit=Limit.NONE,
)
def readyz() -> Response:
    """Say whether a match can be played.

    It can if both Redis servers are fit and take writes, and a relay and a worker play the built-in seats.
    """
    missing = services().readiness.missing()
    if missing:
        raise Problem("not_ready", "; ".join(missing), missing=tuple(missing))
    return json_answer(Health(status="ready"))


@blueprint.endpoint(
    "GET",
    "/metrics",
    {200: Answer("The metrics, as text.", {"type": "string"}, (), "text/plain")},
    limit=Limit.NONE,
)
def show_metrics() -> Response:
    """Show what was counted and measured, for Prometheus."""
    text = metrics.exposition() + gauges.exposition(services().settings)
    return Response(text, content_type=CONTENT_TYPE_PLAIN_0_0_4)
