"""JSON files of a data directory: calibrations of verifiers, limits of endpoints, the last exam.

Law: each has mode 0600 and is replaced as a whole. A damaged file counts as missing: verifiers are calibrated again, an
endpoint's limits are learned again, and the next exam is compared with nothing.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Final, TypeVar, cast

from voice.adapters.disk.private_files import replacing
from voice.adapters.disk.values_json import from_json, to_json
from voice.core.exam.results import ExamRun
from voice.core.grounding.verifier_values import CalibrationRecord
from voice.core.model_endpoints import REPLACEMENTS, LearnedEndpoint, RequestPart

_Record = TypeVar("_Record")
CALIBRATIONS_NAME: Final = "verifiers.json"


class CalibrationFile:
    """The calibrations of one data directory."""

    def __init__(self, home: Path) -> None:
        self._path = home / CALIBRATIONS_NAME

    def read(self) -> tuple[CalibrationRecord, ...]:
        """Return all records; see `CalibrationStore.read`."""
        return tuple(sorted(_records(self._path, "calibrations", _record), key=lambda record: record.verifier))

    def of(self, verifier: str) -> CalibrationRecord | None:
        """Return the record of one verifier; see `CalibrationStore.of`."""
        return next((record for record in self.read() if record.verifier == verifier), None)

    def keep(self, record: CalibrationRecord) -> None:
        """Keep a record; see `CalibrationStore.keep`.

        Raises:
            ConfigurationError, StoreUnavailable: it cannot be written.
        """
        others = [each for each in self.read() if each.verifier != record.verifier]
        _write(self._path, {"calibrations": [_json(each) for each in (*others, record)]})


def _json(record: CalibrationRecord) -> dict[str, object]:
    return {
        "verifier": record.verifier,
        "checked_on": record.checked_on.isoformat(),
        "claims": record.claims,
        "unanswered": record.unanswered,
        "false_support": record.false_support,
        "false_doubt": record.false_doubt,
    }


def _record(members: Mapping[str, object]) -> CalibrationRecord:
    verifier, day = members["verifier"], members["checked_on"]
    if not isinstance(verifier, str) or not isinstance(day, str):
        raise TypeError
    return CalibrationRecord(
        verifier=verifier,
        checked_on=date.fromisoformat(day),
        claims=_count(members["claims"], least=1),
        unanswered=_count(members["unanswered"], least=0),
        false_support=_share(members["false_support"]),
        false_doubt=_share(members["false_doubt"]),
    )


def _count(found: object, *, least: int) -> int:
    if type(found) is not int or found < least:  # `type`, because True is an int as well
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

    def _read(self) -> list[LearnedEndpoint]:
        return _records(self._path, "endpoints", _endpoint)

    def _write(self, records: Sequence[LearnedEndpoint]) -> None:
        members = [
            {"endpoint": each.endpoint, "untaken": list(each.untaken), "learned_on": each.learned_on.isoformat()}
            for each in sorted(records, key=lambda record: record.endpoint)
        ]
        _write(self._path, {"endpoints": members})


def _endpoint(members: Mapping[str, object]) -> LearnedEndpoint:
    endpoint, untaken, day = members["endpoint"], members["untaken"], members["learned_on"]
    if not isinstance(endpoint, str) or not isinstance(untaken, list) or not isinstance(day, str):
        raise TypeError
    parts = cast("list[object]", untaken)
    if not parts or any(part not in REPLACEMENTS for part in parts):  # a part that this version does not know
        raise ValueError
    return LearnedEndpoint(
        endpoint=endpoint, untaken=tuple(cast("list[RequestPart]", parts)), learned_on=date.fromisoformat(day)
    )


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
        """Keep a run; see `ExamStore.keep`.

        Raises:
            ConfigurationError, StoreUnavailable: it cannot be written.
        """
        _write(self._path, to_json(ExamRun, run))


def _records(path: Path, members: str, record_of: Callable[[Mapping[str, object]], _Record]) -> list[_Record]:
    try:
        found = json.loads(path.read_bytes())
        return [record_of(each) for each in found[members]]
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return []


def _write(path: Path, members: Mapping[str, object]) -> None:
    with replacing(path) as file:
        file.write(json.dumps(members, indent=1).encode())
