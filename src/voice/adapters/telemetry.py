"""Telemetry through the API of OpenTelemetry, whole or counters alone; implements `Telemetry`.

Law: only the API is spoken to: whether anybody listens is for the program around us to decide, by the SDK it sets up.
Where nothing in the process has imported OpenTelemetry nobody can listen, and it is not imported here either: half of a
tenth of a second that a command need not wait for. An exception is told by its kind alone: the API's own recording of
it would tell its message and its stack (promise 6).

Counters alone, for `MCP_NO_LOG=1`; implements `Telemetry`. No span and no distribution is told, and of what is counted
nothing but how it ended (ruling D19).

Source: DESIGN 9; OpenTelemetry semantic conventions for generative AI; docs/observability.md.
"""

import sys
import time
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Self

from voice.ports.telemetry import NOT_CARRIED, SILENT_SPAN, Attributes, Carry, Instrument, Span, Telemetry, error_kind

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.metrics import Meter, MeterProvider
    from opentelemetry.trace import Span as ApiSpan
    from opentelemetry.trace import Tracer, TracerProvider


_API = "opentelemetry"
_SCOPE = "voice"
_Record = Callable[[float, Attributes], None]


class OpenTelemetry:
    """`Telemetry` over the API, in whatever the process has set up, or in what is handed in."""

    def __init__(self, *, tracers: "TracerProvider | None" = None, meters: "MeterProvider | None" = None) -> None:
        """Tell the process's providers, whenever they are set up, or those given."""
        self._tracers = tracers
        self._meters = meters
        self._tracer: Tracer | None = None
        self._meter: Meter | None = None
        self._records: dict[Instrument, _Record] = {}

    def span(self, name: str, attributes: Attributes, *, is_remote: bool = False) -> AbstractContextManager[Span]:
        """Return a span around a block; see `Telemetry.span`."""
        if not self._is_watched():
            return SILENT_SPAN
        from opentelemetry.trace import SpanKind, get_tracer  # noqa: PLC0415 - see above

        if self._tracer is None:
            self._tracer = get_tracer(_SCOPE, tracer_provider=self._tracers)
        kind = SpanKind.CLIENT if is_remote else SpanKind.INTERNAL
        return _OpenSpan(
            self._tracer.start_as_current_span(
                name, kind=kind, attributes=attributes, record_exception=False, set_status_on_exception=False
            )
        )

    def measure(self, instrument: Instrument, value: float, attributes: Attributes) -> None:
        """Count `value` in; see `Telemetry.measure`."""
        if self._is_watched():
            record = self._records.get(instrument)
            if record is None:
                record = self._records[instrument] = self._made(instrument)
            record(value, attributes)

    def carry(self) -> Carry:
        """Return what makes spans of another thread children of the present one."""
        if not self._is_watched():
            return NOT_CARRIED
        from opentelemetry.context import get_current  # noqa: PLC0415 - see above

        return partial(_within, get_current())

    def _is_watched(self) -> bool:
        return self._tracers is not None or self._meters is not None or _API in sys.modules

    def _made(self, instrument: Instrument) -> _Record:
        from opentelemetry.metrics import get_meter  # noqa: PLC0415 - see above

        if self._meter is None:
            self._meter = get_meter(_SCOPE, meter_provider=self._meters)
        name, unit, told = instrument.name, instrument.unit, instrument.description
        if instrument.kind == "counter":
            return self._meter.create_counter(name, unit, told).add
        bounds = list(instrument.bounds) or None
        return self._meter.create_histogram(name, unit, told, explicit_bucket_boundaries_advisory=bounds).record


class _OpenSpan:
    """A span of the API as a `Span`, around a block."""

    __slots__ = ("_api", "_around", "_began")

    def __init__(self, around: AbstractContextManager["ApiSpan"]) -> None:
        self._around = around

    def __enter__(self) -> Self:
        self._api = self._around.__enter__()
        self._began = time.perf_counter()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            self.fail(error_kind(error))
        self._around.__exit__(None, None, None)

    @property
    def seconds(self) -> float | None:
        return time.perf_counter() - self._began

    def note(self, attributes: Attributes) -> None:
        self._api.set_attributes(attributes)

    def fail(self, kind: str) -> None:
        from opentelemetry.trace import Status, StatusCode  # noqa: PLC0415 - see above

        self._api.set_attribute("error.type", kind)
        self._api.set_status(Status(StatusCode.ERROR))


@contextmanager
def _within(context: "Context") -> Generator[None]:
    from opentelemetry.context import attach, detach  # noqa: PLC0415 - see above

    token = attach(context)
    try:
        yield
    finally:
        detach(token)


_HOW_IT_ENDED = frozenset({"voice.status"})


class CountersOnly:
    """A `Telemetry` that passes on counters and nothing else."""

    def __init__(self, inner: Telemetry) -> None:
        """Pass on to `inner`."""
        self._inner = inner

    def span(self, name: str, attributes: Attributes, *, is_remote: bool = False) -> AbstractContextManager[Span]:
        """Return a span that nobody listens to."""
        del name, attributes, is_remote
        return SILENT_SPAN

    def measure(self, instrument: Instrument, value: float, attributes: Attributes) -> None:
        """Count what is a counter, by how it ended."""
        if instrument.kind == "counter":
            ended = {name: attributes[name] for name in _HOW_IT_ENDED & attributes.keys()}
            self._inner.measure(instrument, value, ended)

    def carry(self) -> Carry:
        """Return what carries nothing."""
        return NOT_CARRIED
