"""Keep instructions in notes out of prompts, and prompts out of error messages.

Law: rows that read like instructions are quarantined, not deleted, and reported; so are rows that form an instruction
together. Memory text cannot close its frame or imitate an alias: U+2060 WORD JOINER is inserted, which `norm_v1` drops,
so quotes still match (rulings D4, D22). Provider messages that repeat part of the prompt are replaced (promise 6).
Source: ruling D22; promise 9.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import permutations

from voice.core.context.pins import PinnedRows
from voice.core.grounding.values import Evidence
from voice.core.text.context_path import PATH_SIGN
from voice.core.text.prompt_injection.detection import find_instruction, split_instructions
from voice.core.text.prompt_injection.features import InstructionKind

_MOST_OF_A_THOUGHT = 6
"""Thoughts with more rows are checked in order only, not in all pairs."""


def quarantined_ids(evidence: Iterable[Evidence], pinned: Iterable[PinnedRows]) -> tuple[str, ...]:
    """Return the distinct ids of rows that read like instructions, in order."""
    rows = {row.row_id: row for row in (*(row for pin in pinned for row in pin.rows), *evidence)}
    together = {
        group[at].row_id
        for group in _groups(tuple(rows.values()))
        for at in split_instructions([row.text for row in group])
    }
    return tuple(row_id for row_id, row in rows.items() if row_id in together or _is_instruction(row))


def _is_instruction(row: Evidence) -> bool:
    path = (row.context or "").split(PATH_SIGN)
    return bool(instruction_in(row.text, row.speaker, row.thread, path=path) or split_instructions(path))


def instruction_in(
    text: str, speaker: str | None, thread: str | None = None, *, path: Sequence[str] = ()
) -> InstructionKind | None:
    """Return how a row's text, speaker, conversation or context path reads like instructions (ruling D22)."""
    shown = (text, speaker, thread, *path)
    return next((kind for each in shown if each and (kind := find_instruction(each))), None)


def without_rows(rows: Iterable[Evidence], ids: Iterable[str]) -> tuple[Evidence, ...]:
    """Return `rows` except those with these ids."""
    excluded = frozenset(ids)
    return tuple(row for row in rows if row.row_id not in excluded)


def pins_without(pinned: Iterable[PinnedRows], ids: tuple[str, ...]) -> tuple[PinnedRows, ...]:
    """Remove the rows with these ids from pins, and pins left empty."""
    pins = (replace(pin, rows=without_rows(pin.rows, ids)) for pin in pinned)
    return tuple(pin for pin in pins if pin.rows)


def _groups(rows: Sequence[Evidence]) -> Iterator[Sequence[Evidence]]:
    """Yield the sequences that may form an instruction: all rows by time, and pairs of one thought."""
    yield sorted(rows, key=lambda row: row.created_at)
    thoughts: dict[str, list[Evidence]] = {}
    for row in rows:
        for thought in row.thought_ids:
            thoughts.setdefault(thought, []).append(row)
    for own in thoughts.values():
        yield from permutations(own, 2) if len(own) <= _MOST_OF_A_THOUGHT else (own,)


WORD_JOINER = "\u2060"
_FRAME = re.compile(r"<(?=/?\s*source\b)", re.IGNORECASE)
_ALIAS = re.compile(r"\b([Ss])(?=\d{1,6}\b)")
_HEADING = re.compile(r"^(?=#{1,6}\s)", re.MULTILINE)


def neutralise(text: str) -> str:
    """Break frame tags, look-alike aliases and headings with an invisible joiner."""
    framed = _FRAME.sub("<" + WORD_JOINER, text)
    unaliased = _ALIAS.sub(lambda match: match[1] + WORD_JOINER, framed)
    return _HEADING.sub(WORD_JOINER, unaliased)


def attribute(value: str) -> str:
    """Return `value` for a double-quoted attribute: one line, no quotes or angle brackets."""
    return neutralise(" ".join(value.split())).translate({ord('"'): "'", ord("<"): "(", ord(">"): ")"})


STRETCH = 20
"""Characters; more than our own messages and prompts have in common."""


def discreet_message(message: str, prompt: str, *, otherwise: str) -> str:
    """Return `message`, or `otherwise` if `STRETCH` characters of it are in `prompt`."""
    stretches = (message[start : start + STRETCH] for start in range(max(0, len(message) - STRETCH) + 1))
    repeats = len(message) >= STRETCH and any(stretch in prompt for stretch in stretches)
    return otherwise if repeats else message
