"""Liveness, readiness and metrics."""

from flask import Response
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4

from contract.catalogue import Health
from contract.problems import ProblemExtra
from runtime import metrics
from service.context import services
from service.edge.answers import json_answer
from service.edge.guard import Limit
from service.edge.middleware import HEALTH, READINESS
from service.edge.problems import Problem
from service.openapi.endpoints import Endpoints, Success
from service.operations import gauges

blueprint = Endpoints("health", "Liveness, readiness and metrics, for operators.")


@blueprint.endpoint("GET", HEALTH, {200: Success("The process is alive.", Health)}, limit=Limit.NONE)
def healthz() -> Response:
    """Check that the process is alive."""
    return json_answer(Health(status="ok"))


@blueprint.endpoint(
    "GET",
    READINESS,
    {200: Success("A match can be played.", Health)},
    refusals=("not_ready",),
    limit=Limit.NONE,
)
def readyz() -> Response:
    """Check whether a match can be played.

    This requires that both Redis servers are well configured and accept writes, and that a relay and a worker
    are running.
    """
    missing = services().readiness.missing()
    if missing:
        raise Problem("not_ready", "; ".join(missing), extra=ProblemExtra(missing=tuple(missing)))
    return json_answer(Health(status="ready"))


@blueprint.endpoint(
    "GET",
    "/metrics",
    {200: Success("The metrics in the text format of Prometheus.", {"type": "string"}, (), "text/plain")},
    limit=Limit.NONE,
)
def show_metrics() -> Response:
    """Show the metrics for Prometheus."""
    text = metrics.exposition() + gauges.exposition(services().settings)
    return Response(text, content_type=CONTENT_TYPE_PLAIN_0_0_4)
