"""JSON files of a data directory: calibrations of verifiers, limits of endpoints, the last exam.

Law: `verifiers.json`, mode 0600, replaced whole. A file that is not as it was written counts as none: the verifiers are
tried again, and it is written anew.

What models' endpoints do not take, as a file of the data directory. `endpoints.json`, mode 0600, replaced whole. A
record that is not as it was written counts as none: what it said is learned again, and it is written anew.

The last run of a memory's exam, as a file of the data directory. `exam.json`, mode 0600, replaced whole. A file that is
not as it was written counts as none: the next run has nothing to be held against, and writes it anew.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Final, cast

from voice.adapters.disk.private_files import replacing
from voice.adapters.disk.values_json import from_json, to_json
from voice.core.exam.results import ExamRun
from voice.core.grounding.verifier_values import CalibrationRecord
from voice.core.model_endpoints import REPLACEMENTS, LearnedEndpoint, RequestPart

CALIBRATIONS_NAME: Final = "verifiers.json"


class CalibrationFile:
    """The calibrations of one data directory."""

    def __init__(self, home: Path) -> None:
        """Make it; nothing is read or written yet."""
        self._path = home / CALIBRATIONS_NAME

    def read(self) -> tuple[CalibrationRecord, ...]:
        """Return every record; see `CalibrationStore.read`."""
        try:
            found = json.loads(self._path.read_bytes())
            records = [_record(each) for each in found["calibrations"]]
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            return ()
        return tuple(sorted(records, key=lambda record: record.verifier))

    def of(self, verifier: str) -> CalibrationRecord | None:
        """Return the record of one verifier; see `CalibrationStore.of`."""
        return next((record for record in self.read() if record.verifier == verifier), None)

    def keep(self, record: CalibrationRecord) -> None:
        """Keep a record; see `CalibrationStore.keep`.

        Raises:
            ConfigurationError, StoreUnavailable: it cannot be written.
        """
        others = [each for each in self.read() if each.verifier != record.verifier]
        told = [_json(each) for each in (*others, record)]
        with replacing(self._path) as file:
            file.write(json.dumps({"calibrations": told}, indent=1).encode())


def _json(record: CalibrationRecord) -> dict[str, object]:
    return {
        "verifier": record.verifier,
        "checked_on": record.checked_on.isoformat(),
        "claims": record.claims,
        "unanswered": record.unanswered,
        "false_support": record.false_support,
        "false_doubt": record.false_doubt,
    }


def _record(kept: Mapping[str, object]) -> CalibrationRecord:
    """Return a record as `_json` wrote it.

    Raises:
        ValueError, TypeError, KeyError: it is none.
    """
    verifier, day = kept["verifier"], kept["checked_on"]
    if not isinstance(verifier, str) or not isinstance(day, str):
        raise TypeError
    return CalibrationRecord(
        verifier=verifier,
        checked_on=date.fromisoformat(day),
        claims=_count(kept["claims"], least=1),
        unanswered=_count(kept["unanswered"], least=0),
        false_support=_share(kept["false_support"]),
        false_doubt=_share(kept["false_doubt"]),
    )


def _count(found: object, *, least: int) -> int:
    if type(found) is not int or found < least:
        raise ValueError
    return found


def _share(found: object) -> float:
    if not isinstance(found, int | float) or not 0 <= found <= 1:
        raise ValueError
    return float(found)


ENDPOINTS_NAME: Final = "endpoints.json"


class EndpointFile:
    """The endpoints of one data directory."""

    def __init__(self, home: Path) -> None:
        """Make it; nothing is read or written yet."""
        self._path = home / ENDPOINTS_NAME

    def of(self, endpoint: str) -> LearnedEndpoint | None:
        """Return what was learned of an endpoint; see `EndpointStore.of`."""
        return next((record for record in self._read() if record.endpoint == endpoint), None)

    def keep(self, record: LearnedEndpoint) -> None:
        """Keep a record; see `EndpointStore.keep`.

        Raises:
            ConfigurationError, StoreUnavailable: it cannot be written.
        """
        self._write([*self._others(record.endpoint), record])

    def forget(self, endpoint: str) -> None:
        """Forget what was learned of an endpoint; see `EndpointStore.forget`.

        Raises:
            ConfigurationError, StoreUnavailable: it cannot be written.
        """
        if self.of(endpoint) is not None:
            self._write(self._others(endpoint))

    def _others(self, endpoint: str) -> list[LearnedEndpoint]:
        return [each for each in self._read() if each.endpoint != endpoint]

    def _read(self) -> tuple[LearnedEndpoint, ...]:
        try:
            found = json.loads(self._path.read_bytes())
            return tuple(_endpoint(each) for each in found["endpoints"])
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            return ()

    def _write(self, records: Sequence[LearnedEndpoint]) -> None:
        told = [
            {
                "endpoint": each.endpoint,
                "untaken": list(each.untaken),
                "learned_on": each.learned_on.isoformat(),
            }
            for each in sorted(records, key=lambda record: record.endpoint)
        ]
        with replacing(self._path) as file:
            file.write(json.dumps({"endpoints": told}, indent=1).encode())


def _endpoint(kept: Mapping[str, object]) -> LearnedEndpoint:
    """Return a record as `_write` wrote it.

    Raises:
        ValueError, TypeError, KeyError: it is none.
    """
    endpoint, untaken, day = kept["endpoint"], kept["untaken"], kept["learned_on"]
    if not isinstance(endpoint, str) or not isinstance(untaken, list) or not isinstance(day, str):
        raise TypeError
    parts = cast("list[object]", untaken)
    if not parts or any(part not in REPLACEMENTS for part in parts):
        raise ValueError
    return LearnedEndpoint(
        endpoint=endpoint, untaken=tuple(cast("list[RequestPart]", parts)), learned_on=date.fromisoformat(day)
    )


EXAM_NAME: Final = "exam.json"


class ExamFile:
    """The last exam of one data directory."""

    def __init__(self, home: Path) -> None:
        """Make it; nothing is read or written yet."""
        self._path = home / EXAM_NAME

    def last(self) -> ExamRun | None:
        """Return the run that was kept last; see `ExamStore.last`."""
        try:
            return from_json(ExamRun, json.loads(self._path.read_bytes()))
        except (OSError, ValueError, RecursionError):
            return None

    def keep(self, run: ExamRun) -> None:
        """Keep a run; see `ExamStore.keep`.

        Raises:
            ConfigurationError, StoreUnavailable: it cannot be written.
        """
        with replacing(self._path) as file:
            file.write(json.dumps(to_json(ExamRun, run), indent=1).encode())
