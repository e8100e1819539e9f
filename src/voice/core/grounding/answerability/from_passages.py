"""An answer made of passages: the sentence that answers first, then what follows it in the note.

Law: every sentence is one of the rows, word for word, and cites it; where its note and heading are said before it, the
judge finds it quoted with them. Of the first passage the next few sentences are given, the whole of it where a list is
asked for; of the others what was found alone.

Source: DESIGN 5 "Evidence … is a passage"; rulings D1, D2, I1.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from voice.core.grounding.answerability.compose import on_a_line, readable_line, told_in_turn
from voice.core.grounding.answerability.passages import Passage, all_passages
from voice.core.grounding.quotation.matching import placed_heads, quotations_in
from voice.core.grounding.values import Draft, DraftSentence, DraftSource, Evidence
from voice.core.text.dates import stated_dates
from voice.core.text.patterns import late_pattern
from voice.core.text.wordlists import word_set
from voice.core.text.words import words

_HEADING: Final = late_pattern(r"#{1,6}[ \t]")
"""It stands in the place of what is under it, and states nothing."""
_FOLLOWING: Final = 3
"""Sentences given after the one that answers."""
_MANY: Final = word_set(
    "list lists all several summary summarise summarize overview liste alle aufzählen lista todos todas"
)
"""Words that ask for more than one thing."""


def compose_passages(question: str, evidence: Sequence[Evidence], *, now: datetime | None = None) -> Draft:
    """Return the draft of passages, the best first.

    Args:
        question: the person's.
        evidence: rows that are part of passages (`Evidence.passage`), in the order of their text.
        now: when it is asked; without it every row that has an end counts as ended.
    """
    asks_for_many = any(word.key in _MANY for word in words(question))
    sentences: list[DraftSentence] = []
    for number in dict.fromkeys(row.passage for row in evidence):
        rows = [row for row in evidence if row.passage == number]
        sentences += _told(_chosen(rows, is_first=not sentences, whole=asks_for_many), now)
    return Draft(sentences=tuple(sentences)) if sentences else Draft(refused=True, notes=None)


def _chosen(rows: Sequence[Evidence], *, is_first: bool, whole: bool) -> list[Evidence]:
    """Return what of a passage is given, what was found first."""
    found = next((place for place, row in enumerate(rows) if row.is_hit), 0)
    after = rows[found + 1 :]
    if not is_first:
        return [rows[found], *after[:1]]
    return [rows[found], *after, *rows[:found]] if whole else [rows[found], *after[:_FOLLOWING]]


def _told(rows: Sequence[Evidence], now: datetime | None) -> list[DraftSentence]:
    """Return the sentences of rows on a line of their own, the first with its place."""
    every = [passage for row in rows for passage in all_passages(row)]
    first, *others = [passage for passage in every if not _HEADING.match(passage.text)] or every
    placed = _placed(first)
    if placed is None:
        return on_a_line(told_in_turn([first, *others], days="undated", now=now))
    return on_a_line([placed, *(told_in_turn(others, days="ended", now=now) if others else ())])


def _placed(passage: Passage) -> DraftSentence | None:
    """Return a sentence under the place of its row; None where the judge would not find it quoted so."""
    line = readable_line(passage)
    heads = placed_heads(passage.row)
    wanted = heads[-1:] if passage.row.context and stated_dates(passage.row.context) else heads
    for head in wanted:
        told = f"{head}: {line}"
        if quotations_in(told, (passage.row,)):
            return DraftSentence(text=told, sources=(DraftSource(source_id=passage.row.alias, span=passage.text),))
    return None
