"""OpenTelemetry traces, only if `OTEL_EXPORTER_OTLP_ENDPOINT` is set; see docs/operations.md.

Each turn of a built-in player has a trace of its own, from the append that began it to the job that played
it. The ids of that trace follow from the match and its version, so that processes need not tell each other.
"""

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.instrumentation.redis import RedisInstrumentor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.sdk.trace.sampling import Decision, Sampler, SamplingResult
from opentelemetry.trace import Link, Span, SpanContext, SpanKind, TraceFlags
from opentelemetry.util.types import Attributes

EXPORT_S: Final = 1.0
"""The most time that a job may take to send its spans at its end."""

Turn = tuple[str, int]
"""A match id and the version on which a built-in player is to decide."""

_root: ContextVar[SpanContext | None] = ContextVar("root", default=None)
"""The ids of the next root span, if they are not random."""
_played: ContextVar[dict[str, Span] | None] = ContextVar("played", default=None)
"""By match: the span of the turn that is being played."""


def start(name: str) -> None:
    """Trace this process and its calls to Redis; `name` is that of its service, unless it is set."""
    os.environ.setdefault("OTEL_SERVICE_NAME", name)
    provider = TracerProvider(id_generator=_Ids())
    provider.sampler = _WithoutOrphans(provider.sampler)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(timeout=EXPORT_S)))
    trace.set_tracer_provider(provider)
    RedisInstrumentor().instrument()


def tracer() -> trace.Tracer:
    """What starts the spans of the service itself."""
    return trace.get_tracer("machi_koro")


def note_turn(turn: Turn) -> None:
    """Begin the trace of a turn: the append that brought it is linked with what caused it, both ways."""
    cause = (_played.get() or {}).get(turn[0]) or trace.get_current_span()
    token = _root.set(_context_of(turn))
    try:
        root = tracer().start_span(
            "append", trace.set_span_in_context(trace.INVALID_SPAN), links=[Link(cause.get_span_context())]
        )
    finally:
        _root.reset(token)
    root.set_attributes({"machi.match_id": turn[0], "machi.version": turn[1]})
    root.end()
    cause.add_link(root.get_span_context())


@contextmanager
def spans(name: str, turns: Sequence[Turn]) -> Iterator[None]:
    """A span in the trace of each turn; the first one is the parent of what happens meanwhile."""
    begun = {}
    for turn in turns:
        parent = trace.set_span_in_context(trace.NonRecordingSpan(_context_of(turn)))
        begun[turn[0]] = tracer().start_span(name, parent)
    token = _played.set(begun)
    try:
        with trace.use_span(next(iter(begun.values())), end_on_exit=False):
            yield
    finally:
        _played.reset(token)
        for span in begun.values():
            span.end()


def flush() -> None:
    """Send all spans now: a process that ends without warning would lose them."""
    provider = trace.get_tracer_provider()
    if isinstance(provider, TracerProvider):
        provider.force_flush()


def _context_of(turn: Turn) -> SpanContext:
    digest = hashlib.sha256(f"{turn[0]} {turn[1]}".encode()).digest()
    trace_id, span_id = int.from_bytes(digest[:16]), int.from_bytes(digest[16:24])
    flags = TraceFlags(TraceFlags.SAMPLED)
    return SpanContext(trace_id, span_id, is_remote=True, trace_flags=flags)


class _Ids(RandomIdGenerator):
    """Random ids but for the roots of turns."""

    def generate_trace_id(self) -> int:
        root = _root.get()
        return root.trace_id if root else super().generate_trace_id()

    def generate_span_id(self) -> int:
        root = _root.get()
        return root.span_id if root else super().generate_span_id()


class _WithoutOrphans(Sampler):
    """As another sampler, but without calls that belong to no span: the relay asks several times a second."""

    def __init__(self, other: Sampler) -> None:
        self._other = other

    def should_sample(
        self,
        parent_context: Context | None,
        trace_id: int,
        name: str,
        kind: SpanKind | None = None,
        attributes: Attributes = None,
        links: Sequence[Link] | None = None,
        trace_state: trace.TraceState | None = None,
    ) -> SamplingResult:
        parent = trace.get_current_span(parent_context).get_span_context()
        if kind == SpanKind.CLIENT and not parent.is_valid:
            return SamplingResult(Decision.DROP)
        return self._other.should_sample(parent_context, trace_id, name, kind, attributes, links, trace_state)

    def get_description(self) -> str:
        return f"{self._other.get_description()} without orphans"
