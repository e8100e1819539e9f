"""What OpenTelemetry's own SDK was told, read back from memory."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import HistogramDataPoint, InMemoryMetricReader, NumberDataPoint
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from voice.adapters.telemetry import OpenTelemetry

Point = tuple[Mapping[str, object], float, int]
"""The labels of a measurement, its sum and its count."""


@dataclass(slots=True, kw_only=True)
class Told:
    """A telemetry that keeps what it is told."""

    exporter: InMemorySpanExporter = field(default_factory=InMemorySpanExporter)
    reader: InMemoryMetricReader = field(default_factory=InMemoryMetricReader)

    def telemetry(self) -> OpenTelemetry:
        """Return the adapter over providers of its own: nothing of the process is set up."""
        tracers = TracerProvider(shutdown_on_exit=False)
        tracers.add_span_processor(SimpleSpanProcessor(self.exporter))
        return OpenTelemetry(
            tracers=tracers, meters=MeterProvider(metric_readers=[self.reader], shutdown_on_exit=False)
        )

    def spans(self) -> Sequence[ReadableSpan]:
        """Return the finished spans, in the order in which they ended."""
        return self.exporter.get_finished_spans()

    def span(self, name: str) -> ReadableSpan:
        """Return the one span of that name."""
        (found,) = [span for span in self.spans() if span.name == name]
        return found

    def points(self) -> Mapping[str, list[Point]]:
        """Return what was measured, by the name of the instrument."""
        data = self.reader.get_metrics_data()
        told: dict[str, list[Point]] = {}
        for resource in data.resource_metrics if data else ():
            for scope in resource.scope_metrics:
                for metric in scope.metrics:
                    told[metric.name] = [
                        _point(cast("NumberDataPoint | HistogramDataPoint", point)) for point in metric.data.data_points
                    ]
        return told

    def everything(self) -> str:
        """Return all that was told, as text to search."""
        return "\n".join([*(span.to_json() for span in self.spans()), repr(self.points())])


def labels(span: ReadableSpan) -> Mapping[str, object]:
    """Return the attributes of a span."""
    return dict(span.attributes or {})


def _point(point: "NumberDataPoint | HistogramDataPoint") -> Point:
    labels = dict(point.attributes or {})
    if isinstance(point, HistogramDataPoint):
        return labels, point.sum, point.count
    return labels, point.value, 1
