"""A line of figures for whoever runs the program.

Law: a line says what happened in numbers, names of models and, where it was asked for, ids. No text of a memory, a
question, a prompt or a draft is ever handed to a log (promise 6), so none has to be kept out of one.

Source: spec inner_voice.retrieve, Logging Strategy; ruling D19.
"""

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

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

    def info(self, event: str, figures: Mapping[str, Figure]) -> None:
        """Write nothing."""

    def debug(self, event: str, figures: Mapping[str, Figure]) -> None:
        """Write nothing."""


SILENT: Final[EventLog] = SilentLog()
