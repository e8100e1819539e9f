"""Render sentences with their context path ("Gate › Paint: The gate is painted."), and an answer in several parts.

Law: a place is said only where the judge finds the sentence quoted with it, the heading left out where the title alone
can be said. A heading stands in the place of what is under it and states nothing by itself; items are said with the
line that leads them in, as one quotation. In an answer of several parts every sentence is a stretch of one row, word
for word, and cites it; what is said besides is what a part is about, how many its stretches are, and how much more
there is. Where a stretch is not there any more nothing is counted; of a list it is said how many lines are lacking.
Source: DESIGN 5 "A line is nothing without its place", 7; rulings D1, D2, I1.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby
from typing import Final, NamedTuple

from voice.core.answering.answer_layout import Layout, Part
from voice.core.grounding.extractive.answer_composition import (
    Days,
    on_own_line,
    readable_line,
    render_in_order,
    with_stop,
)
from voice.core.grounding.extractive.evidence_sentences import EvidenceSentence, sentences_of
from voice.core.grounding.quotations import CitedSpan, CountOf, is_correct_count, quotations_in
from voice.core.grounding.source_labels import short_labels
from voice.core.grounding.values import Draft, DraftSentence, DraftSource, Evidence
from voice.core.messages import asking as messages
from voice.core.text.lazy import late_pattern
from voice.core.text.markdown import (
    Outline,
    header_above,
    heading_above,
    is_header,
    is_lead_in,
    list_item_of,
    outline_of,
    tables_as_text,
)
from voice.core.text.note_context import repeats_path_step
from voice.core.text.sentences import sentence_spans
from voice.core.text.words import content_words, stems_in, words

MOST_OF_A_ROW: Final = 8
"""The most sentences given of one row."""
_HEADING: Final = late_pattern(r"#{1,6}[ \t]")
# A picture, the address of a link, or tags.
_NOTHING_SAID: Final = late_pattern(
    r"(?:[-*+] +)?!\[[^\]\n]*\]\([^()\n]*\)(?:\{[^{}\n]*\})?\s*|\[[^\[\]\n]+\]: \S+|(?:</?\w++>\s*+)++"
)
_LINKED: Final = late_pattern(r"\[\[([^\[\]|\n]+)\]\]")  # a link without an alias
_BETWEEN: Final = " › "
_SHORT: Final = 4  # words of a bullet that says nothing by itself: "DO NOT", "What I dislike"
_LIST_MARK: Final = 3  # fewest characters between the text of two items: a line's end, the mark, a blank
_NOWHERE: Final = -1  # code at the end of a row is no line of its outline
_MOST_LEADS: Final = 3  # most lines above an item that lead it in and are said before it


def body_sentences(row: Evidence) -> list[EvidenceSentence]:
    """Return the sentences of a row without its headings and table heads; those too if it has nothing else."""
    every = sentences_of(row)
    return [each for each in every if not (is_heading(each) or is_table_head(each))] or every


def with_sub_items(
    row: Evidence, heads: Sequence[EvidenceSentence], lines: Sequence[EvidenceSentence]
) -> list[EvidenceSentence]:
    """Return the lines of a row that are among `heads`, are of the same bullets or are bullets under them, in order."""
    outline, index = _outlined(row, lines)
    chosen = {line.start for line in heads}
    below = set(outline.below(*(index[start] for start in chosen)))
    below |= {index[line.start] for line in heads if list_item_of(line.text)}
    return [line for line in lines if line.start in chosen or index[line.start] in below]


def owners_of_items(row: Evidence, lines: Sequence[EvidenceSentence]) -> list[EvidenceSentence]:
    """Return the lines of a row that others of them are items or table rows right under."""
    outline, index = _outlined(row, lines)
    placed = [outline.lines[index[line.start]] for line in lines if index[line.start] < len(outline.lines)]
    parents = {each.parent for each in placed if each.kind in ("item", "row")}
    return [line for line in lines if index[line.start] in parents]


def with_short_parents(
    row: Evidence,
    below: Sequence[EvidenceSentence],
    lines: Sequence[EvidenceSentence],
    is_asked_for: Callable[[EvidenceSentence], bool] = lambda _: False,
) -> list[EvidenceSentence]:
    """Return the lines of a row that are among `below` or are bullets above them, in order.

    Of these the short ones that do not only name what is named below, and those that say what is asked for.
    """
    outline, index = _outlined(row, lines)
    chosen = {line.start for line in below}
    stems = frozenset[str]().union(*(line.own_stems for line in below))
    parents = [each for start in chosen for each in outline.over(index[start])]
    short = {each.start for each in parents if len(words(each.said)) <= _SHORT and not stems_in(each.said) <= stems}
    over = {each.start for each in parents}
    # One more than there are lines: `_outlined` gives the number of lines to what is in none.
    begins = [*(each.start for each in outline.lines), _NOWHERE]
    placed = ((line, begins[index[line.start]]) for line in lines)
    return [line for line, at in placed if line.start in chosen or at in short or (at in over and is_asked_for(line))]


def parent_stems(row: Evidence, lines: Sequence[EvidenceSentence]) -> list[frozenset[str]]:
    """Return the stems of what is above each of a row's lines in its outline."""
    outline, index = _outlined(row, lines)
    return [
        frozenset[str]().union(*(stems_in(each.said) for each in outline.over(index[line.start]))) for line in lines
    ]


