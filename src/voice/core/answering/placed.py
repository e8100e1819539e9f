"""A sentence of a row under its place: "2024-05-01, Garden › Gate: The gate is painted."

Law: a place is said only where the judge finds the sentence quoted with it. A heading stands in the place of what is
under it and states nothing by itself.

Source: DESIGN 5 "A line is nothing without its place"; rulings D1, I1.
"""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Final

from voice.core.grounding.answerability.compose import readable_line
from voice.core.grounding.answerability.passages import Passage, all_passages
from voice.core.grounding.quotation.matching import placed_heads, quotations_in
from voice.core.grounding.values import DraftSentence, DraftSource, Evidence
from voice.core.text.dates import stated_dates
from voice.core.text.outlines import outline_of
from voice.core.text.patterns import late_pattern
from voice.core.text.sentences import sentence_spans

MOST_OF_A_ROW: Final = 8
"""Sentences that are given of one row."""
_HEADING: Final = late_pattern(r"#{1,6}[ \t]")


def stated(row: Evidence) -> list[Passage]:
    """Return the sentences of a row without its headings; those too where there is nothing else."""
    every = all_passages(row)
    return [each for each in every if not is_heading(each)] or every


def with_what_hangs_under(row: Evidence, heads: Sequence[Passage], lines: Sequence[Passage]) -> list[Passage]:
    """Return those of a row's lines that are among `heads`, or bullets under them, in their order."""
    outline = outline_of(row.text)
    ends = [line.end for line in outline.lines]
    stands = {line.start: bisect_right(ends, line.start) for line in lines}
    chosen = {line.start for line in heads}
    below = set(outline.below(*(stands[start] for start in chosen)))
    return [line for line in lines if line.start in chosen or stands[line.start] in below]


def is_heading(passage: Passage) -> bool:
    """Return whether a sentence is a heading."""
    return _HEADING.match(passage.text) is not None


def placed(passage: Passage) -> DraftSentence | None:
    """Return a sentence under the place of its row; None where the judge would not find it quoted so."""
    line = readable_line(passage)
    heads = placed_heads(passage.row)
    wanted = heads[-1:] if passage.row.context and stated_dates(passage.row.context) else heads
    for head in wanted:
        told = f"{head}: {line}"
        if len(sentence_spans(told)) == len(sentence_spans(line)) and quotations_in(told, (passage.row,)):
            return DraftSentence(text=told, sources=(DraftSource(source_id=passage.row.alias, span=passage.text),))
    return None
