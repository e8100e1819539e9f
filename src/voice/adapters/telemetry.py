"""Telemetry through the API of OpenTelemetry, in full or counters only; implements `Telemetry`.

Law: only the API is used: the surrounding program decides by its SDK whether anything is collected. If nothing in the
process has imported OpenTelemetry nothing is, and it is not imported here either: that takes a twentieth of a second.
An exception is recorded by its type only: the API's own recording would include its message and stack (promise 6).

With `MCP_NO_LOG=1` there are counters only, without spans and distributions, and with the outcome as their only
attribute (ruling D19).

Source: DESIGN 9; OpenTelemetry semantic conventions for generative AI; docs/observability.md.
"""

import sys
import time
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Self

from voice.ports.system import NOT_CARRIED, SILENT_SPAN, Attributes, Carry, Instrument, Span, Telemetry, error_kind

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.metrics import Meter, MeterProvider
    from opentelemetry.trace import Span as ApiSpan
    from opentelemetry.trace import Tracer, TracerProvider


_API = "opentelemetry"
_SCOPE = "voice"
_Record = Callable[[float, Attributes], None]


class OpenTelemetry:
    """`Telemetry` over the API, with the process's providers or given ones."""

    def __init__(self, *, tracers: "TracerProvider | None" = None, meters: "MeterProvider | None" = None) -> None:
        """Use the process's providers, whenever they are set up, or the given ones."""
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
        """Record `value`; see `Telemetry.measure`."""
        if self._is_watched():  # costs nothing where nobody collects
            record = self._records.get(instrument)
            if record is None:
                record = self._records[instrument] = self._make(instrument)
            record(value, attributes)

    def carry(self) -> Carry:
        """Return a context manager that makes another thread's spans children of the present one."""
        if not self._is_watched():
            return NOT_CARRIED
        from opentelemetry.context import get_current  # noqa: PLC0415 - see above

        return partial(_within, get_current())

    def _is_watched(self) -> bool:
        return self._tracers is not None or self._meters is not None or _API in sys.modules

    def _make(self, instrument: Instrument) -> _Record:
        from opentelemetry.metrics import get_meter  # noqa: PLC0415 - see above

        if self._meter is None:
            self._meter = get_meter(_SCOPE, meter_provider=self._meters)
        name, unit, description = instrument.name, instrument.unit, instrument.description
        if instrument.kind == "counter":
            return self._meter.create_counter(name, unit, description).add
        bounds = list(instrument.bounds) or None
        return self._meter.create_histogram(name, unit, description, explicit_bucket_boundaries_advisory=bounds).record


class _OpenSpan:
    """A span of the API as a `Span` around a block."""

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
        self._around.__exit__(None, None, None)  # never the error itself, which the API would record

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


_OUTCOME = frozenset({"voice.status"})


class CountersOnly:
    """A `Telemetry` that passes on counters only."""

    def __init__(self, inner: Telemetry) -> None:
        self._inner = inner

    def span(self, name: str, attributes: Attributes, *, is_remote: bool = False) -> AbstractContextManager[Span]:
        """Return a span that records nothing."""
        del name, attributes, is_remote
        return SILENT_SPAN

    def measure(self, instrument: Instrument, value: float, attributes: Attributes) -> None:
        """Record a counter, with its outcome only."""
        if instrument.kind == "counter":
            outcome = {name: attributes[name] for name in _OUTCOME & attributes.keys()}
            self._inner.measure(instrument, value, outcome)

    def carry(self) -> Carry:
        """Return a context manager that does nothing."""
        return NOT_CARRIED