def _outlined(row: Evidence, lines: Sequence[EvidenceSentence]) -> tuple[Outline, dict[int, int]]:
    """Return a row's outline, and the line there of each of `lines`, by where it begins; none: the number of them."""
    outline = outline_of(row.text)
    ends = [line.end for line in outline.lines]
    return outline, {line.start: bisect_right(ends, line.start) for line in lines}


def is_heading(sentence: EvidenceSentence) -> bool:
    """Return whether a sentence is a heading."""
    return _HEADING.match(sentence.text) is not None


def opens_section(sentence: EvidenceSentence) -> bool:
    """Return whether a sentence is a heading, or a bullet that is one: "- ## Paint"."""
    item = list_item_of(sentence.text)
    return is_heading(sentence) or (item is not None and _HEADING.match(item.text) is not None)


def is_table_head(sentence: EvidenceSentence) -> bool:
    """Return whether a sentence is the head of a table: its rows say what it says."""
    return is_header(sentence.row.text, sentence.end)


def is_uninformative(sentence: EvidenceSentence) -> bool:
    """Return whether a sentence is a picture, an address, tags, or only repeats the note's title."""
    title = (sentence.row.context or "").split(_BETWEEN, maxsplit=1)[0]
    return sentence.own_stems <= stems_in(title) or _NOTHING_SAID.fullmatch(sentence.text) is not None


def is_under(row: Evidence, over: Evidence, said: str) -> bool:
    """Return whether a row's path leads through what another row of its note says."""
    if row.thought_ids != over.thought_ids or not is_within(over, row, deeper=True):
        return False
    rest = (row.context or "")[len(over.context or "") :].removeprefix(_BETWEEN)
    return repeats_path_step(said, rest.split(_BETWEEN))


def render_sentences(
    lines: Sequence[EvidenceSentence], *, days: Days, now: datetime | None, behind: Sequence[str] = ()
) -> list[DraftSentence]:
    """Render sentences on a line of their own, the first under its path, bullets on lines of their own.

    Args:
        days: which of them give their day, if their place cannot be given.
        behind: the labels of what was told before them; the same are not repeated.
    """
    rendered: list[DraftSentence] = []
    last = lines[0]
    for lead, group in _groups(lines):
        labels = short_labels(group[0].row)
        is_placed = not rendered and labels != behind
        # "" tries the sentence as one quotation without a label; with no head at all it is given as it is.
        heads = [f"{label}: " for label in labels] if is_placed else [""] if rendered or labels else []
        block = _block(lead or ("" if rendered else _list_heading(group[0])), group, heads=heads)
        is_dated = not rendered and (is_placed or not labels)
        sentences = [block] if block else render_in_order(group, days=days if is_dated else "ended", now=now)
        after_code = "\n" if rendered and last.prose_and_code[1] else ""
        before = "\n- " if rendered and _is_bullet(group[0], last, lines[0]) else after_code
        rendered += (replace(one, text=f"{before}{one.text}", sources=_citable(one)) for one in sentences)
        last = group[-1]
    return on_own_line(rendered)


