"""What is kept out of a prompt because it speaks to the model.

Law: a row that reads like instructions, in its text or in the name of who said it or of its conversation, is
quarantined, not deleted: it stays in the memory and in what retrieval shows, its id is reported with every prompt it
was kept out of, and the person may let such rows in. So are rows of one thought, and rows that follow one another in
time, that are an order together. Pins lift a row over the ranking, not over the quarantine.

Source: ruling D22; promise 9.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import permutations

from voice.core.context.pinned import PinnedRows
from voice.core.grounding.values import Evidence
from voice.core.text.prompt_injection.detection import find_instruction, split_instructions

_MOST_OF_A_THOUGHT = 6
"""Of a thought with more rows only those that follow one another are read together."""


def quarantined(evidence: Iterable[Evidence], pinned: Iterable[PinnedRows]) -> tuple[str, ...]:
    """Return the ids of the rows that read like instructions to the model, each once, in their order."""
    rows = {row.row_id: row for row in (*(row for pin in pinned for row in pin.rows), *evidence)}
    together = {row_id for group in _groups(tuple(rows.values())) for row_id in _spread_over(group)}
    return tuple(
        row_id
        for row_id, row in rows.items()
        if row_id in together or speaks_to_the_model(row.text, row.speaker, row.thread)
    )


def speaks_to_the_model(text: str, speaker: str | None, thread: str | None = None) -> bool:
    """Return whether what a row says, or who it says said it and where, reads like instructions (ruling D22)."""
    return any(find_instruction(shown) for shown in (text, speaker, thread) if shown)


def without(rows: Iterable[Evidence], kept_out: Iterable[str]) -> tuple[Evidence, ...]:
    """Return `rows` but for those whose ids are in `kept_out`."""
    unwanted = frozenset(kept_out)
    return tuple(row for row in rows if row.row_id not in unwanted)


def pins_without(pinned: Iterable[PinnedRows], kept_out: tuple[str, ...]) -> tuple[PinnedRows, ...]:
    """Return the pins without those rows; one that has none left is gone."""
    pins = (replace(pin, rows=without(pin.rows, kept_out)) for pin in pinned)
    return tuple(pin for pin in pins if pin.rows)


def _groups(rows: Sequence[Evidence]) -> Iterator[Sequence[Evidence]]:
    """Yield what an order may be spread over: all rows as they were told, and those of a thought two by two."""
    yield sorted(rows, key=lambda row: row.created_at)
    thoughts: dict[str, list[Evidence]] = {}
    for row in rows:
        for thought in row.thought_ids:
            thoughts.setdefault(thought, []).append(row)
    for told in thoughts.values():
        yield from permutations(told, 2) if len(told) <= _MOST_OF_A_THOUGHT else (told,)


def _spread_over(rows: Sequence[Evidence]) -> Iterator[str]:
    return (rows[at].row_id for at in split_instructions([row.text for row in rows]))
