"""Draft an answer in several parts from its layout.

Law: every sentence is a stretch of one row, word for word, and cites it; what is said besides is what a part is about,
how many its stretches are, and how much more there is. Of a stretch that is not there any more nothing is said; where
one is lacking nothing is counted.

Source: DESIGN 5, 7; rulings D1, D2, I1.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final, NamedTuple

from voice.core.answering.answer_layout import Layout, Part
from voice.core.answering.sentence_rendering import MOST_OF_A_ROW, body_sentences, render_sentences
from voice.core.grounding.extractive.answer_composition import on_own_line, render_in_order
from voice.core.grounding.extractive.evidence_sentences import sentences_of
from voice.core.grounding.quotations import CitedSpan, CountOf, is_correct_count, quotations_in
from voice.core.grounding.source_labels import short_labels
from voice.core.grounding.values import Draft, DraftSentence, DraftSource, Evidence
from voice.core.text.lazy import late_pattern
from voice.core.text.markdown import header_above, heading_above, tables_as_text

_HEADING: Final = late_pattern(r"^#{1,6}\s+(?=\S)")


class _Piece(NamedTuple):
    """A stretch and the row it belongs to."""

    row: Evidence
    start: int
    end: int
    goes_on: bool = False

    @property
    def line(self) -> str:
        """The stretch as a line of a list, a table row in words; a further sentence of an item as it is."""
        text = _HEADING.sub("", self.row.text[self.start : self.end])
        said = " ".join(tables_as_text(text, header_above(self.row.text, self.start)).split())
        return said if self.goes_on else f"- {said}"


def compose_layout(layout: Layout, evidence: Sequence[Evidence], *, now: datetime | None = None) -> Draft:
    """Return the draft of a layout; a refusal if none of its rows are there.

    Args:
        layout: what is given.
        evidence: the rows of the prompt.
        now: when it is asked; without it every row that has an end counts as ended.
    """
    rows = {row.row_id: row for row in evidence}
    sentences = [one for part in layout.parts for one in _part(part, rows, now)]
    if not sentences:
        return Draft(refused=True, notes=None)
    more = [_remark(layout.more)] if layout.more else []
    return Draft(sentences=(*sentences, *more))


def _part(part: Part, rows: Mapping[str, Evidence], now: datetime | None) -> Iterator[DraftSentence]:
    given = [_Piece(rows[each.row_id], *each[1:]) for each in part.stretches if each.row_id in rows]
    if not given:
        return
    counted = part.counting or part.stretches
    cited = [CitedSpan(rows[each.row_id], each.start, each.end) for each in counted if each.row_id in rows]
    is_counted = part.counted is not None and len(cited) == len(counted)
    told = list(_listed(given, is_headed=is_counted) if part.is_list else _points(given, now))
    if part.counted is not None and is_counted:
        yield _count(_without_repeated_head(part.counted, told), cited)
    elif part.head:
        yield _remark(part.head)
    yield from told


def _without_repeated_head(counted: CountOf, told: Sequence[DraftSentence]) -> CountOf:
    """Return what is counted without its heading where the list itself begins with it."""
    is_repeated = bool(told) and told[0].text.startswith(f"\n{counted.head}:")
    return replace(counted, head="") if is_repeated and counted.title else counted


def _count(of: CountOf, cited: Sequence[CitedSpan]) -> DraftSentence:
    """Return how many there are, a statement of ours; only the number if they cannot be found where they stand."""
    told = of.told(cited)
    return _remark(told if is_correct_count(told, cited) else CountOf(unit=of.unit).told(cited))


def _remark(said: str) -> DraftSentence:
    return DraftSentence(text=f"\n{said}", kind="remark")


def _points(given: Sequence[_Piece], now: datetime | None) -> Iterator[DraftSentence]:
    """Yield stretches one by one, each under its path unless the one before it has the same."""
    last: tuple[str, ...] = ()
    for row, start, end, _ in given:
        inside = [each for each in body_sentences(row) if each.start < end and start < each.end][:MOST_OF_A_ROW]
        if inside:
            yield from render_sentences(inside, days="undated", now=now, behind=last)
            last = short_labels(row)


def _listed(given: Sequence[_Piece], *, is_headed: bool) -> Iterator[DraftSentence]:
    """Yield the items of a list, those of its first row under its path unless a head says it."""
    first = [each for each in given if each.row is given[0].row]
    is_plain = is_headed and all(quotations_in(each.line, (each.row,)) for each in first)
    block = None if is_plain else _block(first, is_headed=is_headed)
    if block is not None:
        yield block
    for each in given[len(first) if block else 0 :]:
        yield from _item(each)


def _block(items: Sequence[_Piece], *, is_headed: bool) -> DraftSentence | None:
    """Return the items of one row under their heading as one quotation; None if the judge would not accept it."""
    row, start = items[0].row, items[0].start
    name = heading_above(row.text, start)
    lines = "\n".join(each.line for each in items)
    heads = ("",) if is_headed else (*(f"{head}: " for head in short_labels(row)), "")
    for head in heads if name else ():
        told = f"{head}{name}:\n{lines}"
        if quotations_in(told, (row,)):
            span = row.text[max(0, row.text.rfind(name, 0, start)) : items[-1].end]
            return DraftSentence(text=f"\n{told}", sources=(DraftSource(source_id=row.alias, span=span),))
    return None


def _item(item: _Piece) -> Iterator[DraftSentence]:
    """Yield an item on a line of its own, its further sentences behind it, as the judge accepts them as quoted."""
    if quotations_in(item.line, (item.row,)):
        before = " " if item.goes_on else "\n"
        source = DraftSource(source_id=item.row.alias, span=item.row.text[item.start : item.end])
        yield DraftSentence(text=f"{before}{item.line}", sources=(source,))
        return
    lines = [each for each in sentences_of(item.row) if each.start < item.end and item.start < each.end]
    yield from on_own_line(render_in_order(lines[:MOST_OF_A_ROW], days="undated", now=None)) if lines else ()