def _groups(lines: Sequence[EvidenceSentence]) -> Iterator[tuple[str, list[EvidenceSentence]]]:
    """Yield the items of one row with the line that leads them in, and every other sentence by itself."""
    pairs = [(_lead(line), line) for line in lines]
    leads = {(line.row.row_id, lead) for lead, line in pairs if lead}
    kept = [(lead, line) for lead, line in pairs if not any(_ends(each, line) for each in leads)]
    for (_, lead), group in groupby(kept, key=lambda each: (each[1].row.row_id, each[0])):
        own = [line for _, line in group]
        yield from [(lead, own)] if lead else [("", [line]) for line in own]


def _lead(line: EvidenceSentence) -> str:
    """Return the lines that lead in an item; empty if there are none."""
    if list_item_of(line.text) is None:
        return ""
    outline = outline_of(line.row.text)
    at = outline.at(line.start, line.end)
    over = [line.row.text[each.start : each.end] for each in outline.over(at[0])] if at else []
    leading = [each for each in over if is_lead_in(each)][:_MOST_LEADS]
    return " ".join(reversed(leading))


def _list_heading(line: EvidenceSentence) -> str:
    """Return the heading of an item's list, with a colon; empty if the path says it."""
    name = heading_above(line.row.text, line.start) if list_item_of(line.text) else ""
    return "" if stems_in(name) <= stems_in(line.row.context or "") else f"{name}:"


def _ends(lead: tuple[str, str], line: EvidenceSentence) -> bool:
    """Return whether a line is the last one of a lead, as `_lead` returns it."""
    item = list_item_of(line.text)
    said = item.text if item else line.text
    return lead[0] == line.row.row_id and lead[1].endswith(said if is_lead_in(said) else f"{said.strip(' #*_:')}:")


def _block(lead: str, group: Sequence[EvidenceSentence], *, heads: Sequence[str]) -> DraftSentence | None:
    """Return sentences as one quotation behind a head; None if the judge would not accept it as quoted."""
    row = group[0].row
    items = [_HEADING.sub("", item.text) for line in group if (item := list_item_of(line.text))] if lead else []
    line = f"{lead} {with_stop(items[0])}" if len(items) == 1 else "\n- ".join((lead, *items))
    line = _LINKED.sub(r"\1", line if lead else _without_lead(group[0]))
    for head in (*heads, *([""] if lead else ())):  # the longest label first that the judge accepts
        said = f"{head}{line}"
        if _is_one(said, line) and quotations_in(said, (row,)):  # the judge itself, so that a tick is certain
            start = row.text.find(lead.rstrip(":")) if lead else group[0].start  # -1: joined of several lines
            span = row.text[max(0, min(start, group[0].start)) : group[-1].end]
            return DraftSentence(text=said, sources=(DraftSource(source_id=row.alias, span=span),))
    return None


def _without_lead(line: EvidenceSentence) -> str:
    """Return a sentence as the answer gives it, an item without the heading that its path says."""
    item = list_item_of(line.text)
    return readable_line(line) if item is None or item.is_done is not None else with_stop(_HEADING.sub("", item.text))


def _is_one(said: str, line: str) -> bool:
    """Return whether a line is still one sentence with a label before it."""
    first, bare = said.split("\n", maxsplit=1)[0], line.split("\n", maxsplit=1)[0]
    return len(sentence_spans(first)) == 1 >= len(sentence_spans(bare))


def _is_bullet(line: EvidenceSentence, last: EvidenceSentence, first: EvidenceSentence) -> bool:
    """Return whether to give a sentence as a bullet: it is one, or begins a line under the first sentence given."""
    if list_item_of(line.text) is not None:
        return True
    is_below = is_lead_in(first.text) or is_within(first.row, line.row, deeper=True)
    return is_below and line.start == 0 and not continues_line(last.row, line.row)


def continues_line(before: Evidence, row: Evidence) -> bool:
    """Return whether a row continues the line that another row ends on; one that owns a list begins a line."""
    if before.place is None or row.place is None or any(map(list_item_of, row.text.split("\n")[1:])):
        return False
    (note, start), (other, at) = before.place, row.place
    return note == other and 0 <= at - start - len(before.text) <= 1  # at most a blank between them


def begins_item(before: Evidence, row: Evidence) -> bool:
    """Return whether a row begins another item, or stands behind a line drawn across, after the row before it."""
    if list_item_of(row.text.split("\n", maxsplit=1)[0]) is not None:
        return True
    if before.place is None or row.place is None:
        return False
    (note, start), (other, at) = before.place, row.place
    return note == other and at - start - len(before.text) >= _LIST_MARK


