"""How verifiers did when they were tried, as a file of the data directory.

Law: `verifiers.json`, mode 0600, replaced whole. A file that is not as it was written counts as none: the verifiers are
tried again, and it is written anew.
"""

import json
from datetime import date
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from voice.adapters.disk.private_files import replacing
from voice.core.grounding.verifier_values import CalibrationRecord

CALIBRATIONS_NAME: Final = "verifiers.json"


class _Kept(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    verifier: str
    checked_on: date
    claims: int = Field(ge=1)
    unanswered: int = Field(ge=0)
    false_support: float = Field(ge=0, le=1)
    false_doubt: float = Field(ge=0, le=1)


class _File(BaseModel):
    calibrations: list[_Kept]


class CalibrationFile:
    """The calibrations of one data directory."""

    def __init__(self, home: Path) -> None:
        """Make it; nothing is read or written yet."""
        self._path = home / CALIBRATIONS_NAME

    def read(self) -> tuple[CalibrationRecord, ...]:
        """Return every record; see `CalibrationStore.read`."""
        try:
            kept = _File.model_validate_json(self._path.read_bytes()).calibrations
        except (OSError, ValidationError):
            return ()
        records = (CalibrationRecord(**each.model_dump()) for each in kept)
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
