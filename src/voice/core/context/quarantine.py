"""What is kept out of a prompt because it speaks to the model.

Law: a row that reads like instructions, in its text or in the name of who said it, is quarantined, not deleted: it
stays in the memory and in what retrieval shows, its id is reported with every prompt it was kept out of, and the person
may let such rows in. Pins lift a row over the ranking, not over the quarantine.

Source: ruling D22; promise 9.
"""

from collections.abc import Iterable
from dataclasses import replace

from voice.core.context.pinned import PinnedRows
from voice.core.grounding.values import Evidence
from voice.core.text.instructions import instruction_in


def quarantined(evidence: Iterable[Evidence], pinned: Iterable[PinnedRows]) -> tuple[str, ...]:
    """Return the ids of the rows that read like instructions to the model, each once, in their order."""
    rows = (*(row for pin in pinned for row in pin.rows), *evidence)
    return tuple(dict.fromkeys(row.row_id for row in rows if speaks_to_the_model(row.text, row.speaker)))


def speaks_to_the_model(text: str, speaker: str | None) -> bool:
    """Return whether what a row says, or who it says said it, reads like instructions to the model (ruling D22)."""
    return any(instruction_in(shown) for shown in (text, speaker) if shown)


def without(rows: Iterable[Evidence], kept_out: Iterable[str]) -> tuple[Evidence, ...]:
    """Return `rows` but for those whose ids are in `kept_out`."""
    unwanted = frozenset(kept_out)
    return tuple(row for row in rows if row.row_id not in unwanted)


def pins_without(pinned: Iterable[PinnedRows], kept_out: tuple[str, ...]) -> tuple[PinnedRows, ...]:
    """Return the pins without those rows; one that has none left is gone."""
    pins = (replace(pin, rows=without(pin.rows, kept_out)) for pin in pinned)
    return tuple(pin for pin in pins if pin.rows)
