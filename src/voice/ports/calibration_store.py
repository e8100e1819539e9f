"""Keeping how verifiers did when they were tried.

Law: what is kept holds no word of a memory: figures, a day and the name of a verifier. One record a verifier; a later
one takes its place. What cannot be read is as good as not there: the verifier is tried again.

Source: DESIGN 6 "Calibration".
"""

from typing import Protocol

from voice.core.grounding.verifier_values import CalibrationRecord


class CalibrationStore(Protocol):
    """The calibrations of one data directory."""

    def read(self) -> tuple[CalibrationRecord, ...]:
        """Return every record, in the order of the verifiers' labels; it may read from a disk."""
        ...

    def of(self, verifier: str) -> CalibrationRecord | None:
        """Return the record of the verifier with that label, None where it was not tried; it may read from a disk."""
        ...

    def keep(self, record: CalibrationRecord) -> None:
        """Keep a record in the place of an earlier one of the same verifier; it may write to a disk.

        Raises:
            ConfigurationError, StoreUnavailable: it cannot be written.
        """
        ...
