"""Wires where is kept what models' endpoints do not take."""

from pathlib import Path

from voice.adapters.system.state_files import EndpointFile
from voice.ports.endpoint_store import EndpointStore


def endpoints_of(home: Path) -> EndpointStore:
    """Return what was learned of the endpoints that a data directory's models are asked at."""
    return EndpointFile(home)
