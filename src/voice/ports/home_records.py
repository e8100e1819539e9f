"""Small records of a data directory: calibrations of verifiers, learned endpoints, the last exam.

Law: what is kept holds no word of a memory: figures, a day and the name of a verifier. One record a verifier; a later
one takes its place. What cannot be read is as good as not there: the verifier is tried again.

Keeping what models' endpoints do not take of a request. What is kept holds no word of a memory and no key. One record
an endpoint; a later one takes its place. What cannot be read is as good as not there: it is learned again.

Keeping the last run of a memory's exam. What is kept holds no word of a memory: figures, settings and keyed hashes.
What cannot be read is as good as not there.

Source: DESIGN 6 "Calibration"; DESIGN 7; ruling J3.
"""

from typing import Protocol

from voice.core.exam.results import ExamRun
from voice.core.grounding.verifier_values import CalibrationRecord
from voice.core.model_endpoints import LearnedEndpoint


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


class EndpointStore(Protocol):
    """What was learned, of one data directory."""

    def of(self, endpoint: str) -> LearnedEndpoint | None:
        """Return what was learned of the endpoint with that label; it may read from a disk."""
        ...

    def keep(self, record: LearnedEndpoint) -> None:
        """Keep a record in the place of an earlier one of the same endpoint; it may write to a disk.

        Raises:
            ConfigurationError, StoreUnavailable: it cannot be written.
        """
        ...

    def forget(self, endpoint: str) -> None:
        """Forget what was learned of an endpoint; it may write to a disk.

        Raises:
            ConfigurationError, StoreUnavailable: it cannot be written.
        """
        ...


class ExamStore(Protocol):
    """The last exam of one data directory."""

    def last(self) -> ExamRun | None:
        """Return the run that was kept last, None where there is none; it may read from a disk."""
        ...

    def keep(self, run: ExamRun) -> None:
        """Keep a run in the place of the one before; it may write to a disk.

        Raises:
            ConfigurationError, StoreUnavailable: it cannot be written.
        """
        ...
