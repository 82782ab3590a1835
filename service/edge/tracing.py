"""Traces of requests, if traces are on."""

from typing import Final

from flask import Flask
from opentelemetry.instrumentation.flask import FlaskInstrumentor

from events.store.tracing import trace_appends
from runtime import tracing

_UNTRACED: Final = "healthz,readyz,metrics"


def trace_requests(app: Flask) -> None:
    """Trace the requests of this process, and what they append."""
    tracing.start("machi-web")
    trace_appends()
    FlaskInstrumentor.instrument_app(  # type: ignore[no-untyped-call]  # it has no types
        app, excluded_urls=_UNTRACED, enable_commenter=False
    )
    # First of all, because those before it may answer.
    functions = app.before_request_funcs[None]
    functions.insert(0, functions.pop())
