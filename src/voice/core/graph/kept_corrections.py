"""What somebody corrected in a note, in what its file says since.

Law: a correction stands while the file says the words whose place it took, whatever else of the file is edited: they
are looked for as whole sentences, and where they stand once. A statement that was corrected by itself stays corrected
in the note that says it still. What the file says otherwise itself counts (ruling F).

Source: rulings F, I4; docs/import.md, "Keeping a folder in step".
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Final

from voice.core.graph.wording import sentences_of
from voice.core.records import GraphRow, Observation, Origin, Row, RowStatus

EDITED: Final = "the note was edited"
"""Why a note was corrected whose file says something else; no correction of its owner's."""
Pair = tuple[str, str]
"""What a note said, and what was said instead."""


def corrected_sentences(before: str, after: str) -> tuple[Pair, ...]:
    """Return the sentences of a note in whose place others were put, with those.

    As many as before are taken one by one; of more or fewer, those from the first changed one to the last are one pair.
    """
    old, new = sentences_of(before), sentences_of(after)
    said, says = ([text[slice(*span)] for span in spans] for text, spans in ((before, old), (after, new)))
    first = _same_at_start(said, says)
    last = _same_at_start(said[first:][::-1], says[first:][::-1])
    old, new = old[first : len(old) - last], new[first : len(new) - last]
    if not old or not new:
        return ()
    if len(old) != len(new):
        return ((before[old[0][0] : old[-1][1]], after[new[0][0] : new[-1][1]]),)
    pairs = ((before[slice(*was)], after[slice(*now)]) for was, now in zip(old, new, strict=True))
    return tuple((was, now) for was, now in pairs if was != now)


def _same_at_start(some: Sequence[str], others: Sequence[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(some, others, strict=False)))


def with_corrections(text: str, pairs: Iterable[Pair]) -> str:
    """Return a text with what was put in the place of its sentences, one correction after the other."""
    for said, instead in pairs:
        spans = sentences_of(text)
        starts, ends = {start for start, _ in spans}, {end for _, end in spans}
        start = text.find(said)
        is_alone = start >= 0 and text.find(said, start + 1) < 0
        if is_alone and start in starts and start + len(said) in ends:
            text = text[:start] + instead + text[start + len(said) :]
    return text


def is_correction(row: Row) -> bool:
    """Return whether a person corrected a row, and no edit of its note replaced it."""
    is_past = row.status is RowStatus.SUPERSEDED and row.superseded_by is not None
    return is_past and row.superseded_author is Origin.HUMAN and row.superseded_reason != EDITED


def still_corrected(fresh: Sequence[Observation], derived: Iterable[GraphRow]) -> tuple[Observation, ...]:
    """Return the statements of a note as they stand: superseded where a person corrected them by themselves before.

    Args:
        fresh: what is distilled from the note as it is now.
        derived: what rests on the note as it was, also what is past.
    """
    past = {row.text: row for row in derived if isinstance(row, Observation) and is_correction(row)}
    return tuple(_as(each, past[each.text]) if each.text in past else each for each in fresh)


def _as(statement: Observation, past: Observation) -> Observation:
    return replace(
        statement,
        status=RowStatus.SUPERSEDED,
        superseded_by=past.superseded_by,
        superseded_at=past.superseded_at,
        superseded_reason=past.superseded_reason,
        superseded_author=past.superseded_author,
    )
