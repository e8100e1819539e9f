"""The example memory that ships with the program.

Law: it is a file like any other, read through the same reader; only its place is known here.
"""

from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Final

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
