"""Lines of JSON on stderr; implements `EventLog`.

Law: stdout is never written to: it belongs to the answer (ruling D19). Nothing is set up for the whole process: a
program that opens a memory keeps its own logging. The library behind it is imported when something is logged.

Source: spec inner_voice.retrieve, Logging Strategy; ruling D19.
"""

import logging
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from voice.core.settings.values import LogLevel, PrivacySettings
from voice.ports.event_log import SILENT, EventLog, Figure
from voice.ports.system import Clock

_NUMBER_OF: Final[Mapping[LogLevel, int]] = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
}


def event_log(settings: PrivacySettings, clock: Clock) -> EventLog:
    """Return where the settings let figures be written: stderr, or nowhere.

    Args:
        settings: `no_log` wins over every level; at `warning` there is nothing to write yet.
        clock: says when a line was written.

    A process without a stderr logs nowhere: the library would take stdout in its place.
    """
    if settings.no_log or settings.log_level == "warning" or sys.stderr is None:
        return SILENT
    return StderrLog(settings.log_level, clock)


class StderrLog:
    """An `EventLog` that writes one JSON object a line."""

    def __init__(self, level: LogLevel, clock: Clock) -> None:
        """Write what is at least of `level`, with the clock's time."""
        import structlog  # noqa: PLC0415 - a tenth of a second that most commands need not wait for

        self._clock = clock
        self._log: structlog.typing.FilteringBoundLogger = structlog.wrap_logger(
            structlog.PrintLogger(file=sys.stderr),
            processors=[structlog.processors.add_log_level, structlog.processors.JSONRenderer()],
            wrapper_class=structlog.make_filtering_bound_logger(_NUMBER_OF[level]),
            context_class=dict,
        )

    def info(self, event: str, figures: Mapping[str, Figure]) -> None:
        """Write figures and the names of models."""
        with suppress(OSError, ValueError):  # a full disk or a closed stderr fails no answer
            self._log.info(event, **figures, at=self._now())

    def debug(self, event: str, figures: Mapping[str, Figure]) -> None:
        """Write ids and tables, for who asked for them."""
        with suppress(OSError, ValueError):
            self._log.debug(event, **figures, at=self._now())

    def _now(self) -> str:
        return self._clock.now().isoformat()
