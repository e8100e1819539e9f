"""The clock, the source of ids, and what whoever watches the program is told: spans, measurements, log lines.

Law: what is told are names, ids, figures and words of our own; no text of a memory, a question, a prompt, an answer or
an error is ever handed over (promise 6), so none has to be kept out. What an exception says is never told, only its
kind. Telling fails no work and changes none; with nobody listening it has no effect. A log line says what happened in
numbers, names of models and, where it was asked for, ids.
Source: DESIGN 9; rulings D19, H; docs/observability.md; spec inner_voice.retrieve, Logging Strategy.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, Protocol

from voice.core.errors import VoiceError


class Clock(Protocol):
    """The only source of time."""

    def now(self) -> datetime:
        """Return the current instant, aware, in UTC."""
        ...

    def monotonic_ms(self) -> float:
        """Return milliseconds of a clock that never goes back; for latencies and deadlines only."""
        ...


class IdSource(Protocol):
    """The only source of new ids."""

    def new_id(self, prefix: str) -> str:
        """Return a fresh `<prefix>:<key>`; keys are 26 characters `[0-9a-z]`, sort by creation time and never
        repeat."""
        ...


Attribute = str | bool | int | float | tuple[str, ...]  # what OpenTelemetry takes
Attributes = Mapping[str, Attribute]
Carry = Callable[[], AbstractContextManager[None]]
"""Makes what is told inside the block belong to where it was taken along, on whatever thread that is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Instrument:
    """Something that is counted, or whose distribution is kept."""

    name: str
    kind: Literal["counter", "histogram"]
    unit: str  # as UCUM writes it: "s", "{turn}"
    description: str
    bounds: tuple[float, ...] = ()
    """Where a histogram's buckets end, when nobody says otherwise."""


class Span(Protocol):
    """One piece of work that is under way."""

    @property
    def seconds(self) -> float | None:
        """How long it has taken; None when nobody listens."""
        ...

    def note(self, attributes: Attributes) -> None:
        """Say what has become known of it."""
        ...

    def fail(self, kind: str) -> None:
        """Say that it did not do what it was for. `kind`: an error's code or class; never its message."""
        ...


class Telemetry(Protocol):
    """Where spans and measurements go; it never fails the work it tells of."""

    def span(self, name: str, attributes: Attributes, *, is_remote: bool = False) -> AbstractContextManager[Span]:
        """Return a span around a block; an exception that leaves it fails the span and passes on. `name` is of few
        values; `is_remote`: the work is done on another machine."""
        ...

    def measure(self, instrument: Instrument, value: float, attributes: Attributes) -> None:
        """Count `value` in: add it to a counter, or enter it into a distribution."""
        ...

    def carry(self) -> Carry:
        """Return what makes spans of another thread children of the present one."""
        ...


class SilentSpan:
    """A `Span` that nobody listens to."""

    @property
    def seconds(self) -> float | None:
        """Nobody measures it."""
        return None  # nothing was measured

    def note(self, attributes: Attributes) -> None:
        """Say nothing."""

    def fail(self, kind: str) -> None:
        """Say nothing."""


SILENT_SPAN: Final[AbstractContextManager[Span]] = nullcontext(SilentSpan())  # one for all: it holds nothing
NOT_CARRIED: Final[Carry] = nullcontext  # called, it makes an empty block


class SilentTelemetry:
    """A `Telemetry` that tells nobody."""

    def span(self, name: str, attributes: Attributes, *, is_remote: bool = False) -> AbstractContextManager[Span]:
        """Return a span that nobody listens to."""
        del name, attributes, is_remote  # the port names them
        return SILENT_SPAN

    def measure(self, instrument: Instrument, value: float, attributes: Attributes) -> None:
        """Measure nothing."""

    def carry(self) -> Carry:
        """Return what carries nothing."""
        return NOT_CARRIED


NO_TELEMETRY: Final[Telemetry] = SilentTelemetry()


def error_kind(error: BaseException) -> str:
    """Return what may be told of an exception: its code, `cancelled`, or the name of its class."""
    if isinstance(error, VoiceError):  # a code is our own word, a message may quote
        return error.code
    name = type(error).__name__
    return "cancelled" if name in ("CancelledError", "Cancelled") else name  # of asyncio and of trio


Figure = str | int | float | Sequence[str]


class EventLog(Protocol):
    """Where figures are written; it never fails the work it tells of."""

    def warning(self, event: str, figures: Mapping[str, Figure]) -> None:
        """Write the figures of what somebody else failed at."""
        ...

    def info(self, event: str, figures: Mapping[str, Figure]) -> None:
        """Write figures and the names of models."""
        ...

    def debug(self, event: str, figures: Mapping[str, Figure]) -> None:
        """Write ids and tables, for who asked for them."""
        ...


class SilentLog:
    """An `EventLog` that writes nothing."""

    def warning(self, event: str, figures: Mapping[str, Figure]) -> None:
        """Write nothing."""

    info = debug = warning


SILENT_LOG: Final[EventLog] = SilentLog()