def is_within(one: Evidence, other: Evidence, *, deeper: bool = False) -> bool:
    """Return whether `other` has the path of `one` or a deeper one; with `deeper`, only a deeper one."""
    path, other_path = one.context or "", other.context or ""
    is_below = other_path.startswith(f"{path}{_BETWEEN}") if path else bool(other_path)
    return is_below or (other_path == path and not deeper)


def _citable(sentence: DraftSentence) -> tuple[DraftSource, ...]:
    """Return the sources of a sentence; the whole row if the words alone are too few to be found again."""
    return tuple(each if content_words(each.span) else replace(each, span="") for each in sentence.sources)


_HEADING_MARK: Final = late_pattern(r"^#{1,6}\s+(?=\S)")


class _Piece(NamedTuple):
    """A stretch and the row it belongs to."""

    row: Evidence
    start: int
    end: int
    goes_on: bool = False

    @property
    def line(self) -> str:
        """The stretch as a line of a list, a table row in words; a further sentence of an item as it is."""
        text = _HEADING_MARK.sub("", self.row.text[self.start : self.end])
        said = " ".join(tables_as_text(text, header_above(self.row.text, self.start)).split())
        return said if self.goes_on else f"- {said}"


def compose_layout(layout: Layout, evidence: Sequence[Evidence], *, now: datetime | None = None) -> Draft:
    """Return the draft of a layout, a refusal without its rows; without `now` every row that has an end has ended."""
    rows = {row.row_id: row for row in evidence}
    sentences = [one for part in layout.parts for one in _part(part, rows, now)]
    if not sentences:
        return Draft(refused=True, notes=None)
    # What found no room in the prompt: a list that is cut without a word reads as the whole one.
    items = (each for part in layout.parts if part.is_list for each in part.stretches if not each.goes_on)
    lacking = sum(each.row_id not in rows for each in items)
    more = (layout.more, messages.lines_not_shown(lacking) if lacking else "")
    return Draft(sentences=(*sentences, *map(remark, filter(None, more))))


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
        yield remark(part.head)
    yield from told


def _without_repeated_head(counted: CountOf, told: Sequence[DraftSentence]) -> CountOf:
    """Return what is counted without its heading where the list itself begins with it."""
    is_repeated = bool(told) and told[0].text.startswith(f"\n{counted.head}:")
    return replace(counted, head="") if is_repeated else counted


def _count(of: CountOf, cited: Sequence[CitedSpan]) -> DraftSentence:
    """Return how many there are, a statement of ours; only the number if they cannot be found where they stand."""
    told = of.told(cited)
    # An audit checks by the same rule: a count that fails here would be told as changed there.
    return remark(told if is_correct_count(told, cited) else CountOf(unit=of.unit).told(cited))


def remark(said: str) -> DraftSentence:
    """Return a line of ours, which states nothing of the notes."""
    return DraftSentence(text=f"\n{said}", kind="remark")


def _points(given: Sequence[_Piece], now: datetime | None) -> Iterator[DraftSentence]:
    """Yield stretches one by one, items of one lead together, each under its path unless it is said before."""
    last: tuple[str, ...] = ()
    told = [
        [each for each in body_sentences(row) if each.start < end and start < each.end][:MOST_OF_A_ROW]
        for row, start, end, _ in given
    ]
    for _, group in groupby(filter(None, told), key=lambda each: (each[0].row.row_id, _lead(each[0]) or each[0].start)):
        lines = [line for inside in group for line in inside]
        yield from render_sentences(lines, days="undated", now=now, behind=last)
        last = short_labels(lines[0].row)


def _listed(given: Sequence[_Piece], *, is_headed: bool) -> Iterator[DraftSentence]:
    """Yield the items of a list, those of its first row under its path unless a head says it."""
    first = [each for each in given if each.row is given[0].row]
    # Under a head that says the place, items that prove alone need no block.
    is_plain = is_headed and all(quotations_in(each.line, (each.row,)) for each in first)
    block = None if is_plain else _list_block(first, is_headed=is_headed)
    if block is not None:
        yield block
    for each in given[len(first) if block else 0 :]:
        yield from _item(each)


def _list_block(items: Sequence[_Piece], *, is_headed: bool) -> DraftSentence | None:
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
