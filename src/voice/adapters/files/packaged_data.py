"""Data packaged with the program: the example memory, and the claims on which verifiers are tried.

Law: only its path is known here; it is read like any other file.
"""

from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

from voice.core.grounding.verifier_calibration import LabelledClaim, labelled_claims

EXAMPLE_NOW: Final = datetime(2026, 3, 20, 18, 0, tzinfo=UTC)
"""The time at which its questions are asked."""
EXAMPLE_ZONE: Final = "Europe/Lisbon"
"""The zone of its person."""


def example_memory() -> Path:
    """Return the path of the example memory (format `inner-voice-memory/1`)."""
    return _folder() / "memory.jsonl"


def example_questions() -> Path:
    """Return the path of the questions about it (format `inner-voice-questions/1`, docs/formats.md)."""
    return _folder() / "questions.json"


def _folder() -> Path:
    return Path(str(files("voice"))) / "data" / "example"  # read as a path, so not from a zip


@cache
def calibration_claims() -> tuple[LabelledClaim, ...]:
    """Return the claims of `voice/data/verifier/calibration.jsonl`, read once."""
    place = files("voice") / "data" / "verifier" / "calibration.jsonl"
    return labelled_claims(place.read_text("utf-8"))
