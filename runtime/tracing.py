"""OpenTelemetry traces, only if `OTEL_EXPORTER_OTLP_ENDPOINT` is set; see docs/operations.md.

Each turn of a built-in player has a trace of its own, from the append that began it to the job that played
it. The ids of that trace follow from the match and its version, so that processes need not tell each other.
"""

import hashlib
import mmap
import os
import struct
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

import structlog
from opentelemetry import propagate, trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.instrumentation.redis import RedisInstrumentor
from opentelemetry.propagators.textmap import (
    CarrierT,
    Getter,
    Setter,
    TextMapPropagator,
    default_getter,
    default_setter,
)
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.sdk.trace.sampling import Decision, Sampler, SamplingResult
from opentelemetry.trace import Link, Span, SpanContext, SpanKind, Status, TraceFlags
from opentelemetry.util.types import Attributes

EXPORT_S: Final = 1.0
"""Time-out of a request to the collector."""
AWAY_S: Final = 60.0
"""A collector that failed is not asked for so long; spans are dropped meanwhile."""
_PRIVATE: Final = {
    "client.address",
    "http.target",
    "http.url",
    "net.peer.ip",
    "net.peer.port",
    "url.full",
    "url.path",
    "url.query",
}
"""Attributes with what no log has: addresses of clients, and paths and queries as they wrote them."""

Turn = tuple[str, int]
"""A match id and the version on which a built-in player is to decide."""

log = structlog.get_logger(__name__)

_root: ContextVar[SpanContext | None] = ContextVar("root", default=None)
"""The ids of the next root span, if they are not random."""
_played: ContextVar[dict[str, Span] | None] = ContextVar("played", default=None)
"""By match: the span of the turn that is being played."""


def start(name: str) -> None:
    """Trace this process and its calls to Redis; `name` is that of its service, unless it is set."""
    os.environ.setdefault("OTEL_SERVICE_NAME", name)
    provider = TracerProvider(id_generator=_Ids())
    provider.sampler = _WithoutOrphans(provider.sampler)
    provider.add_span_processor(BatchSpanProcessor(_Redacted(OTLPSpanExporter(timeout=EXPORT_S))))
    trace.set_tracer_provider(provider)
    if not os.environ.get("OTEL_PROPAGATORS"):
        # Otherwise strangers could choose what is traced.
        propagate.set_global_textmap(_NoPropagator())
    RedisInstrumentor().instrument()


def _tracer() -> trace.Tracer:
    """What starts the spans of the service itself."""
    return trace.get_tracer("machi_koro")


def note_turn(turn: Turn) -> None:
    """Begin the trace of a turn: the append that brought it is linked with what caused it, both ways.

    An error is only logged, because the turn is stored.
    """
    try:
        _note_turn(turn)
    except Exception:
        log.exception("turn_not_traced", match_id=turn[0])


def _note_turn(turn: Turn) -> None:
    cause = (_played.get() or {}).get(turn[0]) or trace.get_current_span()
    token = _root.set(_context_of(turn))
    try:
        root = _tracer().start_span(
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
        begun[turn[0]] = _tracer().start_span(name, parent)
    token = _played.set(begun)
    try:
        first = next(iter(begun.values()))
        with trace.use_span(first, record_exception=False, set_status_on_exception=False):
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
    provider = trace.get_tracer_provider()
    flags = TraceFlags(TraceFlags.DEFAULT)
    if isinstance(provider, TracerProvider):
        # Alike in all processes: a sampler by ratio decides by the trace's id.
        decision = provider.sampler.should_sample(Context(), trace_id, "append").decision
        if decision is Decision.RECORD_AND_SAMPLE:
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


class _NoPropagator(TextMapPropagator):
    """Believes nobody, and tells nobody."""

    def extract(
        self,
        carrier: CarrierT,
        context: Context | None = None,
        getter: Getter[CarrierT] = default_getter,
    ) -> Context:
        return context if context is not None else Context()

    def inject(
        self,
        carrier: CarrierT,
        context: Context | None = None,
        setter: Setter[CarrierT] = default_setter,
    ) -> None:
        pass

    @property
    def fields(self) -> set[str]:
        return set()


class _Redacted(SpanExporter):
    """As another exporter, without what is private, and without waiting often for an absent collector."""

    def __init__(self, other: SpanExporter) -> None:
        self._other = other
        self._away_until = mmap.mmap(-1, 8)
        """A time of `time.monotonic`, shared with the processes of jobs."""

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        (until_s,) = struct.unpack("d", self._away_until[:])
        if time.monotonic() < until_s:
            return SpanExportResult.FAILURE
        result = self._other.export([_redacted(span) for span in spans])
        if result is SpanExportResult.FAILURE:
            self._away_until[:] = struct.pack("d", time.monotonic() + AWAY_S)
        return result

    def shutdown(self) -> None:
        self._other.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return self._other.force_flush(timeout_millis)


def _redacted(span: ReadableSpan) -> ReadableSpan:
    """The span without what is private; texts of errors may have the arguments of a command."""
    attributes = {name: value for name, value in (span.attributes or {}).items() if name not in _PRIVATE}
    is_unrouted = span.kind is SpanKind.SERVER and "http.route" not in attributes
    return ReadableSpan(
        name=str(attributes.get("http.method", "unrouted")) if is_unrouted else span.name,
        context=span.context,
        parent=span.parent,
        resource=span.resource,
        attributes=attributes,
        links=span.links,
        kind=span.kind,
        status=Status(span.status.status_code),
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=span.instrumentation_scope,
    )


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
