"""Lines on stderr, JSON for programs and key=value for a terminal; implements `EventLog`.

Law: nothing is written to stdout, which belongs to the answer (ruling D19). No logging is configured for the process: a
program that opens a memory keeps its own. The library is imported when something is logged.

Source: spec inner_voice.retrieve, Logging Strategy; ruling D19.
"""

import logging
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Final

from voice.core.settings.values import LogLevel, PrivacySettings
from voice.core.text.instants import render_instant
from voice.ports.system import SILENT_LOG, Clock, EventLog, Figure

if TYPE_CHECKING:
    from structlog.typing import FilteringBoundLogger

_NUMBER_OF: Final[Mapping[LogLevel, int]] = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING}


def event_log(settings: PrivacySettings, clock: Clock) -> EventLog:
    """Return the log that the settings allow: on stderr, or none (`no_log` overrides every level)."""
    # A process without a stderr has none: the library would use stdout instead.
    if settings.no_log or settings.log_level == "none" or sys.stderr is None:
        return SILENT_LOG
    return StderrLog(settings.log_level, clock)


class StderrLog:
    """An `EventLog` that writes one line for each event."""

    def __init__(self, level: LogLevel, clock: Clock) -> None:
        """Write events of at least `level`, with the clock's time."""
        self._level = _NUMBER_OF[level]
        self._clock = clock
        self._stderr = sys.stderr

    def warning(self, event: str, figures: Mapping[str, Figure]) -> None:
        """Write the figures of a failure outside this program."""
        self._write(logging.WARNING, event, figures)

    def info(self, event: str, figures: Mapping[str, Figure]) -> None:
        """Write figures and the names of models."""
        self._write(logging.INFO, event, figures)

    def debug(self, event: str, figures: Mapping[str, Figure]) -> None:
        """Write ids and tables."""
        self._write(logging.DEBUG, event, figures)

    def _write(self, level: int, event: str, figures: Mapping[str, Figure]) -> None:
        if level >= self._level:
            with suppress(OSError, ValueError):  # a full disk or a closed stderr fails no answer
                self._log.log(level, event, **figures, at=render_instant(self._clock.now()))

    @cached_property
    def _log(self) -> "FilteringBoundLogger":
        import structlog  # noqa: PLC0415 - a tenth of a second that most commands need not wait for

        processors = structlog.processors
        # Texts as they are, without quotation marks of Python's.
        for_people = processors.KeyValueRenderer(key_order=["at", "level", "event"], repr_native_str=False)
        return structlog.wrap_logger(
            structlog.PrintLogger(file=self._stderr),
            processors=[processors.add_log_level, for_people if self._stderr.isatty() else processors.JSONRenderer()],
            wrapper_class=structlog.make_filtering_bound_logger(self._level),
            context_class=dict,
        )
