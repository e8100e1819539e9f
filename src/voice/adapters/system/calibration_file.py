"""How verifiers did when they were tried, as a file of the data directory.

Law: `verifiers.json`, mode 0600, replaced whole. A file that is not as it was written counts as none: the verifiers are
tried again, and it is written anew.
"""

import json
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Final

from voice.adapters.disk.private_files import replacing
from voice.core.grounding.verifier_values import CalibrationRecord

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
