"""JSON files of a data directory: calibrations of verifiers, limits of endpoints, the last exam.

Law: each has mode 0600 and is replaced as a whole. A damaged file counts as missing: verifiers are calibrated again, an
endpoint's limits are learned again, and the next exam is compared with nothing.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, TypeVar

from voice.adapters.disk.private_files import replacing
from voice.adapters.disk.values_json import from_json, to_json
from voice.core.exam.results import ExamRun
from voice.core.grounding.verifier_values import CalibrationRecord
from voice.core.model_endpoints import LearnedEndpoint

_Record = TypeVar("_Record")
CALIBRATIONS_NAME: Final = "verifiers.json"


class CalibrationFile:
    """The calibrations of one data directory."""

    def __init__(self, home: Path) -> None:
        self._path = home / CALIBRATIONS_NAME

    def read(self) -> tuple[CalibrationRecord, ...]:
        """Return all records; see `CalibrationStore.read`."""
        found = _records(self._path, "calibrations", CalibrationRecord)
        possible = found if all(map(_is_possible, found)) else []
        return tuple(sorted(possible, key=lambda record: record.verifier))

    def of(self, verifier: str) -> CalibrationRecord | None:
        """Return the record of one verifier; see `CalibrationStore.of`."""
        return next((record for record in self.read() if record.verifier == verifier), None)

    def keep(self, record: CalibrationRecord) -> None:
        """Keep a record; see `CalibrationStore.keep`."""
        others = [each for each in self.read() if each.verifier != record.verifier]
        _write(self._path, {"calibrations": [to_json(CalibrationRecord, each) for each in (*others, record)]})


def _is_possible(record: CalibrationRecord) -> bool:
    shares = (record.false_support, record.false_doubt)
    return record.claims >= 1 and record.unanswered >= 0 and all(0 <= share <= 1 for share in shares)


ENDPOINTS_NAME: Final = "endpoints.json"


class EndpointFile:
    """The endpoints of one data directory."""

    def __init__(self, home: Path) -> None:
        self._path = home / ENDPOINTS_NAME

    def of(self, endpoint: str) -> LearnedEndpoint | None:
        """Return what was learned of an endpoint; see `EndpointStore.of`."""
        return next((record for record in self._read() if record.endpoint == endpoint), None)

    def keep(self, record: LearnedEndpoint) -> None:
        """Keep a record; see `EndpointStore.keep`."""
        self._write([*self._others(record.endpoint), record])

    def forget(self, endpoint: str) -> None:
        """Forget what was learned of an endpoint; see `EndpointStore.forget`."""
        if self.of(endpoint) is not None:
            self._write(self._others(endpoint))

    def _others(self, endpoint: str) -> list[LearnedEndpoint]:
        return [each for each in self._read() if each.endpoint != endpoint]

    def _read(self) -> list[LearnedEndpoint]:
        found = _records(self._path, "endpoints", LearnedEndpoint)
        return found if all(each.untaken for each in found) else []

    def _write(self, records: Sequence[LearnedEndpoint]) -> None:
        by_name = sorted(records, key=lambda record: record.endpoint)
        _write(self._path, {"endpoints": [to_json(LearnedEndpoint, each) for each in by_name]})


EXAM_NAME: Final = "exam.json"


class ExamFile:
    """The last exam of one data directory."""

    def __init__(self, home: Path) -> None:
        self._path = home / EXAM_NAME

    def last(self) -> ExamRun | None:
        """Return the last run that was kept; see `ExamStore.last`."""
        try:
            return from_json(ExamRun, json.loads(self._path.read_bytes()))
        except (OSError, ValueError, RecursionError):
            return None

    def keep(self, run: ExamRun) -> None:
        """Keep a run; see `ExamStore.keep`."""
        _write(self._path, to_json(ExamRun, run))


def _records(path: Path, members: str, kind: type[_Record]) -> list[_Record]:
    try:
        found = json.loads(path.read_bytes())
        return [from_json(kind, each) for each in found[members]]
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return []


def _write(path: Path, members: Mapping[str, object]) -> None:
    with replacing(path) as file:
        file.write(json.dumps(members, indent=1).encode())
