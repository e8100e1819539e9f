"""Wires where is kept how verifiers did when they were tried."""

from pathlib import Path

from voice.adapters.system.state_files import CalibrationFile
from voice.ports.calibration_store import CalibrationStore


def calibrations_of(home: Path) -> CalibrationStore:
    """Return how the verifiers of a data directory did when they were tried."""
    return CalibrationFile(home)
