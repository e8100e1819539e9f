"""Keep instructions in notes out of prompts, and prompts out of error messages.

Law: a row that reads like instructions, in its text or in the name of who said it or of its conversation, is
quarantined, not deleted: it stays in the memory and in what retrieval shows, its id is reported with every prompt it
was kept out of, and the person may let such rows in. So are rows of one thought, and rows that follow one another in
time, that are an order together. Pins lift a row over the ranking, not over the quarantine.

Evidence is data: what a memory says can neither close its own frame nor pose as a source id. Neutralising only inserts
U+2060 WORD JOINER, which `norm_v1` drops, so a faithful quote of a neutralised text is still found word for word in the
stored one (rulings D4, D22).

Messages that come from outside are not believed to be discreet. A message of a provider's client is shown and stored
only if it repeats no stretch of the prompt (promise 6); many a vendor's error quotes the request that it complains
about.

Source: ruling D22; promise 9.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import permutations

from voice.core.context.pins import PinnedRows
from voice.core.grounding.values import Evidence
from voice.core.text.prompt_injection.detection import find_instruction, split_instructions

_MOST_OF_A_THOUGHT = 6
"""Of a thought with more rows only those that follow one another are read together."""


def quarantined_ids(evidence: Iterable[Evidence], pinned: Iterable[PinnedRows]) -> tuple[str, ...]:
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


def without_rows(rows: Iterable[Evidence], kept_out: Iterable[str]) -> tuple[Evidence, ...]:
    """Return `rows` but for those whose ids are in `kept_out`."""
    unwanted = frozenset(kept_out)
    return tuple(row for row in rows if row.row_id not in unwanted)


def pins_without(pinned: Iterable[PinnedRows], kept_out: tuple[str, ...]) -> tuple[PinnedRows, ...]:
    """Return the pins without those rows; one that has none left is gone."""
    pins = (replace(pin, rows=without_rows(pin.rows, kept_out)) for pin in pinned)
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


WORD_JOINER = "\u2060"
_FRAME = re.compile(r"<(?=/?\s*source\b)", re.IGNORECASE)
_ALIAS = re.compile(r"\b([Ss])(?=\d{1,6}\b)")
_HEADING = re.compile(r"^(?=#{1,6}\s)", re.MULTILINE)


def neutralise(text: str) -> str:
    """Return `text` with frame tags, look-alike source ids and headings broken by an invisible joiner."""
    framed = _FRAME.sub("<" + WORD_JOINER, text)
    unaliased = _ALIAS.sub(lambda match: match[1] + WORD_JOINER, framed)
    return _HEADING.sub(WORD_JOINER, unaliased)


def attribute(value: str) -> str:
    """Return `value` fit to stand between double quotes in a source tag: one line, no quotes, no angle brackets."""
    return neutralise(" ".join(value.split())).translate({ord('"'): "'", ord("<"): "(", ord(">"): ")"})


STRETCH = 20
"""Characters; what the program's own messages and its prompts have in common is shorter."""


def discreet_message(message: str, prompt: str, *, otherwise: str) -> str:
    """Return `message`, or `otherwise` when a stretch of it stands in `prompt`."""
    stretches = (message[start : start + STRETCH] for start in range(max(0, len(message) - STRETCH) + 1))
    repeats = len(message) >= STRETCH and any(stretch in prompt for stretch in stretches)
    return otherwise if repeats else message
