"""Wires the small records of a data directory: calibrations of verifiers, learned endpoints."""

from pathlib import Path

from voice.adapters.system.state_files import CalibrationFile, EndpointFile
from voice.ports.home_records import CalibrationStore, EndpointStore


def calibrations_of(home: Path) -> CalibrationStore:
    """Return how the verifiers of a data directory did when they were tried."""
    return CalibrationFile(home)


def endpoints_of(home: Path) -> EndpointStore:
    """Return what was learned of the endpoints that a data directory's models are asked at."""
    return EndpointFile(home)
