"""Counters alone, for `MCP_NO_LOG=1`; implements `Telemetry`.

Law: no span and no distribution is told, and of what is counted nothing but how it ended (ruling D19).
"""

from contextlib import AbstractContextManager

from voice.ports.telemetry import NOT_CARRIED, SILENT_SPAN, Attributes, Carry, Instrument, Span, Telemetry

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
