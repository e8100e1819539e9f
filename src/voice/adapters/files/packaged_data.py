"""Data packaged with the program: the example memory, and the claims that verifiers are tried on.

Law: it is a file like any other, read through the same reader; only its place is known here.
"""

from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

from voice.core.grounding.verifier_calibration import LabelledClaim, labelled_claims

EXAMPLE_NOW: Final = datetime(2026, 3, 20, 18, 0, tzinfo=UTC)
"""The moment at which its questions are asked."""
EXAMPLE_ZONE: Final = "Europe/Lisbon"
"""Where its person lives."""


def example_memory() -> Path:
    """Return where the example memory stands (format `inner-voice-memory/1`)."""
    return _folder() / "memory.jsonl"


def example_questions() -> Path:
    """Return where the questions about it stand (format `inner-voice-questions/1`, docs/formats.md)."""
    return _folder() / "questions.json"


def _folder() -> Path:
    return Path(str(files("voice"))) / "data" / "example"


@cache
def calibration_claims() -> tuple[LabelledClaim, ...]:
    """Return the claims of `voice/data/verifier/calibration.jsonl`, read once."""
    place = files("voice") / "data" / "verifier" / "calibration.jsonl"
    return labelled_claims(place.read_text("utf-8"))
